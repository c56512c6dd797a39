//! The pieces of each form of reply.

use super::*;
use serde_json::json;

fn pieces(reply: serde_json::Value, wire: Wire) -> Vec<Piece> {
    let reply: ScriptReply = serde_json::from_value(reply).expect("a reply");
    match answer(
        &reply,
        "0".into(),
        7,
        &Request::in_process(0, wire, json!({})),
    ) {
        Answer::Message(message) => message.pieces,
        other => panic!("not a message: {other:?}"),
    }
}

#[test]
fn the_short_form_has_thinking_then_text_then_calls() {
    let built = pieces(
        json!({ "tool_calls": [{ "id": "t1", "name": "Read" }], "text": ["a", "b"], "thinking": { "text": "h", "signature": "s" } }),
        Wire::AnthropicMessages,
    );

    let expected = vec![
        Piece::BlockStart {
            index: 0,
            block: BlockKind::Thinking,
        },
        Piece::ThinkingDelta {
            index: 0,
            text: "h".into(),
        },
        Piece::Signature {
            index: 0,
            signature: "s".into(),
        },
        Piece::BlockEnd { index: 0 },
        Piece::BlockStart {
            index: 1,
            block: BlockKind::Text,
        },
        Piece::TextDelta {
            index: 1,
            text: "a".into(),
        },
        Piece::TextDelta {
            index: 1,
            text: "b".into(),
        },
        Piece::BlockEnd { index: 1 },
        Piece::BlockStart {
            index: 2,
            block: BlockKind::ToolCall {
                id: "t1".into(),
                name: "Read".into(),
            },
        },
        Piece::ArgsDelta {
            index: 2,
            fragment: "{".into(),
        },
        Piece::ArgsDelta {
            index: 2,
            fragment: "}".into(),
        },
        Piece::BlockEnd { index: 2 },
        Piece::Usage(Tokens {
            input: 10,
            output: 2,
            ..Tokens::default()
        }),
        Piece::Stop(Stop::ToolUse),
    ];
    similar_asserts::assert_eq!(built, expected);
}

#[test]
fn interleaved_fragments_alternate_on_a_wire_that_allows_it() {
    let reply = json!({ "interleave": true, "tool_calls": [{ "name": "A", "args": [1], "chunks": 3 }, { "name": "B", "args_raw": "x", "chunks": 1 }] });
    let order = |wire| {
        let args = pieces(reply.clone(), wire).into_iter();
        args.filter_map(|piece| {
            if let Piece::ArgsDelta { index, .. } = piece {
                Some(index)
            } else {
                None
            }
        })
        .collect::<Vec<_>>()
    };

    assert_eq!(order(Wire::OpenAiChat), [0, 1, 0, 0]);
    assert_eq!(order(Wire::AnthropicMessages), [0, 0, 0, 1]);
}

#[test]
fn an_answer_that_breaks_off_has_no_end() {
    let built = pieces(
        json!({ "content": [{ "text": "a" }, { "cut": true }] }),
        Wire::OpenAiChat,
    );

    assert_eq!(built.last(), Some(&Piece::Cut(crate::script::Cut::Close)));
}

proptest::proptest! {
    #[test]
    fn fragments_join_to_the_whole(text in ".*", count in 1usize..9) {
        let parts = fragments(&text, count);

        proptest::prop_assert!(parts.len() <= count && parts.iter().all(|part| !part.is_empty()));
        proptest::prop_assert_eq!(parts.concat(), text);
    }
}
