//! Which texts of the host a request holds, and whether it comes too late for the newest one.

use super::super::newest_request::Newest;
use super::super::request::{Content, Contents, Role, holds};
use super::Conversation;

impl Conversation {
    /// Whether a request is one of a turn that was stopped, and came when the host had already begun the next one: it holds no text that the
    /// host has sent since, and ends in an earlier one, or where the newest request goes on.
    pub(super) fn is_late(&self, contents: &Contents, said_in: &[Option<usize>]) -> bool {
        let since = &self.said[self.said_undone..];
        let holds_new = || {
            let mut texts = contents.user_texts();
            texts.any(|text| since.iter().any(|new| holds(text, new)))
        };
        let is_beginning = |newest: &Newest| {
            let (list, longer) = (&contents.list, &newest.contents.list);
            list.len() < longer.len() && longer.starts_with(list)
        };
        let ends_in_old = matches!(said_in.last(), Some(Some(said)) if *said < self.said_undone);
        self.said_undone > 0
            && !since.is_empty()
            && (ends_in_old || self.newest.as_ref().is_some_and(is_beginning))
            && !holds_new()
    }

    /// For each content of a request, the text of the host that it holds, by number: the same text, or else the longest one. For the contents
    /// that the newest request had too, only the texts since then are searched.
    pub(super) fn said_in(&self, contents: &Contents) -> Vec<Option<usize>> {
        let known = self.newest.iter().flat_map(|newest| {
            let both = newest.contents.list.iter().zip(&contents.list);
            let same = both.take_while(|((_, old), (_, new))| old == new);
            let found = same.zip(&newest.said_in);
            found.map(|(_, said)| (*said, newest.said_count))
        });
        let unknown = std::iter::repeat((None, 0));
        let each = contents.list.iter().zip(known.chain(unknown));
        each.map(|((_, content), (known, searched))| match content {
            Content::Text(Role::User, text) => self.longest_said(text, known, searched),
            _ => None,
        })
        .collect()
    }

    /// The text of the host that a text holds, given the one among the first ones that were searched already.
    fn longest_said(&self, text: &str, known: Option<usize>, searched: usize) -> Option<usize> {
        let is_exact = |n: &usize| self.said[*n].trim() == text.trim();
        if known.as_ref().is_some_and(is_exact) {
            return known;
        }
        let new = || searched..self.said.len();
        let parts = || new().filter(|n| holds(text, &self.said[*n]));
        let longest = || {
            known
                .into_iter()
                .chain(parts())
                .max_by_key(|n| self.said[*n].len())
        };
        new().find(is_exact).or_else(longest)
    }
}
