//! One fault of a dialect, read without the others.

use conform_dialect::{DialectSource, dialect_file, fault, faults};

/// Of this many faults one is read.
const STEP: usize = 9;

#[test]
fn a_fault_or_variant_reads_alone_as_among_the_others() {
    let source = DialectSource::default();
    for dialect in source.ids() {
        let sources = dialect_file(&source, &dialect).unwrap().sources;
        let table = faults(&source, &sources).unwrap().unwrap();
        assert!(table.faults().count() > 100, "{dialect}");
        let all = table.faults().chain(table.variants());
        for expected in all.step_by(STEP) {
            let alone = fault(&source, &dialect, &expected.id);
            assert_eq!(
                format!("{alone:?}"),
                format!("{:?}", Some(expected)),
                "{dialect}"
            );
        }
    }
}

#[test]
fn a_fault_that_a_version_removes_is_not_found() {
    let source = DialectSource::default();
    assert!(fault(&source, "aionrs@0.1", "denies-thinking").is_some());
    assert!(fault(&source, "aionrs@0.2", "denies-thinking").is_none());
    assert!(fault(&source, "aionrs@0.1", "no-such-fault").is_none());
}
