//! Tests of the reference agent as a child process: acp@1.

#[path = "../../common/agent_process.rs"]
#[expect(
    clippy::duplicate_mod,
    dead_code,
    reason = "each protocol adds methods of its own to the process"
)]
mod agent_process;
mod cancel;
mod client;
mod harness;
mod messages;
mod permissions;
mod sessions;
mod turns;
