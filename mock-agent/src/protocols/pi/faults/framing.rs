//! Bytes that are not lines of JSON.

use super::common::{SINCE_0_73, TEXT_START, V0_14, V0_73, V0_87};
use crate::faults::{Fault, Op, frame};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "log-line-on-stdout",
        "a log line stands between two events",
        "message_update",
        Op::RawBefore(b"[INFO] model warmed up\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "log-line-behind-the-run",
        "a log line comes behind the last event of a run",
        "agent_end",
        Op::RawAfter(b"done.\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "escape-glued-to-event",
        "a terminal escape without a newline is glued to an event",
        "message_update",
        Op::RawBefore(b"\x1b]777;notify;agent;done\x07"),
    )
    .when(TEXT_START)
    .caught_by(&["json-lines"]),
    frame(
        "two-events-on-a-line",
        "two events stand on one line",
        "message_update",
        Op::RawBefore(br#"{"type":"agent_note"}"#),
    )
    .when(TEXT_START)
    .caught_by(&["json-lines"]),
    frame(
        "tool-output-on-stdout",
        "what a tool wrote comes on stdout too",
        "tool_execution_end",
        Op::RawBefore(b"total 0\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "shell-output-on-stdout",
        "what a shell command wrote comes on stdout too",
        "bash_end",
        Op::RawBefore(b"total 0\n"),
    )
    .at_start()
    .caught_by(&["json-lines"])
    .only_in(V0_14),
    frame(
        "array-line",
        "a line is JSON, but no object",
        "message_update",
        Op::RawBefore(b"[]\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "byte-order-mark",
        "a byte order mark stands in front of an event",
        "message_update",
        Op::RawBefore(b"\xef\xbb\xbf"),
    )
    .when(TEXT_START)
    .caught_by(&["json-lines"]),
    frame(
        "nul-byte",
        "a text holds a raw NUL byte",
        "bash_end",
        Op::Line(|line| in_output(line, b"\0")),
    )
    .at_start()
    .caught_by(&["json-lines", "bash-answered"])
    .only_in(V0_14),
    frame(
        "invalid-utf8",
        "a text holds a byte that is not UTF-8",
        "bash_end",
        Op::Line(|line| in_output(line, b"\xff")),
    )
    .at_start()
    .caught_by(&["json-lines"])
    .only_in(V0_14),
    frame(
        "cut-character",
        "a text ends in the middle of a character",
        "bash_end",
        Op::Line(|line| in_output(line, b"\xf0\x9f\xa6")),
    )
    .at_start()
    .caught_by(&["json-lines"])
    .only_in(V0_14),
    frame(
        "blank-line",
        "a blank line stands between two events",
        "message_update",
        Op::RawBefore(b"\n"),
    )
    .caught_by(&["json-lines"]),
    frame(
        "crlf",
        "a line ends in CR LF",
        "message_update",
        Op::Line(|line| {
            line.pop();
            line.extend_from_slice(b"\r\n");
        }),
    )
    .caught_by(&["clean-lines"]),
    frame(
        "duplicate-key",
        "an event has the same key twice",
        "turn_start",
        Op::Line(|line| {
            line.splice(1..1, *br#""type":"turn_start","#);
        }),
    )
    .caught_by(&["clean-lines"]),
    frame(
        "no-final-newline",
        "the last line of a session has no newline",
        "agent_end",
        Op::Line(|line| {
            line.pop();
        }),
    )
    .caught_by(&["clean-lines", "json-lines"])
    .caught_in(V0_73, &["clean-lines", "json-lines", "abort-ends-run"])
    .caught_in(
        V0_87,
        &[
            "clean-lines",
            "json-lines",
            "abort-ends-run",
            "abort-waits",
            "run-envelope",
            "run-ends",
        ],
    ),
    frame(
        "half-a-line",
        "the process ends in the middle of a line",
        "agent_end",
        Op::HalfAndExit(0),
    )
    .caught_by(&["json-lines", "clean-lines", "stays-alive", "abort-ends-run"])
    .caught_in(
        SINCE_0_73,
        &[
            "json-lines",
            "clean-lines",
            "stays-alive",
            "abort-ends-run",
            "run-envelope",
            "answered",
            "bare-answered",
        ],
    ),
    frame(
        "raw-line-separator",
        "a text holds a raw U+2028, at which some readers tear the line",
        "bash_end",
        Op::Line(|line| in_output(line, "\u{2028}".as_bytes())),
    )
    .at_start()
    .caught_by(&["reader-safe-text"])
    .only_in(V0_14),
    frame(
        "lone-surrogate",
        "a text holds half of a surrogate pair",
        "bash_end",
        Op::Line(|line| in_output(line, b"\\ud83d")),
    )
    .at_start()
    .caught_by(&["reader-safe-text"])
    .only_in(V0_14),
    frame(
        "over-long-line",
        "a line is longer than 16 MiB",
        "message_update",
        Op::Line(|line| {
            let blanks = vec![b' '; 17 << 20];
            line.splice(1..1, blanks);
        }),
    )
    .when(TEXT_START)
    .caught_by(&["line-length"]),
    frame(
        "deep-nesting",
        "an event is nested more than 128 levels deep",
        "message_update",
        Op::Line(|line| {
            let deep = format!("\"x\":{}{},", "[".repeat(200), "]".repeat(200));
            line.splice(1..1, deep.into_bytes());
        }),
    )
    .when(TEXT_START)
    .caught_by(&["line-length"]),
    frame(
        "no-type",
        "an event has no type",
        "message_update",
        Op::Remove("/type"),
    )
    .when(TEXT_START)
    .caught_by(&["discriminator"]),
    frame(
        "type-is-no-text",
        "the type of an event is a number",
        "message_update",
        Op::Set("/type", "7"),
    )
    .when(TEXT_START)
    .caught_by(&["discriminator"]),
    frame(
        "byte-by-byte",
        "an event comes byte by byte",
        "agent_end",
        Op::Trickle,
    ),
];

/// Inserts bytes at the beginning of a shell command's output.
pub(super) fn in_output(line: &mut Vec<u8>, bytes: &[u8]) {
    const TEXT: &[u8] = br#""output":""#;
    if let Some(at) = line.windows(TEXT.len()).position(|part| part == TEXT) {
        let start = at + TEXT.len();
        line.splice(start..start, bytes.iter().copied());
    }
}
