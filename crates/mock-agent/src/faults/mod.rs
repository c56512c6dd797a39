//! Deliberate faults of the reference agent. Without `--fault` there is none; with it one is active, from a certain turn on. A prompt or a test
//! can add others while the agent runs.
//!
//! A fault is data, in the `faults.yaml` of its dialect: an operation on frames, commands or options, which the package `frame-faults`
//! plays, or a [`Bug`] in a decision of the agent. The bug is in the code that decides, which asks [`Faults::triggers`] whether it is
//! active. When a fault takes effect, the fault log on stderr reports it, with the number of the output line.

mod active;
mod bug;
mod dialect;

pub(super) use active::Faults;
pub(super) use bug::Bug;
pub use bug::behaviors;
pub(super) use dialect::FaultedDialect;
