//! The reference agent as a process, spoken to in aionrs@0.1, and in 0.2 where that differs.

mod approvals;
mod attachments;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod ends;
mod errors;
mod faults;
mod harness;
mod http;
mod same_bytes;
mod sessions;
mod startup;
mod stops;
mod tools;
mod turns;
mod version_0_2;
