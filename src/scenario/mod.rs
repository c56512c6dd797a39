//! Scenario files: what they may hold, how they are loaded, and every mistake that can be found without playing them.
//!
//! ```text
//!  text ─► spanned_yaml::Node ─► file (shapes) ─► steps, model (compiled) ─► Scenario
//!                                   └─────► lint (a table of mistakes) ─► located errors
//! ```

mod chunk;
mod context;
mod file;
mod inheritance;
mod json_schema;
mod lint;
mod load;
mod source;
mod steps;
pub mod types;
mod vocabulary;

pub(crate) use file::ScenarioFile;
pub use load::{load, model_of, script_of};
pub use source::{ScenarioSource, SourceFile, UniqueNames};
pub use types::Scenario;
pub use vocabulary::{ClauseInfo, ValueCheck, ValueProblem, Vocabulary};
