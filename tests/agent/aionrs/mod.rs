//! Tests of the reference agent as a child process: aionrs@0.1, and what differs in 0.2.

#[path = "../../common/agent_process.rs"]
#[expect(
    clippy::duplicate_mod,
    reason = "each protocol adds methods of its own to the process"
)]
mod agent_process;
mod approvals;
mod attachments;
mod commands;
mod ends;
mod errors;
pub(crate) mod faults;
mod harness;
mod http;
mod same_bytes;
mod sessions;
mod startup;
mod stops;
mod tools;
mod turns;
mod version_0_2;
