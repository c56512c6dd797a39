//! Deliberate defects. Without `--fault` none is played; with it exactly one, and not before its turn has come.
//!
//! A fault is data: what happens to which frame on its way out (`Op`), or which of the core's named hooks lies (`Bug`). Each
//! adapter has a table of the faults of its dialect. What is played is told on stderr, with the number of the frame.

mod fault;
mod fault_log;
mod hooks;
mod patch;
mod plan;
pub(super) mod requests;
mod tool_hooks;
mod wire;

pub(super) use fault::{ABSENT, Bug, Op, Play, bug, frame, joined, start};
pub use fault::{Fault, Shows};
pub use fault_log::{entry, parse_entry};
pub(super) use patch::trim;
pub(super) use plan::Faults;
pub(super) use wire::{Death, Out};
