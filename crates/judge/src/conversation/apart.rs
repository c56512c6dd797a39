//! Several conversations over one connection: no text of one of them is in a request of another.
//!
//! Only a conversation that began here is compared, since others may hold anything; and only with texts that certainly belong to another
//! one, because a request held them, the model answered with them, or a replay showed them.

use super::memory::{Check, Compared, Conversation};
use super::request::{BETWEEN_PARTS, Content, Contents, LONG, holds, quoted};
use serde_json::Value;
use std::collections::BTreeMap;

/// Most bytes of texts that are remembered. With more, nothing is compared any longer.
const MOST_BYTES: usize = 1 << 20;

/// The shortest text, in bytes, that is searched inside texts that the agent may have written.
const MEANT: usize = 24;

/// The conversations of a connection.
#[derive(Debug, Clone, Default)]
pub struct Apart {
    /// By the ids that frames name. Where they name none, the conversation that is open has an empty id.
    conversations: BTreeMap<String, Texts>,
    /// The id of the one that the host spoke in last.
    current: String,
    /// The newest request of it.
    request: Option<u64>,
    /// Answers of the model to other requests: they may be in any conversation.
    anywhere: Vec<String>,
    bytes: usize,
}

/// The texts of a conversation.
#[derive(Debug, Clone, Default)]
struct Texts {
    /// Whether it began here, with nothing in it.
    is_whole: bool,
    /// The texts that may be in it.
    texts: Vec<String>,
    /// The texts that are certainly in it.
    held: Vec<String>,
    /// The texts of the host's newest command.
    newest: Vec<String>,
}

impl Apart {
    /// A conversation begins. Without an id it takes the place of the one that is open.
    pub fn begin(&mut self, id: Option<&str>) {
        let whole = Texts {
            is_whole: true,
            ..Texts::default()
        };
        let former = self
            .conversations
            .insert(id.unwrap_or_default().into(), whole);
        if let (None, Some(former)) = (id, former) {
            let n = self.conversations.len();
            self.conversations.insert(n.to_string(), former);
            self.request = None;
        }
    }

    /// From here on, a conversation may hold what others do.
    pub fn join(&mut self, id: Option<&str>) {
        self.of(id.unwrap_or_default()).is_whole = false;
    }

    /// A command of the host has these texts for the model.
    pub fn note_said(&mut self, id: Option<&str>, texts: Vec<String>) {
        self.current = id.unwrap_or_default().to_owned();
        self.request = None;
        if self.has_room(texts.iter().map(String::len).sum()) {
            let own = self.of(id.unwrap_or_default());
            own.texts.extend(texts.iter().cloned());
            own.newest = texts;
        }
    }

    /// The agent shows a text of a conversation again.
    pub fn note_replayed(&mut self, id: Option<&str>, text: &str) {
        if self.has_room(text.len()) {
            let own = self.of(id.unwrap_or_default());
            own.texts.push(text.to_owned());
            own.held.push(text.to_owned());
        }
    }

    /// The model has answered a request.
    pub fn note_answer(&mut self, n: u64, message: &Value) {
        let current = (self.request == Some(n)).then(|| self.current.clone());
        for content in Contents::of_reply(message) {
            let Content::Text(_, text) = content else {
                continue;
            };
            for part in text.split(BETWEEN_PARTS) {
                match &current {
                    Some(id) => self.note_replayed(Some(id), part),
                    None if self.has_room(part.len()) => self.anywhere.push(part.to_owned()),
                    None => {}
                }
            }
        }
    }

    /// Compares a request that continues a conversation.
    pub fn on_request(&mut self, n: u64, conversation: &Conversation) -> Option<Compared> {
        let contents = conversation.newest_contents(n)?;
        let own = self.conversations.get(&self.current)?;
        let has = |said: &str| contents.user_texts().any(|text| holds(text, said));
        if !own.newest.iter().any(|said| has(said)) {
            return None;
        }
        let held: Vec<String> = own
            .newest
            .iter()
            .filter(|said| has(said))
            .cloned()
            .collect();
        let is_certain = own.is_whole && self.bytes <= MOST_BYTES;
        let compared = is_certain.then(|| self.foreign(own, contents));
        self.request = Some(n);
        self.of(&self.current.clone()).held.extend(held);
        compared
    }

