//! The words and the codes of OpenAI's APIs for a keyword of a schema that does not hold.

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::request_error::{BrokenRule, listed, shown, type_names, type_of};
use super::request_keywords::pattern;

/// The words and the code for a rule that the value at a path breaks.
pub(super) fn words(rule: &BrokenRule<'_>, path: &str) -> (String, Option<&'static str>) {
    let value = rule.value;
    let length = value.as_array().map_or_else(
        || value.as_str().map_or(0, |text| text.chars().count()),
        Vec::len,
    );
    let missing = || {
        let message = format!("Missing required parameter: '{path}'.");
        (message, "missing_required_parameter")
    };
    let (message, code) = match rule.kind {
        ValidationErrorKind::Required { .. } => missing(),
        ValidationErrorKind::Type { .. } if value.is_null() && !path.contains(['.', '[']) => {
            missing()
        }
        ValidationErrorKind::AdditionalProperties { .. } if !path.contains('.') => {
            return (
                format!("Unrecognized request argument supplied: {path}"),
                None,
            );
        }
        ValidationErrorKind::AdditionalProperties { .. } => {
            (format!("Unknown parameter: '{path}'."), "unknown_parameter")
        }
        ValidationErrorKind::Type { kind } => {
            let names: Vec<&str> = type_names(kind).map(article).collect();
            let expected = match &names[..] {
                [name] => (*name).to_owned(),
                names => {
                    let all = names.join(" or ");
                    format!(
                        "one of {}",
                        all.replace(" or a ", " or ").replace(" or an ", " or ")
                    )
                }
            };
            let found = type_of(value);
            (
                format!("Invalid type for '{path}': expected {expected}, but got {found} instead."),
                "invalid_type",
            )
        }
        ValidationErrorKind::Enum { options } => {
            let (value, known) = (shown(value), listed(options, ", and "));
            let message = format!("Invalid value: '{value}'. Supported values are: {known}.");
            (message, "invalid_value")
        }
        ValidationErrorKind::Format { format } => (
            format!(
                "Invalid '{path}': string does not match pattern. Expected a string that matches the pattern '{}'.",
                pattern(format)
            ),
            "invalid_value",
        ),
        ValidationErrorKind::MaxLength { limit } => (
            format!(
                "Invalid '{path}': string too long. Expected a string with maximum length {limit}, but got a string with length {length} instead."
            ),
            "string_above_max_length",
        ),
        ValidationErrorKind::MinLength { limit } => (
            format!(
                "Invalid '{path}': empty string. Expected a string with minimum length {limit}, but got an empty string instead."
            ),
            "empty_string",
        ),
        ValidationErrorKind::MinItems { limit } => (
            format!(
                "Invalid '{path}': empty array. Expected an array with minimum length {limit}, but got an empty array instead."
            ),
            "empty_array",
        ),
        ValidationErrorKind::MaxItems { limit } => (
            format!(
                "Invalid '{path}': array too long. Expected an array with maximum length {limit}, but got an array with length {length} instead."
            ),
            "array_above_max_length",
        ),
        ValidationErrorKind::Minimum { limit } => {
            beyond(value, path, ("below minimum", ">=", "below_min"), limit)
        }
        ValidationErrorKind::Maximum { limit } => {
            beyond(value, path, ("above maximum", "<=", "above_max"), limit)
        }
        _ => (format!("Invalid value for '{path}'."), "invalid_value"),
    };
    (message, Some(code))
}

/// A number beyond a limit.
fn beyond(
    value: &Value,
    path: &str,
    (side, sign, bound): (&str, &str, &str),
    limit: &Value,
) -> (String, &'static str) {
    let (number, code) = match (value.is_f64(), bound) {
        (true, "below_min") => ("decimal", "decimal_below_min_value"),
        (true, _) => ("decimal", "decimal_above_max_value"),
        (false, "below_min") => ("integer", "integer_below_min_value"),
        (false, _) => ("integer", "integer_above_max_value"),
    };
    let message = format!(
        "Invalid '{path}': {number} {side} value. Expected a value {sign} {limit}, but got {value} instead."
    );
    (message, code)
}

fn article(name: &str) -> &'static str {
    match name {
        "array" => "an array of objects",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a decimal",
        "object" => "an object",
        _ => "a string",
    }
}
