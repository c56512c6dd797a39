//! The choice of frames that a fault is played on.

use frame_language::{EvalContext, FrameName, Names, Pattern, Pointer, SyntaxError, Truth, parse};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where frames name their nested kind: pointers by the name of the frame, with `>` for a command.
pub type NestedKinds = BTreeMap<String, Pointer>;

/// A choice of frames, all of them events or all of them commands.
#[derive(Debug, Clone, Default)]
pub struct FrameSelector {
    pub(crate) pattern: Pattern,
    pub(crate) nested: Arc<NestedKinds>,
}

impl FrameSelector {
    /// The frames of a pattern as written.
    ///
    /// # Errors
    /// The first syntax error.
    pub fn parse(pattern: &str, nested: NestedKinds) -> Result<Self, SyntaxError> {
        let pattern = parse::pattern(pattern, &Names::default())?;
        let nested = Arc::new(nested);
        Ok(FrameSelector { pattern, nested })
    }

    /// Whether a frame of this kind is among them.
    #[must_use]
    pub fn matches(&self, kind: &str, frame: &Value) -> bool {
        let history = ();
        let context = EvalContext {
            value: frame,
            history,
        };
        let mut atoms = self.pattern.0.iter();
        atoms.any(|atom| {
            let is_named = atom.frames.iter().any(|name| self.names(name, kind, frame));
            is_named != atom.negated && context.holds_all(atom) == Truth::True
        })
    }

    fn names(&self, name: &FrameName, kind: &str, frame: &Value) -> bool {
        let FrameName::Named(name) = name else {
            return true;
        };
        let inner = match name.trim_start_matches('>').strip_prefix(kind) {
            Some("") => return true,
            Some(rest) => rest.strip_prefix('.'),
            None => None,
        };
        let outer = inner.map(|inner| &name[..name.len() - inner.len() - 1]);
        let at = outer.and_then(|outer| self.nested.get(outer));
        let nested = at.and_then(|at| at.find(frame)).and_then(Value::as_str);
        nested.is_some() && nested == inner
    }

    /// The name of a frame of this kind with its nested kind, if it has one.
    pub(crate) fn nested_name(&self, kind: &str, frame: &Value) -> Option<String> {
        let nested = self.nested.get(kind)?.find(frame)?.as_str()?;
        Some(format!("{kind}.{nested}"))
    }

    /// The name of the frames that come first, if they have one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self.pattern.0.first()?.frames.first()? {
            FrameName::Named(name) => Some(name),
            _ => None,
        }
    }

    /// Whether the frames that come first are commands.
    #[must_use]
    pub fn is_of_commands(&self) -> bool {
        let first = self.pattern.0.first().and_then(|atom| atom.frames.first());
        match first {
            Some(FrameName::Named(name)) => name.starts_with('>'),
            first => first == Some(&FrameName::AnyCommand),
        }
    }
}
