//! The faults of pi@0.14.

mod abort;
mod bash;
mod compaction;
mod content;
mod data;
mod errors;
mod framing;
mod lifecycle;
mod messages;
mod model;
mod run;
mod shapes;
mod stream;
mod tools;
mod v73;
mod v87;

pub(super) use v73::{CAUGHT_HERE as CAUGHT_HERE_73, FAULTS as FAULTS_73, WITHOUT as WITHOUT_73};
pub(super) use v87::{CAUGHT_HERE as CAUGHT_HERE_87, FAULTS as FAULTS_87, WITHOUT as WITHOUT_87};

use crate::faults::Fault;

pub(super) use content::{CASCADE, IN_ANSWERS};
pub(super) use framing::in_output;

/// Table by table.
pub(super) const FAULTS: &[&[Fault]] = &[
    lifecycle::FAULTS,
    framing::FAULTS,
    run::FAULTS,
    messages::FAULTS,
    stream::FAULTS,
    tools::FAULTS,
    abort::FAULTS,
    bash::FAULTS,
    compaction::FAULTS,
    errors::FAULTS,
    model::FAULTS,
    shapes::FAULTS,
    content::FAULTS,
    data::FAULTS,
    data::OLD,
];

/// Conditions on frames.
type When = &'static [(&'static str, &'static str)];

const USER: When = &[("/message/role", "user")];
const ASSISTANT: When = &[("/message/role", "assistant")];
const RESULT: When = &[("/message/role", "toolResult")];
const TEXT_START: When = &[("/assistantMessageEvent/type", "text_start")];
const TEXT_DELTA: When = &[("/assistantMessageEvent/type", "text_delta")];
const TEXT_END: When = &[("/assistantMessageEvent/type", "text_end")];
const CALL_START: When = &[("/assistantMessageEvent/type", "toolcall_start")];
const CALL_DELTA: When = &[("/assistantMessageEvent/type", "toolcall_delta")];
const CALL_END: When = &[("/assistantMessageEvent/type", "toolcall_end")];
