//! What has been asked so far: to tell a request that repeats an answered one from one that brings something new.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::answer::{Answer, Piece};
use crate::conversation::ConversationView;
use crate::request::Request;
use crate::script::{Expect, Stop};

/// A request, as far as another one can repeat it.
#[derive(Debug, Clone)]
pub(crate) struct PastRequest {
    /// Its number.
    pub(crate) n: u64,
    /// The system prompt and the names of the tools: a request for a title or a summary has others.
    kind: Vec<String>,
    /// What was said to the model, without what the model said itself.
    said: BTreeSet<String>,
    /// What was said since the model spoke last.
    news: Vec<String>,
    /// The newest thing said to the model.
    newest: Option<String>,
    /// Whether it brings words that are the agent's own, as far as it is known, and nothing else that is new.
    brings_own_words: bool,
    /// Whether it brings words of the host.
    brings_host_words: bool,
    /// Whether the reply that it got demands something of what is new in it, or of its form, and it is so.
    is_expected: bool,
    /// How much of what the host says had been heard.
    heard: usize,
    /// Whether its answer calls no tool, so that the model waits for the host.
    rests: bool,
    /// Whether it offers tools.
    has_tools: bool,
    /// Whether it got an answer that leaves no reason to ask again.
    answered: bool,
    /// The answered request that it repeats.
    pub(crate) repeats: Option<u64>,
}

/// A reply that was served although its request was not what the reply expects.
#[derive(Debug, Clone)]
struct MissedExpectation {
    n: u64,
    expect: Expect,
}

/// The requests that got a reply of the script.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestHistory {
    asked: Vec<PastRequest>,
    missed: Vec<MissedExpectation>,
    /// What the host said to the agent, as far as it is known.
    heard: Vec<String>,
}

/// What stands before the id of the call where a tool's result is noted.
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
        let (mut kind, mut said) = (Vec::new(), BTreeSet::new());
        kind.extend(conversation.system.iter().map(|text| (*text).to_owned()));
        for message in &conversation.messages {
            let texts = message.texts.iter().map(|text| (*text).to_owned());
            if message.instructs {
                kind.extend(texts);
            } else if !message.by_model {
                said.extend(texts);
                let results = message.results.iter();
                said.extend(results.map(|result| format!("{RESULT}{}", result.call)));
            }
        }
        kind.extend(tools.iter().filter_map(named));
        let recent = conversation.messages.iter().rev();
        let recent = recent.take_while(|message| !message.by_model);
        let news = recent.filter(|message| !message.instructs);
        let news = news.flat_map(|message| message.texts.iter().map(|text| text.trim().to_owned()));
        let mut from_newest = conversation.messages.iter().rev();
        let newest = from_newest.find(|message| !message.by_model && !message.instructs);
        let newest = newest.and_then(|message| message.texts.last());
        let newest = newest.map(|text| (*text).to_owned());
        PastRequest {
            n: request.n,
            news: news.collect(),
            kind,
            said,
            newest,
            brings_own_words: false,
            brings_host_words: false,
            is_expected: false,
            heard: 0,
            rests: false,
            has_tools: !tools.is_empty(),
            answered: false,
            repeats: None,
        }
    }

    /// Whether it holds nothing that the other one does not hold, and what the other one brought.
    fn repeats(&self, other: &PastRequest) -> bool {
        let newest = other.newest.as_ref();
        !self.said.is_empty()
            && self.kind == other.kind
            && self.said.is_subset(&other.said)
            && newest.is_none_or(|newest| self.said.contains(newest))
    }
}

