//! The reference agent as a child process: each protocol, and the built-in scripts in all of them.

#[path = "../common/agent_findings.rs"]
mod agent_findings;
mod aionrs;
#[path = "../common/faults.rs"]
mod dialect_faults;
mod pi;
mod scripts;
mod synaps;

use dialect_faults::faults_of;
use frame_faults::{Effect, Fault};

/// Some faults of a dialect that are behaviors of the reference agent. What holds for faults on frames is a property of their player.
fn some_behaviors(name: &str, version: &str) -> impl Iterator<Item = Fault> {
    let faults = faults_of(name, version).into_iter();
    let behaviors = faults.filter(|fault| matches!(fault.effect, Effect::Behavior(_)));
    behaviors.step_by(9)
}
