//! The context of loading a scenario: the dialect whose names it may use, and the mistakes found so far.

use conform_judge::dialect::Dialect;
use spanned_yaml::{Error, Node, Span, Spanned, unknown};
use std::collections::HashSet;

/// The file being loaded, its dialect, and the mistakes found so far.
pub(super) struct LoadContext<'a> {
    pub(super) root: &'a Node,
    /// Without one, names are not checked.
    pub(super) dialect: Option<&'a Dialect>,
    pub(super) errors: Vec<Error>,
}

impl LoadContext<'_> {
    /// Reports a mistake at a location.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(self.root.error_at(span, message));
    }

    /// Reports a mistake if the name is unknown. Returns whether it is known.
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

    /// Reports each word that is listed twice.
    pub(super) fn no_duplicates(&mut self, what: &str, words: &[Spanned<String>]) {
        let mut seen = HashSet::new();
        for word in words {
            if !seen.insert(word.value.as_str()) {
                let message = format!("the {what} `{}` is listed twice", word.value);
                self.error(word.span, message);
            }
        }
    }

    /// The value of a result; its errors are reported.
    pub(super) fn value_or_report<T>(&mut self, result: Result<T, Vec<Error>>) -> Option<T> {
        result.map_err(|errors| self.errors.extend(errors)).ok()
    }
}
