//! Tests of the reference agent as a child process: pi@0.14.

mod aborts;
mod attachments;
#[path = "../common/mod.rs"]
mod common;
mod compaction;
mod ends;
mod errors;
mod faults;
mod harness;
mod runs;
mod same_bytes;
mod sessions;
mod shell;
mod startup;
