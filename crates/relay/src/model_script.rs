//! A recorded session as a model script: the replies of the model, as the traffic with it or the agent's events show them.

use super::wire_replies::wire_replies;
use conform_judge::dialect::{Dialect, EventPart, FrameIdentity, ReplyEvents};
use conform_judge::frame::{Body, Frame, Line};
use conform_judge::framing::parse;
use mock_provider::recorded_tool_call;
use mock_provider::script::ToolCall;
use serde_json::{Map, Value, json};

/// The lowest HTTP status of an answer that is an error.
const FIRST_ERROR: u16 = 300;

/// The replies of the model in a session, as a list for `mock-agent --script`.
///
/// If the bodies of the model's answers were recorded, these are the replies. Else they are read from the events, and split where the dialect
/// says that a reply ends. If the session has the requests to the model and these are more or fewer, they
/// are split at the requests: an event can come after the next request, but no reply is without one. A reply that the host interrupted
/// stalls after its last part.
#[must_use]
pub fn model_script(frames: &[Frame], dialect: &Dialect) -> Vec<Value> {
    if let Some(replies) = wire_replies(frames) {
        return replies;
    }
    let by_events = replies(frames, dialect, Split::AtEvents);
    let errors = errors(frames);
    if errors.is_empty() {
        return by_events;
    }
    if by_events.len() != errors.iter().filter(|error| error.is_none()).count() {
        return replies(frames, dialect, Split::AtRequests);
    }
    let mut by_events = by_events.into_iter();
    let in_order = errors.into_iter().map(|error| match error {
        Some(status) => Some(failed(status)),
        None => by_events.next(),
    });
    in_order.flatten().collect()
}

/// Where replies are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Split {
    AtEvents,
    AtRequests,
}

/// For each request to the model, the status of its answer if that was an error.
fn errors(frames: &[Frame]) -> Vec<Option<u16>> {
    let mut errors = Vec::new();
    let mut numbers = Vec::new();
    for frame in frames {
        match &frame.body {
            Body::LlmRequest(request) => {
                numbers.push(request.n);
                errors.push(None);
            }
            Body::LlmReply(reply) if reply.status >= FIRST_ERROR => {
                if let Some(at) = numbers.iter().position(|n| *n == reply.n) {
                    errors[at] = Some(reply.status);
                }
            }
            _ => {}
        }
    }
    errors
}

fn replies(frames: &[Frame], dialect: &Dialect, split: Split) -> Vec<Value> {
    let mut script = ScriptBuilder {
        events: &dialect.replies,
        has_requests: split == Split::AtRequests,
        replies: Vec::new(),
        is_open: false,
        without_usage: 0,
        begins_block: false,
        call: Map::new(),
        fragments: Vec::new(),
        commands: 0,
    };
    for frame in frames {
        match &frame.body {
            Body::LlmRequest(_) if script.has_requests => script.begin(),
            Body::LlmReply(reply) if script.has_requests && reply.status >= FIRST_ERROR => {
                script.fail(reply.status);
            }
            Body::ToAgent(line) => {
                if let Some((name, _)) = identified(line, &dialect.commands) {
                    match dialect.session.interrupts.contains(&name) {
                        true => script.interrupt(),
                        false => script.command(&name),
                    }
                }
            }
            Body::FromAgent(line) => {
                if let Some((name, event)) = identified(line, &dialect.events) {
                    script.event(&name, &event);
                }
            }
            _ => {}
        }
    }
    script.replies.into_iter().map(Reply::finish).collect()
}

/// A reply that is an error.
fn failed(status: u16) -> Value {
    json!({ "error": { "status": status } })
}

/// A frame with its name, the nested kind included.
fn identified(line: &Line, names: &conform_judge::dialect::FrameNames) -> Option<(String, Value)> {
    let value = parse(line).value?;
    match names.identify(&value) {
        FrameIdentity::Known(name, kind) => Some((kind.unwrap_or(name), value)),
        _ => None,
    }
}

/// A reply in the making.
#[derive(Debug, Default)]
struct Reply {
    /// Items of `content`, each with one key.
    content: Vec<(&'static str, Value)>,
    usage: Option<Value>,
    error: Option<u16>,
}

struct ScriptBuilder<'d> {
    events: &'d ReplyEvents,
    has_requests: bool,
    replies: Vec<Reply>,
    /// Whether the next part belongs to the last reply.
    is_open: bool,
    /// The first reply whose usage is not known yet.
    without_usage: usize,
    /// Whether the next chunk begins a block.
    begins_block: bool,
    /// The tool call in the making.
    call: Map<String, Value>,
    fragments: Vec<String>,
    /// The number of commands that came while a reply was sent.
    commands: usize,
}

