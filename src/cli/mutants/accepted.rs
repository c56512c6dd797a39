//! The list of generic faults that may survive, because what they do is legal: a YAML map from their ids to reasons.

use crate::cli::catalogue::render_errors;
use indexmap::IndexMap;
use std::path::Path;

/// Generic faults that may survive.
#[derive(Debug, Default)]
pub(super) struct Accepted(IndexMap<String, String>);

impl Accepted {
    /// Reads a list.
    ///
    /// # Errors
    /// The file cannot be read, or is not such a map; with its place.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let node = spanned_yaml::load_file(path).map_err(|error| render_errors(&[error]))?;
        let map = spanned_yaml::decode_all(&node);
        map.map(Accepted).map_err(|errors| render_errors(&errors))
    }

    /// Whether a fault may survive.
    pub(super) fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// The faults in the list.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
