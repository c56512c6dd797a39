//! Faults: what a broken agent of this version may do besides what one of 0.14 may.

mod answers;
mod bash;
mod commands;
mod events;
mod extensions;
mod heritage;
mod responses;
mod session;
mod stream;
mod values;
mod waiting;

use crate::faults::{Fault, Op, frame};

pub(in crate::protocols::pi) use commands::{lose, taken};
pub(in crate::protocols::pi) use heritage::{CAUGHT_HERE, WITHOUT};
pub(in crate::protocols::pi) use values::double;

/// Table by table.
pub(in crate::protocols::pi) const FAULTS: &[&[Fault]] = &[
    responses::FAULTS,
    session::FAULTS,
    answers::FAULTS,
    bash::FAULTS,
    events::FAULTS,
    stream::FAULTS,
    waiting::FAULTS,
    extensions::FAULTS,
    commands::FAULTS,
    values::FAULTS,
];

/// Conditions on frames.
type When = &'static [(&'static str, &'static str)];

/// What must catch a fault.
type Rules = &'static [&'static str];

/// A response to this command is spoilt.
pub(in crate::protocols::pi) const fn response(
    id: &'static str,
    summary: &'static str,
    when: When,
    op: Op,
    rules: Rules,
) -> Fault {
    frame(id, summary, "response", op)
        .when(when)
        .at_start()
        .caught_by(rules)
}

/// An event is spoilt.
pub(in crate::protocols::pi) const fn event(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    op: Op,
    rules: Rules,
) -> Fault {
    frame(id, summary, on, op).caught_by(rules)
}
