//! The fault files of the built-in dialects, and the code of the reference agent that they name.

use frame_faults::{Effect, Fault, FaultTable, NestedKinds};
use std::collections::BTreeSet;

use crate::dialect_faults::faults_and_variants_of;

fn all_faults() -> Vec<(String, Fault)> {
    let dialects = mock_agent::dialects();
    let faults = dialects.flat_map(|(name, version)| {
        let faults = faults_and_variants_of(name, version).into_iter();
        faults.map(move |fault| (format!("{name}@{version}"), fault))
    });
    faults.collect()
}

#[test]
fn a_behavior_is_in_the_code_of_the_agent_if_a_fault_file_names_it() {
    let named: BTreeSet<_> = all_faults()
        .into_iter()
        .filter_map(|(_, fault)| match fault.effect {
            Effect::Behavior(name) => Some(name),
            _ => None,
        })
        .collect();
    let known: BTreeSet<_> = mock_agent::behaviors().into_iter().collect();
    assert_eq!(named, known);
}

#[test]
fn every_fault_has_a_plain_id_and_a_summary_that_is_not_a_sentence() {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let faults = all_faults();
    for (dialect, fault) in &faults {
        let Fault { id, summary, .. } = fault;
        assert!(id.chars().all(plain), "{dialect} {id}");
        assert!(
            !summary.is_empty() && !summary.ends_with('.'),
            "{dialect} {id}"
        );
    }
    assert!(faults.len() > 2000, "{}", faults.len());
}

#[test]
fn the_examples_in_the_documentation_are_fault_files() {
    let page = include_str!("../../docs/faults.md");
    let examples = page.split("```yaml\n").skip(1);
    let tables = examples.map(|rest| {
        let (example, _) = rest.split_once("```").unwrap();
        let file = ("faults.yaml".into(), example.into());
        FaultTable::load(&[file], NestedKinds::new()).unwrap()
    });
    let counts = tables.map(|table| (table.faults().count(), table.variants().count()));
    assert_eq!(counts.collect::<Vec<_>>(), [(5, 0), (3, 0), (0, 2)]);
}
