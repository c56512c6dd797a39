//! A request to the model as a list of contents, the same for every LLM API.

use frame_language::equal;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The sender of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The user's side: the host, and what the agent adds to it.
    User,
    /// The model.
    Model,
}

/// One content of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    /// A text.
    Text(Role, String),
    /// A tool call of the model: the name of the tool, and the arguments.
    Call(String, Value),
    /// The text of a tool's result, with the id of its call.
    Result(String, String),
    /// An image or another file: its media type, and a hash of its data.
    File(String, u64),
}

/// The contents of a request, without its instructions.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Contents {
    /// Each with the number of its message.
    pub(super) list: Vec<(usize, Content)>,
    /// The names of the tools it offers, sorted.
    pub(super) tools: Vec<String>,
    /// The model it is for, if it names one.
    pub(super) model: Value,
}

/// The shortest text, in bytes, that does not occur in another text by chance.
pub(super) const LONG: usize = 12;

/// The shortest text, in bytes, that is searched inside another one.
const SHORTEST_PART: usize = 8;

/// Whether a text equals another one, or is a part of it that cannot be there by chance.
pub(super) fn holds(whole: &str, part: &str) -> bool {
    let (whole, part) = (whole.trim(), part.trim());
    whole == part || part.len() >= SHORTEST_PART && whole.contains(part)
}

/// Whether the arguments of a call in a request are those that the model gave. Agents fill in the defaults of their tools, and leave out
/// what is null.
fn holds_arguments(given: &Value, said: &Value) -> bool {
    match (given, said) {
        (Value::Object(given), Value::Object(said)) => said.iter().all(|(name, said)| {
            let given = given.get(name).unwrap_or(&Value::Null);
            holds_arguments(given, said)
        }),
        (Value::Array(given), Value::Array(said)) => {
            let mut both = given.iter().zip(said);
            given.len() == said.len() && both.all(|(given, said)| holds_arguments(given, said))
        }
        _ => equal(given, said, &[]),
    }
}

/// Whether a text contains another one. In a conversation that grows the part is mostly the whole text, so that is tried first.
pub(super) fn has_part(whole: &str, part: &str) -> bool {
    whole.starts_with(part) || whole.contains(part)
}

/// The separator of the parts of an answer: APIs join them in different ways.
pub(super) const BETWEEN_PARTS: char = '\0';

/// A text without its spaces and the separators of its parts.
pub(super) fn without_spaces(text: &str) -> String {
    let is_space = |one: &char| one.is_whitespace() || *one == BETWEEN_PARTS;
    text.chars().filter(|one| !is_space(one)).collect()
}

/// The contents with the parts of an answer joined, which some APIs have as messages of their own.
fn joined(contents: Vec<(usize, Content)>) -> Vec<(usize, Content)> {
    let mut all: Vec<(usize, Content)> = Vec::new();
    for (n, content) in contents {
        match (all.last_mut(), content) {
            (Some((_, Content::Text(Role::Model, text))), Content::Text(Role::Model, more)) => {
                text.push(BETWEEN_PARTS);
                text.push_str(&more);
            }
            (_, content) => all.push((n, content)),
        }
    }
    all
}

impl Content {
    /// Whether this is the same content as in another request, where more text around it is allowed.
    pub(super) fn keeps(&self, earlier: &Content) -> bool {
        match (self, earlier) {
            (Content::Text(Role::User, text), Content::Text(Role::User, part)) => {
                has_part(text, part.trim())
            }
            (Content::Text(Role::Model, text), Content::Text(Role::Model, part)) => {
                // What the model thought between the parts is a text for another model.
                let has_parts = || text.contains(BETWEEN_PARTS) || part.contains(BETWEEN_PARTS);
                let holds_parts = || {
                    let whole = without_spaces(text);
                    let mut parts = part.split(BETWEEN_PARTS).map(without_spaces);
                    parts.all(|part| whole.contains(&part))
                };
                has_part(text, part.trim()) || has_parts() && holds_parts()
            }
            (Content::Result(_, text), Content::Result(_, part)) => has_part(text, part.trim()),
            (Content::Call(name, given), Content::Call(other, said)) => {
                name == other && holds_arguments(given, said)
            }
            _ => self == earlier,
        }
    }

    /// A text of the user's side.
    pub(super) fn user_text(&self) -> Option<&str> {
        match self {
            Content::Text(Role::User, text) => Some(text),
            _ => None,
        }
    }

