//! `conform`: a conformance test harness for the JSON Lines protocols that AI agents speak with their hosts.

pub mod agent;
pub mod baseline;
pub mod check;
pub mod cli;
pub mod dialect;
pub mod duration;
pub mod finding;
pub mod frame;
pub mod framing;
pub mod gather;
pub mod judgement;
pub mod located;
pub mod matcher;
pub mod merge;
pub mod own_schema;
pub mod profile;
pub mod report;
pub mod reporter;
pub mod rules;
pub mod runner;
pub mod scenario;
pub mod schema;
pub mod transcript;
pub mod verdict;
