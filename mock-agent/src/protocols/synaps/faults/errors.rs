//! Errors that are missing or wrong.

use crate::faults::{ABSENT, Bug, Fault, FaultEffect, Op, bug, frame, start};

/// The error for a frame that cannot be read.
pub(super) const NAMELESS: &[(&str, &str)] = &[("/id", ABSENT)];

const OF_PROMPT: &[(&str, &str)] = &[("/id", "p1")];
const BUSY: &[(&str, &str)] = &[("/message", "Busy: a turn is at work")];

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "bad-frame-ignored",
        "an unreadable frame is ignored",
        "error",
        Op::Drop,
    )
    .when(NAMELESS)
    .at_start()
    .every()
    .caught_by(&[
        "bad-frame-answered",
        "oversize-answered",
        "answered-before-exit",
        "answered-in-time",
    ]),
    start(
        "unknown-command-ignored",
        "a command of no known type is ignored",
        FaultEffect::Bug(Bug::IgnoresUnknownCommand),
    )
    .caught_by(&["bad-frame-answered"]),
    start(
        "bad-command-exits",
        "an unreadable frame ends the process",
        FaultEffect::Bug(Bug::BadCommandExits),
    )
    .caught_by(&["stays-alive"]),
    bug(
        "bad-command-ends-turn",
        "an unreadable frame ends the turn",
        Bug::BadCommandEndsTurn,
    )
    .caught_by(&["scenario:errors/in-the-middle-of-a-turn"]),
    frame(
        "bad-frame-has-an-id",
        "the error for an unreadable frame has an id that nobody sent",
        "error",
        Op::Set("/id", "\"0\""),
    )
    .when(NAMELESS)
    .at_start()
    .caught_by(&["known-id", "oversize-answered", "scenario:errors/not-json"]),
    frame(
        "error-with-null-id",
        "the id of an error is null",
        "error",
        Op::Set("/id", "null"),
    )
    .when(NAMELESS)
    .at_start(),
    frame(
        "error-without-message",
        "an error has no message",
        "error",
        Op::Remove("/message"),
    )
    .at_start()
    .caught_by(&["schema/error"]),
    frame(
        "error-message-is-empty",
        "the message of an error is empty",
        "error",
        Op::Set("/message", "\"\""),
    )
    .at_start()
    .caught_by(&["schema/error"]),
    frame(
        "error-message-is-an-object",
        "the message of an error is an object",
        "error",
        Op::Set("/message", r#"{"code":"invalid"}"#),
    )
    .at_start()
    .caught_by(&["schema/error"]),
    start(
        "unknown-command-gets-response",
        "a command of no known type gets a response beside its error",
        FaultEffect::Bug(Bug::AnswersUnknownCommand),
    )
    .caught_by(&["scenario:errors/unknown-type", "answered-once", "known-id"]),
    frame(
        "unasked-error",
        "an error without an id comes, and nothing is wrong",
        "ready",
        Op::After(r#"{"type":"error","message":"Telemetry is unreachable"}"#),
    )
    .at_start()
    .caught_by(&["error-without-id"]),
    frame(
        "error-of-unknown-command",
        "an error has an id that was never sent",
        "error",
        Op::Set("/id", "\"ghost\""),
    )
    .when(OF_PROMPT)
    .caught_by(&[
        "known-id",
        "failure-told",
        "answered-before-exit",
        "answered-in-time",
    ]),
    frame(
        "failure-without-id",
        "the error of a failed turn has no id",
        "error",
        Op::Remove("/id"),
    )
    .when(OF_PROMPT)
    .caught_by(&["error-without-id", "failure-told"]),
    frame(
        "refusal-without-id",
        "the error of a refused prompt has no id",
        "error",
        Op::Remove("/id"),
    )
    .when(OF_PROMPT)
    .at_start()
    .caught_by(&[
        "error-without-id",
        "failure-told",
        "answered-once",
        "answered-before-exit",
        "answered-in-time",
    ]),
    frame(
        "empty-success",
        "a failure of the model is told by the response alone, which is legal",
        "error",
        Op::Drop,
    )
    .when(OF_PROMPT),
    frame(
        "failure-is-success",
        "a failure of the model is told as success",
        "",
        Op::Line(|line| {
            let text = String::from_utf8_lossy(line).replace(r#""ok":false"#, r#""ok":true"#);
            let error = text.starts_with(r#"{"type":"error""#);
            *line = if error { vec![] } else { text.into_bytes() };
        }),
    )
    .when(OF_PROMPT)
    .every()
    .caught_by(&["scenario:errors/model-refuses", "update-before-end"])
    .later(),
    frame(
        "failed-turn-went-well",
        "the response to a prompt that failed says that it went well, behind the `error`",
        "response",
        Op::Set("/ok", "true"),
    )
    .when(&[("/ok", "false")])
    .every()
    .caught_by(&["failure-is-no-success"]),
    bug(
        "provider-error-exits",
        "a failure of the model ends the process",
        Bug::ProviderErrorExits,
    )
    .caught_by(&["stays-alive"]),
    bug(
        "provider-error-leaves-busy",
        "no turn begins after a failure of the model",
        Bug::ProviderErrorLeavesBusy,
    )
    .caught_by(&["scenario:errors/next-turn-after-a-failure"]),
    frame(
        "busy-is-silent",
        "a prompt that comes during a turn is dropped, and nothing is said",
        "error",
        Op::Drop,
    )
    .when(BUSY)
    .caught_by(&[
        "scenario:prompt/prompt-while-a-turn-runs",
        "answered-before-exit",
        "answered-in-time",
    ]),
    bug(
        "deaf-while-busy",
        "queries that come during a turn are dropped",
        Bug::IgnoresQueriesWhileBusy,
    )
    .caught_by(&[
        "scenario:prompt/state-while-a-turn-runs",
        "scenario:prompt/query-while-a-turn-runs",
        "answered-before-exit",
        "answered-in-time",
    ]),
    bug(
        "busy-ends-turn",
        "a prompt that comes during a turn ends it",
        Bug::BusyEndsTurn,
    )
    .caught_by(&["scenario:prompt/prompt-while-a-turn-runs"]),
    start(
        "invalid-utf8-is-eof",
        "bytes on stdin that are not UTF-8 are taken for its end",
        FaultEffect::Bug(Bug::InvalidUtf8IsEof),
    ),
    frame(
        "error-told-twice",
        "the error of a failed turn is told twice",
        "error",
        Op::Twice,
    )
    .when(&[("/id", "p1")])
    .later()
    .caught_by(&["error-told-once"]),
    start(
        "bad-lines-add-up",
        "the tenth unreadable frame ends the process",
        FaultEffect::Bug(Bug::TooManyBadCommandsExit),
    )
    .caught_by(&["stays-alive"]),
];
