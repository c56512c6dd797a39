//! The keyword `x-plain-integer`.

use super::violation::brief;
use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

/// A keyword of our own for numbers that readers parse into integer types: `true` forbids a fraction or an exponent even if the value is
/// whole (`1.0`), which the JSON Schema type `integer` allows.
pub(super) const PLAIN_INTEGER: &str = "x-plain-integer";

/// The first number that no integer of 64 bits with a sign holds.
const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;

/// The validator of [`PLAIN_INTEGER`].
struct PlainInteger;

impl<'i> Keyword<'i> for PlainInteger {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        let what = match instance.as_f64() {
            Some(value) if value.abs() >= TOO_LARGE => "is larger than 64 bits",
            _ => "is written with a fraction or an exponent",
        };
        Err(ValidationError::custom(format!(
            "{} {what}, which readers of integers refuse",
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
