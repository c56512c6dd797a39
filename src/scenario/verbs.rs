//! What a step can do.

use super::file::StepFile;

/// A verb, and what may stand beside it.
pub(super) struct Verb {
    pub(super) name: &'static str,
    pub(super) is_given: fn(&StepFile) -> bool,
    /// It meets one value, of which parts can be captured.
    pub(super) captures: bool,
    /// It waits.
    pub(super) waits: bool,
}

/// Every verb.
pub(super) const VERBS: &[Verb] = &[
    Verb {
        name: "expect",
        is_given: |step| step.expect.is_some(),
        captures: true,
        waits: true,
    },
    Verb {
        name: "expect_next",
        is_given: |step| step.expect_next.is_some(),
        captures: true,
        waits: true,
    },
    Verb {
        name: "unordered",
        is_given: |step| step.unordered.is_some(),
        captures: false,
        waits: true,
    },
    Verb {
        name: "expect_none",
        is_given: |step| step.expect_none.is_some(),
        captures: false,
        waits: true,
    },
    Verb {
        name: "expect_text",
        is_given: |step| step.expect_text.is_some(),
        captures: false,
        waits: true,
    },
    Verb {
        name: "expect_request",
        is_given: |step| step.expect_request.is_some(),
        captures: true,
        waits: true,
    },
    Verb {
        name: "expect_reply",
        is_given: |step| step.expect_reply.is_some(),
        captures: false,
        waits: true,
    },
    Verb {
        name: "expect_file",
        is_given: |step| step.expect_file.is_some(),
        captures: false,
        waits: true,
    },
    Verb {
        name: "send",
        is_given: |step| step.send.is_some(),
        captures: false,
        waits: false,
    },
    Verb {
        name: "send_raw",
        is_given: |step| step.send_raw.is_some(),
        captures: false,
        waits: false,
    },
    Verb {
        name: "send_bytes",
        is_given: |step| step.send_bytes.is_some(),
        captures: false,
        waits: false,
    },
    Verb {
        name: "release",
        is_given: |step| step.release.is_some(),
        captures: false,
        waits: false,
    },
    Verb {
        name: "signal",
        is_given: |step| step.signal.is_some(),
        captures: false,
        waits: false,
    },
    Verb {
        name: "pause_reading",
        is_given: |step| step.pause_reading.is_some(),
        captures: false,
        waits: false,
    },
    Verb {
        name: "close_stdin",
        is_given: |step| step.close_stdin.is_some(),
        captures: false,
        waits: false,
    },
    Verb {
        name: "expect_exit",
        is_given: |step| step.expect_exit.is_some(),
        captures: false,
        waits: true,
    },
    Verb {
        name: "restart",
        is_given: |step| step.restart.is_some(),
        captures: false,
        waits: true,
    },
];
