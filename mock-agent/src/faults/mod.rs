//! Deliberate faults of the reference agent. Without `--fault` there is none; with it exactly one is active, from a certain turn on.
//!
//! A fault is data: an operation on the frames that are sent (`Op`), a bug in a decision of the agent (`Bug`), or a change of its
//! options or commands. Each protocol adapter has a table of faults. When a fault takes effect, the fault log on stderr says so, with
//! the number of the output line.

mod active;
mod bug;
mod fault;
mod fault_log;
mod frame_faults;
mod frame_op;
mod hooks;
mod memory;
mod patch;
mod process;
mod tool_hooks;

pub(super) use active::Faults;
pub(super) use bug::Bug;
pub use fault::Fault;
pub(super) use fault::{FaultEffect, bug, frame, joined, start};
pub use fault_log::{entry, parse_entry};
pub use frame_op::ShownAt;
pub(super) use frame_op::{ABSENT, Op};
pub(super) use patch::trim;

pub(super) use crate::os::stdout::KillSignal;
