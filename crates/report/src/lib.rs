//! Reports: the data model, the builder that collects results into one report, verdict rules, the causes of findings, merging of
//! shards, and the comparison of several agents. Pure data and functions; `reporter` renders them.

pub mod baseline;
mod builder;
mod cause;
pub mod causes;
mod clause_results;
mod comparison;
pub mod id_pattern;
mod long_texts;
mod merge;
mod model;
pub mod reporter;
pub mod shell_words;
mod summarize;
pub mod verdict_rules;

pub use builder::{Exercised, ReportBuilder};
pub use cause::{Cause, CauseExample};
pub use clause_results::{ClauseResult, ClauseStatus, clause_results};
pub use comparison::{Cell, ComparedAgent, ComparedCause, Comparison, Group, NamedReport, compare};
pub use merge::merge;
pub use model::{
    BaselineUse, CitedClause, Coverage, NetworkUse, ReasonGroup, Report, ReportCommand, ReportTool,
    ScenarioReport, Try, Verdict, VerdictCounts,
};
