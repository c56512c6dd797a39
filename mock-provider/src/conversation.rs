//! What a request says, whatever its wire: texts and tool results.

use serde_json::Value;

use crate::request::{Request, Wire};

/// The part of a request that a script asks about.
pub(crate) struct Conversation<'a> {
    /// The strings of the system prompt.
    pub(crate) system: Vec<&'a str>,
    /// The messages in order.
    pub(crate) messages: Vec<Said<'a>>,
}

/// One message of a conversation.
#[derive(Default)]
pub(crate) struct Said<'a> {
    /// Every string that carries content: texts, thoughts, arguments, results.
    pub(crate) texts: Vec<&'a str>,
    /// The tool results in it.
    pub(crate) results: Vec<Outcome<'a>>,
}

/// A tool's result as it was handed to the model.
pub(crate) struct Outcome<'a> {
    /// The id of the call.
    pub(crate) call: &'a str,
    /// Whether it is an error; unknown where the wire has no mark for it.
    pub(crate) is_error: Option<bool>,
    /// The strings of its content.
    pub(crate) texts: Vec<&'a str>,
}

/// Keys whose strings are not content.
const NOT_CONTENT: [&str; 9] = [
    "type",
    "role",
    "id",
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "media_type",
    "signature",
    "cache_control",
];

impl<'a> Conversation<'a> {
    pub(crate) fn of(request: &'a Request) -> Self {
        let list = request.body["messages"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        Conversation {
            system: strings(&request.body["system"]),
            messages: list
                .iter()
                .map(|message| said(message, request.wire))
                .collect(),
        }
    }

    /// Every string of the system prompt and the messages.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.system.iter().copied().chain(
            self.messages
                .iter()
                .flat_map(|said| said.texts.iter().copied()),
        )
    }

    /// Every tool result.
    pub(crate) fn results(&self) -> impl Iterator<Item = &Outcome<'a>> {
        self.messages.iter().flat_map(|said| said.results.iter())
    }
}

fn said(message: &Value, wire: Wire) -> Said<'_> {
    let results = match wire {
        Wire::AnthropicMessages => {
            let blocks = message["content"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            blocks
                .iter()
                .filter(|block| block["type"] == "tool_result")
                .map(anthropic_result)
                .collect()
        }
        Wire::OpenAiChat if message["role"] == "tool" => {
            let call = message["tool_call_id"].as_str().unwrap_or_default();
            vec![Outcome {
                call,
                is_error: None,
                texts: strings(&message["content"]),
            }]
        }
        Wire::OpenAiChat => Vec::new(),
    };
    Said {
        texts: strings(message),
        results,
    }
}

fn anthropic_result(block: &Value) -> Outcome<'_> {
    Outcome {
        call: block["tool_use_id"].as_str().unwrap_or_default(),
        is_error: Some(block["is_error"].as_bool().unwrap_or_default()),
        texts: strings(&block["content"]),
    }
}

/// The strings below a value that carry content, in order.
fn strings(value: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|one| collect(one, found)),
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !NOT_CONTENT.contains(&key.as_str()))
            .for_each(|(_, one)| collect(one, found)),
        _ => {}
    }
}
