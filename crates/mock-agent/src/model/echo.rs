//! Echo model: answers where no script is given. Lines of the user's text make it think, call tools or fail.
//!
//! | line of the user's text | reply |
//! |---|---|
//! | `tool NAME {"arg": ...}` | calls that tool (several lines: several calls in one reply) |
//! | `think ...` | thinks the rest of the line first |
//! | `fail STATUS` | answers with that HTTP status |
//! | anything else | repeats it, word by word |

use super::prompt_marker::without_marker;
use super::summary;
use mock_provider::script::{HttpFault, ScriptReply, Texts, Thinking, ToolCall};
use mock_provider::{Model, ModelResponse, Request, Script};
use serde_json::Value;

/// The reply of the echo model to a request.
pub(super) fn answer(request: &Request) -> ModelResponse {
    let script = Script {
        replies: vec![reply(request)],
    };
    Model::new(script, request.n).next(request)
}

fn reply(request: &Request) -> ScriptReply {
    if summary::is_asked_for(request) {
        return text_reply(summary::SUMMARY);
    }
    let messages = request.body["messages"].as_array();
    let last = messages.and_then(|messages| messages.last());
    let results = last.map(results).unwrap_or_default();
    if !results.is_empty() {
        return text_reply(&format!("Done. {}", results.join(" ")));
    }
    let texts = last.map(|last| texts(&last["content"])).unwrap_or_default();
    let prompt = unanswered(&texts).join("\n");
    command(&without_marker(&prompt), request.n)
}

/// The texts of a message after an earlier one that was answered with a failure: without a reply in between, a conversation has the
/// texts of both prompts in one message.
fn unanswered<'t>(texts: &[&'t str]) -> Vec<&'t str> {
    let earlier = texts.len().saturating_sub(1);
    let failed = texts[..earlier].iter().rposition(|text| asks_to_fail(text));
    texts[failed.map_or(0, |at| at + 1)..].to_vec()
}

fn asks_to_fail(text: &str) -> bool {
    text.lines().any(|line| failing_status(line).is_some())
}

/// The status of a line `fail STATUS`.
fn failing_status(line: &str) -> Option<u16> {
    let status = line.strip_prefix("fail ")?.trim().parse().ok()?;
    (300..600).contains(&status).then_some(status)
}

fn command(text: &str, n: u64) -> ScriptReply {
    let mut reply = ScriptReply::default();
    let mut echo = Vec::new();
    for line in text.lines() {
        if let Some(status) = failing_status(line) {
            return failure(status);
        }
        match line.split_once(' ').unwrap_or((line, "")) {
            ("tool", rest) => reply
                .tool_calls
                .extend(call(rest, n, reply.tool_calls.len())),
            ("think", thinking) => {
                reply.thinking = Some(Thinking {
                    text: Texts::from(thinking),
                    signature: None,
                });
            }
            ("fail", _) => {}
            _ => echo.push(line),
        }
    }
    let words = text_reply(&format!("You said: {}", echo.join("\n"))).text;
    if !echo.is_empty() || reply.tool_calls.is_empty() {
        reply.text = words;
    }
    reply
}

fn failure(status: u16) -> ScriptReply {
    let error = HttpFault {
        status,
        kind: None,
        message: None,
        code: None,
        headers: Default::default(),
        body: None,
    };
    ScriptReply {
        error: Some(error),
        ..ScriptReply::default()
    }
}

fn call(rest: &str, n: u64, nth: usize) -> Option<ToolCall> {
    let (name, args) = rest.split_once(' ').unwrap_or((rest, "{}"));
    Some(ToolCall {
        purpose: None,
        offered: None,
        id: Some(format!("call-{n}-{nth}")),
        name: (!name.is_empty()).then(|| name.to_owned())?,
        args: None,
        args_raw: Some(args.into()),
        chunks: None,
    })
}

fn text_reply(text: &str) -> ScriptReply {
    let words = text.split_inclusive(' ').map(str::to_owned).collect();
    ScriptReply {
        text: Some(Texts(words)),
        ..ScriptReply::default()
    }
}

/// The texts of the tool results in a message, on the Anthropic or the Chat Completions wire.
fn results(message: &Value) -> Vec<String> {
    if message["role"] == "tool" {
        return vec![text(&message["content"])];
    }
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks
        .filter(|block| block["type"] == "tool_result")
        .map(|block| text(&block["content"]))
        .collect()
}

fn text(content: &Value) -> String {
    texts(content).join("\n")
}

fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_make_it_think_and_call_tools() {
        let reply = command("think hm\ntool Read {\"file_path\":\"a\"}\ntool Glob", 3);

        assert_eq!(reply.thinking.unwrap().text.joined(), "hm");
        assert!(reply.text.is_none());
        let expected = [
            ("call-3-0", "Read", "{\"file_path\":\"a\"}"),
            ("call-3-1", "Glob", "{}"),
        ];
        assert_eq!(reply.tool_calls.len(), expected.len());
        for (call, (id, name, args)) in reply.tool_calls.iter().zip(expected) {
            assert_eq!((call.id.as_deref(), call.name.as_str()), (Some(id), name));
            assert_eq!(call.args_raw.as_ref().unwrap().joined(), args);
        }
    }
}
