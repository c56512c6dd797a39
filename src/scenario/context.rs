//! What loading a scenario carries along.

use super::vocabulary::Vocabulary;
use spanned_yaml::{Error, Node, Span, Spanned, unknown};
use std::collections::HashSet;

/// What loading a scenario carries along: the file, the names it may use, and the mistakes found.
#[derive(Debug)]
pub(super) struct LoadContext<'a> {
    pub(super) root: &'a Node,
    pub(super) vocabulary: Option<&'a Vocabulary<'a>>,
    pub(super) errors: Vec<Error>,
}

impl LoadContext<'_> {
    /// A mistake at a place.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(self.root.error_at(span, message));
    }

    /// A mistake unless the name is one of the known ones.
    pub(super) fn known<'k>(
        &mut self,
        what: &str,
        name: &Spanned<String>,
        known: impl IntoIterator<Item = &'k str>,
    ) -> bool {
        let known: Vec<&str> = known.into_iter().collect();
        let found = known.contains(&name.as_str());
        if !found {
            self.error(name.span, unknown(what, name, known));
        }
        found
    }

    /// A mistake for each word that stands in a list a second time.
    pub(super) fn no_duplicates(&mut self, what: &str, words: &[Spanned<String>]) {
        let mut seen = HashSet::new();
        for word in words
            .iter()
            .filter(|word| !seen.insert(word.value.as_str()))
        {
            self.error(
                word.span,
                format!("the {what} `{}` stands here twice", word.value),
            );
        }
    }

    /// Takes the value of a result, or its mistakes.
    pub(super) fn take<T>(&mut self, result: Result<T, Vec<Error>>) -> Option<T> {
        result.map_err(|errors| self.errors.extend(errors)).ok()
    }
}
