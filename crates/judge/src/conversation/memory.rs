//! The memory of a conversation: what the next request to the model must hold, according to the requests, replies and commands so far.
//!
//! Only what is certain is remembered: texts of the host that an earlier request held word for word, the texts and calls of the model in
//! answers that came completely, tool results and files. What an agent adds by itself, such as reminders, may change. Where the history
//! leaves open what the model must see, the next request is taken as it is.

mod host_texts;
mod repeated;
#[cfg(test)]
mod tests;

use super::newest_request::Newest;
use super::request::{Content, Contents, Role};
use super::shown_results::not_given;
use serde_json::Value;

/// The requirement of a rule on a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// What an earlier request held is in the next one, unchanged and in order.
    Kept,
    /// The answer of the model is in the next request.
    Answered,
    /// A text that the host, the model or a tool sent once is in the conversation once.
    Once,
    /// No text of another conversation is in this one.
    Apart,
    /// The model gets the same tool result that the host was shown.
    Shown,
    /// The host receives the texts of the model's answers unchanged.
    Told,
    /// The host receives the thinking of the model's answers unchanged.
    Thought,
    /// The host receives the arguments of the model's calls unchanged.
    Called,
    /// The end of a turn reports the tokens that the model's answers have used.
    Used,
}

/// Most bytes of a request, and of all texts of the host, that are remembered. A longer conversation is unknown.
const MOST_BYTES: usize = 16 << 20;

/// Most tool results that are remembered until the next request.
const MOST_SHOWN: usize = 256;

/// What one check of a frame compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The check.
    pub check: Check,
    /// How often there was something to compare.
    pub times: u64,
    /// A sentence about how the frame departs from the conversation.
    pub departure: Option<String>,
}

impl Compared {
    /// The result of a check.
    pub fn new(check: Check, times: u64, departure: Option<String>) -> Self {
        Compared {
            check,
            times,
            departure,
        }
    }
}

/// A conversation between two requests.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The newest request of the conversation.
    newest: Option<Newest>,
    /// The newest request, if it certainly continues the conversation with the host.
    continued_by: Option<u64>,
    /// Whether it is known which content of the newest request the next one must have.
    is_known: bool,
    /// The texts of the host, and how many of them came before the newest request.
    said: Vec<String>,
    said_before: usize,
    /// How many of them came before the newest turn that may be missing had ended; 0 once a turn after it has ended.
    said_undone: usize,
    /// The commands that brought attachments, and how many of them came before the newest request.
    attached: usize,
    attached_before: usize,
    /// Hashes of the agent's texts that came with attachments.
    attachments: Vec<u64>,
    /// The tool results that the host was shown since the newest request: the ids of their calls, and their texts.
    shown: Vec<(String, String)>,
    /// The bytes of the texts of the host.
    said_bytes: usize,
    /// The texts of users in the first request, which may be of an earlier process, and how many texts the host had sent by then.
    first_texts: Vec<String>,
    first_said: usize,
}

impl Conversation {
    /// Notes a text of the host to the model.
    pub fn note_said(&mut self, text: &str) {
        self.said_bytes += text.len();
        if !text.trim().is_empty() && self.said_bytes <= MOST_BYTES {
            self.said.push(text.to_owned());
        }
    }

    /// Notes a command that brings attachments.
    pub fn note_attachments(&mut self) {
        self.attached += 1;
    }

    /// Notes the result of a tool that the host was shown.
    pub fn note_shown(&mut self, call: &str, text: String) {
        if self.shown.len() < MOST_SHOWN {
            self.shown.push((call.to_owned(), text));
        }
    }

    /// From here on, the newest turn may be missing.
    pub fn undo_turn(&mut self) {
        self.said_undone = self.said.len();
        if let Some(newest) = &mut self.newest {
            newest.must.truncate(newest.before_turn);
            newest.answer.clear();
            newest.awaits_answer = false;
        }
    }

    /// A turn has ended: requests of a turn that was stopped before it are no longer expected.
    pub fn end_turn(&mut self) {
        if self.said.len() > self.said_undone {
            self.said_undone = 0;
        }
    }

