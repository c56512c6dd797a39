//! What has been said in the session, as the model will be told again.

use crate::model::message::{ContentBlock, Message, Role};
use crate::session_store::StoredSession;

/// The conversation, and where it is kept.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Message>,
    /// What went before, from the host; stands in front of the first thing the user says.
    preface: Vec<String>,
    /// What the user did meanwhile; it follows once no turn is at work.
    asides: Vec<String>,
    stored: Option<StoredSession>,
}

impl Conversation {
    pub(crate) fn new(messages: Vec<Message>, stored: Option<StoredSession>) -> Self {
        Conversation {
            messages,
            preface: Vec::new(),
            asides: Vec::new(),
            stored,
        }
    }

    pub(crate) fn id(&self) -> Option<&str> {
        self.stored.as_ref().map(|stored| stored.id.as_str())
    }

    /// Begins again, under another id where there are sessions.
    pub(crate) fn renew(&mut self) {
        self.messages.clear();
        self.preface.clear();
        if let Some(stored) = &self.stored {
            self.stored = stored.next().ok();
        }
    }

    pub(crate) fn add_preface(&mut self, text: String) {
        self.preface.push(text);
    }

    /// Whether the host has said what went before.
    pub(crate) fn has_preface(&self) -> bool {
        !self.preface.is_empty()
    }

    /// Adds what the model shall be told, but not in the middle of a turn.
    pub(crate) fn add_aside(&mut self, text: String) {
        self.asides.push(text);
    }

    /// No turn is at work: what was held back becomes part of the conversation. False if there was nothing.
    pub(crate) fn take_asides(&mut self) -> bool {
        let asides = std::mem::take(&mut self.asides);
        let any = !asides.is_empty();
        for text in asides {
            self.push(Role::User, vec![ContentBlock::Text(text)]);
        }
        any
    }

    /// Forgets all that came after the user's latest words.
    pub(crate) fn start_over(&mut self) {
        let says = |message: &Message| {
            let text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
            message.role == Role::User && message.content.iter().any(text)
        };
        if let Some(last) = self.messages.iter().rposition(says) {
            self.messages.truncate(last + 1);
        }
    }

    /// The user's latest words are said once more.
    pub(crate) fn repeat_prompt(&mut self) {
        let last = self.messages.iter().rfind(|one| one.role == Role::User);
        if let Some(again) = last.map(|one| one.content.clone()) {
            self.push(Role::User, again);
        }
    }

    /// A summary takes the place of all that was said.
    pub(crate) fn replace(&mut self, summary: String) {
        self.messages.clear();
        self.push(Role::User, vec![ContentBlock::Text(summary)]);
    }

    /// The user says something, or tools do.
    pub(crate) fn user(&mut self, mut content: Vec<ContentBlock>) {
        let preface = std::mem::take(&mut self.preface);
        if !preface.is_empty() {
            let text = preface.join("\n\n");
            let framed = format!("<conversation_history>\n{text}\n</conversation_history>");
            content.insert(0, ContentBlock::Text(framed));
        }
        self.push(Role::User, content);
    }

    /// The model says something.
    pub(crate) fn assistant(&mut self, content: Vec<ContentBlock>) {
        self.push(Role::Assistant, content);
    }

    fn push(&mut self, role: Role, content: Vec<ContentBlock>) {
        if !content.is_empty() {
            self.messages.push(Message { role, content });
        }
    }

    /// Keeps it on disk, where there is a session.
    pub(crate) fn save(&mut self) -> std::io::Result<()> {
        match &mut self.stored {
            Some(stored) => stored.save(&self.messages),
            None => Ok(()),
        }
    }
}
