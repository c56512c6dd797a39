//! The request history: detects requests that repeat an answered one, and side requests outside the conversation, such as one for a
//! title.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::answer::{Answer, Piece};
use crate::conversation::ConversationView;
use crate::request::Request;
use crate::script::{Expect, Stop};

/// A request in the history: its parts that a later request can repeat.
#[derive(Debug, Clone)]
pub(crate) struct PastRequest {
    /// Its number.
    pub(crate) n: u64,
    /// The instructions and the names of the tools. A request for a title or a summary has others than the conversation.
    instructions: Vec<String>,
    /// The texts and tool results sent to the model, without the model's own messages.
    texts: BTreeSet<String>,
    /// The texts after the model's last message.
    new_texts: Vec<String>,
    /// The newest text sent to the model.
    newest: Option<String>,
    /// Whether its new texts are all the agent's own: neither the host's nor tool results.
    brings_agent_text: bool,
    /// Whether its reply has an expectation of its new texts or its form, which it meets.
    is_expected: bool,
    /// The number of host messages before it.
    host_messages_before: usize,
    /// Whether its answer calls no tool and so ends the turn.
    ends_turn: bool,
    /// Whether it offers tools.
    has_tools: bool,
    /// Whether its answer was complete and valid: there is no reason to send it again.
    answered: bool,
    /// The answered request that it repeats.
    pub(crate) repeats: Option<u64>,
}

/// A reply that was served to a request that does not meet its expectation.
#[derive(Debug, Clone)]
struct MissedExpectation {
    n: u64,
    expect: Expect,
}

/// The history of requests that got a reply of the script.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestHistory {
    requests: Vec<PastRequest>,
    missed: Vec<MissedExpectation>,
    /// The known messages of the host to the agent.
    host_messages: Vec<String>,
}

/// The prefix of a tool result in `texts`, before the id of the call.
const RESULT: &str = "the result of ";

impl PastRequest {
    pub(crate) fn of(request: &Request) -> Self {
        let conversation = ConversationView::of(request);
        let tools = request.body["tools"].as_array();
        let tools = tools.map(Vec::as_slice).unwrap_or_default();
        let named = |tool: &Value| {
            let name = tool
                .get("name")
                .or_else(|| tool.pointer("/function/name"))?;
            name.as_str().map(str::to_owned)
        };
        let (mut instructions, mut texts) = (Vec::new(), BTreeSet::new());
        instructions.extend(conversation.system.iter().map(|text| (*text).to_owned()));
        for message in &conversation.messages {
            let own = message.texts.iter().map(|text| (*text).to_owned());
            if message.is_instruction {
                instructions.extend(own);
            } else if !message.is_from_model {
                texts.extend(own);
                let results = message.results.iter();
                texts.extend(results.map(|result| format!("{RESULT}{}", result.call)));
            }
        }
        instructions.extend(tools.iter().filter_map(named));
        let recent = conversation.messages.iter().rev();
        let recent = recent.take_while(|message| !message.is_from_model);
        let new_texts = recent.filter(|message| !message.is_instruction);
        let new_texts =
            new_texts.flat_map(|message| message.texts.iter().map(|text| text.trim().to_owned()));
        let mut from_newest = conversation.messages.iter().rev();
        let newest = from_newest.find(|message| !message.is_from_model && !message.is_instruction);
        let newest = newest.and_then(|message| message.texts.last());
        let newest = newest.map(|text| (*text).to_owned());
        PastRequest {
            n: request.n,
            new_texts: new_texts.collect(),
            instructions,
            texts,
            newest,
            brings_agent_text: false,
            is_expected: false,
            host_messages_before: 0,
            ends_turn: false,
            has_tools: !tools.is_empty(),
            answered: false,
            repeats: None,
        }
    }

    /// Whether all its texts are in the other request, the newest text of the other one included.
    fn repeats(&self, other: &PastRequest) -> bool {
        let newest = other.newest.as_ref();
        !self.texts.is_empty()
            && self.instructions == other.instructions
            && self.texts.is_subset(&other.texts)
            && newest.is_none_or(|newest| self.texts.contains(newest))
    }
}

