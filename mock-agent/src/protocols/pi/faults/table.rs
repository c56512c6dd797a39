//! The table of all faults of pi, in the order of `conform list faults`.

use super::common::{ALL, SINCE_0_73, V0_14, V0_87};
use super::{
    abort, bash, commands, compaction, content, data, errors, framing, lifecycle, messages, model,
    responses, run, sessions, shapes, stream, tools, values,
};
use crate::protocols::adapter::FaultTable;

/// Every table, and the versions that it is for.
pub(in crate::protocols::pi) const TABLES: &[FaultTable] = &[
    (V0_87, sessions::FAULTS_SINCE_0_87),
    (V0_87, stream::FAULTS_SINCE_0_87),
    (V0_87, values::FAULTS_SINCE_0_87),
    (SINCE_0_73, responses::RESPONSES),
    (SINCE_0_73, sessions::SESSIONS),
    (SINCE_0_73, responses::DATA),
    (SINCE_0_73, bash::FAULTS_SINCE_0_73),
    (SINCE_0_73, run::FAULTS_SINCE_0_73),
    (SINCE_0_73, stream::FAULTS_SINCE_0_73),
    (SINCE_0_73, compaction::FAULTS_SINCE_0_73),
    (SINCE_0_73, sessions::EXTENSIONS),
    (SINCE_0_73, commands::FAULTS_SINCE_0_73),
    (SINCE_0_73, values::FAULTS_SINCE_0_73),
    (ALL, lifecycle::FAULTS),
    (ALL, framing::FAULTS),
    (ALL, run::FAULTS),
    (ALL, messages::FAULTS),
    (ALL, stream::FAULTS),
    (ALL, tools::FAULTS),
    (ALL, abort::FAULTS),
    (ALL, bash::FAULTS),
    (ALL, compaction::FAULTS),
    (ALL, errors::FAULTS),
    (ALL, model::FAULTS),
    (ALL, shapes::FAULTS),
    (ALL, content::FAULTS),
    (ALL, data::FAULTS),
    (V0_14, data::V0_14_ONLY),
];
