//! The pieces of each form of reply.

use super::*;
use serde_json::json;

fn pieces(reply: serde_json::Value, wire: Wire) -> Vec<Piece> {
    let reply: ScriptReply = serde_json::from_value(reply).expect("a reply");
    let request = Request::in_process(0, wire, json!({}));
    match answer(&reply, "0".into(), 7, &request) {
        Answer::Message(message) => message.pieces.to_vec(),
        other => panic!("not a message: {other:?}"),
    }
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

proptest::proptest! {
    #[test]
    fn fragments_join_to_the_whole(text in ".*", count in 1usize..9) {
        let parts = fragments(&text, count);

        proptest::prop_assert!(parts.len() <= count && parts.iter().all(|part| !part.is_empty()));
        proptest::prop_assert_eq!(parts.concat(), text);
    }
}
