//! Property tests: with any delivery, a client receives the content of the script.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::answer::Answer;
use crate::answer_builder;
use crate::request::{Request, Wire};
use crate::script::ScriptReply;

/// The content that a client joins from a stream: thinking, text, and tool calls with their arguments.
#[derive(Debug, Clone, Default, PartialEq)]
struct ReceivedContent {
    thinking: String,
    texts: String,
    calls: Vec<(String, Value)>,
    ended: bool,
}

fn plan_of(reply: &Value, wire: Wire) -> ResponsePlan {
    let reply: ScriptReply = serde_json::from_value(reply.clone()).expect("a reply");
    let request = Request::in_process(0, wire, json!({ "model": "m", "stream": true }));
    let Answer::Message(message) = answer_builder::answer(&reply, "0".into(), 0, &request) else {
        panic!("a message")
    };
    stream(
        &WireContext {
            request: &request,
            seed: 0,
        },
        &message,
        Pace::default(),
    )
}

fn bytes(plan: &ResponsePlan) -> Vec<u8> {
    plan.body
        .iter()
        .flat_map(|step| {
            if let ResponseStep::Write(bytes) = step {
                bytes.clone()
            } else {
                Vec::new()
            }
        })
        .collect()
}

/// The data of each event, with any line ending.
fn events(bytes: Vec<u8>) -> Vec<Value> {
    let text = String::from_utf8(bytes)
        .expect("text")
        .replace("\r\n", "\n");
    let data = text
        .split("\n\n")
        .flat_map(|event| event.lines().filter_map(|line| line.strip_prefix("data: ")));
    data.filter_map(|data| {
        if data == "[DONE]" {
            Some(json!("done"))
        } else {
            serde_json::from_str(data).ok()
        }
    })
    .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn received_from_anthropic(events: &[Value]) -> ReceivedContent {
    let (mut received, mut args) = (ReceivedContent::default(), Vec::<(String, String)>::new());
    for event in events {
        let delta = &event["delta"];
        received.thinking += text(&delta["thinking"]);
        received.texts += text(&delta["text"]);
        if event["content_block"]["type"] == "tool_use" {
            args.push((
                text(&event["content_block"]["name"]).to_owned(),
                String::new(),
            ));
        } else if let (Some(fragment), Some((_, joined))) =
            (delta["partial_json"].as_str(), args.last_mut())
        {
            joined.push_str(fragment);
        }
        received.ended |= event["type"] == "message_stop";
    }
    received.calls = parsed(args);
    received
}

fn received_from_openai(events: &[Value]) -> ReceivedContent {
    let (mut received, mut args) = (ReceivedContent::default(), Vec::<(String, String)>::new());
    for event in events {
        let delta = &event["choices"][0]["delta"];
        received.thinking += text(&delta["reasoning_content"]);
        received.texts += text(&delta["content"]);
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = call["index"].as_u64().expect("an index") as usize;
            if index == args.len() {
                args.push((text(&call["function"]["name"]).to_owned(), String::new()));
            }
            args[index].1 += text(&call["function"]["arguments"]);
        }
        received.ended |= event == "done";
    }
    received.calls = parsed(args);
    received
}

fn received_from_responses(events: &[Value]) -> ReceivedContent {
    let (mut received, mut args) = (ReceivedContent::default(), Vec::<(String, String)>::new());
    for event in events {
        match text(&event["type"]) {
            "response.reasoning_summary_text.delta" => received.thinking += text(&event["delta"]),
            "response.output_text.delta" => received.texts += text(&event["delta"]),
            "response.output_item.added" if event["item"]["type"] == "function_call" => {
                args.push((text(&event["item"]["name"]).to_owned(), String::new()));
            }
            "response.function_call_arguments.delta" => {
                args.last_mut().expect("a call").1 += text(&event["delta"]);
            }
            "response.completed" => received.ended = true,
            _ => {}
        }
    }
    received.calls = parsed(args);
    received
}

/// Tool calls with parsed arguments.
fn parsed(args: Vec<(String, String)>) -> Vec<(String, Value)> {
    let parse = |(name, args): (String, String)| (name, serde_json::from_str(&args).expect("JSON"));
    args.into_iter().map(parse).collect()
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
        (reply, ReceivedContent { thinking: thinking.concat(), texts: texts.concat(), calls, ended: true })
    })
}

fn delivery() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("events")),
        Just(json!("whole")),
        (1usize..40, any::<bool>())
            .prop_map(|(every, crlf)| json!({ "every": every, "crlf": crlf, "pause": "1ms" })),
        prop::collection::btree_set(1usize..3000, 0..6).prop_map(|at| json!({ "at": at })),
    ]
}

proptest! {
    #[test]
    fn a_client_receives_the_content_of_the_script_with_any_delivery((mut reply, expected) in reply(), delivery in delivery()) {
        reply["delivery"] = delivery;

        let anthropic = plan_of(&reply, Wire::AnthropicMessages);
        let openai = plan_of(&reply, Wire::OpenAiChat);
        let responses = plan_of(&reply, Wire::OpenAiResponses);

        prop_assert_eq!(received_from_responses(&events(bytes(&responses))), expected.clone());
        prop_assert_eq!(received_from_anthropic(&events(bytes(&anthropic))), expected.clone());
        prop_assert_eq!(received_from_openai(&events(bytes(&openai))), expected);
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
    let reply = json!({ "content": [{ "gate": "a" }, { "text": ["x"] }, { "delay": "5ms" }, { "stall": { "pings": "1ms" } }], "delivery": "whole" });

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
