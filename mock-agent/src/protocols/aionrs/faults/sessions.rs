//! Sessions that do not follow the flags.

use crate::faults::{Bug, Fault, FaultEffect, Op, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    frame(
        "session-id-is-fixed",
        "every session has the same id",
        "ready",
        Op::Set("/session_id", "\"a1b2c3\""),
    )
    .at_start()
    .every()
    .caught_by(&[
        "scenario:sessions/each-has-its-id",
        "session-id-flag",
        "resume-id",
    ]),
    start(
        "new-session-is-the-last",
        "a session that is not named is the one before",
        FaultEffect::Bug(Bug::ResumesUnasked),
    )
    .caught_by(&[
        "scenario:sessions/new-is-empty",
        "scenario:sessions/each-has-its-id",
    ]),
    start(
        "ignores-session-id",
        "--session-id changes nothing",
        FaultEffect::Options(|options| options.session_id = None),
    )
    .caught_by(&["session-id-flag"]),
    start(
        "session-id-in-lower-case",
        "the id of --session-id and --resume is taken in lower case",
        FaultEffect::Options(|options| {
            for id in [&mut options.session_id, &mut options.resume] {
                *id = id.as_deref().map(str::to_lowercase);
            }
        }),
    )
    .caught_by(&[
        "session-id-flag",
        "resume-id",
        "scenario:sessions/id-as-given",
    ]),
    start(
        "takes-known-id",
        "--session-id with an id that exists goes on with that session",
        FaultEffect::Bug(Bug::ReusesKnownId),
    )
    .caught_by(&["scenario:sessions/id-that-exists"]),
    start(
        "resume-forgets",
        "--resume goes on with an empty conversation",
        FaultEffect::Bug(Bug::ResumeForgets),
    )
    .caught_by(&["scenario:sessions/resume"]),
    start(
        "resumed-stays-unsaved",
        "what is said after --resume is not saved",
        FaultEffect::Bug(Bug::ResumedStaysUnsaved),
    )
    .caught_by(&["scenario:sessions/resume-again"]),
    frame(
        "resume-renames",
        "`ready` has another session_id than the one asked for",
        "ready",
        Op::Set("/session_id", "\"other\""),
    )
    .at_start()
    .caught_by(&["resume-id", "session-id-flag"]),
    start(
        "resumes-nothing",
        "--resume with an unknown id begins a new session",
        FaultEffect::Bug(Bug::ResumesNothing),
    )
    .caught_by(&["scenario:sessions/resume-of-nothing"]),
    start(
        "latest-is-first",
        "--resume latest takes another than the most recent session",
        FaultEffect::Bug(Bug::LatestIsFirst),
    )
    .caught_by(&["scenario:sessions/resume-latest"]),
    start(
        "takes-both-flags",
        "--session-id and --resume are taken together",
        FaultEffect::Options(|options| {
            if options.session_id.is_some() {
                options.resume = None;
            }
        }),
    )
    .caught_by(&["scenario:sessions/exclusive-flags", "resume-id"]),
];
