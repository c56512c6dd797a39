//! A gate in the middle of a reply, which the prompt asks for.

use mock_provider::{Answer, Chunk, ModelResponse, Piece};
use std::sync::Arc;

/// Puts a gate half-way into the text of a reply; before it, if it has no text.
pub(super) fn insert(gate: String, served: &mut ModelResponse) {
    let Answer::Message(message) = &mut served.answer else {
        served.gate = Some(gate);
        return;
    };
    let pieces = Arc::make_mut(&mut message.pieces);
    let is_text = |piece: &Piece| matches!(piece, Piece::Chunk(Chunk::Text { .. }));
    let deltas: Vec<_> = (0..pieces.len())
        .filter(|at| is_text(&pieces[*at]))
        .collect();
    let Some(&at) = deltas.get(deltas.len().saturating_sub(1) / 2) else {
        served.gate = Some(gate);
        return;
    };
    pieces.insert(at + 1, Piece::Gate(gate));
    if let ([_], Piece::Chunk(Chunk::Text { index, text })) = (&deltas[..], &mut pieces[at]) {
        let (first, second) = halves(text);
        let index = *index;
        *text = first;
        pieces.insert(
            at + 2,
            Piece::Chunk(Chunk::Text {
                index,
                text: second,
            }),
        );
    }
}

/// The two halves of a text, by its characters.
fn halves(text: &str) -> (String, String) {
    let middle = text.chars().count().div_ceil(2);
    let at = text.char_indices().nth(middle);
    let (first, second) = text.split_at(at.map_or(text.len(), |(at, _)| at));
    (first.to_owned(), second.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mock_provider::{Model, Request, Script, Wire};
    use serde_json::json;

    fn with_gate(reply: serde_json::Value) -> ModelResponse {
        let script = Script::from_value(json!([reply])).unwrap();
        let body = json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": "x" }] });
        let request = Request::in_process(0, Wire::AnthropicMessages, body);
        let mut served = Model::new(script, 0).next(&request);
        insert("half".into(), &mut served);
        served
    }

    fn texts(served: &ModelResponse) -> Vec<&str> {
        let Answer::Message(message) = &served.answer else {
            panic!("a message")
        };
        let shown = message.pieces.iter().filter_map(|piece| match piece {
            Piece::Chunk(Chunk::Text { text, .. }) => Some(text.as_str()),
            Piece::Gate(_) => Some("|"),
            _ => None,
        });
        shown.collect()
    }

    #[test]
    fn the_gate_is_in_the_middle_of_the_text() {
        let chunks = with_gate(json!({ "text": ["a", "b", "c", "d"] }));
        assert_eq!(texts(&chunks), ["a", "b", "|", "c", "d"]);
        assert_eq!(
            texts(&with_gate(json!({ "text": "aäb" }))),
            ["aä", "|", "b"]
        );
    }

    #[test]
    fn a_reply_without_text_is_held_before_it_begins() {
        for reply in [
            json!({ "content": [] }),
            json!({ "error": { "status": 500 } }),
        ] {
            assert_eq!(with_gate(reply).gate.as_deref(), Some("half"));
        }
    }
}
