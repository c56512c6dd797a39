//! What is answered and decoded.

use serde_json::{Value, json};

use crate::answer::{Answer, BlockStart, Chunk, Usage};
use crate::answer_builder;
use crate::request::{Request, Wire};
use crate::script::{ScriptReply, Stop};
use crate::wire::{ReplyDecoder, WireContext, encoder, whole};

fn events(reply: Value, body: Value) -> (Vec<Value>, Option<Value>) {
    let reply: ScriptReply = serde_json::from_value(reply).expect("a reply");
    let request = Request::in_process(0, Wire::OpenAiResponses, body);
    let Answer::Message(message) = answer_builder::answer(&reply, "0".into(), 0, &request) else {
        panic!("a message")
    };
    let context = WireContext {
        request: &request,
        seed: 0,
    };
    let mut encoder = encoder(&context, &message);
    let bytes = message
        .pieces
        .iter()
        .flat_map(|piece| encoder.encode(piece))
        .flatten()
        .collect();
    let text = String::from_utf8(bytes).expect("text");
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = data
        .map(|data| serde_json::from_str::<Value>(data).expect("JSON"))
        .collect::<Vec<_>>();
    let names = text.lines().filter_map(|line| line.strip_prefix("event: "));
    assert!(
        names.eq(events
            .iter()
            .map(|event| event["type"].as_str().expect("a type")))
    );
    (events, whole(&context, &message).ok())
}

#[test]
fn a_stream_opens_and_closes_every_item_and_ends_with_the_response() {
    let reply = json!({ "thinking": { "text": "hm", "signature": "sig" }, "text": ["H", "i"], "tool_calls": [{ "id": "c1", "name": "Read", "args": {} }] });
    let (events, whole) = events(
        reply,
        json!({ "model": "m", "input": "x", "include": ["reasoning.encrypted_content"], "store": false }),
    );

    let kinds = events.iter().filter_map(|event| event["type"].as_str());
    let kinds = kinds.map(|kind| kind.trim_start_matches("response."));
    let expected = "created in_progress
        output_item.added reasoning_summary_part.added reasoning_summary_text.delta
        reasoning_summary_text.done reasoning_summary_part.done output_item.done
        output_item.added content_part.added output_text.delta output_text.delta
        output_text.done content_part.done output_item.done
        output_item.added function_call_arguments.delta function_call_arguments.delta
        function_call_arguments.done output_item.done
        completed";
    assert!(kinds.eq(expected.split_whitespace()));
    assert!(
        events
            .iter()
            .enumerate()
            .all(|(i, event)| event["sequence_number"] == i)
    );
    let done = events
        .iter()
        .filter(|event| event["type"] == "response.output_item.done")
        .map(|event| &event["item"]);
    let response = &events[events.len() - 1]["response"];
    assert!(done.eq(response["output"].as_array().expect("a list")));
    assert_eq!(response["output"][0]["encrypted_content"], "sig");
    assert_eq!(response["output"][1]["content"][0]["text"], "Hi");
    assert_eq!(
        (
            &response["output"][2]["arguments"],
            &response["output"][2]["call_id"]
        ),
        (&json!("{}"), &json!("c1"))
    );
    assert_eq!(
        (&response["store"], &response["usage"]["total_tokens"]),
        (&json!(false), &json!(12))
    );
    assert_eq!(Some(response), whole.as_ref());
}

#[test]
fn each_way_to_end_has_its_event() {
    let request = json!({ "model": "m", "input": "x" });
    let last = |reply| events(reply, request.clone()).0.pop().expect("an event");

    let incomplete = last(json!({ "text": "x", "stop": "max_tokens" }));
    assert_eq!(
        (
            &incomplete["type"],
            &incomplete["response"]["incomplete_details"]["reason"]
        ),
        (&json!("response.incomplete"), &json!("max_output_tokens"))
    );
    let failed = last(
        json!({ "content": [{ "text": "x" }, { "error": { "type": "server_error", "message": "m" } }] }),
    );
    assert_eq!(
        (&failed["type"], &failed["response"]["error"]),
        (
            &json!("response.failed"),
            &json!({ "code": "server_error", "message": "m" })
        )
    );
    let error =
        last(json!({ "content": [{ "error": { "type": "server_error", "message": "m" } }] }));
    assert_eq!(
        error,
        json!({ "type": "error", "sequence_number": 0, "code": "server_error", "message": "m", "param": null })
    );
}

#[test]
fn a_stream_is_decoded_and_a_reasoning_item_kept_whole() {
    let call = json!({ "type": "function_call", "call_id": "c1", "name": "bash" });
    let reasoning = json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "x" });
    let used = json!({ "input_tokens": 10, "output_tokens": 3, "input_tokens_details": { "cached_tokens": 4 } });
    let mut decoder = ReplyDecoder::new(Wire::OpenAiResponses);
    for event in [
        json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }),
        json!({ "type": "response.output_item.added", "output_index": 1, "item": call }),
        json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{}" }),
        json!({ "type": "response.output_item.done", "output_index": 1, "item": call }),
        json!({ "type": "response.completed", "response": { "usage": used } }),
    ] {
        let data = format!("data: {event}\n\n");
        decoder.push(data.as_bytes()).expect("an event");
    }
    assert!(decoder.end());

    let (id, tool) = ("c1".to_owned(), "bash".to_owned());
    let (fragment, signature) = ("{}".to_owned(), reasoning.to_string());
    let block = BlockStart::Call { id, tool };
    let usage = Usage {
        input: 6,
        output: 3,
        cache_read: 4,
        ..Usage::default()
    };
    let expected = [
        Chunk::Signature {
            index: 0,
            signature,
        },
        Chunk::End { index: 0 },
        Chunk::Start { index: 1, block },
        Chunk::Args { index: 1, fragment },
        Chunk::End { index: 1 },
        Chunk::Usage(usage),
        Chunk::Stop(Stop::ToolUse),
    ];
    assert!(std::iter::from_fn(|| decoder.take()).eq(expected));
}
