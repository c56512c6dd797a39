//! The choice of frames that a fault is played on.

use json_matcher::{Captures, Matcher};
use serde_json::{Value, json};

/// A choice of frames: by kind, and by what they have in some places.
#[derive(Debug, Clone, Default)]
pub struct FrameSelector {
    /// The kind of frame; any if `None`.
    pub kind: Option<String>,
    /// Conditions that must all hold; of each one of several alternatives.
    pub conditions: Vec<Vec<Condition>>,
}

/// What a frame must have in some places: JSON Pointers and matchers, which must all match.
#[derive(Debug, Clone, Default)]
pub struct Condition(pub(crate) Vec<(String, PartMatcher)>);

/// A matcher of a part that may be missing.
#[derive(Debug, Clone)]
pub(crate) struct PartMatcher(Matcher);

/// The member that holds the part: matchers can only say of a member that it is absent.
const PART: &str = "part";

impl FrameSelector {
    /// Frames of a kind, or of any.
    #[must_use]
    pub fn of_kind(kind: Option<&str>) -> Self {
        FrameSelector {
            kind: kind.map(str::to_owned),
            conditions: Vec::new(),
        }
    }

    /// Whether a frame of this kind is among them.
    #[must_use]
    pub fn matches(&self, kind: &str, frame: &Value) -> bool {
        let holds = |alternatives: &Vec<Condition>| {
            let mut alternatives = alternatives.iter();
            alternatives.any(|condition| condition.matches(frame))
        };
        self.kind.as_deref().is_none_or(|wanted| wanted == kind)
            && self.conditions.iter().all(holds)
    }
}

impl Condition {
    fn matches(&self, frame: &Value) -> bool {
        let mut parts = self.0.iter();
        parts.all(|(pointer, matcher)| matcher.matches(frame.pointer(pointer)))
    }
}

impl PartMatcher {
    /// Compiles a matcher as written. Pointers in the errors begin with `/part`.
    pub(crate) fn compile(written: &Value) -> Result<Self, Vec<json_matcher::CompileError>> {
        Matcher::compile_filled(&json!({ PART: written })).map(PartMatcher)
    }

    pub(crate) fn matches(&self, part: Option<&Value>) -> bool {
        let value = match part {
            Some(part) => json!({ PART: part }),
            None => json!({}),
        };
        self.0.matches(&value, &Captures::default()).is_ok()
    }

    /// The pointer of an error, from the part.
    pub(crate) fn pointer_in_part(pointer: &str) -> &str {
        pointer.strip_prefix("/part").unwrap_or(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(pointer: &str, written: Value) -> Vec<Condition> {
        let matcher = PartMatcher::compile(&written).unwrap();
        vec![Condition(vec![(pointer.to_owned(), matcher)])]
    }

    #[test]
    fn every_condition_must_hold() {
        let selector = FrameSelector {
            kind: Some("a".into()),
            conditions: vec![
                condition("/id", json!({ "$absent": true })),
                condition("/data/n", json!({ "$gte": 2 })),
            ],
        };

        assert!(selector.matches("a", &json!({ "data": { "n": 2 } })));
        assert!(!selector.matches("b", &json!({ "data": { "n": 2 } })));
        assert!(!selector.matches("a", &json!({ "data": { "n": 1 } })));
        assert!(!selector.matches("a", &json!({ "id": null, "data": { "n": 2 } })));
    }
}
