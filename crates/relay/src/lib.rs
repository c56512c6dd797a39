//! The relay: a process that stands between a host and its agent and passes everything on unchanged.
//!
//! ```text
//!  host ── stdin ──► pump ── stage ──► stdin ──┐
//!       ◄─ stdout ── pump ◄─ stage ◄── stdout ─┤ agent, in a process group of its own
//!       ◄─ stderr ── pump ◄─ stage ◄── stderr ─┘
//!       ── signals ──────────────────► kill     ──► exit status, or the signal that ended the agent
//! ```
//!
//! A pump holds one chunk at a time, so a side that does not read stops the other one, as a plain pipe does. A [`Stage`] sees every
//! chunk: the recorder notes it, the fault filter changes it. A guard process kills the agent's process tree if the relay itself is
//! killed.

mod agent_script;
mod child;
mod ending;
mod fault_filter;
mod guard;
mod llm;
mod model_script;
mod pump;
mod recording;
mod redact;
mod stage;
mod stdio;

pub use agent_script::{RecordedScript, agent_script};
pub use child::{Relay, RelayEnd};
pub use ending::Ending;
pub use fault_filter::FaultFilter;
pub use guard::{SUBCOMMAND as GUARD, serve as serve_guard};
pub use llm::{FailureObserver, ModelUrl, Upstream, relay_model};
pub use model_script::model_script;
pub use recording::{FrameObserver, RecordStage, Recording};
pub use redact::Redactor;
pub use stage::{Flow, PassOn, Stage};
