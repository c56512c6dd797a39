//! Reports: the data model, the builder that collects results into one report, verdict rules, merging of shards, and the comparison of
//! several agents. Pure data and functions; `reporter` renders them.

mod builder;
mod comparison;
mod merge;
mod model;
pub mod verdict_rules;

pub use builder::{Exercised, ReportBuilder};
pub use comparison::{Cell, ComparedAgent, Comparison, Group, GroupedFinding, compare};
pub use merge::merge;
pub use model::{
    CitedClause, Coverage, Report, ReportCommand, ReportTool, ScenarioReport, Try, Verdict,
    VerdictCounts,
};