impl RequestHistory {
    /// Adds a message of the host to the agent.
    pub(crate) fn note_host_message(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.host_messages.push(text.to_owned());
        }
    }

    /// Whether a request is a side request, such as one for a title: it is the first one, offers no tools, and has no text of the
    /// host. A later request of this form may be for a summary that the script expects.
    pub(crate) fn is_side_request(&self, request: &PastRequest) -> bool {
        let is_first = self.requests.is_empty() && !self.host_messages.is_empty();
        is_first && !request.has_tools && !self.has_host_text(request)
    }

    fn has_host_text(&self, request: &PastRequest) -> bool {
        self.host_messages
            .iter()
            .any(|text| request.new_texts.contains(text))
    }

    /// Whether the request has a host message that is newer than an earlier request: the same text again is another message.
    fn has_newer_host_message(&self, request: &PastRequest, earlier: &PastRequest) -> bool {
        let mut since = self.host_messages[earlier.host_messages_before..].iter();
        since.any(|message| request.texts.iter().any(|text| text.trim() == message))
    }

    /// The answered request that this one repeats.
    pub(crate) fn repeated_by(&self, request: &PastRequest) -> Option<u64> {
        let answered = self.requests.iter().filter(|earlier| earlier.answered);
        answered
            .filter(|earlier| request.repeats(earlier))
            .filter(|earlier| !self.has_newer_host_message(request, earlier))
            .map(|earlier| earlier.n)
            .next_back()
    }

    /// The first request that got a reply although it repeats an answered one.
    pub(crate) fn first_repeat(&self) -> Option<(u64, u64)> {
        let mut repeats = self.requests.iter();
        repeats.find_map(|request| Some((request.n, request.repeats?)))
    }

    /// An earlier request that took a reply without meeting its expectation, while this request meets it.
    pub(crate) fn reply_taken_by(&self, fits: impl Fn(&Expect) -> bool) -> Option<u64> {
        let mut missed = self.missed.iter();
        missed
            .find(|missed| fits(&missed.expect))
            .map(|missed| missed.n)
    }

    /// Adds a request that got a reply of the script.
    ///
    /// Returns the side request that it reveals: itself, or an earlier one.
    pub(crate) fn add(
        &mut self,
        mut request: PastRequest,
        answer: &Answer,
        is_expected: bool,
    ) -> Option<u64> {
        request.repeats = self.repeated_by(&request);
        request.answered = is_complete(answer);
        request.ends_turn = request.answered && !calls_tools(answer);
        request.is_expected = is_expected;
        request.host_messages_before = self.host_messages.len();
        let is_new = |text: &&String| !self.requests.iter().any(|one| one.texts.contains(*text));
        let new: Vec<_> = request.texts.iter().filter(is_new).collect();
        let of_host = |text: &&&String| {
            self.host_messages
                .iter()
                .any(|message| message == text.trim())
        };
        let from_host = new.iter().filter(of_host).count();
        let results = new.iter().filter(|text| text.starts_with(RESULT)).count();
        request.brings_agent_text = !new.is_empty() && from_host == 0 && results == 0;
        let side_request = self.side_request(&request);
        self.requests.push(request);
        side_request
    }

    /// The side request that a new request reveals.
    fn side_request(&self, request: &PastRequest) -> Option<u64> {
        let last = self
            .requests
            .last()
            .filter(|_| !self.host_messages.is_empty())?;
        let follows_turn =
            last.ends_turn && last.host_messages_before == request.host_messages_before;
        if follows_turn && request.brings_agent_text && !request.is_expected {
            return Some(request.n);
        }
        let of_host = |text: &String| {
            let mut messages = self.host_messages.iter();
            messages.position(|message| message == text.trim())
        };
        let mut earlier = self
            .requests
            .iter()
            .filter(|one| one.brings_agent_text && !one.is_expected);
        let is_new = |text: &String| !self.requests.iter().any(|one| one.texts.contains(text));
        let new = request.texts.iter().filter(|text| is_new(text));
        let first = new.filter_map(of_host).min()?;
        earlier
            .find(|one| first < one.host_messages_before)
            .map(|one| one.n)
    }

    /// Adds a request that got a reply without meeting its expectation.
    pub(crate) fn add_missed_expectation(&mut self, n: u64, expect: &Expect) {
        let expect = expect.clone();
        self.missed.push(MissedExpectation { n, expect });
    }

    /// Marks a request whose answer did not reach the client completely.
    pub(crate) fn mark_unanswered(&mut self, n: u64) {
        for request in self.requests.iter_mut().filter(|request| request.n == n) {
            request.answered = false;
        }
    }
}

fn calls_tools(answer: &Answer) -> bool {
    let Answer::Message(message) = answer else {
        return false;
    };
    let mut pieces = message.pieces.iter();
    pieces.any(|piece| matches!(piece, Piece::Stop(Stop::ToolUse)))
}

/// Whether an answer is complete and valid and has content, so that there is no reason to send the request again.
fn is_complete(answer: &Answer) -> bool {
    let Answer::Message(message) = answer else {
        return false;
    };
    let mut args = String::new();
    let (mut has_content, mut is_whole) = (false, false);
    for piece in &message.pieces {
        match piece {
            Piece::TextDelta { text, .. } => has_content |= !text.trim().is_empty(),
            Piece::ArgsDelta { fragment, .. } => args.push_str(fragment),
            Piece::BlockEnd { .. } if !args.is_empty() => {
                if serde_json::from_str::<Value>(&args).is_err() {
                    return false;
                }
                (has_content, args) = (true, String::new());
            }
            Piece::Raw(_) | Piece::Error { .. } | Piece::Cut(_) | Piece::Stall { .. } => {
                return false;
            }
            Piece::Stop(stop) => is_whole = matches!(stop, Stop::EndTurn | Stop::ToolUse),
            _ => {}
        }
    }
    has_content && is_whole
}
