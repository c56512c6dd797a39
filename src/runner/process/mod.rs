//! The agent's process: how it is spawned in a process group of its own, its pipes, its supervisor, and how its process tree is killed.
//!
//! All three pipes are served at the same time, so a full pipe can never block the agent; and once the whole process tree
//! has gone, the pipes get a short timeout.

pub(crate) mod activity;
pub(crate) mod agent_process;
mod pipes;
#[cfg(target_os = "linux")]
pub(crate) mod process_list;
#[cfg(not(target_os = "linux"))]
#[path = "process_list_stub.rs"]
pub(crate) mod process_list;
pub(crate) mod process_tree;
pub(crate) mod spawn_error;
mod supervisor;
