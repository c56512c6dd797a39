//! Values whose texts have places.

use super::Captures;
use serde_json::Value;
use spanned_yaml::UnknownPlace;

/// A JSON value whose strings may hold `{name}` places.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    value: Value,
}

/// Puts captured values into one text. Values that are not texts are written as JSON.
///
/// # Errors
/// A place whose name is not known.
pub fn render_text(text: &str, captures: &Captures) -> Result<String, UnknownPlace> {
    spanned_yaml::fill(text, |name| captures.get(name)).map(|value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

impl Template {
    /// A template over a value.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Template { value }
    }

    /// The value as written.
    #[must_use]
    pub fn written(&self) -> &Value {
        &self.value
    }

    /// The value with its places filled. A string that is one place becomes the captured value, whatever its type.
    ///
    /// # Errors
    /// A place whose name is not known.
    pub fn render(&self, captures: &Captures) -> Result<Value, UnknownPlace> {
        let mut value = self.value.clone();
        fill(&mut value, &mut |text| {
            spanned_yaml::fill(text, |name| captures.get(name))
        })?;
        Ok(value)
    }

    /// The same for the eye: places that are not known stay as written.
    pub(super) fn show(&self, captures: &Captures) -> Value {
        let mut value = self.value.clone();
        let filled = fill(&mut value, &mut |text| {
            Ok(spanned_yaml::fill(text, |name| captures.get(name))
                .unwrap_or_else(|_| Value::from(text)))
        });
        debug_assert!(filled.is_ok(), "an unknown place is shown as written");
        value
    }
}

fn fill(
    value: &mut Value,
    text: &mut impl FnMut(&str) -> Result<Value, UnknownPlace>,
) -> Result<(), UnknownPlace> {
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
