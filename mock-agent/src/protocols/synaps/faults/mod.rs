//! What can go wrong in this dialect, on demand.

mod abort;
mod answers;
mod attachments;
mod correlation;
mod data;
mod ends;
mod errors;
mod framing;
mod kinds;
mod limits;
mod model;
mod session;
mod shutdown;
mod startup;
mod stream;
mod subagents;
mod tools;

use crate::faults::Fault;

/// Every group of faults.
pub(super) const TABLE: &[&[Fault]] = &[
    framing::FAULTS,
    limits::FAULTS,
    startup::FAULTS,
    correlation::FAULTS,
    stream::FAULTS,
    ends::FAULTS,
    tools::FAULTS,
    subagents::FAULTS,
    errors::FAULTS,
    attachments::FAULTS,
    abort::FAULTS,
    session::FAULTS,
    answers::FAULTS,
    model::FAULTS,
    data::FAULTS,
    shutdown::FAULTS,
];
