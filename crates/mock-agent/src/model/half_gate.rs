//! A gate in the middle of a reply, which the prompt asks for.

use mock_provider::{Answer, ModelResponse, Piece};

/// Puts a gate half-way into the text of a reply; before it, if it has no text.
pub(super) fn insert(gate: String, served: &mut ModelResponse) {
    let Answer::Message(message) = &mut served.answer else {
        served.gate = Some(gate);
        return;
    };
    let pieces = &mut message.pieces;
    let is_text = |piece: &Piece| matches!(piece, Piece::TextDelta { .. });
    let deltas = pieces.iter().filter(|piece| is_text(piece)).count();
    let middle = pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| is_text(piece))
        .nth(deltas.saturating_sub(1) / 2);
    let Some((at, Piece::TextDelta { index, text })) = middle else {
        served.gate = Some(gate);
        return;
    };
    let halves = (deltas == 1)
        .then(|| halves(text))
        .map(|(first, second)| (*index, first, second));
    pieces.insert(at + 1, Piece::Gate(gate));
    if let Some((index, first, second)) = halves {
        pieces[at] = Piece::TextDelta { index, text: first };
        let rest = Piece::TextDelta {
            index,
            text: second,
        };
        pieces.insert(at + 2, rest);
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
            Piece::TextDelta { text, .. } => Some(text.as_str()),
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
