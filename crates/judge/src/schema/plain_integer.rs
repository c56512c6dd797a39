//! The keyword `x-plain-integer`.

use super::violation::brief;
use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

/// A keyword of our own for numbers that readers parse into integer types: `true` forbids a fraction or an exponent even if the value is
/// whole (`1.0`), which the JSON Schema type `integer` allows.
pub(super) const PLAIN_INTEGER: &str = "x-plain-integer";

/// The validator of [`PLAIN_INTEGER`].
struct PlainInteger;

impl<'i> Keyword<'i> for PlainInteger {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom(format!(
            "{} is written with a fraction or an exponent, which readers of integers refuse",
            brief(instance)
        )))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        // A number that is not whole is reported by `type`.
        instance.as_f64().is_none_or(|value| value.fract() != 0.0) || !instance.is_f64()
    }
}

pub(super) fn plain_integer<'a>(
    _: &'a Map<String, Value>,
    _: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    Ok(Box::new(PlainInteger))
}
