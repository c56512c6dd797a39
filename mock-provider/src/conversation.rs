//! What a request says, whatever its wire: texts and tool results.

use serde_json::Value;

use crate::request::{Request, Wire};

/// The part of a request that a script asks about.
pub(crate) struct ConversationView<'a> {
    /// The strings of the system prompt.
    pub(crate) system: Vec<&'a str>,
    /// The messages in order.
    pub(crate) messages: Vec<RequestMessage<'a>>,
}

/// One message of a conversation, or one item of a Responses input.
pub(crate) struct RequestMessage<'a> {
    /// The model said it.
    pub(crate) by_model: bool,
    /// It is an instruction to the model, as a system prompt is.
    pub(crate) instructs: bool,
    /// Every string that carries content: texts, thoughts, arguments, results.
    pub(crate) texts: Vec<&'a str>,
    /// The tool results in it.
    pub(crate) results: Vec<ToolOutcome<'a>>,
}

/// A tool's result as it was handed to the model.
pub(crate) struct ToolOutcome<'a> {
    /// The id of the call.
    pub(crate) call: &'a str,
    /// Whether it is an error; unknown where the wire has no mark for it.
    pub(crate) is_error: Option<bool>,
    /// The strings of its content.
    pub(crate) texts: Vec<&'a str>,
}

/// Keys whose strings are not content.
const NOT_CONTENT: [&str; 11] = [
    "type",
    "role",
    "id",
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "media_type",
    "signature",
    "encrypted_content",
    "status",
    "cache_control",
];

impl<'a> ConversationView<'a> {
    pub(crate) fn of(request: &'a Request) -> Self {
        let body = &request.body;
        let (system, messages) = match request.wire {
            Wire::AnthropicMessages => (&body["system"], &body["messages"]),
            Wire::OpenAiChat => (&Value::Null, &body["messages"]),
            Wire::OpenAiResponses => (&body["instructions"], &body["input"]),
        };
        let messages = match messages {
            Value::Array(list) => list.as_slice(),
            Value::Null => &[],
            text => std::slice::from_ref(text),
        };
        ConversationView {
            system: strings(system),
            messages: messages
                .iter()
                .map(|message| said(message, request.wire))
                .collect(),
        }
    }

    /// Every string of the system prompt and the messages.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> {
        let said = self
            .messages
            .iter()
            .flat_map(|said| said.texts.iter().copied());
        self.system.iter().copied().chain(said)
    }

    /// Every string of what was said since the model spoke last.
    pub(crate) fn new_texts(&self) -> impl Iterator<Item = &'a str> {
        let known = self
            .messages
            .iter()
            .rposition(|said| said.by_model)
            .map_or(0, |last| last + 1);
        self.messages[known..]
            .iter()
            .flat_map(|said| said.texts.iter().copied())
    }

    /// Every tool result.
    pub(crate) fn results(&self) -> impl Iterator<Item = &ToolOutcome<'a>> {
        self.messages.iter().flat_map(|said| said.results.iter())
    }
}

fn said(message: &Value, wire: Wire) -> RequestMessage<'_> {
    let results = match wire {
        Wire::AnthropicMessages => {
            let blocks = message["content"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            let results = blocks.iter().filter(|block| block["type"] == "tool_result");
            results.map(anthropic_result).collect()
        }
        Wire::OpenAiChat if message["role"] == "tool" => {
            vec![unmarked(message, "tool_call_id", "content")]
        }
        Wire::OpenAiResponses if message["type"] == "function_call_output" => {
            vec![unmarked(message, "call_id", "output")]
        }
        Wire::OpenAiChat | Wire::OpenAiResponses => Vec::new(),
    };
    let by_model = message["role"] == "assistant"
        || message["type"] == "function_call"
        || message["type"] == "reasoning";
    RequestMessage {
        by_model,
        instructs: message["role"] == "system" || message["role"] == "developer",
        texts: strings(message),
        results,
    }
}

fn anthropic_result(block: &Value) -> ToolOutcome<'_> {
    let is_error = Some(block["is_error"].as_bool().unwrap_or_default());
    ToolOutcome {
        is_error,
        ..unmarked(block, "tool_use_id", "content")
    }
}

/// A result on a wire that has no mark for errors.
fn unmarked<'a>(message: &'a Value, call: &str, content: &str) -> ToolOutcome<'a> {
    ToolOutcome {
        call: message[call].as_str().unwrap_or_default(),
        is_error: None,
        texts: strings(&message[content]),
    }
}

/// The strings below a value that carry content, in order.
fn strings(value: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    collect(value, false, &mut found);
    found
}

/// `all`: also under keys that are no content elsewhere, as in the arguments of a call.
fn collect<'a>(value: &'a Value, all: bool, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|one| collect(one, all, found)),
        Value::Object(map) => {
            let content = map
                .iter()
                .filter(|(key, _)| all || !NOT_CONTENT.contains(&key.as_str()));
            content.for_each(|(key, one)| collect(one, all || key == "input", found));
        }
        _ => {}
    }
}
