//! Plays scenarios against agents.
//!
//! ```text
//!  trials ── several scenarios at a time, each with retry ────┐
//!                                                             ▼
//!  agent + recipe + scenario ─► launch ─► process ──┐ stdout, stderr, end
//!                                                   ├─► event queue (one order) ─► play ─► session recorder (checker, transcript)
//!  model script ─► mock_provider::Server ───────────┘                                └──► findings, verdict
//! ```
//!
//! The player takes one event after the other from the event queue, in the order of cause and effect. Each wait has a timeout budget.
//! When a scenario is over, the whole process tree of the agent has ended or has been killed; what could not be killed is reported.

pub mod agent;
pub mod arguments;
mod client;
pub mod detect;
pub mod event_queue;
pub mod explore;
pub mod lanes;
mod launch;
pub mod limits;
mod mcp_servers;
pub mod mutation;
pub mod network;
mod play;
pub mod process;
pub mod sandbox;
pub mod sandbox_root;
pub mod scenario;
pub mod scripted_model;
pub mod selection;
mod session_recorder;
pub mod step_rules;
pub mod trials;

pub use process::process_tree::{StrayProcess, kill_stray_processes};
pub use process::spawn_error::SpawnError;
pub use process_list::adopt_orphans;
