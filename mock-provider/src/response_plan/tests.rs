//! Property tests: with any delivery, a client receives the content of the script.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::answer::{Answer, BlockStart, Blocks};
use crate::answer_builder;
use crate::request::{Request, Wire};
use crate::script::ScriptReply;
use crate::wire::ReplyDecoder;

/// The content that a client joins from a stream: thinking, text, and tool calls with their arguments.
#[derive(Debug, Clone, Default, PartialEq)]
struct ReceivedContent {
    thinking: String,
    texts: String,
    calls: Vec<(String, Value)>,
}

fn plan_of(reply: &Value, wire: Wire) -> ResponsePlan {
    let reply: ScriptReply = serde_json::from_value(reply.clone()).expect("a reply");
    let request = Request::in_process(0, wire, json!({ "model": "m", "stream": true }));
    let Answer::Message(message) = answer_builder::answer(&reply, "0".into(), 0, &request) else {
        panic!("a message")
    };
    let context = WireContext {
        request: &request,
        seed: 0,
    };
    stream(&context, &message, Pace::default())
}

fn writes(plan: &ResponsePlan) -> impl Iterator<Item = &Bytes> {
    plan.body.iter().filter_map(|step| match step {
        ResponseStep::Write(bytes) => Some(bytes),
        _ => None,
    })
}

fn bytes(plan: &ResponsePlan) -> Vec<u8> {
    writes(plan).flatten().copied().collect()
}

fn received(reply: &Value, wire: Wire) -> ReceivedContent {
    let mut decoder = ReplyDecoder::new(wire);
    for bytes in writes(&plan_of(reply, wire)) {
        decoder.push(bytes).expect("a stream");
    }
    assert!(decoder.end(), "a whole stream");
    let mut blocks = Blocks::default();
    while let Some(chunk) = decoder.take() {
        blocks.add(&chunk);
    }
    let mut received = ReceivedContent::default();
    for block in blocks.0 {
        let text = block.text().to_owned();
        match block.start {
            BlockStart::Text => received.texts += &text,
            BlockStart::Thinking => received.thinking += &text,
            BlockStart::Call { tool, .. } => {
                let args = serde_json::from_str(&text).expect("JSON");
                received.calls.push((tool, args));
            }
            BlockStart::Redacted(_) => panic!("nothing is redacted"),
        }
    }
    received
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from)
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map(".{0,4}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A reply, and the content that a client receives.
fn reply() -> impl Strategy<Value = (Value, ReceivedContent)> {
    let texts = || prop::collection::vec("(?s).{0,12}", 1..4);
    let args = prop::collection::hash_map(".{0,4}", json_value(), 0..3);
    let args = args.prop_map(|map| Value::Object(map.into_iter().collect()));
    let calls = prop::collection::vec(("[A-Z][a-z]{0,5}", args, 1usize..6), 0..3);
    (texts(), texts(), calls, any::<bool>()).prop_map(|(thinking, texts, calls, interleave)| {
        let listed = calls.iter().map(|(name, args, chunks)| json!({ "name": name, "args": args, "chunks": chunks }));
        let reply = json!({ "thinking": thinking, "text": texts, "tool_calls": listed.collect::<Vec<_>>(), "interleave": interleave });
        let calls = calls.into_iter().map(|(name, args, _)| (name, args)).collect();
        (reply, ReceivedContent { thinking: thinking.concat(), texts: texts.concat(), calls })
    })
}

fn delivery() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({ "whole": true })),
        (1usize..40, any::<bool>())
            .prop_map(|(every, crlf)| json!({ "every": every, "crlf": crlf, "pause": "1ms" })),
        prop::collection::btree_set(1usize..3000, 0..6).prop_map(|at| json!({ "at": at })),
    ]
}

proptest! {
    #[test]
    fn a_client_receives_the_content_of_the_script_with_any_delivery((mut reply, expected) in reply(), delivery in delivery()) {
        reply["delivery"] = delivery;

        for wire in Wire::ALL {
            prop_assert_eq!(received(&reply, *wire), expected.clone());
        }
    }

    #[test]
    fn a_delivery_divides_the_stream_and_changes_nothing((mut reply, _) in reply(), every in 1usize..50, at in prop::collection::btree_set(1usize..2000, 1..5)) {
        let whole = bytes(&plan_of(&reply, Wire::AnthropicMessages));

        reply["delivery"] = json!({ "every": every });
        let every_plan = plan_of(&reply, Wire::AnthropicMessages);
        reply["delivery"] = json!({ "at": at });
        let at_plan = plan_of(&reply, Wire::AnthropicMessages);

        prop_assert_eq!(&bytes(&every_plan), &whole);
        prop_assert_eq!(every_plan.body.len(), whole.len().div_ceil(every));
        prop_assert_eq!(&bytes(&at_plan), &whole);
        prop_assert_eq!(at_plan.body.len(), 1 + at.iter().filter(|at| **at < whole.len()).count());
    }
}

#[test]
fn waits_are_at_their_positions_in_the_script() {
    let reply = json!({ "content": [{ "gate": "a" }, { "text": ["x"] }, { "delay": "5ms" }, { "stall": { "pings": "1ms" } }], "delivery": { "whole": true } });

    let plan = plan_of(&reply, Wire::OpenAiChat);

    let kinds = plan.body.iter().map(|step| match step {
        ResponseStep::Write(_) => "write",
        ResponseStep::Gate(_) => "gate",
        ResponseStep::Sleep(_) => "sleep",
        ResponseStep::Pings { length: None, .. } => "pings",
        _ => "other",
    });
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        ["gate", "write", "sleep", "pings"]
    );
}
