//! The errors of the real APIs for bodies that break a schema: the path of the value in the notation of the API, and the words of the API
//! (`anthropic_words.rs`, `openai_words.rs`, `gemini_words.rs`).

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use super::gemini::snake_case;
use super::{anthropic_words, gemini_words, openai_words};
use crate::answer::HttpError;
use crate::request::Wire;

/// Where a value stands in a body.
pub(super) struct Place<'a> {
    body: &'a Value,
    /// The members and numbers on the way to it.
    steps: Vec<String>,
}

/// A keyword of a schema that does not hold.
pub(super) struct BrokenRule<'a> {
    pub(super) kind: &'a ValidationErrorKind,
    pub(super) value: &'a Value,
    /// The message of the real API, if the schema has it.
    pub(super) known: Option<&'a Value>,
}

impl<'a> Place<'a> {
    /// The place of a JSON Pointer.
    pub(super) fn new(body: &'a Value, pointer: &str) -> Self {
        let steps = pointer.split('/').skip(1);
        let steps = steps.map(|step| step.replace("~1", "/").replace("~0", "~"));
        Place {
            body,
            steps: steps.collect(),
        }
    }

    fn with(&self, member: &str) -> Self {
        let member = std::iter::once(member.to_owned());
        Place {
            body: self.body,
            steps: self.steps.iter().cloned().chain(member).collect(),
        }
    }

    /// Whether it is the type that chooses the kind of an object.
    fn is_tag(&self) -> bool {
        let is_schema = self.steps.iter().any(|step| step == "input_schema");
        self.steps.last().is_some_and(|step| step == "type") && !is_schema
    }

    fn parent(&self) -> Self {
        let parent = self
            .steps
            .split_last()
            .map_or(&[][..], |(_, parent)| parent);
        Place {
            body: self.body,
            steps: parent.to_vec(),
        }
    }

    /// As in `messages.0.content.1.text.cache_control`: an object of several kinds adds its kind.
    fn dotted(&self) -> String {
        let mut path: Vec<&str> = Vec::new();
        let mut value = self.body;
        for (i, step) in self.steps.iter().enumerate() {
            path.push(step);
            value = child(value, step);
            let is_last = i + 1 == self.steps.len();
            if is_last || step == "input_schema" || path.contains(&"input_schema") {
                continue;
            }
            match value["type"].as_str() {
                _ if self.steps[i + 1] == "type" => {}
                Some(kind) => path.push(kind),
                None if path.len() == 2 && path[0] == "tools" => path.push("custom"),
                None => {}
            }
        }
        path.join(".")
    }

    /// As in `messages[0].content[1].text`.
    fn bracketed(&self) -> String {
        let mut path = String::new();
        let mut value = self.body;
        for step in &self.steps {
            if value.is_array() {
                path += &format!("[{step}]");
            } else {
                let dot = if path.is_empty() { "" } else { "." };
                path += &format!("{dot}{step}");
            }
            value = child(value, step);
        }
        path
    }
}

impl Place<'_> {
    /// As in `tools[0].function_declarations[1].parameters.properties[2].value`: a member of a map is an entry with a number.
    fn in_message(&self) -> String {
        let (mut path, mut value, mut is_map) = (String::new(), self.body, false);
        for step in &self.steps {
            if value.is_array() {
                path += &format!("[{step}]");
            } else if let (true, Some(map)) = (is_map, value.as_object()) {
                let entry = map.keys().position(|key| key == step);
                path += &format!("[{}].value", entry.unwrap_or_default());
            } else {
                let dot = if path.is_empty() { "" } else { "." };
                path += &format!("{dot}{}", snake_case(step));
            }
            is_map = !is_map && step == "properties" && !value.is_array();
            value = child(value, step);
        }
        path
    }
}

fn child<'a>(value: &'a Value, step: &str) -> &'a Value {
    match value {
        Value::Array(items) => step.parse().ok().and_then(|i: usize| items.get(i)),
        value => value.get(step),
    }
    .unwrap_or(&Value::Null)
}

