//! Tests of the reference agent as a child process: synaps@1.

#[path = "../common/agent_process.rs"]
mod agent_process;
mod attachments;
mod commands;
#[path = "../common/faults.rs"]
mod dialect_faults;
mod ends;
mod faults;
mod harness;
mod limits;
mod same_bytes;
mod sessions;
mod startup;
mod subagents;
mod turns;
