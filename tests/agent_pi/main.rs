//! Tests of the reference agent as a child process: pi@0.14.

mod aborts;
#[path = "../common/agent_process.rs"]
mod agent_process;
mod attachments;
mod compaction;
#[path = "../common/faults.rs"]
mod dialect_faults;
mod ends;
mod errors;
mod faults;
mod harness;
mod runs;
mod same_bytes;
mod sessions;
mod shell;
mod startup;
