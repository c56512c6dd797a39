//! Frames: their members and their size limit.

use crate::model::Usage;
use crate::protocols::frames::{extended, present};
use serde_json::{Map, Value, json};

/// The longest frame in either direction, in bytes without its newline ("Framing", lines 18 to 21).
pub(super) const LIMIT: usize = 1 << 20;

/// The longest piece of text in one frame, in bytes: escaped, it may become six times as long.
const PIECE: usize = LIMIT / 8;

pub(super) fn update(event: &Value) -> Value {
    json!({ "type": "message_update", "event": event })
}

/// A text in pieces that fit into a frame.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, more) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The body of a response that only reports that the command succeeded.
pub(super) fn ok() -> Map<String, Value> {
    Map::from_iter([("ok".to_owned(), json!(true))])
}

/// The response to a command. The members of its body follow its own.
pub(super) fn response(id: &str, command: &str, body: Map<String, Value>) -> Value {
    let head = json!({ "type": "response", "id": id, "command": command });
    let frame = extended(head, Value::Object(body));
    if fits(&frame) {
        frame
    } else {
        error(Some(id), "The response would be longer than 1 MiB")
    }
}

/// An error, with the id of its command if it has one.
pub(super) fn error(id: Option<&str>, message: &str) -> Value {
    let with_id = |id| json!({ "type": "error", "id": id, "message": message });
    id.map(with_id)
        .filter(fits)
        .unwrap_or_else(|| json!({ "type": "error", "message": message }))
}

pub(super) fn fits(frame: &Value) -> bool {
    frame.to_string().len() < LIMIT
}

/// The end of a turn, without a model if none has answered.
pub(super) fn agent_end(usage: Usage, model: Option<&str>) -> Value {
    let totals = extended(token_counts(usage), json!({ "model": model }));
    json!({ "type": "agent_end", "usage": present(totals) })
}

pub(super) fn token_counts(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
    })
}