impl ScriptBuilder<'_> {
    fn begin(&mut self) {
        self.replies.push(Reply::default());
        self.is_open = true;
    }

    fn fail(&mut self, status: u16) {
        if let Some(reply) = self.replies.last_mut() {
            reply.error = Some(status);
        }
        self.is_open = false;
    }

    /// The host has interrupted the work. Only a reply that is still being sent stalls.
    fn interrupt(&mut self) {
        if self.is_open
            && let Some(reply) = self.replies.last_mut()
            && !matches!(reply.content.last(), Some(("tool_call", _)))
        {
            reply.content.push(("stall", Value::Bool(true)));
        }
        self.is_open = false;
    }

    /// A command has come. If a reply is being sent, a gate holds it there, so that the command has time to come again.
    fn command(&mut self, name: &str) {
        let Some(reply) = self.replies.last_mut().filter(|_| self.is_open) else {
            return;
        };
        if matches!(reply.content.last(), Some(("text" | "thinking", _))) {
            self.commands += 1;
            let gate = format!("{name}-{}", self.commands);
            reply.content.push(("gate", gate.into()));
        }
    }

    fn event(&mut self, name: &str, event: &Value) {
        let found = |part: &Option<EventPart>| {
            let part = part.as_ref().filter(|part| part.event == name)?;
            event.pointer(&part.at).cloned()
        };
        let events = self.events;
        self.begins_block |= events.blocks.iter().any(|block| block == name);
        if let Some(Value::String(text)) = found(&events.thinking) {
            self.chunk("thinking", text);
        }
        if let Some(Value::String(text)) = found(&events.text) {
            self.chunk("text", text);
        }
        for (member, part) in [("id", &events.call_id), ("name", &events.call_name)] {
            if let Some(value) = found(part) {
                self.call.insert(member.to_owned(), value);
            }
        }
        if let Some(Value::String(fragment)) = found(&events.call_fragment) {
            self.fragments.push(fragment);
        }
        if let Some(args) = found(&events.call_args) {
            self.call(args);
        }
        if let Some(usage) = found(&events.usage) {
            self.usage(&usage);
        }
        if !self.has_requests && events.ends.iter().any(|end| end == name) {
            self.is_open = false;
        }
    }

    /// The reply that the next part belongs to.
    fn reply(&mut self) -> &mut Reply {
        if self.replies.is_empty() || (!self.is_open && !self.has_requests) {
            self.begin();
        }
        let last = self.replies.len() - 1;
        &mut self.replies[last]
    }

    fn chunk(&mut self, kind: &'static str, text: String) {
        let begins_block = std::mem::take(&mut self.begins_block);
        let content = &mut self.reply().content;
        match content.last_mut() {
            Some((last, Value::Array(chunks))) if *last == kind && !begins_block => {
                chunks.push(text.into());
            }
            _ => content.push((kind, json!([text]))),
        }
    }

    fn call(&mut self, args: Value) {
        let mut call = std::mem::take(&mut self.call);
        let fragments = std::mem::take(&mut self.fragments);
        let Some(Value::String(name)) = call.remove("name") else {
            return;
        };
        let id = call.remove("id");
        let id = id.as_ref().and_then(Value::as_str).map(str::to_owned);
        let is_whole =
            serde_json::from_str(&fragments.concat()).is_ok_and(|whole: Value| whole == args);
        let call = match is_whole {
            true => recorded_tool_call(id, name, fragments),
            false => ToolCall {
                id,
                name,
                args: Some(args),
                args_raw: None,
                chunks: Some(fragments.len()).filter(|count| *count > 0),
            },
        };
        let call = serde_json::to_value(call).unwrap_or_default();
        self.reply().content.push(("tool_call", call));
    }

    /// The last reply has the usage of all replies since the last one with a usage, as only their sum is known.
    fn usage(&mut self, usage: &Value) {
        let members = self.events.usage_members.iter().filter_map(|(name, at)| {
            let count = usage.get(at).filter(|count| count.is_u64())?;
            Some(((*name).to_owned(), count.clone()))
        });
        let usage: Map<String, Value> = members.collect();
        let Some(open) = self.replies.get_mut(self.without_usage..) else {
            return;
        };
        for reply in open.iter_mut() {
            reply.usage = Some(json!({ "input": 0, "output": 0 }));
        }
        if let Some(last) = open.last_mut() {
            last.usage = Some(Value::Object(usage));
        }
        self.without_usage = self.replies.len();
    }
}

impl Reply {
    fn finish(self) -> Value {
        if let Some(status) = self.error {
            return failed(status);
        }
        let mut reply = Map::new();
        match self.plain() {
            Some(plain) => reply.extend(plain),
            None => {
                let items = self
                    .content
                    .iter()
                    .map(|(kind, value)| json!({ *kind: value }));
                reply.insert("content".to_owned(), items.collect());
            }
        }
        if reply.is_empty() {
            reply.insert("text".to_owned(), json!(""));
        }
        if let Some(usage) = self.usage {
            reply.insert("usage".to_owned(), usage);
        }
        Value::Object(reply)
    }

