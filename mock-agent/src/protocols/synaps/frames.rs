//! Frames: what they look like, and how long they may be.

use crate::model::message::Usage;
use serde_json::{Map, Value, json};

/// The longest frame in either direction, in bytes without its newline ("Framing", lines 18 to 21).
pub(super) const LIMIT: usize = 1 << 20;

/// The longest piece of text in one frame, in bytes: escaped, it may become six times as long.
const PIECE: usize = LIMIT / 8;

/// A step of the assistant's stream.
pub(super) fn update(event: &Value) -> Value {
    json!({ "type": "message_update", "event": event })
}

/// A text as it goes into frames: in pieces that fit.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.len().min(PIECE);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, more) = rest.split_at(end);
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The answer to a command; its body stands beside the other keys.
pub(super) fn response(id: &str, command: &str, body: Map<String, Value>) -> Value {
    let mut frame = Map::new();
    frame.insert("type".into(), json!("response"));
    frame.insert("id".into(), json!(id));
    frame.insert("command".into(), json!(command));
    frame.extend(body);
    let frame = Value::Object(frame);
    if fits(&frame) {
        frame
    } else {
        error(Some(id), "The response would be longer than 1 MiB")
    }
}

/// What went wrong, and with which command.
pub(super) fn error(id: Option<&str>, message: &str) -> Value {
    let with_id = |id| json!({ "type": "error", "id": id, "message": message });
    id.map(with_id)
        .filter(fits)
        .unwrap_or_else(|| json!({ "type": "error", "message": message }))
}

/// Whether a frame is short enough to be sent.
pub(super) fn fits(frame: &Value) -> bool {
    frame.to_string().len() < LIMIT
}

/// The end of a turn. The model is left out where none has answered.
pub(super) fn agent_end(usage: Usage, model: Option<&str>) -> Value {
    let mut told = json!({
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
    });
    if let Some(model) = model {
        told["model"] = json!(model);
    }
    json!({ "type": "agent_end", "usage": told })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_stands_beside_the_other_keys() {
        let Value::Object(body) = json!({ "ok": true }) else {
            unreachable!()
        };

        assert_eq!(
            response("7", "abort", body).to_string(),
            r#"{"type":"response","id":"7","command":"abort","ok":true}"#
        );
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = format!("x{}", "ä".repeat(PIECE));

        let cut: Vec<_> = pieces(&text).collect();

        assert_eq!(cut.concat(), text);
        assert_eq!(cut.len(), 3);
        assert!(cut.iter().all(|piece| piece.len() <= PIECE));
    }

    #[test]
    fn what_does_not_fit_becomes_an_error() {
        let long = "x".repeat(LIMIT);
        let body = Map::from_iter([("messages".to_owned(), json!(long))]);

        assert_eq!(response("g", "get_messages", body)["type"], "error");
        let nameless = response(&long, "get_state", Map::new());
        assert_eq!(nameless.get("id"), None);
        assert!(fits(&nameless));
    }
}
