//! The faults of the built-in dialects.

use conform_judge::dialect::{self, DialectSource};
use frame_faults::Fault;

/// The faults of the dialect `NAME@VERSION`, in their order.
pub(crate) fn faults_of(name: &str, version: &str) -> Vec<Fault> {
    let mut faults = faults_and_variants_of(name, version);
    faults.retain(|fault| fault.legal.is_none());
    faults
}

/// The same with its legal variants.
pub(crate) fn faults_and_variants_of(name: &str, version: &str) -> Vec<Fault> {
    let source = DialectSource::default();
    let dialect = dialect::load(&source, &format!("{name}@{version}")).unwrap();
    let table = dialect::faults(&source, &dialect.fault_sources()).unwrap();
    table.map_or_else(Vec::new, |table| {
        table.faults().chain(table.variants()).cloned().collect()
    })
}
