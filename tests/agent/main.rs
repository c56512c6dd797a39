//! The reference agent as a child process: each protocol, and the built-in scripts in all of them.

mod acp;
#[path = "../common/agent_findings.rs"]
mod agent_findings;
mod aionrs;
#[path = "../common/faults.rs"]
mod dialect_faults;
mod faults;
mod pi;
mod scripts;
mod synaps;
