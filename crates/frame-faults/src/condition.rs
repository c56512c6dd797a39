//! The choice of frames that a fault is played on.

use json_matcher::Matcher;
use serde_json::Value;

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
pub struct Condition(pub(crate) Vec<(String, Matcher)>);

impl FrameSelector {
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
        parts.all(|(pointer, matcher)| matcher.matches_part(frame.pointer(pointer)))
    }
}