/// The error of the real API for a broken rule.
pub(super) fn phrase(wire: Wire, place: &Place<'_>, rule: &BrokenRule<'_>) -> HttpError {
    let inner = match rule.kind {
        ValidationErrorKind::Required { property } => property.as_str(),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.first().map(String::as_str)
        }
        _ => None,
    };
    let place = match inner {
        Some(member) => &place.with(member),
        None => place,
    };
    if wire == Wire::AnthropicMessages {
        let message = match (rule.known.and_then(Value::as_str), rule.kind) {
            (Some(message), _) => filled(message, &place.dotted(), place, rule),
            (None, ValidationErrorKind::Enum { options }) if place.is_tag() => format!(
                "{}: Input tag '{}' found using 'type' does not match any of the expected tags: {}",
                place.parent().dotted(),
                shown(rule.value),
                listed(options, ", "),
            ),
            (None, _) => format!("{}: {}", place.dotted(), anthropic_words::words(rule)),
        };
        return HttpError::invalid(message);
    }
    if wire == Wire::Gemini {
        let (path, inside) = (place.in_message(), place.parent().in_message());
        let name = place.steps.last().map_or("", String::as_str);
        let message = match rule.known.and_then(Value::as_str) {
            Some(message) => filled(message, &path, place, rule),
            None => gemini_words::words(rule, &path, &inside, name),
        };
        // Only the errors of reading the body name a field.
        let field = if message.starts_with("Invalid value") {
            path
        } else if message.starts_with("Invalid JSON") {
            inside
        } else {
            String::new()
        };
        let param = Some(field.as_str()).filter(|field| !field.is_empty());
        return HttpError::new(400, "INVALID_ARGUMENT", message).about(param, None);
    }
    let path = place.bracketed();
    let (message, code) = match rule.known {
        None => openai_words::words(rule, &path),
        Some(known) => {
            let message = known["message"].as_str().or(known.as_str());
            let message = filled(message.unwrap_or_default(), &path, place, rule);
            (message, known["code"].as_str())
        }
    };
    let has_param = rule.known.is_none_or(|known| known.get("param").is_none());
    let is_unknown = message.starts_with("Unrecognized request argument");
    let param = (has_param && !is_unknown).then_some(path.as_str());
    HttpError::invalid(message).about(param, code)
}

fn filled(message: &str, path: &str, place: &Place<'_>, rule: &BrokenRule<'_>) -> String {
    let limit = match rule.kind {
        ValidationErrorKind::Maximum { limit } | ValidationErrorKind::Minimum { limit } => {
            limit.to_string()
        }
        _ => String::new(),
    };
    message
        .replace("{path}", path)
        .replace("{value}", &shown(rule.value))
        .replace("{type}", type_of(rule.value))
        .replace("{limit}", &limit)
        .replace("{model}", &shown(&place.body["model"]))
}

/// A value as the APIs quote it: a text without its marks.
pub(super) fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The values as `'a', 'b'` with a word before the last one.
pub(super) fn listed(values: &Value, word: &str) -> String {
    let values = values.as_array().into_iter().flatten();
    let shown: Vec<String> = values
        .filter(|value| !value.is_null())
        .map(|value| format!("'{}'", shown(value)))
        .collect();
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{}{word}{last}", others.join(", ")),
        None => String::new(),
    }
}

/// The names of the types that a schema allows, without null.
pub(super) fn type_names(kind: &TypeKind) -> impl Iterator<Item = &'static str> {
    let types = match kind {
        TypeKind::Single(one) => (*one).into(),
        TypeKind::Multiple(several) => *several,
    };
    types.into_iter().filter_map(|one| {
        let names = ["array", "boolean", "integer", "number", "object", "string"];
        names.into_iter().find(|name| *name == one.to_string())
    })
}

pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
