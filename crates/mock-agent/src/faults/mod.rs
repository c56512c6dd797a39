//! Deliberate faults of the reference agent. Without `--fault` there is none; with it one is active, from a certain turn on. A prompt or a test
//! can add others while the agent runs.
//!
//! A fault is data, in the `faults.yaml` of its dialect: an operation on frames, commands or options, which the package `frame-faults`
//! plays, or a bug in a decision of the agent (`Bug`), which the hooks here play. When a fault takes effect, the fault log on stderr
//! says so, with the number of the output line.

mod active;
mod bug;
mod dialect;
mod hooks;
mod memory;
mod process;
mod tool_hooks;

pub(super) use active::Faults;
pub(super) use bug::Bug;
pub(super) use dialect::FaultedDialect;

/// The names of the behaviors that `behavior:` in a `faults.yaml` can give the reference agent.
#[must_use]
pub fn behaviors() -> &'static [&'static str] {
    Bug::NAMES
}
