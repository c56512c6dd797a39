//! The faults of the built-in dialects.

use conform_judge::dialect::{self, DialectSource};
use frame_faults::{Effect, Fault};

/// The faults of the dialect `NAME@VERSION`, in their order.
pub(crate) fn faults_of(name: &str, version: &str) -> Vec<Fault> {
    let source = DialectSource::default();
    let dialect = dialect::load(&source, &format!("{name}@{version}")).unwrap();
    let table = dialect::faults(&source, &dialect::fault_sources(&dialect)).unwrap();
    table.map_or_else(Vec::new, |table| table.faults().to_vec())
}

/// Some of its faults that are behaviors of the reference agent. What holds for faults on frames is a property of the player.
#[allow(dead_code, reason = "only the tests of the agent play them")]
pub(crate) fn some_behaviors(name: &str, version: &str) -> impl Iterator<Item = Fault> {
    let faults = faults_of(name, version).into_iter();
    let behaviors = faults.filter(|fault| matches!(fault.effect, Effect::Behavior(_)));
    behaviors.step_by(9)
}