    /// A text of another conversation in a request of this one.
    fn foreign(&self, own: &Texts, contents: &Contents) -> Compared {
        let others = self.conversations.iter();
        let others = others.filter(|(id, _)| **id != self.current);
        let texts = others
            .flat_map(|(_, other)| &other.held)
            .map(|text| text.trim());
        let own = own.texts.iter().chain(&self.anywhere);
        let is_own = |text: &str| own.clone().any(|one| one.contains(text));
        let mut texts = texts
            .filter(|text| text.len() >= LONG && !is_own(text))
            .peekable();
        let times = u64::from(texts.peek().is_some());
        let is_in = |text: &&str| {
            let mut list = contents.list.iter();
            list.any(|(_, content)| match content {
                Content::Text(_, whole) => {
                    let mut parts = whole.split(BETWEEN_PARTS);
                    parts.any(|part| {
                        part.trim() == *text || text.len() >= MEANT && part.contains(text)
                    })
                }
                _ => false,
            })
        };
        let departure = texts.find(is_in).map(|text| {
            format!(
                "the request holds the text {} of another conversation",
                quoted(text)
            )
        });
        Compared::new(Check::Apart, times, departure)
    }

    /// Counts the bytes of new texts. Returns whether they can be remembered.
    fn has_room(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        self.bytes <= MOST_BYTES
    }

    fn of(&mut self, id: &str) -> &mut Texts {
        self.conversations.entry(id.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FIRST: &str = "count the herons in the reeds";
    const ANSWER: &str = "there are seven herons";
    const SECOND: &str = "what is in the letter";

    fn text(role: &str, text: &str) -> Value {
        json!({ "role": role, "content": text })
    }

    /// What is found in a request of the second conversation, which begins with these calls.
    fn found(begin: impl Fn(&mut Apart), second: &str, messages: &[Value]) -> Option<String> {
        let (mut conversation, mut apart) = (Conversation::default(), Apart::default());
        let mut ask = |apart: &mut Apart, n, said: &str, messages: &[Value]| {
            conversation.note_said(said);
            let body = json!({ "messages": messages, "tools": [{ "name": "bash" }] });
            conversation.on_request(&[Check::Apart], n, &body);
            conversation.forget();
            apart.on_request(n, &conversation)
        };
        apart.begin(Some("a"));
        apart.note_said(Some("a"), vec![FIRST.into()]);
        ask(&mut apart, 0, FIRST, &[text("user", FIRST)]);
        apart.note_answer(0, &json!([{ "text": ANSWER }]));
        begin(&mut apart);
        apart.note_said(Some("b"), vec![second.into()]);
        ask(&mut apart, 1, second, messages)?.departure
    }

    #[test]
    fn a_text_of_one_conversation_is_in_no_request_of_another() {
        let begins = |apart: &mut Apart| apart.begin(Some("b"));
        let (first, answer, second) = (
            text("user", FIRST),
            text("assistant", ANSWER),
            text("user", SECOND),
        );
        assert_eq!(found(begins, SECOND, std::slice::from_ref(&second)), None);
        for leaked in [first.clone(), answer] {
            assert!(found(begins, SECOND, &[leaked, second.clone()]).is_some());
        }
        // The host says it in both.
        assert_eq!(found(begins, FIRST, std::slice::from_ref(&first)), None);
        // It is not known what the other conversation holds.
        assert_eq!(
            found(|_| {}, SECOND, &[first.clone(), second.clone()]),
            None
        );
        let joins = |apart: &mut Apart| {
            apart.begin(Some("b"));
            apart.join(Some("b"));
        };
        assert_eq!(found(joins, SECOND, &[first, second]), None);
        // The model may have answered with it here, to a request that was not recognized.
        let answers = |apart: &mut Apart| {
            apart.begin(Some("b"));
            apart.note_answer(7, &json!([{ "text": ANSWER }]));
        };
        let answered = [text("assistant", ANSWER), text("user", SECOND)];
        assert_eq!(found(answers, SECOND, &answered), None);
        // More was said than is remembered.
        let talks = |apart: &mut Apart| {
            apart.begin(Some("b"));
            apart.note_said(Some("c"), vec!["x".repeat(MOST_BYTES)]);
        };
        assert_eq!(
            found(talks, SECOND, &[text("user", FIRST), text("user", SECOND)]),
            None
        );
        // A request of the first one that comes late.
        assert_eq!(found(begins, SECOND, &[text("user", FIRST)]), None);
    }

    #[test]
    fn a_conversation_without_an_id_takes_the_place_of_the_one_before() {
        let mut apart = Apart::default();
        apart.note_replayed(None, FIRST);
        apart.begin(None);
        apart.note_said(None, vec![SECOND.into()]);
        let mut conversation = Conversation::default();
        conversation.note_said(SECOND);
        let messages = [text("user", FIRST), text("user", SECOND)];
        let body = json!({ "messages": messages, "tools": [{ "name": "bash" }] });
        conversation.on_request(&[], 0, &body);
        let compared = apart.on_request(0, &conversation).expect("a comparison");
        assert!(compared.departure.is_some());
    }
}