    /// How often it holds a text or a call of the model. A short text may be a part of another one by chance.
    pub(super) fn times(&self, said: &Content) -> usize {
        match (self, said) {
            (Content::Text(Role::Model, text), Content::Text(Role::Model, part)) => {
                let part = part.split(BETWEEN_PARTS).max_by_key(|part| part.len());
                let part = part.map(str::trim).filter(|part| part.len() >= LONG);
                part.map_or(0, |part| text.matches(part).count())
            }
            (Content::Call(..), _) => usize::from(self.keeps(said)),
            _ => 0,
        }
    }

    /// Whether it comes from the model.
    pub(super) fn is_of_model(&self) -> bool {
        matches!(self, Content::Text(Role::Model, _) | Content::Call(..))
    }

    /// The content in words.
    pub(super) fn in_words(&self) -> String {
        match self {
            Content::Text(Role::User, text) => format!("the user's text {}", quoted(text)),
            Content::Text(Role::Model, text) => format!("the model's text {}", quoted(text)),
            Content::Call(name, _) => format!("the model's call of `{name}`"),
            Content::Result(_, text) => format!("the tool result {}", quoted(text)),
            Content::File(media_type, _) => format!("the attachment of type `{media_type}`"),
        }
    }
}

/// The beginning of a text, in quotes.
pub(super) fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let text = text.trim().replace(BETWEEN_PARTS, " ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

impl Contents {
    /// The contents of a request's body; `None` if it refers to an earlier answer of the server, and so is only a part.
    pub(super) fn of_request(body: &Value) -> Option<Contents> {
        if body["previous_response_id"].is_string() {
            return None;
        }
        let messages = match (&body["messages"], &body["input"], &body["contents"]) {
            (Value::Array(list), _, _)
            | (_, Value::Array(list), _)
            | (_, _, Value::Array(list)) => list.as_slice(),
            (_, text @ Value::String(_), _) => std::slice::from_ref(text),
            _ => return None,
        };
        let mut contents = Contents::default();
        for (n, message) in messages.iter().enumerate() {
            let mut found = Vec::new();
            of_message(message, &mut found);
            contents.list.extend(found.into_iter().map(|one| (n, one)));
        }
        contents.list = joined(contents.list);
        contents.model.clone_from(&body["model"]);
        let tools = body["tools"].as_array().into_iter().flatten();
        let tools = tools.flat_map(|tool| match tool["functionDeclarations"].as_array() {
            Some(functions) => functions.as_slice(),
            None => std::slice::from_ref(tool),
        });
        let name = |tool: &Value| {
            let name = tool
                .get("name")
                .or_else(|| tool.pointer("/function/name"))?;
            Some(name.as_str()?.to_owned())
        };
        contents.tools = tools.filter_map(name).collect();
        contents.tools.sort();
        Some(contents)
    }

    /// The texts and calls of the model, from the `message` of a reply.
    pub(super) fn of_reply(message: &Value) -> Vec<Content> {
        let parts = message.as_array().into_iter().flatten();
        let content = |part: &Value| match (&part["text"], &part["call"]) {
            // The APIs refuse a blank text, so agents leave it out.
            (Value::String(text), _) if text.trim().is_empty() => None,
            (Value::String(text), _) => Some(Content::Text(Role::Model, text.clone())),
            (_, call @ Value::Object(_)) => {
                let name = call["name"].as_str()?.to_owned();
                Some(Content::Call(name, call["arguments"].clone()))
            }
            _ => None,
        };
        let contents = parts.filter_map(content).map(|one| (0, one)).collect();
        joined(contents).into_iter().map(|(_, one)| one).collect()
    }

    /// The texts of the user's side.
    pub(super) fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.list
            .iter()
            .filter_map(|(_, content)| content.user_text())
    }

    /// The bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        let text = |(_, content): &(usize, Content)| match content {
            Content::Text(_, text) | Content::Result(_, text) => text.len(),
            Content::Call(..) | Content::File(..) => 0,
        };
        self.list.iter().map(text).sum()
    }

    /// Whether its last content is a text of the agent's own, such as one that asks for a summary.
    pub(super) fn ends_in_own_text(&self, said: &[String]) -> bool {
        match self.list.last() {
            Some((_, Content::Text(Role::User, text))) => !said.iter().any(|one| holds(text, one)),
            _ => false,
        }
    }

    /// The number of messages of the user's side that have a matching content.
    pub(super) fn messages_with(&self, fits: impl Fn(&Content) -> bool) -> usize {
        let of_user = |content: &Content| !matches!(content, Content::Text(Role::Model, _));
        let found = self
            .list
            .iter()
            .filter(|(_, one)| of_user(one) && fits(one));
        let mut messages: Vec<usize> = found.map(|(n, _)| *n).collect();
        messages.dedup();
        messages.len()
    }
}

