//! The faults that an agent of every line protocol can have.

use crate::file::{FaultPart, FaultsFile};
use indexmap::IndexMap;
use spanned_yaml::{Error, decode_all};
use std::sync::OnceLock;

/// The common faults, as written.
pub const LINE_FAULTS: &str = include_str!("line-faults.yaml");

/// The common faults, by id.
pub(crate) fn common() -> &'static IndexMap<String, FaultPart> {
    static COMMON: OnceLock<IndexMap<String, FaultPart>> = OnceLock::new();
    COMMON.get_or_init(|| load().unwrap_or_default())
}

fn load() -> Result<IndexMap<String, FaultPart>, Vec<Error>> {
    let node = spanned_yaml::load_yaml("line-faults.yaml", LINE_FAULTS);
    let file: FaultsFile = decode_all(&node.map_err(|error| vec![error])?)?;
    let mut faults = IndexMap::new();
    for (id, node) in file.faults {
        let parts = FaultPart::decode(&node, false)?.into_iter();
        faults.extend(parts.map(|part| (id.value.clone(), part)));
    }
    Ok(faults)
}

/// The ids of the common faults, which `common:` takes.
#[must_use]
pub fn common_names() -> Vec<String> {
    common().keys().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_faults_can_be_read() {
        assert_eq!(load().unwrap().len(), common_names().len());
        assert!(common_names().contains(&"byte-order-mark".to_owned()));
    }
}
