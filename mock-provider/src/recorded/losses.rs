//! The parts of a recorded answer that a reply of a script does not keep, by `kept.yaml`.

use std::sync::LazyLock;

use serde_json::{Map, Value, from_value};

use super::{FIRST_ERROR, RecordedAnswer, document};
use crate::conversation::list;
use crate::request::Wire;
use crate::script::Stop;
use crate::server::ExchangeEnd;
use crate::wire::event_data;

/// A part of an answer that is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostPart {
    /// Where it stands, such as `choices[].logprobs`.
    pub path: String,
    /// The beginning of its value, as JSON.
    pub excerpt: String,
}

/// The longest excerpt, in characters.
const MAX_EXCERPT: usize = 160;

static KEPT: LazyLock<Value> = LazyLock::new(|| {
    let kept = spanned_yaml::load_yaml("kept.yaml", include_str!("kept.yaml"));
    kept.map_or(Value::Null, |node| node.to_value())
});

/// What a script cannot give again of an answer: the first value at each path.
#[must_use]
pub fn recorded_losses(answer: &RecordedAnswer<'_>) -> Vec<LostPart> {
    let Some(wire) = Wire::of_path(answer.path).filter(|_| answer.status < FIRST_ERROR) else {
        return Vec::new();
    };
    let forms = match wire {
        Wire::AnthropicMessages => &KEPT["anthropic"],
        Wire::OpenAiChat => &KEPT["chat"],
        Wire::OpenAiResponses => &KEPT["responses"],
        Wire::Gemini => &KEPT["gemini"],
    };
    let mut lost = Vec::new();
    match document(answer.body) {
        Some(Value::Array(events)) => {
            let mut compare = |event| compare(event, &forms["event"], "", &mut lost);
            events.iter().for_each(&mut compare);
        }
        Some(document) => compare(&document, &forms["document"], "", &mut lost),
        None => {
            let events = event_data(answer.body.as_bytes());
            for event in events
                .iter()
                .filter_map(|data| serde_json::from_str(data).ok())
            {
                compare(&event, &forms["event"], "", &mut lost);
            }
            let has_end = events.iter().any(|data| data.trim() == "[DONE]");
            if wire == Wire::OpenAiChat && answer.end == ExchangeEnd::Complete && !has_end {
                lose(&"the stream ended without it".into(), "[DONE]", &mut lost);
            }
        }
    }
    lost
}

/// Adds the parts of a value that are not of a form.
fn compare(value: &Value, form: &Value, path: &str, lost: &mut Vec<LostPart>) {
    if is_empty(value) {
        return;
    }
    match (form, value) {
        (Value::Bool(true), _) => {}
        (Value::String(kind), Value::String(_)) if kind == "text" => {}
        (Value::String(kind), _) if kind == "stop" && from_value::<Stop>(value.clone()).is_ok() => {
        }
        (Value::Array(forms), Value::Array(items)) => {
            let form = forms.first().unwrap_or(&Value::Null);
            let path = format!("{path}[]");
            items
                .iter()
                .for_each(|item| compare(item, form, &path, lost));
        }
        (Value::Object(form), _)
            if form
                .get("one_of")
                .is_some_and(|known| list(known).contains(value)) => {}
        (Value::Object(form), Value::Object(members)) if !form.contains_key("one_of") => {
            let Some(by) = form.get("by").and_then(Value::as_str) else {
                return compare_members(members, form, "", path, lost);
            };
            let chosen = members.get(by).map_or("usual".to_owned(), shown);
            match form.get(&chosen) {
                Some(Value::Object(form)) if !form.contains_key("by") => {
                    compare_members(members, form, by, path, lost);
                }
                Some(form) => compare(value, form, path, lost),
                None => lose(value, &format!("{path}({by} {chosen})"), lost),
            }
        }
        _ => lose(value, path, lost),
    }
}

fn compare_members(
    members: &Map<String, Value>,
    form: &Map<String, Value>,
    by: &str,
    path: &str,
    lost: &mut Vec<LostPart>,
) {
    for (name, member) in members.iter().filter(|(name, _)| *name != by) {
        let dot = if path.is_empty() { "" } else { "." };
        let form = form.get(name).unwrap_or(&Value::Null);
        compare(member, form, &format!("{path}{dot}{name}"), lost);
    }
}

fn lose(value: &Value, path: &str, lost: &mut Vec<LostPart>) {
    if lost.iter().all(|part| part.path != path) {
        lost.push(LostPart {
            path: path.to_owned(),
            excerpt: value.to_string().chars().take(MAX_EXCERPT).collect(),
        });
    }
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_empty),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(true) => false,
    }
}
