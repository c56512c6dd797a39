//! The faults that an agent of every line protocol can have.

use crate::file::{FaultFile, FaultsFile};
use std::sync::OnceLock;

/// The common faults, as written.
pub const LINE_FAULTS: &str = include_str!("line-faults.yaml");

/// The common faults, in their order.
pub(crate) fn common() -> &'static FaultsFile {
    static COMMON: OnceLock<FaultsFile> = OnceLock::new();
    COMMON.get_or_init(|| {
        let node = spanned_yaml::load_yaml("line-faults.yaml", LINE_FAULTS);
        let file = node.and_then(|node| spanned_yaml::decode(&node));
        file.unwrap_or_default()
    })
}

pub(crate) fn fault(id: &str) -> Option<FaultFile> {
    let mut faults = common().faults.iter();
    faults
        .find(|(known, _)| known.value == id)
        .map(|(_, fault)| fault.clone())
}

/// The ids of the common faults, which `common:` takes.
#[must_use]
pub fn common_names() -> Vec<String> {
    common().faults.keys().map(|id| id.value.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_faults_can_be_read() {
        let node = spanned_yaml::load_yaml("line-faults.yaml", LINE_FAULTS).unwrap();
        let file: FaultsFile = spanned_yaml::decode(&node).unwrap();

        assert_eq!(file.faults.len(), common_names().len());
        assert!(common_names().contains(&"byte-order-mark".to_owned()));
    }
}
