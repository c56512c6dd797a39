//! A regular expression of a condition. It is compiled when the first text is matched: most conditions of a dialect are never asked in a
//! session, and to compile them all would be a third of what a start costs.

use regex::Regex;
use std::sync::{Arc, OnceLock};

/// The longest expression that is compiled later, in bytes. A longer one may exceed the limit of compiled expressions, which is a mistake
/// that the author must hear of.
const LONGEST: usize = 200;

/// A regular expression that is well formed. Copies share what is compiled.
#[derive(Debug, Clone)]
pub struct TextPattern {
    text: Arc<str>,
    compiled: Arc<OnceLock<Regex>>,
}

impl TextPattern {
    /// Reads a regular expression.
    ///
    /// # Errors
    /// It is not one, or it is too large.
    pub(crate) fn new(text: &str) -> Result<Self, regex::Error> {
        let compiled = OnceLock::new();
        let may_be_large = text.len() > LONGEST || text.contains('{');
        match regex_syntax::parse(text) {
            Ok(_) if !may_be_large => {}
            // The message is that of the compiler.
            _ => drop(compiled.set(Regex::new(text)?)),
        }
        Ok(TextPattern {
            text: text.into(),
            compiled: Arc::new(compiled),
        })
    }

    /// Whether a text has a part that matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        let compile = || Regex::new(&self.text).expect("an expression that was read, and is short");
        self.compiled.get_or_init(compile).is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_compiled_when_it_is_first_asked() {
        let pattern = TextPattern::new("^her[oO]n$").unwrap();
        let copy = pattern.clone();
        assert!(pattern.compiled.get().is_none());
        assert!(copy.is_match("heron") && !copy.is_match("herons"));
        assert!(pattern.compiled.get().is_some());
    }

    #[test]
    fn a_mistake_is_reported_at_once() {
        for text in ["her(on", "[z-a]", r"\w{500}{500}{500}"] {
            let error = TextPattern::new(text).unwrap_err();
            assert_eq!(error.to_string(), Regex::new(text).unwrap_err().to_string());
        }
    }

    #[test]
    fn the_largest_expression_that_is_compiled_later_has_room() {
        let classes = r"\pL+".repeat(LONGEST / 4);
        assert!(TextPattern::new(&classes).unwrap().compiled.get().is_none());
        Regex::new(&classes).unwrap();
    }
}
