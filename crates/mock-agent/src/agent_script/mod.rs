//! The scripted agent: plays an agent of any dialect from a table of commands and replies (`--dialect-dir`, `--script`).
//!
//! ```text
//!  FILE ──► file ──► compile ──► script ──► event_loop: one reply at a time ──► reply: actions ──► os::stdout
//!  dialect.yaml ──► vocabulary ──┘            ▲ commands, end of input, signals; `expected_commands` has those that a reply expects
//! ```

mod check;
mod compile;
mod event_loop;
mod expected_commands;
pub(crate) mod file;
mod head;
mod messages;
mod reply;
mod script;
mod stage;
mod vocabulary;

pub use check::check_agent_script;
pub(crate) use check::load;
pub(crate) use event_loop::play;
use expected_commands::{Conversation, Expected, Pattern, Received};
pub use file::AgentScriptFile;
pub(crate) use head::ScriptHead;
pub(crate) use messages::Messages;
use reply::ReplyEnd;
use script::{Action, Actions, AgentScript, Capture, Entry};
pub(crate) use stage::Stage;
pub(crate) use vocabulary::Vocabulary;

/// The name of the command in every reply to one.
const COMMAND: &str = "command";
