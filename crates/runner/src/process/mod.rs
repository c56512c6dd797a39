//! The agent's process: how it is spawned in a process group of its own, its pipes, its supervisor, and how its process tree is killed.
//!
//! All three pipes are served at the same time, so a full pipe can never block the agent; and once the whole process tree
//! has gone, the pipes get a short timeout.

pub mod activity;
pub mod agent_process;
mod pipes;
pub mod process_tree;
pub mod quiet_watch;
pub mod spawn_error;
pub(crate) mod starvation;
mod supervisor;

pub(crate) use pipes::StdinFull;
