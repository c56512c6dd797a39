//! The memory of a conversation: what the next request to the model must hold, by the requests, replies and commands so far.
//!
//! Only what is certain is remembered: texts of the host that an earlier request held word for word, what the model said in answers that
//! came whole, tool results and files. What an agent adds by itself, such as reminders, may change. Where the history leaves open what
//! the model must see, the next request is taken as it is.

use super::request::{Content, Contents, Role, hash, holds, quoted};
use serde_json::Value;

/// What a rule asks of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// What an earlier request held is in the next one, unchanged and in order.
    Kept,
    /// What the model answered is in the next request.
    Answered,
    /// What the host said once is in the conversation once.
    Once,
}

/// How a request departs from the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// What it breaks.
    pub check: Check,
    /// A sentence about it.
    pub message: String,
}

/// Most bytes of texts that are remembered. A longer conversation is unknown.
const MOST_BYTES: usize = 16 << 20;

/// Most texts of the host that are remembered.
const MOST_SAID: usize = 4096;

/// A conversation between two requests.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The newest request of the conversation; none if it is unknown what the next one must hold.
    newest: Option<Newest>,
    /// The texts of the host, and how many of them came before the newest request.
    said: Vec<String>,
    said_before: usize,
    /// The commands that brought attachments, and how many of them came before the newest request.
    attached: usize,
    attached_before: usize,
    /// Hashes of the agent's texts that came with attachments.
    attachments: Vec<u64>,
    /// How many requests were compared.
    compared: u64,
}

/// The newest request.
#[derive(Debug, Clone)]
struct Newest {
    n: u64,
    contents: Contents,
    /// The contents that the next request must hold.
    must: Vec<Content>,
    /// Those of them before its last turn.
    before_turn: usize,
    /// What the model answered, if that is known and came whole.
    answer: Vec<Content>,
    /// Whether its answer must be in the next request.
    awaits_answer: bool,
}

impl Conversation {
    /// Notes a text of the host to the model.
    pub fn note_said(&mut self, text: &str) {
        if !text.trim().is_empty() && self.said.len() < MOST_SAID {
            self.said.push(text.to_owned());
        }
    }

    /// Notes a command that brings attachments.
    pub fn note_attachments(&mut self) {
        self.attached += 1;
    }

    /// From here on, the newest turn may be missing.
    pub fn undo_turn(&mut self) {
        if let Some(newest) = &mut self.newest {
            newest.must.truncate(newest.before_turn);
            newest.answer.clear();
            newest.awaits_answer = false;
        }
    }

    /// From here on, it is unknown what the model must see.
    pub fn forget(&mut self) {
        self.newest = None;
    }

    /// Notes the whole answer to a request.
    pub fn note_answer(&mut self, n: u64, message: &Value) {
        if let Some(newest) = self.newest.as_mut().filter(|newest| newest.n == n && newest.awaits_answer) {
            newest.answer = Contents::of_reply(message);
        }
    }

    /// How many requests were compared with what came before.
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// Compares a request with the conversation, which it then continues.
    pub fn on_request(&mut self, n: u64, body: &Value) -> Vec<Departure> {
        let Some(contents) = Contents::of_request(body) else {
            self.forget();
            return Vec::new();
        };
        let size: usize = contents.user_texts().map(|(_, text)| text.len()).sum();
        if size > MOST_BYTES {
            self.forget();
            return Vec::new();
        }
        let earlier = match &self.newest {
            Some(newest) if newest.contents.tools == contents.tools => Some(newest),
            // A request for a title or a summary, one of a subagent, or the last one of a turn.
            Some(newest) if contents.tools.len() < newest.contents.tools.len() => {
                self.forget();
                return Vec::new();
            }
            _ => None,
        };
        let said = &self.said;
        let is_said = |text: &str| said.iter().any(|one| holds(text, one));
        if earlier.is_none() && !contents.user_texts().any(|(_, text)| is_said(text)) {
            return Vec::new();
        }
        let departures = earlier.map_or_else(Vec::new, |newest| self.departures(newest, &contents));
        self.compared += u64::from(earlier.is_some());
        if earlier.is_some_and(|_| self.attached_before == 0 && self.attached > 0) {
            self.note_texts_with_attachments(&contents);
        }
        self.said_before = self.said.len();
        self.attached_before = self.attached;
        self.newest = Some(Newest::new(n, contents, &self.said));
        departures
    }

