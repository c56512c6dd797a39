//! Protocols in which both sides ask, such as JSON-RPC: messages are named by their structure, and a response by the request that it answers.

mod message;
mod message_id;
mod mistake;
mod pairing;

pub use message::MessageKind;
pub use message_id::MessageId;
pub use mistake::{Mistake, StructureRule};
pub use pairing::{NamedMessage, OpenRequest, Pairing, SentLine};

use crate::requirement::Blame;
use crate::types::FrameNames;

/// The version that each message names in its member `jsonrpc`.
pub(crate) const VERSION: &str = "2.0";

/// The name of a response to nothing.
pub const ANSWER_TO_NOTHING: &str = "#answer";

/// The names of responses to a request that the dialect does not know.
pub const ANSWERS_TO_UNKNOWN: [&str; 2] = ["#unknown.result", "#unknown.error"];

/// What a dialect says about its JSON-RPC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JsonRpc {
    /// Whether messages may leave out the member `jsonrpc`.
    pub is_version_optional: bool,
    /// The first letters of methods that agents and hosts may add by themselves.
    pub extensions: Vec<String>,
    /// The methods whose answer waits for no user, no model and no process.
    pub at_once: Vec<String>,
}

impl JsonRpc {
    /// Whether agents and hosts may add a method of this name by themselves.
    #[must_use]
    pub fn is_extension(&self, method: &str) -> bool {
        let mut prefixes = self.extensions.iter();
        prefixes.any(|prefix| method.starts_with(prefix))
    }
}

/// The messages of a dialect: those of the agent, and those of the host.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    /// The names of the agent's messages.
    pub events: &'a FrameNames,
    /// The names of the host's messages.
    pub commands: &'a FrameNames,
    /// What is particular to the dialect.
    pub json_rpc: &'a JsonRpc,
}

impl<'a> Vocabulary<'a> {
    /// The names of the messages that a side sends.
    fn names_of(self, side: Blame) -> &'a FrameNames {
        match side {
            Blame::Agent => self.events,
            Blame::Host => self.commands,
        }
    }
}
