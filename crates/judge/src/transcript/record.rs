//! A record of a transcript: one line of JSON that holds a frame.

use super::error::{Problem, reason};
use super::line_record;
use crate::frame::{Body, End, Eol, Frame, Line, LlmReply, LlmRequest, McpEvent, ReplyEnd};
use crate::signals;
use data_encoding::BASE64;
use serde::de::value::{Error as UnknownWord, StrDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The values of `dir`.
const DIRS: &[&str] = &[
    "to_agent",
    "from_agent",
    "stderr",
    "llm_request",
    "lane_request",
    "llm_reply",
    "mcp_request",
    "stdin_closed",
    "stdout_closed",
    "signal",
    "end",
];

/// Values of `dir` that the format keeps for later. A reader passes such records over.
const LATER_DIRS: &[&str] = &["mcp_reply"];

/// A record, with the fields of every `dir`. The body of a request is raw text when read, so that it is parsed as a document of its own
/// (the nesting limit of a parser counts from the root), and a value when written.
#[derive(Default, Serialize, Deserialize)]
struct Record<'a, B> {
    at: u64,
    #[serde(borrow)]
    dir: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eol: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<B>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<B>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orphans: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Cow<'a, str>>,
}

/// Appends a frame as one line of JSON, newline included.
pub(super) fn write(frame: &Frame, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let mut record = Record::<&Value> {
        at: frame.at,
        dir: Cow::Borrowed(frame.body.dir()),
        ..Record::default()
    };
    match &frame.body {
        Body::ToAgent(line) | Body::FromAgent(line) | Body::Stderr(line) => {
            match std::str::from_utf8(&line.bytes) {
                Ok(text) => record.line = Some(text.into()),
                Err(_) => record.b64 = Some(BASE64.encode(&line.bytes)),
            }
            record.eol = match line.eol {
                Eol::Lf => None,
                Eol::CrLf => Some("crlf".into()),
                Eol::None => Some("none".into()),
            };
            record.dropped = (line.dropped > 0).then_some(line.dropped);
        }
        Body::LlmRequest(request) | Body::LaneRequest { request, .. } => {
            if let Body::LaneRequest { lane, .. } = &frame.body {
                record.lane = Some(lane.as_str().into());
            }
            record.n = Some(request.n);
            record.path = Some(request.path.as_str().into());
            record.body = Some(&request.body);
        }
        Body::LlmReply(reply) => {
            record.n = Some(reply.n);
            record.status = Some(reply.status);
            record.end = Some(reply.end.as_str().into());
            record.body = reply.body.as_ref();
            record.message = reply.message.as_ref();
        }
        Body::Mcp(event) => {
            record.n = Some(event.n);
            record.server = Some(event.server.as_str().into());
            record.body = Some(&event.body);
        }
        Body::StdinClosed | Body::StdoutClosed => {}
        Body::Signal(name) => record.signal = Some(name.as_str().into()),
        Body::End(end) => write_end(end, &mut record),
    }
    serde_json::to_writer(&mut *out, &record)?;
    out.push(b'\n');
    Ok(())
}

fn write_end<'a>(end: &'a End, record: &mut Record<'a, &Value>) {
    let (word, orphans) = match end {
        End::Exited { code, orphans } => {
            record.code = Some(*code);
            ("exited", *orphans)
        }
        End::Signalled { signal, orphans } => {
            record.signal = Some((*signal).into());
            ("signalled", *orphans)
        }
        End::Killed { why } => {
            record.why = Some(why.as_str().into());
            ("killed", 0)
        }
        End::Open => ("open", 0),
    };
    record.end = Some(word.into());
    record.orphans = (orphans > 0).then_some(orphans);
}

/// The result of reading a record: its frame, or `None` for a record of a later kind.
pub(super) type ReadRecord = Result<Option<Frame>, Problem>;

/// Reads one record, given without its newline.
pub(super) fn read(line: &[u8]) -> ReadRecord {
    line_record::read(line).map_or_else(|| parse(line), |frame| Ok(Some(frame)))
}

/// Reads any record with the JSON parser.
pub(super) fn parse(line: &[u8]) -> ReadRecord {
    let record: Record<&RawValue> = serde_json::from_slice(line).map_err(|error| {
        let what = match error.is_data() {
            true => "not a transcript record",
            false => "not JSON",
        };
        Problem::of_json(what, &error)
    })?;
    // Other programs may write the traffic of MCP servers in forms of their own.
    let is_other_form = record.dir == "mcp_request" && record.body.is_none();
    if is_other_form || LATER_DIRS.contains(&&*record.dir) {
        return Ok(None);
    }
    let at = record.at;
    body(record).map(|body| Some(Frame { at, body }))
}