    /// From here on, it is unknown what the model must see.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// Notes the whole answer to a request.
    pub fn note_answer(&mut self, n: u64, message: &Value) {
        let newest = self.newest.as_mut().filter(|_| self.is_known);
        if let Some(newest) = newest.filter(|newest| newest.n == n && newest.awaits_answer) {
            newest.answer = Contents::of_reply(message);
        }
    }

    /// Whether this was the newest request, and certainly continues the conversation with the host.
    pub fn is_continued_by(&self, n: u64) -> bool {
        self.continued_by == Some(n)
    }

    /// The contents of the newest request, if it is this one.
    pub(super) fn newest_contents(&self, n: u64) -> Option<&Contents> {
        let newest = self.newest.as_ref().filter(|newest| newest.n == n);
        newest.map(|newest| &newest.contents)
    }

    /// Compares a request with the conversation, which it then continues.
    pub fn on_request(&mut self, checks: &[Check], n: u64, body: &Value) -> Vec<Compared> {
        let shown = std::mem::take(&mut self.shown);
        let contents = Contents::of_request(body);
        let is_small = |one: &Contents| one.bytes() + self.said_bytes <= MOST_BYTES;
        let Some(contents) = contents.filter(is_small) else {
            self.forget();
            return Vec::new();
        };
        let newest = self.newest.as_ref().filter(|_| self.is_known);
        // A request for a summary asks in the agent's own words, where others end in the host's or in a result.
        let ends_in_own = |one: &Contents| one.ends_in_own_text(&self.said);
        if newest.is_some_and(|one| !ends_in_own(&one.contents)) && ends_in_own(&contents) {
            self.forget();
            return Vec::new();
        }
        let earlier = match newest {
            // The same request again.
            Some(newest) if newest.contents == contents => return Vec::new(),
            Some(newest) if newest.contents.tools == contents.tools => Some(newest),
            // A request for a title or a summary, one of a subagent, or the last one of a turn.
            Some(newest) if contents.tools.len() < newest.contents.tools.len() => {
                self.forget();
                return Vec::new();
            }
            _ => None,
        };
        let said_in = self.said_in(&contents);
        if self.is_late(&contents, &said_in) {
            return Vec::new();
        }
        // A request for a summary quotes the conversation, and offers no tools.
        let is_quote = contents.tools.is_empty();
        let mut pairs = contents.list.iter().zip(&said_in);
        let holds_said = pairs.any(|((_, content), said)| match (content, said) {
            (Content::Text(Role::User, text), Some(said)) => {
                !is_quote || text.trim() == self.said[*said].trim()
            }
            _ => false,
        });
        if earlier.is_none() && !holds_said {
            return Vec::new();
        }
        let compared = checks.iter().map(|check| {
            let (is_exercised, departure) = self.compare(*check, earlier, &shown, &contents);
            Compared::new(*check, u64::from(is_exercised), departure)
        });
        let compared = compared.collect();
        let is_first = earlier.is_none();
        if !is_first && self.attached_before == 0 && self.attached > 0 {
            self.note_texts_with_attachments(&contents);
        }
        if is_first {
            self.first_texts = contents.user_texts().map(str::to_owned).collect();
            self.first_said = self.said.len();
        }
        self.said_before = self.said.len();
        self.attached_before = self.attached;
        let newest = Newest::new(n, contents, said_in, self.said.len());
        // Without tools it may be one for a title.
        let is_certain = holds_said && !newest.contents.tools.is_empty();
        self.continued_by = is_certain.then_some(n);
        self.newest = Some(newest);
        self.is_known = true;
        compared
    }

    /// Whether there was something to compare in a request, and how it departs.
    fn compare(
        &self,
        check: Check,
        earlier: Option<&Newest>,
        shown: &[(String, String)],
        contents: &Contents,
    ) -> (bool, Option<String>) {
        match (check, earlier) {
            (Check::Shown, _) => not_given(shown, contents),
            (Check::Told | Check::Thought | Check::Called | Check::Used | Check::Apart, _)
            | (_, None) => (false, None),
            (Check::Once, Some(newest)) => {
                let (is_exercised, departure) = self.repeated(newest, contents);
                let departure = departure.or_else(|| newest.answered_twice(contents));
                (is_exercised || !newest.answer.is_empty(), departure)
            }
            (Check::Kept | Check::Answered, Some(newest)) => {
                newest.lost_in(check, contents, &self.said)
            }
        }
    }
}