fn of_message(message: &Value, found: &mut Vec<Content>) {
    let role = match (message["role"].as_str(), message["type"].as_str()) {
        (Some("assistant" | "model"), _) => Role::Model,
        (Some("system" | "developer"), _) | (None, Some("reasoning")) => return,
        (Some("tool"), _) => return result(message, "tool_call_id", "content", found),
        (_, Some("function_call_output")) => return result(message, "call_id", "output", found),
        (_, Some("function_call")) => return call(message, found),
        _ => Role::User,
    };
    match &message["content"] {
        _ if message.is_string() => parts(message, role, found),
        content => parts(content, role, found),
    }
    let parts = message["parts"].as_array().into_iter().flatten();
    parts.for_each(|part| gemini_part(part, role, found));
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    calls.for_each(|one| call(&one["function"], found));
}

fn parts(content: &Value, role: Role, found: &mut Vec<Content>) {
    let list = match content {
        Value::String(text) if text.trim().is_empty() => return,
        Value::String(text) => return found.push(Content::Text(role, text.clone())),
        Value::Array(list) => list,
        _ => return,
    };
    for part in list {
        match part["type"].as_str().unwrap_or_default() {
            "text" | "input_text" | "output_text" => parts(&part["text"], role, found),
            "tool_use" => call(part, found),
            "tool_result" => result(part, "tool_use_id", "content", found),
            "image" | "document" => file(&part["source"], found),
            "image_url" => data_url(&part["image_url"]["url"], found),
            "input_image" => data_url(&part["image_url"], found),
            _ => {}
        }
    }
}

/// A part of a content of Gemini.
fn gemini_part(part: &Value, role: Role, found: &mut Vec<Content>) {
    let (called, returned, blob) = (
        &part["functionCall"],
        &part["functionResponse"],
        &part["inlineData"],
    );
    if called.is_object() {
        let name = called["name"].as_str().unwrap_or_default().to_owned();
        found.push(Content::Call(name, called["args"].clone()));
    } else if returned.is_object() {
        let response = &returned["response"];
        let text = response.get("output").or(response.get("error"));
        let call = returned["id"].as_str().or(returned["name"].as_str());
        let text = match text.unwrap_or(response) {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        found.push(Content::Result(call.unwrap_or_default().to_owned(), text));
    } else if blob.is_object() {
        let (media_type, data) = (&blob["mimeType"], &blob["data"]);
        file(&json!({ "media_type": media_type, "data": data }), found);
    } else if part["thought"] != true {
        parts(&part["text"], role, found);
    }
}

fn call(call: &Value, found: &mut Vec<Content>) {
    let name = call["name"].as_str().unwrap_or_default().to_owned();
    let arguments = match &call["arguments"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
        _ => call["input"].clone(),
    };
    found.push(Content::Call(name, arguments));
}

fn result(message: &Value, id: &str, content: &str, found: &mut Vec<Content>) {
    let (mut texts, mut files, mut all) = (Vec::new(), Vec::new(), Vec::new());
    parts(&message[content], Role::User, &mut all);
    for one in all {
        match one {
            Content::Text(_, text) => texts.push(text),
            other => files.push(other),
        }
    }
    let call = message[id].as_str().unwrap_or_default().to_owned();
    found.push(Content::Result(call, texts.join("\n")));
    found.extend(files);
}

fn file(source: &Value, found: &mut Vec<Content>) {
    let (media_type, data) = (&source["media_type"], &source["data"]);
    match (source["type"].as_str(), data.as_str()) {
        (Some("text"), Some(text)) => found.push(Content::Text(Role::User, text.to_owned())),
        (_, Some(data)) => found.push(Content::File(
            media_type.as_str().unwrap_or_default().to_owned(),
            hash(data),
        )),
        _ => {}
    }
}

fn data_url(url: &Value, found: &mut Vec<Content>) {
    let parts = url
        .as_str()
        .and_then(|url| url.strip_prefix("data:")?.split_once(";base64,"));
    if let Some((media_type, data)) = parts {
        found.push(Content::File(media_type.to_owned(), hash(data)));
    }
}

/// A hash of a text.
pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
