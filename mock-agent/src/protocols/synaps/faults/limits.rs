//! The limit of 1 MiB on lines of the host.

use super::errors::NAMELESS;
use crate::faults::{Bug, Fault, FaultEffect, Op, frame, start};

pub(super) const FAULTS: &[Fault] = &[
    start(
        "limit-is-too-low",
        "a command of more than 64 KiB is refused",
        FaultEffect::Bug(Bug::LimitTooLow),
    )
    .caught_by(&[
        "scenario:framing/long-frame-is-taken",
        "error-without-id",
        "answered-in-time",
    ]),
    start(
        "limit-excludes-itself",
        "a command of exactly 1 MiB is refused",
        FaultEffect::Bug(Bug::LimitIsExclusive),
    )
    .caught_by(&[
        "scenario:framing/exactly-the-limit",
        "error-without-id",
        "answered-in-time",
    ]),
    start(
        "no-limit",
        "a command of more than 1 MiB is taken",
        FaultEffect::Bug(Bug::NoLimit),
    )
    .caught_by(&["oversize-answered", "answered-once", "known-id"]),
    start(
        "oversize-exits",
        "a line of more than 1 MiB ends the process",
        FaultEffect::Bug(Bug::LongLineExits),
    )
    .caught_by(&["stays-alive", "oversize-answered"]),
    frame(
        "oversize-ignored",
        "a line of more than 1 MiB is ignored",
        "error",
        Op::Drop,
    )
    .when(OVERSIZE)
    .every()
    .at_start()
    .caught_by(&["oversize-answered"]),
    frame(
        "oversize-answered-with-id",
        "the error for a line of more than 1 MiB has an id",
        "error",
        Op::Set("/id", "\"\""),
    )
    .when(OVERSIZE)
    .at_start()
    .later()
    .caught_by(&["oversize-answered", "known-id"]),
    frame(
        "oversize-answered-twice",
        "a line of more than 1 MiB is answered twice",
        "error",
        Op::Twice,
    )
    .when(OVERSIZE)
    .at_start()
    .caught_by(&["error-without-id"]),
    frame(
        "first-error-is-lost",
        "the first error for an unreadable line is lost",
        "error",
        Op::Drop,
    )
    .when(NAMELESS)
    .at_start()
    .caught_by(&[
        "bad-frame-answered",
        "oversize-answered",
        "answered-before-exit",
        "answered-in-time",
    ]),
];

const OVERSIZE: &[(&str, &str)] = &[("/message", "The frame is longer than 1 MiB")];
