//! Members of a request that have no effect on a scripted answer, as data.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::conversation::list;
use crate::request::{Request, Wire};

/// The values that ask for nothing, by the place of the member. A text may end in `*`.
type Members = IndexMap<String, Vec<Value>>;

/// The members of each API.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct IgnoredMembers {
    anthropic: Members,
    chat: Members,
    responses: Members,
    gemini: Members,
}

static IGNORED: LazyLock<IgnoredMembers> = LazyLock::new(|| {
    let node = spanned_yaml::load_yaml("ignored.yaml", include_str!("ignored.yaml"));
    let ignored = node.and_then(|node| spanned_yaml::decode(&node));
    ignored.unwrap_or_default()
});

/// The members of a request that ask for something and have no effect: each place once, with its first such value.
pub(crate) fn ignored_members(request: &Request) -> Vec<(String, Value)> {
    let members = match request.wire {
        Wire::AnthropicMessages => &IGNORED.anthropic,
        Wire::OpenAiChat => &IGNORED.chat,
        Wire::OpenAiResponses => &IGNORED.responses,
        Wire::Gemini => &IGNORED.gemini,
    };
    let asked = members.iter().filter_map(|(place, idle)| {
        let first = place.split('/').next().unwrap_or_default();
        request.body.get(first)?;
        let steps: Vec<_> = place.split('/').collect();
        let value = first_value(&request.body, &steps, idle)?;
        Some((place.clone(), value.clone()))
    });
    asked.collect()
}

/// The first value at a place that asks for something.
fn first_value<'b>(body: &'b Value, steps: &[&str], idle: &[Value]) -> Option<&'b Value> {
    match steps {
        [] => (!body.is_null() && !idle.iter().any(|idle| is_idle(idle, body))).then_some(body),
        ["*", rest @ ..] => {
            let mut elements = list(body).iter();
            elements.find_map(|element| first_value(element, rest, idle))
        }
        [member, rest @ ..] => first_value(body.get(*member)?, rest, idle),
    }
}

fn is_idle(idle: &Value, value: &Value) -> bool {
    match (idle.as_str(), value.as_str()) {
        (Some(idle), Some(text)) => match idle.strip_suffix('*') {
            Some(start) => text.starts_with(start),
            None => text == idle,
        },
        _ => idle == value,
    }
}
