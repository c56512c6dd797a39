//! JSON-RPC 2.0: messages as lines, and the errors of lines that are not a message.

use crate::os::stdin::Input;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The longest message, in bytes.
pub(super) const LIMIT: usize = 16 << 20;

/// Begins the text of an id that only its own digits write exactly, such as `1e3`.
const EXACT: &str = "\u{0}#";

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(super) fn invalid_request(why: impl Into<String>) -> Self {
        RpcError::new(-32600, why)
    }

    pub(super) fn invalid_params(why: impl Into<String>) -> Self {
        RpcError::new(-32602, why)
    }

    pub(super) fn unknown_session(id: &str) -> Self {
        RpcError {
            data: Some(json!({ "sessionId": id })),
            ..RpcError::new(-32002, format!("Session not found: {id}"))
        }
    }
}

/// A message of the host.
#[derive(Debug, PartialEq)]
pub(super) struct Message {
    pub(super) value: Value,
    /// Its id as it is echoed; none if it has none.
    pub(super) id: Option<Value>,
    /// The id in the parameters of a notification that cancels a request.
    pub(super) cancelled: Option<Value>,
}

#[derive(Deserialize)]
struct Ids<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CancelledId<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: &'a RawValue,
}

/// A null is a value, too.
fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

/// The message in a line; none if the line is blank.
///
/// # Errors
/// It is no message; with the id for the answer.
#[expect(clippy::result_large_err, reason = "an error is the exception")]
pub(super) fn read(input: &Input) -> Result<Option<Message>, (Value, RpcError)> {
    let refused = |code, why: &str| (Value::Null, RpcError::new(code, why));
    let Input::Line(line) = input else {
        return Err(refused(-32600, "The message is too long"));
    };
    let text = std::str::from_utf8(line).map_err(|_| refused(-32700, "Parse error: not UTF-8"))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value = json_matcher::read_json(text.as_bytes())
        .map_err(|why| refused(-32700, &format!("Parse error: {why}")))?;
    if !value.is_object() {
        return Err(refused(
            -32600,
            "Invalid request: the message is not an object",
        ));
    }
    let ids: Option<Ids<'_>> = serde_json::from_str(text).ok();
    let (id, params) = ids.map_or((None, None), |ids| (ids.id, ids.params));
    let id = id.map(exact);
    if id
        .as_ref()
        .is_some_and(|id| !(id.is_null() || id.is_string() || id.is_number()))
    {
        return Err(refused(
            -32600,
            "Invalid request: the id is not a text, a number or null",
        ));
    }
    let cancelled = params.and_then(|params| serde_json::from_str(params.get()).ok());
    Ok(Some(Message {
        id,
        cancelled: cancelled.map(|named: CancelledId<'_>| exact(named.request_id)),
        value,
    }))
}

/// The value of an id, which is written as the host has written it.
#[expect(clippy::cmp_owned, reason = "the texts of the numbers are compared")]
fn exact(raw: &RawValue) -> Value {
    let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
    if value.to_string() == raw.get()
        || !raw
            .get()
            .starts_with(|c: char| c == '-' || c.is_ascii_digit())
    {
        value
    } else {
        Value::String(format!("{EXACT}{}", raw.get()))
    }
}

/// A message as a line.
pub(super) fn line(frame: &Value) -> Vec<u8> {
    let line = frame_faults::line(frame);
    let mark = "\"\\u0000#";
    let Some(text) = std::str::from_utf8(&line)
        .ok()
        .filter(|text| text.contains(mark))
    else {
        return line;
    };
    let mut parts = text.split(mark);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(&part.replacen('"', "", 1));
    }
    out.into_bytes()
}

pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) fn error(id: &Value, error: RpcError) -> Value {
    let mut body = json!({ "code": error.code, "message": error.message });
    if let Some(data) = error.data {
        body["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": body })
}

pub(super) fn answer(id: &Value, answer: Result<Value, RpcError>) -> Value {
    match answer {
        Ok(body) => result(id, body),
        Err(why) => error(id, why),
    }
}

pub(super) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Asks the host to stop what it does for a request of the agent.
pub(super) fn cancel(id: u64) -> Value {
    notification("$/cancel_request", json!({ "requestId": id }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Input {
        Input::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn ids_are_echoed_as_they_were_written() {
        for id in [
            "1",
            "\"a\"",
            "null",
            "9007199254740993",
            "1e3",
            "-1.50",
            "123456789012345678901234",
        ] {
            let text = format!("{{\"id\":{id},\"params\":{{\"requestId\":{id}}}}}");
            let message = read(&input(&text));
            let Message {
                id: known,
                cancelled,
                ..
            } = message.unwrap().unwrap();
            assert_eq!(known, cancelled);
            let line = line(&result(&known.unwrap(), json!({})));
            let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n");
            assert_eq!(String::from_utf8(line).unwrap(), expected);
        }
    }

    #[test]
    fn a_line_that_is_no_message_has_the_code_of_its_mistake() {
        for (text, code) in [
            ("{", -32700),
            ("[]", -32600),
            ("1", -32600),
            ("{\"id\":{}}", -32600),
        ] {
            assert_eq!(read(&input(text)).unwrap_err().1.code, code, "{text}");
        }
        assert_eq!(read(&input(" ")).unwrap(), None);
    }
}
