//! The relay: a process between a host and its agent that forwards everything unchanged.
//!
//! ```text
//!  host ── stdin ──► pump ── stage ──► stdin ──┐
//!       ◄─ stdout ── pump ◄─ stage ◄── stdout ─┤ agent, in a process group of its own
//!       ◄─ stderr ── pump ◄─ stage ◄── stderr ─┘
//!       ── signals ──────────────────► kill     ──► exit status, or the signal that ended the agent
//! ```
//!
//! A pump holds one chunk at a time, so it applies backpressure as a plain pipe does. A [`Stage`] sees every
//! chunk: the recorder writes it down, the fault filter changes it. A guard process kills the agent's process tree if the relay itself is
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
pub use llm::{FailureObserver, ModelUrl, ModelUrlError, Upstream, UpstreamError, relay_model};
pub use model_script::{ModelScript, model_script};
pub use recording::{FrameObserver, RecordStage, Recording};
pub use redact::Redactor;
pub use stage::{Flow, PassOn, Stage};
