//! Reports: the data model, the builder that collects results into one report, verdict rules, the causes of findings, merging of
//! shards, and the comparison of several agents. Pure data and functions; `reporter` renders them.
//!
//! # Use from Rust
//!
//! The judge is a library: a [`Checker`](conform_judge::check::Checker) takes the frames of a session from any source, and returns findings after each.
//! A [`ReportBuilder`] makes a report of them, and each [`Format`](reporter::Format) renders it.
//!
//! ```
//! use conform_judge::check::{CheckOptions, Checker};
//! use conform_judge::dialect::{self, DialectSource};
//! use conform_judge::finding::Blame;
//! use conform_report::{ReportBuilder, ReportCommand, ScenarioReport};
//! use conform_report::verdict_rules;
//! use conform_report::reporter;
//! use conform_judge::transcript::TranscriptReader;
//!
//! let session = r#"{"conform_transcript":1,"dialect":"aionrs@0.1","agent":["my-agent","--json-stream"]}
//! {"at":900,"dir":"from_agent","line":"loading the model"}
//! {"at":950,"dir":"stdin_closed"}
//! {"at":990,"dir":"end","end":"exited","code":0}
//! "#;
//! let dialect = dialect::load(&DialectSource::new(None), "aionrs@0.1").expect("it is built in");
//! let mut checker = Checker::new(dialect.clone(), CheckOptions::default());
//! for frame in TranscriptReader::new(session.as_bytes())? {
//!     checker.push(&frame?);
//! }
//! let mut outcome = checker.finish();
//! assert_eq!(outcome.findings[0].rule, "aionrs/json-lines");
//!
//! let mut entry = ScenarioReport {
//!     id: "session".into(),
//!     verdict: verdict_rules::of_findings(&outcome.findings, Blame::Agent, outcome.frames > 0),
//!     ..ScenarioReport::default()
//! };
//! entry.take(&mut outcome);
//! let mut report = ReportBuilder::new(ReportCommand::Check, Blame::Agent);
//! report.add_dialect(&dialect);
//! report.add(entry, outcome.coverage);
//!
//! let mut page = Vec::new();
//! let markdown = reporter::find("markdown").expect("it is a format");
//! (markdown.render)(&report.finish(), &mut page)?;
//! assert!(String::from_utf8_lossy(&page).contains("the line is not JSON"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A run starts processes, cuts them off from the network and reaps them, which only works in a process of its own: start
//! `conform run --report json=FILE`, and read FILE as a [`Report`].

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
pub mod verdict_rules;

pub use builder::ReportBuilder;
pub use cause::{Cause, CauseExample};
pub use clause_results::{ClauseResult, ClauseStatus, clause_results};
pub use comparison::{Cell, ComparedAgent, ComparedCause, Comparison, Group, NamedReport, compare};
pub use merge::merge;
pub use model::{
    BaselineUse, CitedClause, FORMAT, NetworkUse, ReasonGroup, Report, ReportCommand, ReportTool,
    ScenarioReport, Verdict, VerdictCounts,
};