impl RequestHistory {
    /// The host has said this to the agent.
    pub(crate) fn note_host_message(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.heard.push(text.to_owned());
        }
    }

    /// Whether a request stands beside the conversation, as one for a title does: it is the first one, offers no tools, and says nothing
    /// that the host has said. A later one may be for a summary that the script foresees.
    pub(crate) fn is_aside(&self, asked: &PastRequest) -> bool {
        let is_first = self.asked.is_empty() && !self.heard.is_empty();
        is_first && !asked.has_tools && !self.says_what_the_host_said(asked)
    }

    fn says_what_the_host_said(&self, asked: &PastRequest) -> bool {
        self.heard.iter().any(|text| asked.news.contains(text))
    }

    /// Whether the host has said something since an earlier request that this one holds: the same words again are another message.
    fn says_again(&self, asked: &PastRequest, earlier: &PastRequest) -> bool {
        let mut since = self.heard[earlier.heard..].iter();
        since.any(|heard| asked.said.iter().any(|text| text.trim() == heard))
    }

    /// The answered request that this one repeats.
    pub(crate) fn repeated_by(&self, asked: &PastRequest) -> Option<u64> {
        let answered = self.asked.iter().filter(|earlier| earlier.answered);
        answered
            .filter(|earlier| asked.repeats(earlier))
            .filter(|earlier| !self.says_again(asked, earlier))
            .map(|earlier| earlier.n)
            .next_back()
    }

    /// The first request that got a reply although it repeats an answered one.
    pub(crate) fn first_repeat(&self) -> Option<(u64, u64)> {
        let mut repeats = self.asked.iter();
        repeats.find_map(|asked| Some((asked.n, asked.repeats?)))
    }

    /// A request that took a reply which this one fits, and it did not.
    pub(crate) fn taken_from(&self, fits: impl Fn(&Expect) -> bool) -> Option<u64> {
        let mut missed = self.missed.iter();
        missed
            .find(|missed| fits(&missed.expect))
            .map(|missed| missed.n)
    }

    /// A request got a reply of the script.
    /// Returns the request beside the conversation that is known by it: itself, or an earlier one.
    pub(crate) fn note(
        &mut self,
        mut asked: PastRequest,
        answer: &Answer,
        is_expected: bool,
    ) -> Option<u64> {
        asked.repeats = self.repeated_by(&asked);
        asked.answered = satisfies(answer);
        asked.rests = asked.answered && !calls_tools(answer);
        asked.is_expected = is_expected;
        asked.heard = self.heard.len();
        let is_new = |text: &&String| !self.asked.iter().any(|one| one.said.contains(*text));
        let new: Vec<_> = asked.said.iter().filter(is_new).collect();
        let of_host = |text: &&&String| self.heard.iter().any(|heard| heard == text.trim());
        let from_host = new.iter().filter(of_host).count();
        let results = new.iter().filter(|text| text.starts_with(RESULT)).count();
        asked.brings_host_words = from_host > 0;
        asked.brings_own_words = !new.is_empty() && from_host == 0 && results == 0;
        let beside = self.beside(&asked);
        self.asked.push(asked);
        beside
    }

    /// The request beside the conversation that is known by a new one.
    fn beside(&self, asked: &PastRequest) -> Option<u64> {
        let last = self.asked.last().filter(|_| !self.heard.is_empty())?;
        let is_behind = asked.brings_own_words && last.rests && last.heard == asked.heard;
        if is_behind && !asked.is_expected {
            return Some(asked.n);
        }
        let of_host = |text: &String| {
            let mut heard = self.heard.iter();
            heard.position(|heard| heard == text.trim())
        };
        let mut earlier = self
            .asked
            .iter()
            .filter(|one| one.brings_own_words && !one.is_expected);
        let is_new = |text: &String| !self.asked.iter().any(|one| one.said.contains(text));
        let said = asked.said.iter().filter(|text| is_new(text));
        let latest = said.filter_map(of_host).min()?;
        earlier.find(|one| latest < one.heard).map(|one| one.n)
    }

    /// A request got a reply that expects another.
    pub(crate) fn note_missed(&mut self, n: u64, expect: &Expect) {
        let expect = expect.clone();
        self.missed.push(MissedExpectation { n, expect });
    }

    /// The answer to this request did not reach the client whole.
    pub(crate) fn unanswered(&mut self, n: u64) {
        for asked in self.asked.iter_mut().filter(|asked| asked.n == n) {
            asked.answered = false;
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

/// Whether an answer leaves no reason to ask again: it is whole, says something, and nothing in it is broken.
fn satisfies(answer: &Answer) -> bool {
    let Answer::Message(message) = answer else {
        return false;
    };
    let mut args = String::new();
    let (mut says, mut whole) = (false, false);
    for piece in &message.pieces {
        match piece {
            Piece::TextDelta { text, .. } => says |= !text.trim().is_empty(),
            Piece::ArgsDelta { fragment, .. } => args.push_str(fragment),
            Piece::BlockEnd { .. } if !args.is_empty() => {
                if serde_json::from_str::<Value>(&args).is_err() {
                    return false;
                }
                (says, args) = (true, String::new());
            }
            Piece::Raw(_) | Piece::Error { .. } | Piece::Cut(_) | Piece::Stall { .. } => {
                return false;
            }
            Piece::Stop(stop) => whole = matches!(stop, Stop::EndTurn | Stop::ToolUse),
            _ => {}
        }
    }
    says && whole
}
