//! The pieces of each form of reply.

use super::*;
use serde_json::json;

fn pieces(reply: serde_json::Value, wire: Wire) -> Vec<Piece> {
    let reply: ScriptReply = serde_json::from_value(reply).expect("a reply");
    let request = Request::in_process(0, wire, json!({}));
    match answer(&reply, "0".into(), 7, &request) {
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

    let (id, tool) = ("t1".into(), "Read".into());
    let start = |index, block| Chunk::Start { index, block };
    let text = |text: &str| Chunk::Text {
        index: 1,
        text: text.into(),
    };
    let args = |fragment: &str| Chunk::Args {
        index: 2,
        fragment: fragment.into(),
    };
    let (thought, signature) = ("h".into(), "s".into());
    let expected = [
        start(0, BlockStart::Thinking),
        Chunk::Thinking {
            index: 0,
            text: thought,
        },
        Chunk::Signature {
            index: 0,
            signature,
        },
        Chunk::End { index: 0 },
        start(1, BlockStart::Text),
        text("a"),
        text("b"),
        Chunk::End { index: 1 },
        start(2, BlockStart::Call { id, tool }),
        args("{"),
        args("}"),
        Chunk::End { index: 2 },
        Chunk::Stop(Stop::ToolUse),
    ];
    similar_asserts::assert_eq!(built, expected.map(Piece::Chunk));
}

#[test]
fn interleaved_fragments_alternate_on_a_wire_that_allows_it() {
    let reply = json!({ "interleave": true, "tool_calls": [{ "name": "A", "args": [1], "chunks": 3 }, { "name": "B", "args_raw": "x", "chunks": 1 }] });
    for (wire, expected) in [
        (Wire::OpenAiChat, [0, 1, 0, 0]),
        (Wire::AnthropicMessages, [0, 0, 0, 1]),
    ] {
        let order = pieces(reply.clone(), wire)
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Chunk(Chunk::Args { index, .. }) => Some(index),
                _ => None,
            });
        assert!(order.eq(expected));
    }
}

#[test]
fn an_answer_that_breaks_off_has_no_end() {
    let reply = json!({ "content": [{ "text": "a" }, { "cut": "close" }] });
    let built = pieces(reply, Wire::OpenAiChat);

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