fn body(record: Record<&RawValue>) -> Result<Body, Problem> {
    Ok(match &*record.dir {
        "to_agent" => Body::ToAgent(text(record)?),
        "from_agent" => Body::FromAgent(text(record)?),
        "stderr" => Body::Stderr(text(record)?),
        "llm_request" => Body::LlmRequest(request(record)?),
        "lane_request" => Body::LaneRequest {
            lane: required(record.lane.as_deref(), "lane")?.to_owned(),
            request: request(record)?,
        },
        "llm_reply" => Body::LlmReply(reply(&record)?),
        "mcp_request" => Body::Mcp(McpEvent {
            n: required(record.n, "n")?,
            server: required(record.server.as_deref(), "server")?.to_owned(),
            body: document(record.body)?.unwrap_or_default(),
        }),
        "stdin_closed" => Body::StdinClosed,
        "stdout_closed" => Body::StdoutClosed,
        "signal" => Body::Signal(match required(record.signal, "signal")? {
            Value::String(name) => name,
            other => signals::name(signal(&other)?),
        }),
        "end" => Body::End(end(record)?),
        unknown => {
            let known = DIRS.join(", ");
            let message = format!("unknown dir \"{unknown}\"; known are {known}");
            return Err(Problem::new(message));
        }
    })
}

fn text(record: Record<&RawValue>) -> Result<Line, Problem> {
    let bytes = match (record.line, record.b64) {
        (Some(line), None) => line.into_owned().into_bytes(),
        (None, Some(b64)) => BASE64
            .decode(b64.as_bytes())
            .map_err(|error| Problem::of_record(format!("\"b64\" is not Base64: {error}")))?,
        (Some(_), Some(_)) => {
            return Err(Problem::of_record("both \"line\" and \"b64\""));
        }
        (None, None) => return Err(missing("line")),
    };
    let eol = match record.eol.as_deref() {
        None | Some("lf") => Eol::Lf,
        Some("crlf") => Eol::CrLf,
        Some("none") => Eol::None,
        Some(other) => {
            return Err(Problem::of_record(format!(
                "\"eol\" is \"{other}\", not \"crlf\" or \"none\""
            )));
        }
    };
    Ok(Line {
        bytes,
        eol,
        dropped: record.dropped.unwrap_or(0),
    })
}

fn request(record: Record<&RawValue>) -> Result<LlmRequest, Problem> {
    Ok(LlmRequest {
        n: required(record.n, "n")?,
        body: document(record.body)?.unwrap_or_default(),
        path: record.path.unwrap_or_default().into_owned(),
    })
}

fn document(raw: Option<&RawValue>) -> Result<Option<Value>, Problem> {
    let read = raw.map(|raw| serde_json::from_str(raw.get())).transpose();
    read.map_err(|error| Problem::of_record(format!("\"body\": {}", reason(&error))))
}

fn reply(record: &Record<&RawValue>) -> Result<LlmReply, Problem> {
    let end = required(record.end.as_deref(), "end")?;
    let known = ReplyEnd::deserialize(StrDeserializer::<UnknownWord>::new(end));
    let unknown = |_| Problem::of_record(format!("no way for a reply to end: \"{end}\""));
    Ok(LlmReply {
        n: required(record.n, "n")?,
        status: required(record.status, "status")?,
        end: known.map_err(unknown)?,
        body: document(record.body)?,
        message: document(record.message)?,
    })
}

fn end(record: Record<&RawValue>) -> Result<End, Problem> {
    let orphans = record.orphans.unwrap_or(0);
    Ok(match required(record.end.as_deref(), "end")? {
        "exited" => End::Exited {
            code: required(record.code, "code")?,
            orphans,
        },
        "signalled" => {
            let signal = signal(&required(record.signal, "signal")?)?;
            End::Signalled { signal, orphans }
        }
        "killed" => End::Killed {
            why: record.why.unwrap_or_default().into_owned(),
        },
        "open" => End::Open,
        other => {
            return Err(Problem::of_record(format!(
                "no way for a session to end: \"{other}\""
            )));
        }
    })
}

/// The number of a signal, from its name or its number.
fn signal(value: &Value) -> Result<i32, Problem> {
    let named = value.as_str().and_then(signals::find);
    let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
    named
        .map(|signal| signal.as_raw())
        .or(number)
        .ok_or_else(|| Problem::of_record(format!("\"signal\" is {value}, not a signal")))
}

fn required<T>(field: Option<T>, name: &str) -> Result<T, Problem> {
    field.ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Problem {
    Problem::of_record(format!("missing field `{name}`"))
}
