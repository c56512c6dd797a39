//! Lanes: the agent's own requests to the model, such as for titles. They are recognized by what they say, are answered by standing replies,
//! and take no part in the conversation.

use crate::conversation::{ConversationView, offered_tools};
use crate::request::Request;
use crate::script::ScriptReply;
use std::collections::HashMap;

/// A lane: requests that meet all conditions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// Texts in the system prompt.
    pub system: Vec<String>,
    /// Texts in the last message.
    pub last: Vec<String>,
    /// Texts in the name of the model.
    pub model: Vec<String>,
    /// Whether the requests offer no tools.
    pub no_tools: bool,
    /// The replies: a request that brings the results of one gets the next, any other the first. A short text if there is none.
    pub replies: Vec<ScriptReply>,
}

impl Lane {
    fn has(&self, request: &Request, conversation: &ConversationView<'_>) -> bool {
        let all = |wanted: &[String], texts: &[&str]| {
            let is_in = |part: &String| texts.iter().any(|text| text.contains(part.as_str()));
            wanted.iter().all(is_in)
        };
        let (instructions, messages): (Vec<_>, Vec<_>) = conversation
            .messages
            .iter()
            .partition(|message| message.is_instruction);
        let instructions = instructions
            .iter()
            .flat_map(|message| message.texts.iter().copied());
        let system: Vec<&str> = conversation
            .system
            .iter()
            .copied()
            .chain(instructions)
            .collect();
        let last = messages.last().map_or(&[][..], |message| &message.texts);
        all(&self.system, &system)
            && all(&self.last, last)
            && all(&self.model, &[request.model()])
            && !(self.no_tools && offered_tools(&request.body).next().is_some())
    }
}

/// The lanes of a model, and the calls that their replies have made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lanes {
    pub(crate) lanes: Vec<Lane>,
    /// The lane and the reply that made a call, by its id.
    calls: HashMap<String, (usize, usize)>,
}

impl Lanes {
    pub(crate) fn new(lanes: Vec<Lane>) -> Self {
        Lanes {
            lanes,
            calls: HashMap::new(),
        }
    }

    /// The lane of a request, and its reply, by their numbers.
    pub(crate) fn find(
        &self,
        request: &Request,
        conversation: &ConversationView<'_>,
    ) -> Option<(usize, usize)> {
        if self.lanes.is_empty() {
            return None;
        }
        let results = conversation.new_results();
        if let Some((lane, reply)) = results
            .iter()
            .find_map(|result| self.calls.get(result.call))
        {
            return Some((*lane, reply + 1));
        }
        let fits = |lane: &Lane| lane.has(request, conversation);
        Some((self.lanes.iter().position(fits)?, 0))
    }

    /// Notes the calls of a reply.
    pub(crate) fn note_calls(&mut self, at: (usize, usize), ids: impl Iterator<Item = String>) {
        self.calls.extend(ids.map(|id| (id, at)));
    }
}