    fn departures(&self, newest: &Newest, contents: &Contents) -> Vec<Departure> {
        let mut rest = contents.list.as_slice();
        let mut is_kept = |content: &Content| {
            let at = rest.iter().position(|(_, next)| next.keeps(content));
            // A longer text may hold the next content as well.
            at.inspect(|at| rest = &rest[at + usize::from(rest[*at].1 == *content)..])
                .is_some()
        };
        let lost = newest.must.iter().find(|content| !is_kept(content));
        let unanswered = newest.answer.iter().find(|content| !is_kept(content));
        let lost = lost.map(|content| Departure {
            check: Check::Kept,
            message: format!(
                "the request does not hold {}, which request {} held, at its place",
                content.in_words(),
                newest.n
            ),
        });
        let unanswered = unanswered.map(|content| Departure {
            check: Check::Answered,
            message: format!(
                "the request does not hold {} from the answer to request {}",
                content.in_words(),
                newest.n
            ),
        });
        let first = lost.or(unanswered);
        first.into_iter().chain(self.repeated(newest, contents)).collect()
    }

    /// What is in more messages of the request than the host has sent.
    fn repeated(&self, newest: &Newest, contents: &Contents) -> Option<Departure> {
        let again = |what: String, times: usize, most: usize| Departure {
            check: Check::Once,
            message: format!("the request holds {what} in {times} messages; the host sent it {most} times"),
        };
        let (before, since) = self.said.split_at(self.said_before);
        let text = before.iter().find_map(|text| {
            let fits = |content: &Content| matches!(content, Content::Text(Role::User, whole) if text.trim().len() >= LONG && whole.contains(text.trim()));
            let sent = |list: &[String]| list.iter().filter(|one| one.contains(text.trim())).count();
            let (times, had) = (contents.messages_with(fits), newest.contents.messages_with(fits));
            let most = (sent(before) + sent(since)).max(had + sent(since));
            (times > most).then(|| again(format!("the text {}", quoted(text)), times, most))
        });
        text.or_else(|| {
            let list = newest.contents.list.iter();
            let files = list.filter(|(_, one)| self.is_attachment(one));
            files.map(|(_, one)| one).find_map(|file| {
                let (times, had) = (
                    contents.messages_with(|one| one == file),
                    newest.contents.messages_with(|one| one == file),
                );
                let most = self.attached.max(had + self.attached - self.attached_before);
                (times > most).then(|| again(file.in_words(), times, most))
            })
        })
    }

    fn is_attachment(&self, content: &Content) -> bool {
        match content {
            Content::File(..) => self.attached > 0,
            Content::Text(Role::User, text) => self.attachments.contains(&hash(text)),
            _ => false,
        }
    }

    /// Notes the texts that are new with the first attachments: they are those of the attachments.
    fn note_texts_with_attachments(&mut self, contents: &Contents) {
        let Some(newest) = &self.newest else {
            return;
        };
        let had: Vec<&str> = newest.contents.user_texts().map(|(_, text)| text).collect();
        let is_new = |text: &&str| {
            !had.contains(text) && !self.said.iter().any(|one| holds(text, one))
        };
        let texts = contents.user_texts().map(|(_, text)| text).filter(is_new);
        self.attachments = texts.map(hash).collect();
    }
}

/// Shortest text of the host, in bytes, that is not in another text by chance.
const LONG: usize = 12;

impl Newest {
    fn new(n: u64, contents: Contents, said: &[String]) -> Self {
        let (mut must, mut before_turn) = (Vec::new(), 0);
        let mut after_model = false;
        for (_, content) in &contents.list {
            match content {
                Content::Text(Role::User, text) => {
                    if std::mem::take(&mut after_model) {
                        before_turn = must.len();
                    }
                    let exact = said.iter().find(|one| one.trim() == text.trim());
                    let parts = said.iter().filter(|one| holds(text, one));
                    let longest = exact.or_else(|| parts.max_by_key(|one| one.len()));
                    must.extend(longest.map(|one| Content::Text(Role::User, one.clone())));
                }
                Content::Text(Role::Model, _) | Content::Call(..) => {
                    after_model = true;
                    must.push(content.clone());
                }
                Content::Result(..) | Content::File(..) => {
                    after_model = false;
                    must.push(content.clone());
                }
            }
        }
        Newest {
            n,
            contents,
            must,
            before_turn,
            answer: Vec::new(),
            awaits_answer: true,
        }
    }
}
