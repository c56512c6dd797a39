//! The words of Anthropic's API for a keyword of a schema that does not hold. It validates with pydantic.

use jsonschema::error::ValidationErrorKind;

use super::request_error::{BrokenRule, listed, type_names};
use super::request_keywords::pattern;

/// The words.
pub(super) fn words(rule: &BrokenRule<'_>) -> String {
    match rule.kind {
        ValidationErrorKind::Required { .. } => "Field required".to_owned(),
        ValidationErrorKind::AdditionalProperties { .. } => {
            "Extra inputs are not permitted".to_owned()
        }
        ValidationErrorKind::Type { kind } => {
            let names = type_names(kind).map(|name| match name {
                "object" => "dictionary",
                "array" => "list",
                name => name,
            });
            format!(
                "Input should be a valid {}",
                names.collect::<Vec<_>>().join(" or ")
            )
        }
        ValidationErrorKind::Enum { options } => {
            format!("Input should be {}", listed(options, " or "))
        }
        ValidationErrorKind::Format { format } => {
            format!("String should match pattern '{}'", pattern(format))
        }
        ValidationErrorKind::MinLength { limit } => {
            format!("String should have at least {limit} character")
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("String should have at most {limit} characters")
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("List should have at most {limit} items after validation")
        }
        ValidationErrorKind::Minimum { limit } => {
            format!("Input should be greater than or equal to {limit}")
        }
        ValidationErrorKind::Maximum { limit } => {
            format!("Input should be less than or equal to {limit}")
        }
        _ => "Input should be valid".to_owned(),
    }
}
