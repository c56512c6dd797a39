//! The conversation in a request, the same for every wire: texts and tool results.

use serde_json::Value;

use crate::request::{Request, Wire};

/// The texts and tool results of a request.
pub(crate) struct ConversationView<'a> {
    /// The strings of the system prompt.
    pub(crate) system: Vec<&'a str>,
    /// The messages in order.
    pub(crate) messages: Vec<RequestMessage<'a>>,
}

/// One message of a conversation, or one item of a Responses input.
pub(crate) struct RequestMessage<'a> {
    /// Whether it is from the model.
    pub(crate) is_from_model: bool,
    /// It is an instruction to the model, like a system prompt.
    pub(crate) is_instruction: bool,
    /// Every string with content: text, thinking, arguments, results.
    pub(crate) texts: Vec<&'a str>,
    /// The tool results in it.
    pub(crate) results: Vec<ToolOutcome<'a>>,
}

/// A tool result in a request.
pub(crate) struct ToolOutcome<'a> {
    /// The id of the call.
    pub(crate) call: &'a str,
    /// Whether it is marked as an error; none on a wire without such a mark.
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
    pub(crate) fn new(request: &'a Request) -> Self {
        let body = &request.body;
        let (system, messages) = match request.wire {
            Wire::AnthropicMessages => (&body["system"], &body["messages"]),
            Wire::OpenAiChat => (&Value::Null, &body["messages"]),
            Wire::OpenAiResponses => (&body["instructions"], &body["input"]),
            Wire::Gemini => (&body["systemInstruction"]["parts"], &body["contents"]),
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
                .map(|message| parse_message(message, request.wire))
                .collect(),
        }
    }

    /// Every string of the system prompt and the messages.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> {
        let message = self
            .messages
            .iter()
            .flat_map(|message| message.texts.iter().copied());
        self.system.iter().copied().chain(message)
    }

    /// The messages after the model's last message.
    fn new_messages(&self) -> &[RequestMessage<'a>] {
        let mut messages = self.messages.iter();
        let start = messages.rposition(|message| message.is_from_model);
        &self.messages[start.map_or(0, |last| last + 1)..]
    }

    /// Every string of the messages before the model's last message that are not the model's.
    pub(crate) fn earlier_texts(&self) -> Vec<&'a str> {
        let earlier = self.messages.len() - self.new_messages().len();
        let others = self.messages[..earlier].iter();
        let others = others.filter(|message| !message.is_from_model && !message.is_instruction);
        others
            .flat_map(|message| message.texts.iter().copied())
            .collect()
    }

    /// Every string of the messages after the model's last message.
    pub(crate) fn new_texts(&self) -> impl Iterator<Item = &'a str> {
        self.new_messages()
            .iter()
            .flat_map(|message| message.texts.iter().copied())
    }

    /// Every tool result.
    pub(crate) fn results(&self) -> Vec<&ToolOutcome<'a>> {
        let messages = self.messages.iter();
        messages.flat_map(|message| &message.results).collect()
    }

    /// The tool results after the model's last message.
    pub(crate) fn new_results(&self) -> Vec<&ToolOutcome<'a>> {
        let messages = self.new_messages().iter();
        messages.flat_map(|message| &message.results).collect()
    }
}

fn parse_message(message: &Value, wire: Wire) -> RequestMessage<'_> {
    if wire == Wire::Gemini {
        return gemini_content(message);
    }
    let kind = message["type"].as_str().unwrap_or_default();
    // Such as `function_call` and `custom_tool_call`, and their outputs.
    let is_of_type = |end: &str| kind.ends_with(end);
    let results = match wire {
        Wire::AnthropicMessages => {
            let blocks = list(&message["content"]).iter();
            let results = blocks.filter(|block| block["type"] == "tool_result");
            results.map(anthropic_result).collect()
        }
        Wire::OpenAiChat if message["role"] == "tool" => {
            vec![unmarked(message, "tool_call_id", "content")]
        }
        Wire::OpenAiResponses if is_of_type("_call_output") => {
            vec![unmarked(message, "call_id", "output")]
        }
        Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Gemini => Vec::new(),
    };
    let is_from_model =
        message["role"] == "assistant" || is_of_type("_call") || kind == "reasoning";
    RequestMessage {
        is_from_model,
        is_instruction: message["role"] == "system" || message["role"] == "developer",
        texts: strings(message),
        results,
    }
}

/// A content of Gemini. Names in arguments and results are the client's.
fn gemini_content(content: &Value) -> RequestMessage<'_> {
    let (mut texts, mut results) = (Vec::new(), Vec::new());
    for part in list(&content["parts"]) {
        let (call, result) = (&part["functionCall"], &part["functionResponse"]);
        texts.extend(
            ["text", "data"]
                .iter()
                .filter_map(|name| part[*name].as_str()),
        );
        texts.extend([call, result].iter().filter_map(|one| one["name"].as_str()));
        let attached = [&part["inlineData"], &part["fileData"], &result["parts"]];
        texts.extend(attached.into_iter().flat_map(strings));
        for one in [&call["args"], &result["response"]] {
            collect(one, true, &mut texts);
        }
        if result.is_object() {
            results.push(gemini_result(result));
        }
    }
    RequestMessage {
        is_from_model: content["role"] == "model",
        is_instruction: false,
        texts,
        results,
    }
}

/// A result of Gemini. One that has `error` is an error: <https://ai.google.dev/api/caching#FunctionResponse>.
fn gemini_result(result: &Value) -> ToolOutcome<'_> {
    let mut texts = Vec::new();
    collect(&result["response"], true, &mut texts);
    let call = result["id"].as_str().or(result["name"].as_str());
    ToolOutcome {
        call: call.unwrap_or_default(),
        is_error: result["response"].get("error").map(|_| true),
        texts,
    }
}

fn anthropic_result(block: &Value) -> ToolOutcome<'_> {
    let is_error = Some(block["is_error"].as_bool().unwrap_or_default());
    ToolOutcome {
        is_error,
        ..unmarked(block, "tool_use_id", "content")
    }
}

/// A tool result without a mark for errors.
fn unmarked<'a>(message: &'a Value, call: &str, content: &str) -> ToolOutcome<'a> {
    ToolOutcome {
        call: message[call].as_str().unwrap_or_default(),
        is_error: None,
        texts: strings(&message[content]),
    }
}

/// The tools that a request offers. Those of Gemini stand in lists of functions.
pub(crate) fn offered_tools(body: &Value) -> impl Iterator<Item = &Value> {
    list(&body["tools"])
        .iter()
        .flat_map(|tool| match tool["functionDeclarations"].as_array() {
            Some(functions) => functions.as_slice(),
            None => std::slice::from_ref(tool),
        })
}

/// The elements of a list; none of anything else.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The strings with content in a value, in order.
pub(crate) fn strings(value: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    collect(value, false, &mut found);
    found
}

/// `all`: include keys that are not content elsewhere, as in the arguments of a call.
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
