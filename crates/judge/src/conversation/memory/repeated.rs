//! What a request holds more often than it was sent: texts of the host, and attachments.

use super::super::newest_request::Newest;
use super::super::request::{Content, Contents, LONG, Role, hash, holds, quoted};
use super::Conversation;
use std::collections::HashSet;

impl Conversation {
    /// Whether the host had sent a text before that could be repeated, and a text that is in more messages than the host has sent it with.
    pub(super) fn repeated(&self, newest: &Newest, contents: &Contents) -> (bool, Option<String>) {
        let again = |what: String, times: usize, most: usize| {
            format!("the request holds {what} in {times} messages; the host sent it {most} times")
        };
        let (before, since) = self.said.split_at(self.said_before);
        let new = contents.list.get(newest.contents.list.len()..);
        let new_texts: Vec<&str> = new
            .into_iter()
            .flatten()
            .filter_map(|(_, content)| content.user_text())
            .collect();
        let is_in = |content: &Content, part: &str| matches!(content, Content::Text(Role::User, whole) if whole.contains(part));
        let long = before.iter().map(|text| text.trim());
        let mut long = long.filter(|text| text.len() >= LONG).peekable();
        let is_exercised = long.peek().is_some() || self.attached_before > 0;
        let mut searched = HashSet::new();
        let mut came = long.filter(|text| {
            searched.insert(*text) && new_texts.iter().any(|whole| whole.contains(text))
        });
        let text = came.find_map(|text| {
            let sent = |list: &[String]| list.iter().filter(|one| one.contains(text)).count();
            let times = contents.messages_with(|one| is_in(one, text));
            let had = newest.contents.messages_with(|one| is_in(one, text));
            let resumed =
                sent(&self.first_texts).saturating_sub(sent(&self.said[..self.first_said]));
            let most = (resumed + sent(before) + sent(since)).max(had + sent(since));
            (times > most).then(|| again(format!("the text {}", quoted(text)), times, most))
        });
        let file = || {
            let list = newest.contents.list.iter().map(|(_, content)| content);
            let mut files = list.filter(|one| self.is_attachment(one));
            files.find_map(|file| {
                let times = contents.messages_with(|one| one == file);
                let had = newest.contents.messages_with(|one| one == file);
                let since = self.attached - self.attached_before;
                // A tool may have read the same file.
                let calls = |all: &Contents| {
                    let contents = all.list.iter().map(|(_, content)| content);
                    contents
                        .filter(|one| matches!(one, Content::Call(..)))
                        .count()
                };
                let read = calls(contents).saturating_sub(calls(&newest.contents));
                let most = self.attached.max(had + since + read);
                (times > most).then(|| again(file.in_words(), times, most))
            })
        };
        (is_exercised, text.or_else(file))
    }

    fn is_attachment(&self, content: &Content) -> bool {
        match content {
            Content::File(..) => self.attached > 0,
            Content::Text(Role::User, text) => self.attachments.contains(&hash(text)),
            _ => false,
        }
    }

    /// Notes the texts that are new with the first attachments: they are those of the attachments, if those have not come as files.
    pub(super) fn note_texts_with_attachments(&mut self, contents: &Contents) {
        let Some(newest) = &self.newest else {
            return;
        };
        let files = |all: &Contents| all.messages_with(|one| matches!(one, Content::File(..)));
        if files(contents) > files(&newest.contents) {
            return;
        }
        let had: Vec<&str> = newest.contents.user_texts().collect();
        let is_new =
            |text: &&str| !had.contains(text) && !self.said.iter().any(|one| holds(text, one));
        let texts = contents.user_texts().filter(is_new);
        self.attachments = texts.map(hash).collect();
    }
}
