//! Plays scenarios against agents.
//!
//! ```text
//!  Agent + recipe + scenario ─► launch ─► process ──┐ stdout, stderr, end
//!                                                   ├─► inbox (one order) ─► play ─► history (Checker, transcript)
//!  model script ─► mock_provider::Server ───────────┘                          └──► findings, verdict
//! ```
//!
//! The player takes one thing after the other from the inbox, in the order of cause and effect. Each wait has a budget; whatever
//! happens, the agent's whole process tree is gone when a scenario is over.

mod agent;
mod budgets;
mod history;
mod inbox;
mod keep;
mod lacks;
mod launch;
mod limits;
mod package;
mod play;
mod probe;
mod process;
pub mod rules;
mod scratch;
pub mod select;
pub mod suite;
mod tries;

pub use agent::Agent;
pub use keep::Keep;
pub use lacks::Lack;
pub use package::Package;
pub use probe::{Heard, Probe, says};
pub use process::{adopt_orphans, end_strays};
pub use scratch::Scratch;
pub use tries::Again;
