//! Scenarios: the file format, the loader, inheritance by later versions, and the linter.
//!
//! ```text
//!  text ─► spanned_yaml::Node ─► file (format) ─► load, steps (compiled) ─► Scenario
//!                                   └─────► lint (table of checks) ──► errors with locations
//! ```

mod chunk;
mod client;
mod context;
mod file;
mod inheritance;
mod json_schema;
mod lint;
mod load;
mod request_matcher;
mod source;
mod steps;
pub mod types;
mod usual_steps;
pub mod yaml_text;

pub use client::{OwnAnswer, OwnReply, ScenarioClient};
pub use file::{PartFile, ScenarioFile};
pub(crate) use file::{StepKeys, StepVerb, words};
pub(crate) use inheritance::{calls_of, entries, inherit};
pub(crate) use lint::mcp_placeholder;
pub use load::{check_asks, load};
pub use request_matcher::RequestMatcher;
pub use source::{ScenarioSource, SourceFile, UniqueNames, yaml_files};
pub use types::Scenario;
