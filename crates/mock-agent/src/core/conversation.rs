//! The conversation of a session: the messages for the model, and where they are saved.

use super::compaction::is_prompt;
use crate::model::{ContentBlock, Message, Role};
use crate::session_store::StoredSession;

/// The messages of a session.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Message>,
    /// History that the host has given; it is put before the next user message.
    pub(super) history: Vec<String>,
    /// User messages that are appended once no turn is running.
    notes: Vec<String>,
    stored: Option<StoredSession>,
    /// Whether it was opened with messages. Only a fault uses it.
    pub(super) was_resumed: bool,
}

impl Conversation {
    pub(crate) fn new(
        messages: Vec<Message>,
        stored: Option<StoredSession>,
        was_resumed: bool,
    ) -> Self {
        Conversation {
            was_resumed,
            messages,
            stored,
            ..Conversation::default()
        }
    }

    /// The id of the saved session, if it is saved.
    pub(crate) fn id(&self) -> Option<&str> {
        self.stored.as_ref().map(|stored| stored.id.as_str())
    }

    /// Starts a new conversation, in a new session if sessions are saved.
    pub(crate) fn start_new(&mut self) {
        self.messages.clear();
        self.history.clear();
        if let Some(stored) = &self.stored {
            self.stored = stored.next().ok();
        }
    }

    /// Adds a user message that must not come in the middle of a turn.
    pub(crate) fn add_note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Appends the notes; no turn is running. False if there are none.
    pub(crate) fn append_notes(&mut self) -> bool {
        let notes = std::mem::take(&mut self.notes);
        let any = !notes.is_empty();
        for text in notes {
            self.push(Role::User, vec![ContentBlock::Text(text)]);
        }
        any
    }

    /// Removes all messages after the latest text of the user, and that text too unless it is kept.
    pub(crate) fn truncate_at_prompt(&mut self, is_kept: bool) {
        if let Some(last) = self.messages.iter().rposition(is_prompt) {
            self.messages.truncate(last + usize::from(is_kept));
        }
    }

    /// Appends the latest user message once more.
    pub(crate) fn repeat_prompt(&mut self) {
        let last = self.messages.iter().rfind(|one| one.role == Role::User);
        if let Some(again) = last.map(|one| one.content.clone()) {
            self.push(Role::User, again);
        }
    }

    /// Replaces all messages by a summary and the messages that are kept.
    pub(crate) fn replace_by(&mut self, summary: String, kept: Vec<Message>) {
        self.messages.clear();
        self.push(Role::User, vec![ContentBlock::Text(summary)]);
        self.messages.extend(kept);
    }

    /// Appends a user message, or the results of tools.
    pub(crate) fn push_user(&mut self, mut content: Vec<ContentBlock>) {
        let history = std::mem::take(&mut self.history);
        if !history.is_empty() {
            let text = history.join("\n\n");
            let history = format!("<conversation_history>\n{text}\n</conversation_history>");
            content.insert(0, ContentBlock::Text(history));
        }
        self.push(Role::User, content);
    }

    /// Appends a message of the model.
    pub(crate) fn push_assistant(&mut self, content: Vec<ContentBlock>) {
        self.push(Role::Assistant, content);
    }

    fn push(&mut self, role: Role, content: Vec<ContentBlock>) {
        if !content.is_empty() {
            self.messages.push(Message { role, content });
        }
    }

    /// Saves the messages, if the session is saved.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn save(&mut self) -> std::io::Result<()> {
        match &mut self.stored {
            Some(stored) => stored.save(&self.messages),
            None => Ok(()),
        }
    }
}
