//! Tests of the reference agent as a child process: synaps@1.

mod attachments;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod ends;
mod faults;
mod harness;
mod limits;
mod same_bytes;
mod sessions;
mod startup;
mod subagents;
mod turns;
