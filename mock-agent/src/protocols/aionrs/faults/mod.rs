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
mod v0_2;
mod version;

use crate::faults::Fault;

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

/// Those that 0.2 has besides, or plays otherwise.
pub(super) const OF_0_2: &[&[Fault]] = &[v0_2::FAULTS];

/// Faults of 0.1 that 0.2 cannot play.
pub(super) const WITHOUT_0_2: &[&str] = v0_2::WITHOUT;
