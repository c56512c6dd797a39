//! Tests of the reference agent as a child process: synaps@1.

#[path = "../../common/agent_process.rs"]
#[expect(
    clippy::duplicate_mod,
    reason = "each protocol adds methods of its own to the process"
)]
mod agent_process;
mod attachments;
mod commands;
mod ends;
pub(crate) mod faults;
mod harness;
mod limits;
mod same_bytes;
mod sessions;
mod startup;
mod subagents;
mod turns;
