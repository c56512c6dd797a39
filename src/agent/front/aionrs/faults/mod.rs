//! What can go wrong in this dialect, on demand.

mod approval;
mod correlation;
mod data;
mod errors;
mod framing;
mod lifecycle;
mod model;
mod order;
mod sessions;
mod stop;
mod version;

use crate::agent::faults::Fault;

/// Every group of faults.
pub(super) const TABLE: &[&[Fault]] = &[
    framing::FAULTS,
    lifecycle::FAULTS,
    order::FAULTS,
    correlation::FAULTS,
    approval::FAULTS,
    stop::FAULTS,
    errors::FAULTS,
    data::FAULTS,
    model::FAULTS,
    sessions::FAULTS,
    version::FAULTS,
];
