//! The model answers the requests that real agents sent.

use crate::recordings;
use conform_judge::frame::Body;
use mock_provider::{FailureKind, Model, Request, Script, Wire};
use serde_json::json;

const FOLDERS: [&str; 2] = ["aionrs-0.1.0", "aionrs-0.2.10"];

#[test]
fn requests_of_real_agents_are_not_refused() {
    let mut requests = 0;
    for recording in FOLDERS.into_iter().flat_map(recordings::of) {
        for frame in recording.frames {
            let Body::LlmRequest(recorded) = frame.body else {
                continue;
            };
            let is_chat = recorded.path.ends_with("/chat/completions");
            let wire = if is_chat {
                Wire::OpenAiChat
            } else {
                Wire::AnthropicMessages
            };
            // The recordings leave out what does not belong to the conversation.
            let mut body = recorded.body;
            for (name, member) in [("model", json!("m")), ("max_tokens", json!(8192))] {
                if body[name].is_null() {
                    body[name] = member;
                }
            }
            let script = Script::from_value(json!([{ "text": "x" }])).unwrap();
            let request = Request::in_process(recorded.n, wire, body);
            let answered = Model::new(script, 0).next(&request);
            let mut failures = answered.failures.iter();
            let refused = failures.find(|failure| failure.kind == FailureKind::Refused);
            assert_eq!(refused, None, "{}", recording.name);
            requests += 1;
        }
    }
    assert!(requests > 30, "{requests}");
}
