//! Turns a recorded session into a model script: the replies of the model, from its recorded traffic.

use conform_judge::frame::{Body, Frame, LlmReply, ReplyEnd};
use mock_provider::server::ExchangeEnd;
use mock_provider::{
    LostPart, RecordedAnswer, is_message_path, recorded_losses, recorded_message, recorded_reply,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The lowest HTTP status that is not a success.
const FIRST_ERROR: u16 = 300;

/// The HTTP statuses of a redirect, which an HTTP client follows with the same request or without a body.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// A model script of a session.
#[derive(Debug, Default)]
pub struct ModelScript {
    /// The replies, for `mock-agent --script`: one for each request to the model, chunk by chunk.
    pub replies: Vec<Value>,
    /// What the script lacks of the answers, each in one sentence.
    pub losses: Vec<String>,
}

/// The replies of the model in a session. `None` if the body of an answer was not recorded, or there was no request.
#[must_use]
pub fn model_script(frames: &[Frame]) -> Option<ModelScript> {
    let mut script = ModelScript::default();
    let mut lost = BTreeSet::new();
    let requests = frames.iter().filter_map(|frame| match &frame.body {
        Body::LlmRequest(request) if is_message_path(&request.path) => Some(request),
        _ => None,
    });
    for request in requests {
        let answer = frames.iter().find_map(|frame| match &frame.body {
            Body::LlmReply(reply) if reply.n == request.n => Some(reply),
            _ => None,
        });
        let Some(answer) = answer else {
            // The session ended before the answer did.
            script
                .replies
                .push(json!({ "content": [{ "stall": true }] }));
            continue;
        };
        let (n, status) = (answer.n, answer.status);
        if REDIRECTS.contains(&status) {
            script.losses.push(format!(
                "request {n} was redirected (status {status}): the script has only the answer at the new place, if the agent asked there through the recorder"
            ));
            continue;
        }
        script.replies.push(scripted(&request.path, answer)?);
        let parts = with_answer(&request.path, answer, |answer| {
            Some(recorded_losses(answer))
        });
        for LostPart { path, excerpt } in parts.unwrap_or_default() {
            let loss =
                format!("the script lacks `{path}`, first in the answer to request {n}: {excerpt}");
            if lost.insert(path) {
                script.losses.push(loss);
            }
        }
    }
    Some(script).filter(|script| !script.replies.is_empty())
}

fn scripted(path: &str, reply: &LlmReply) -> Option<Value> {
    let scripted = with_answer(path, reply, recorded_reply)?;
    serde_json::to_value(scripted).ok()
}

/// The content of a complete answer to a request to this path.
pub(crate) fn message_of(path: &str, reply: &LlmReply) -> Option<Value> {
    with_answer(path, reply, recorded_message)
}

fn with_answer<T>(
    path: &str,
    reply: &LlmReply,
    read: impl Fn(&RecordedAnswer<'_>) -> Option<T>,
) -> Option<T> {
    let body = match &reply.body {
        Some(Value::String(text)) => text.clone(),
        Some(document) => document.to_string(),
        None if reply.status >= FIRST_ERROR || reply.end != ReplyEnd::Complete => String::new(),
        None => return None,
    };
    read(&RecordedAnswer {
        path,
        status: reply.status,
        body: &body,
        end: match reply.end {
            ReplyEnd::Complete => ExchangeEnd::Complete,
            ReplyEnd::ClientClosed => ExchangeEnd::ClientClosed,
            ReplyEnd::Cut => ExchangeEnd::Cut,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::frame::LlmRequest;

    fn request(n: u64, path: &str) -> Body {
        let (path, body) = (path.to_owned(), Value::Null);
        Body::LlmRequest(LlmRequest { n, path, body })
    }

    fn answer(n: u64, status: u16, body: Option<&str>) -> Body {
        let body = body.map(Value::from);
        let end = ReplyEnd::Complete;
        Body::LlmReply(LlmReply {
            n,
            status,
            end,
            message: None,
            body,
        })
    }

    fn replies(bodies: Vec<Body>) -> Option<Vec<Value>> {
        let frames = bodies.into_iter().map(|body| Frame { at: 0, body });
        model_script(&frames.collect::<Vec<_>>()).map(|script| script.replies)
    }

    #[test]
    fn a_complete_answer_becomes_a_message() {
        let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let said = |status: u16, body: &str, end: ReplyEnd| {
            let body = Some(Value::from(body));
            let (n, message) = (0, None);
            let reply = LlmReply {
                n,
                status,
                message,
                end,
                body,
            };
            message_of("/v1/chat/completions", &reply)
        };
        let whole = Some(json!([{ "text": "ab" }]));
        assert_eq!(said(200, stream, ReplyEnd::Complete), whole);
        assert_eq!(said(200, stream, ReplyEnd::ClientClosed), None);
        assert_eq!(said(200, &stream[..60], ReplyEnd::Complete), None);
        assert_eq!(said(500, stream, ReplyEnd::Complete), None);
    }

    #[test]
    fn each_request_for_a_message_gets_its_answer() {
        let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
        let session = vec![
            request(0, "/v1/models"),
            request(1, "/v1/chat/completions"),
            request(2, "/v1/chat/completions"),
            answer(2, 200, Some(stream)),
            answer(0, 200, Some("{}")),
            answer(1, 502, None),
            request(3, "/v1/chat/completions"),
            answer(3, 308, None),
            request(4, "/moved/v1/chat/completions"),
        ];
        let expected = json!([
            { "error": { "status": 502, "body": "" } },
            { "text": ["a", "b"], "stop": "max_tokens" },
            { "content": [{ "stall": true }] }
        ]);
        assert_eq!(replies(session).map(Value::from), Some(expected));
    }
}
