//! What is otherwise with the faults of 0.14.

use super::Rules;

/// Faults of 0.14 that are none here.
pub(in super::super) const WITHOUT: &[&str] = &[
    // The start and the end of the stream are not passed on.
    "done-twice",
    // A `bash` is answered by a response.
    "bash-ignores-abort",
    // Attachments of prompts are images here.
    "loses-images",
    "loses-documents",
    "loses-second-attachment",
    "attachments-are-required",
    // Nothing of the page asks for these.
    "keeps-no-session",
    "instructions-are-required",
];

/// What catches faults of 0.14 here, where it is not what catches them there.
#[rustfmt::skip]
pub(in super::super) const CAUGHT_HERE: &[(&str, Rules)] = &[
    ("flag-gone", &["stays-alive", "answered", "answered-before-exit", "bare-answered", "prompt-answered", "malformed-answered"]),
    ("keeps-session", &["scenario:startup/no-session"]),
    ("crash-at-prompt", &["prompt-answered", "bare-answered", "answered", "stays-alive"]),
    ("crlf-is-bad", &["scenario:framing/crlf"]),
];
