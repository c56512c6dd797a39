//! The start of the process.

use crate::faults::{Fault, Op, frame};

const fn ready(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "ready", op).at_start()
}

pub(super) const FAULTS: &[Fault] = &[
    ready("no-ready", "`ready` never comes", Op::Drop)
        .caught_by(&["scenario:startup/ready-comes-unasked", "ready-first"]),
    ready("ready-late", "`ready` comes after 15 s", Op::Delay(15_000))
        .caught_by(&["scenario:startup/ready-comes-unasked", "ready-first"]),
    ready(
        "ready-when-asked",
        "`ready` comes with the answer to the first command, not at the start",
        Op::Until(""),
    )
    .caught_by(&["scenario:startup/ready-comes-unasked", "ready-first"]),
    ready("ready-twice", "`ready` comes twice", Op::Twice).caught_by(&["ready-first"]),
    frame(
        "ready-again",
        "`ready` comes again behind a turn",
        "agent_end",
        Op::After(
            r#"{"type":"ready","session_id":"session-1","model":"local/mock-model","protocol_version":1}"#,
        ),
    )
    .caught_by(&["ready-first"]),
    ready(
        "error-before-ready",
        "an `error` comes before `ready`",
        Op::Before(r#"{"type":"error","message":"No settings file"}"#),
    )
    .caught_by(&["ready-first", "error-without-id"])
    .later(),
    ready(
        "text-before-ready",
        "a `message_update` comes before `ready`",
        Op::Before(r#"{"type":"message_update","event":{"type":"text_delta","delta":"Hello"}}"#),
    )
    .caught_by(&["ready-first", "update-in-turn"]),
    ready(
        "answer-before-ready",
        "an early command is answered before `ready`",
        Op::Late("response"),
    )
    .caught_by(&["ready-first"]),
    ready(
        "dies-at-start",
        "the process ends at the start with status 1 and says nothing",
        Op::Exit(1),
    )
    .caught_by(&["scenario:startup/ready-comes-unasked"]),
    ready(
        "ends-at-start",
        "the process ends at the start with status 0 and says nothing",
        Op::Exit(0),
    )
    .caught_by(&["ready-first"]),
    ready(
        "version-is-2",
        "`ready` advertises the version 2",
        Op::Set("/protocol_version", "2"),
    )
    .caught_by(&["version-is-1"]),
    ready(
        "version-is-0",
        "`ready` advertises the version 0",
        Op::Set("/protocol_version", "0"),
    )
    .caught_by(&["version-is-1"]),
    ready(
        "version-of-the-program",
        "`ready` advertises the version of the program, not of the protocol",
        Op::Set("/protocol_version", "\"0.1.9\""),
    )
    .caught_by(&["version-is-1", "schema/ready"]),
    ready(
        "version-is-text",
        "`ready` has the version as text",
        Op::Set("/protocol_version", "\"1\""),
    )
    .caught_by(&["version-is-1", "schema/ready"]),
    ready(
        "no-version",
        "`ready` has no version",
        Op::Remove("/protocol_version"),
    )
    .caught_by(&["schema/ready"]),
    ready(
        "no-session-id",
        "`ready` has no session_id",
        Op::Remove("/session_id"),
    )
    .caught_by(&["schema/ready"]),
    ready(
        "empty-session-id",
        "the session_id of `ready` is empty",
        Op::Set("/session_id", "\"\""),
    )
    .caught_by(&["schema/ready", "session-id-current"]),
    ready(
        "version-has-a-fraction",
        "`ready` has the version 1.0, not 1",
        Op::Set("/protocol_version", "1.0"),
    )
    .caught_by(&["schema/ready"]),
    ready(
        "session-id-is-always-the-same",
        "every process gives its session the same id",
        Op::Set("/session_id", "\"session\""),
    )
    .later()
    .caught_by(&[
        "scenario:startup/each-process-has-a-session-of-its-own",
        "session-id-current",
    ]),
    ready("no-model", "`ready` has no model", Op::Remove("/model")).caught_by(&["schema/ready"]),
    ready(
        "model-is-null",
        "the model of `ready` is null",
        Op::Set("/model", "null"),
    )
    .caught_by(&["schema/ready", "model-current"]),
    ready(
        "model-of-ready-is-another",
        "`ready` names a model that is not the active one",
        Op::Set("/model", "\"local/other\""),
    )
    .later()
    .caught_by(&["model-current"]),
];
