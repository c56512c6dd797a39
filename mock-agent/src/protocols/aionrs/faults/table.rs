//! The table of all faults of aionrs, in the order of `conform list faults`.

use super::{
    approval, config, correlation, data, errors, framing, lifecycle, model, order, sessions, stop,
};
use crate::protocols::adapter::FaultTable;
use crate::protocols::aionrs::version::{ALL, V0_2};

/// Every table, and the versions that it is for.
pub(in crate::protocols::aionrs) const TABLES: &[FaultTable] = &[
    (V0_2, config::FAULTS_SINCE_0_2),
    (ALL, framing::FAULTS),
    (ALL, lifecycle::FAULTS),
    (ALL, order::FAULTS),
    (ALL, correlation::FAULTS),
    (ALL, approval::FAULTS),
    (ALL, stop::FAULTS),
    (ALL, errors::FAULTS),
    (ALL, data::FAULTS),
    (ALL, model::FAULTS),
    (ALL, sessions::FAULTS),
    (ALL, config::VERSION),
];
