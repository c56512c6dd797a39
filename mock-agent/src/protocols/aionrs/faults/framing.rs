//! Bytes that are not lines of JSON.

use crate::faults::{Fault, Op, frame};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "log-line-on-stdout",
        "a log line stands between two events",
        "text_delta",
        Op::RawBefore(b"[INFO] model warmed up\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "log-line-behind-the-turn",
        "a log line comes behind the last event of a turn",
        "stream_end",
        Op::RawAfter(b"done.\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "escape-glued-to-event",
        "a terminal escape without a newline is glued to an event",
        "text_delta",
        Op::RawBefore(b"\x1b]777;notify;agent;done\x07"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "two-events-on-a-line",
        "two events stand on one line",
        "text_delta",
        Op::RawBefore(br#"{"type":"info","msg_id":"","message":"glued"}"#),
    )
    .caught_by(&["json-lines"]),
    frame(
        "tool-output-on-stdout",
        "what a tool wrote comes on stdout too",
        "tool_result",
        Op::RawBefore(b"total 0\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "array-line",
        "a line is JSON, but no object",
        "text_delta",
        Op::RawBefore(b"[]\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "byte-order-mark",
        "a byte order mark stands in front of an event",
        "text_delta",
        Op::RawBefore(b"\xef\xbb\xbf"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "nul-byte",
        "a text holds a raw NUL byte",
        "text_delta",
        Op::Line(|line| in_text(line, b"\0")),
    )
    .caught_by(&["json-lines"]),
    frame(
        "invalid-utf8",
        "a text holds a byte that is not UTF-8",
        "text_delta",
        Op::Line(|line| in_text(line, b"\xff")),
    )
    .caught_by(&["utf8"]),
    frame(
        "cut-character",
        "a text ends in the middle of a character",
        "text_delta",
        Op::Line(|line| in_text(line, b"\xf0\x9f\xa6")),
    )
    .caught_by(&["utf8"]),
    frame(
        "crlf",
        "a line ends in CR LF",
        "text_delta",
        Op::Line(|line| {
            line.pop();
            line.extend_from_slice(b"\r\n");
        }),
    )
    .caught_by(&["clean-lines"]),
    frame(
        "blank-line",
        "a blank line stands between two events",
        "text_delta",
        Op::RawBefore(b"\n"),
    )
    .caught_by(&["clean-lines"]),
    frame(
        "duplicate-key",
        "an event has the same key twice",
        "text_delta",
        Op::Line(|line| {
            line.splice(1..1, *br#""type":"text_delta","#);
        }),
    )
    .caught_by(&["clean-lines"]),
    frame(
        "no-final-newline",
        "the last line of a session has no newline",
        "stream_end",
        Op::Line(|line| {
            line.pop();
        }),
    )
    .caught_by(&["clean-lines", "json-lines"]),
    frame(
        "half-a-line",
        "the process ends in the middle of a line",
        "stream_end",
        Op::HalfAndExit(0),
    )
    .caught_by(&["json-lines", "stays-alive", "clean-lines"]),
    frame(
        "raw-line-separator",
        "a text holds a raw U+2028, at which some readers tear the line",
        "text_delta",
        Op::Line(|line| in_text(line, "\u{2028}".as_bytes())),
    )
    .caught_by(&["reader-safe-text"]),
    frame(
        "lone-surrogate",
        "a text holds half of a surrogate pair",
        "text_delta",
        Op::Line(|line| in_text(line, b"\\ud83d")),
    )
    .caught_by(&["reader-safe-text"]),
    frame(
        "over-long-line",
        "a line is longer than 16 MiB",
        "text_delta",
        Op::Line(|line| {
            let blanks = vec![b' '; 17 << 20];
            line.splice(1..1, blanks);
        }),
    )
    // On a slow machine the timeout may cut it.
    .caught_by(&["line-length", "json-lines", "clean-lines", "turn-envelope"]),
    frame(
        "deep-nesting",
        "an event is nested more than 128 levels deep",
        "text_delta",
        Op::Line(|line| {
            let deep = format!("\"x\":{}{},", "[".repeat(200), "]".repeat(200));
            line.splice(1..1, deep.into_bytes());
        }),
    )
    .caught_by(&["line-length"]),
    frame(
        "no-type",
        "an event has no type",
        "text_delta",
        Op::Remove("/type"),
    )
    .caught_by(&["discriminator"]),
    frame(
        "type-is-no-text",
        "the type of an event is a number",
        "text_delta",
        Op::Set("/type", "7"),
    )
    .caught_by(&["discriminator"]),
    frame(
        "byte-by-byte",
        "an event comes byte by byte",
        "text_delta",
        Op::Trickle,
    ),
];

/// Inserts bytes at the beginning of the event's text.
fn in_text(line: &mut Vec<u8>, bytes: &[u8]) {
    const TEXT: &[u8] = br#""text":""#;
    if let Some(at) = line.windows(TEXT.len()).position(|part| part == TEXT) {
        let start = at + TEXT.len();
        line.splice(start..start, bytes.iter().copied());
    }
}
