//! The table of all faults of synaps, in the order of `conform list faults`.

use super::{
    abort, answers, attachments, correlation, data, ends, errors, framing, limits, model, session,
    shutdown, startup, stream, subagents, tools,
};
use crate::protocols::adapter::FaultTable;

const V1: &[&str] = &["1"];

/// Every table, and the versions that it is for.
pub(in crate::protocols::synaps) const TABLES: &[FaultTable] = &[
    (V1, framing::FAULTS),
    (V1, limits::FAULTS),
    (V1, startup::FAULTS),
    (V1, correlation::FAULTS),
    (V1, stream::FAULTS),
    (V1, ends::FAULTS),
    (V1, tools::FAULTS),
    (V1, subagents::FAULTS),
    (V1, errors::FAULTS),
    (V1, attachments::FAULTS),
    (V1, abort::FAULTS),
    (V1, session::FAULTS),
    (V1, answers::FAULTS),
    (V1, model::FAULTS),
    (V1, data::FAULTS),
    (V1, shutdown::FAULTS),
];
