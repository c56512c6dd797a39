//! The agent's process: its start, its pipes, its end and whatever it leaves behind.
//!
//! All three pipes are served at the same time, so the agent can fill none of them and stop there; and no pipe is waited for once
//! the process and what it left behind are gone.

#[cfg(target_os = "linux")]
mod proc;
#[cfg(not(target_os = "linux"))]
#[path = "proc_blind.rs"]
mod proc;
mod start;
mod stderr;
mod stdin;
mod stdout;
mod supervise;
mod tree;

pub(super) use start::{Launch, Process};
pub use tree::{adopt_orphans, end_strays};
