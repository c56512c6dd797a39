//! Tests of the reference agent as a child process: pi@0.14.

mod aborts;
#[path = "../../common/agent_process.rs"]
#[expect(
    clippy::duplicate_mod,
    reason = "each protocol adds methods of its own to the process"
)]
mod agent_process;
mod attachments;
mod compaction;
mod ends;
mod errors;
pub(crate) mod faults;
mod harness;
mod runs;
mod same_bytes;
mod sessions;
mod shell;
mod startup;
