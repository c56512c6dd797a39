//! Names that no two scenarios may share.

use indexmap::IndexMap;
use spanned_yaml::{Error, Node};

/// The names of the scenarios seen so far.
#[derive(Debug, Clone, Default)]
pub struct UniqueNames {
    seen: IndexMap<String, String>,
}

impl UniqueNames {
    /// Takes the name of one more scenario file, known as `id`.
    ///
    /// # Errors
    /// Another scenario has this name.
    pub fn take(&mut self, file: &Node, id: &str) -> Result<(), Error> {
        let Some((node, name)) = file
            .get("name")
            .and_then(|node| Some((node, node.as_str()?)))
        else {
            return Ok(());
        };
        match self.seen.insert(name.to_owned(), id.to_owned()) {
            Some(other) if other != id => {
                Err(node.error(format!("the scenario `{other}` has this name already")))
            }
            _ => Ok(()),
        }
    }
}
