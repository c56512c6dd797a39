#![doc = include_str!("../docs/architecture.md")]
//!
//! # Use from Rust
//!
//! The judge is a library: a [`Checker`](check::Checker) takes the frames of a session, of whatever source, and has findings after each.
//! A [`ReportBuilder`](report::ReportBuilder) makes a report of them, and each [`Format`](reporter::Format) renders it.
//!
//! ```
//! use conform::check::{CheckOptions, Checker};
//! use conform::dialect::{self, DialectSource};
//! use conform::finding::Blame;
//! use conform::report::{Exercised, ReportBuilder, ReportCommand, ScenarioReport};
//! use conform::report::{causes, verdict_rules};
//! use conform::reporter;
//! use conform::transcript::TranscriptReader;
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
//! causes::attribute(&mut outcome.findings);
//! let entry = ScenarioReport {
//!     id: "session".into(),
//!     verdict: verdict_rules::of_findings(&outcome.findings, Blame::Agent, outcome.frames > 0),
//!     findings: outcome.findings,
//!     ..ScenarioReport::default()
//! };
//! let exercised = Exercised { rules: outcome.exercised, readings: outcome.readings, clauses: Vec::new() };
//! let mut report = ReportBuilder::new(ReportCommand::Check, Blame::Agent);
//! report.add_dialect(&dialect);
//! report.add(entry, exercised);
//!
//! let mut page = Vec::new();
//! let markdown = reporter::find("markdown").expect("it is a format");
//! (markdown.render)(&report.finish(), &mut page)?;
//! assert!(String::from_utf8_lossy(&page).contains("the line is not JSON"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A run starts processes, cuts them off from the network and reaps them, which only works in a process of its own: start
//! `conform run --report json=FILE`, and read FILE as a [`Report`](report::Report).

pub mod baseline;
pub mod check;
pub mod cli;
pub mod detect;
pub mod dialect;
pub mod duration;
pub mod editor_schemas;
pub mod finding;
pub mod frame;
pub mod framing;
mod id_pattern;
pub mod matcher;
pub mod mutation;
pub mod profile;
mod project_config;
pub mod relay;
pub mod report;
pub mod reporter;
pub mod rules;
pub mod runner;
pub mod scenario;
pub mod schema;
mod shell_words;
mod signals;
pub mod transcript;