    /// The content by the short keys, if it has their order: thinking, text, tool calls.
    fn plain(&self) -> Option<Map<String, Value>> {
        let mut plain = Map::new();
        let mut calls = Vec::new();
        let mut place = 0;
        for (kind, value) in &self.content {
            let next = match *kind {
                "thinking" => 1,
                "text" => 2,
                "tool_call" => 3,
                _ => return None,
            };
            if next < place || (next == place && next < 3) {
                return None;
            }
            place = next;
            match next {
                3 => calls.push(value.clone()),
                _ => drop(plain.insert((*kind).to_owned(), value.clone())),
            }
        }
        if !calls.is_empty() {
            plain.insert("tool_calls".to_owned(), calls.into());
        }
        Some(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::dialect::{DialectSource, load};
    use conform_judge::frame::{LlmReply, LlmRequest, ReplyEnd};

    fn request(n: u64) -> Body {
        let path = "/v1/messages".to_owned();
        let body = Value::Null;
        Body::LlmRequest(LlmRequest { n, path, body })
    }

    fn answer(n: u64, status: u16) -> Body {
        let end = ReplyEnd::Complete;
        Body::LlmReply(LlmReply {
            n,
            status,
            end,
            body: None,
        })
    }

    fn event(value: Value) -> Body {
        Body::FromAgent(Line::new(value.to_string()))
    }

    /// The script of a session of aionrs.
    fn script(bodies: Vec<Body>) -> Value {
        let dialect = load(&DialectSource::default(), "aionrs@0.1").unwrap();
        let frames = bodies.into_iter().map(|body| Frame { at: 0, body });
        let frames: Vec<_> = frames.collect();
        model_script(&frames, &dialect).into()
    }

    fn delta(text: &str) -> Body {
        event(json!({ "type": "text_delta", "msg_id": "m", "text": text }))
    }

    fn end() -> Body {
        event(json!({ "type": "stream_end", "msg_id": "m" }))
    }

    #[test]
    fn events_that_come_after_the_next_request_belong_to_their_own_reply() {
        let session = vec![
            request(0),
            answer(0, 200),
            request(1),
            answer(1, 429),
            request(2),
            delta("one"),
            end(),
            answer(2, 200),
            delta("two"),
            end(),
        ];
        assert_eq!(
            script(session),
            json!([{ "text": ["one"] }, { "error": { "status": 429 } }, { "text": ["two"] }])
        );
    }

    #[test]
    fn a_reply_whose_end_no_event_shows_ends_at_the_next_request() {
        let session = vec![
            request(0),
            delta("one"),
            request(1),
            delta("two"),
            answer(1, 200),
            end(),
        ];
        assert_eq!(
            script(session),
            json!([{ "text": ["one"] }, { "text": ["two"] }])
        );
    }

    #[test]
    fn a_command_that_came_in_a_reply_has_a_gate_there() {
        let ping = Body::ToAgent(Line::new(r#"{"type":"set_mode","mode":"yolo"}"#));
        let session = vec![delta("one"), ping.clone(), delta("two"), end(), ping];
        let content = json!([{ "text": ["one"] }, { "gate": "set_mode-1" }, { "text": ["two"] }]);
        assert_eq!(script(session), json!([{ "content": content }]));
    }

    #[test]
    fn blocks_and_fragments_are_those_of_the_events() {
        let dialect = load(&DialectSource::default(), "pi@0.87").unwrap();
        let update = |inner: Value| {
            event(json!({ "type": "message_update", "assistantMessageEvent": inner }))
        };
        let call = json!({ "id": "t", "name": "bash", "arguments": { "command": "ls" } });
        let session = [
            update(json!({ "type": "text_start" })),
            update(json!({ "type": "text_delta", "delta": "a" })),
            update(json!({ "type": "text_start" })),
            update(json!({ "type": "text_delta", "delta": "b" })),
            update(json!({ "type": "toolcall_delta", "delta": "{\"command" })),
            update(json!({ "type": "toolcall_delta", "delta": "\":\"ls\"}" })),
            update(json!({ "type": "toolcall_end", "toolCall": call })),
        ];
        let frames = session.map(|body| Frame { at: 0, body });
        let call = json!({ "id": "t", "name": "bash", "args_raw": ["{\"command", "\":\"ls\"}"] });
        assert_eq!(
            Value::from(model_script(&frames, &dialect)),
            json!([{ "content": [{ "text": ["a"] }, { "text": ["b"] }, { "tool_call": call }] }])
        );
    }
}
