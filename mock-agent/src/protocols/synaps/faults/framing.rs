//! Bytes that are not lines of JSON.

use super::conditions::{PROMPT, TEXT};
use crate::faults::{Bug, Fault, FaultEffect, Op, frame, start};

const fn text(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "message_update", op).when(TEXT)
}

pub(super) const FAULTS: &[Fault] = &[
    text(
        "log-line-on-stdout",
        "a log line stands between two events",
        Op::RawBefore(b"[INFO] model warmed up\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "log-line-behind-the-turn",
        "a log line comes behind the last event of a turn",
        "response",
        Op::RawAfter(b"done.\n"),
    )
    .when(PROMPT)
    .caught_by(&["json-lines"]),
    frame(
        "log-line-at-the-start",
        "a log line comes before `ready`",
        "ready",
        Op::RawBefore(b"synaps 0.1.9\n"),
    )
    .at_start()
    .caught_by(&["json-lines"]),
    text(
        "escape-glued-to-event",
        "a terminal escape without a newline is glued to an event",
        Op::RawBefore(b"\x1b]777;notify;agent;done\x07"),
    )
    .caught_by(&["json-lines"]),
    text(
        "length-header",
        "a length header stands in front of an event",
        Op::RawBefore(b"Content-Length: 77\r\n\r\n"),
    )
    .caught_by(&["json-lines", "line-feed"]),
    text(
        "two-events-on-a-line",
        "two events stand on one line",
        Op::RawBefore(
            br#"{"type":"message_update","event":{"type":"text_delta","delta":"glued"}}"#,
        ),
    )
    .caught_by(&["json-lines"]),
    text(
        "array-line",
        "a line is JSON, but no object",
        Op::RawBefore(b"[]\n"),
    )
    .caught_by(&["json-lines"]),
    text(
        "byte-order-mark",
        "a byte order mark stands in front of an event",
        Op::RawBefore(b"\xef\xbb\xbf"),
    )
    .caught_by(&["json-lines"]),
    text(
        "nul-byte",
        "a text holds a raw NUL byte",
        Op::Line(|line| in_text(line, b"\0")),
    )
    .caught_by(&["json-lines"]),
    text(
        "blank-line",
        "a blank line stands between two events",
        Op::RawBefore(b"\n"),
    )
    .caught_by(&["json-lines"]),
    text(
        "invalid-utf8",
        "a text holds a byte that is not UTF-8",
        Op::Line(|line| in_text(line, b"\xff")),
    )
    .caught_by(&["utf8"]),
    text(
        "cut-character",
        "a text ends in the middle of a character",
        Op::Line(|line| in_text(line, b"\xf0\x9f\xa6")),
    )
    .caught_by(&["utf8"]),
    text(
        "crlf",
        "a line ends in CR LF",
        Op::Line(|line| {
            line.pop();
            line.extend_from_slice(b"\r\n");
        }),
    )
    .caught_by(&["line-feed"]),
    frame(
        "no-final-newline",
        "the last line of a session has no newline",
        "response",
        Op::Line(|line| {
            line.pop();
        }),
    )
    .when(PROMPT)
    .caught_by(&[
        "line-feed",
        "json-lines",
        "answered-before-exit",
        "answered-in-time",
    ]),
    text(
        "over-long-line",
        "a line is longer than 1 MiB",
        Op::Line(|line| {
            let blanks = vec![b' '; (1 << 20) + 1];
            line.splice(1..1, blanks);
        }),
    )
    .caught_by(&["event-size"]),
    text(
        "duplicate-key",
        "an event has the same key twice",
        Op::Line(|line| {
            line.splice(1..1, *br#""type":"message_update","#);
        }),
    )
    .caught_by(&["clean-objects"]),
    text(
        "deep-nesting",
        "an event is nested more than 128 levels deep",
        Op::Line(|line| {
            let deep = format!("\"x\":{}{},", "[".repeat(200), "]".repeat(200));
            line.splice(1..1, deep.into_bytes());
        }),
    )
    .caught_by(&["clean-objects"]),
    text(
        "raw-line-separator",
        "a text holds a raw U+2028, at which some readers tear the line",
        Op::Line(|line| in_text(line, "\u{2028}".as_bytes())),
    )
    .caught_by(&["reader-safe-text"]),
    text(
        "lone-surrogate",
        "a text holds half of a surrogate pair",
        Op::Line(|line| in_text(line, b"\\ud83d")),
    )
    .caught_by(&["reader-safe-text"]),
    text("no-type", "an event has no type", Op::Remove("/type")).caught_by(&["discriminator"]),
    text(
        "type-is-no-text",
        "the type of an event is a number",
        Op::Set("/type", "7"),
    )
    .caught_by(&["discriminator"]),
    text(
        "unknown-event",
        "an event comes that the page does not know",
        Op::Before(r#"{"type":"progress","percent":50}"#),
    )
    .caught_by(&["unknown-event"]),
    text(
        "unknown-kind",
        "a `message_update` comes of a kind that the page does not know",
        Op::Before(r#"{"type":"message_update","event":{"type":"image_delta","data":""}}"#),
    )
    .caught_by(&["unknown-event"]),
    text("byte-by-byte", "an event comes byte by byte", Op::Trickle),
    start(
        "escapes-are-kept",
        "what is escaped in a command is taken as it is written",
        FaultEffect::Bug(Bug::EscapesAreKept),
    )
    .caught_by(&[
        "scenario:framing/escapes-in-commands",
        "known-id",
        "answered-before-exit",
        "answered-in-time",
    ]),
];

/// Inserts bytes at the beginning of the event's text.
fn in_text(line: &mut Vec<u8>, bytes: &[u8]) {
    const TEXT: &[u8] = br#""delta":""#;
    if let Some(at) = line.windows(TEXT.len()).position(|part| part == TEXT) {
        let start = at + TEXT.len();
        line.splice(start..start, bytes.iter().copied());
    }
}
