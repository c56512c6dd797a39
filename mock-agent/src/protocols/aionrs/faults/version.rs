//! Versions that are not what they say.

use crate::faults::{Effect, Fault, Op, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "version-of-the-program",
        "`ready` has the program's version, not the protocol's",
        "ready",
        Op::Set("/version", "\"0.2.10\""),
    )
    .at_start()
    .caught_by(&["version"]),
    frame(
        "version-is-no-semver",
        "the version of `ready` is no semantic version",
        "ready",
        Op::Set("/version", "\"0.1\""),
    )
    .at_start()
    .caught_by(&["schema/ready"]),
    frame(
        "version-is-a-number",
        "the version of `ready` is a number",
        "ready",
        Op::Set("/version", "1"),
    )
    .at_start()
    .caught_by(&["schema/ready"]),
    frame(
        "unknown-event",
        "an event comes that this version does not know",
        "stream_end",
        Op::After(r#"{"type":"pong"}"#),
    )
    .caught_by(&["unknown-event"]),
    frame(
        "unknown-field",
        "an event has a field that this version does not know",
        "stream_end",
        Op::Set("/finish_reason", "\"end_turn\""),
    ),
    start(
        "field-renamed",
        "`message` wants its text in `content`, not in `input`",
        Effect::Command(|command| {
            if let Some(map) = command.as_object_mut() {
                map.remove("input");
            }
        }),
    )
    .caught_by(&["scenario:turn/plain"]),
];
