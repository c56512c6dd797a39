//! Cuts agents off from every address outside of this machine, so that no run depends on a real model or spends money on one.
//!
//! Where the kernel allows it, conform and its agents run in a network namespace of their own (`namespace`): it contains nothing but its
//! loopback interface, on which the scripted model is served. Elsewhere proxy variables direct the agent to a port of conform (`proxy`),
//! which most HTTP clients respect. Both record the hosts that were tried (`attempts`).

mod attempts;
mod dns;
pub mod isolation;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod netlink;
mod proxy;
