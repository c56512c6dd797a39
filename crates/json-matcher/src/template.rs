//! Templates: JSON values whose texts have placeholders.

use crate::captures::Captures;
use crate::placeholder::{self, UnknownPlaceholder};
use serde_json::Value;

/// A JSON value whose strings may hold `{name}` placeholders.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    value: Value,
}

/// Fills the placeholders of one text. Values that are not texts are written as JSON.
///
/// # Errors
/// A placeholder whose name is not known.
pub fn render_text(text: &str, captures: &Captures) -> Result<String, UnknownPlaceholder> {
    placeholder::fill(text, |name| captures.get(name)).map(|value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

impl Template {
    /// A template over a value.
    pub fn new(value: Value) -> Self {
        Template { value }
    }

    /// The value as written.
    pub fn written(&self) -> &Value {
        &self.value
    }

    /// The value with its placeholders filled. A string that is one placeholder becomes the captured value, of any type.
    ///
    /// # Errors
    /// A placeholder whose name is not known.
    pub fn render(&self, captures: &Captures) -> Result<Value, UnknownPlaceholder> {
        let mut value = self.value.clone();
        fill(&mut value, &mut |text| {
            placeholder::fill(text, |name| captures.get(name))
        })?;
        Ok(value)
    }

    /// The value for a message: placeholders that are not known stay as written.
    pub fn show(&self, captures: &Captures) -> Value {
        let mut value = self.value.clone();
        let filled = fill(&mut value, &mut |text| {
            Ok(placeholder::fill(text, |name| captures.get(name))
                .unwrap_or_else(|_| Value::from(text)))
        });
        debug_assert!(filled.is_ok(), "an unknown placeholder is shown as written");
        value
    }
}

fn fill(
    value: &mut Value,
    text: &mut impl FnMut(&str) -> Result<Value, UnknownPlaceholder>,
) -> Result<(), UnknownPlaceholder> {
    match value {
        Value::String(written) => *value = text(written)?,
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, text))?,
        Value::Object(entries) => entries
            .values_mut()
            .try_for_each(|entry| fill(entry, text))?,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}
