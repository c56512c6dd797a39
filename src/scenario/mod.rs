//! Scenario files: what they may hold, how they are loaded, and every mistake that can be found without playing them.
//!
//! ```text
//!  text ─► spanned_yaml::Node ─► file (shapes) ─► steps, model (compiled) ─► Scenario
//!                                   └─────► lint (a table of mistakes) ─► located errors
//! ```

mod chunk;
mod context;
mod file;
mod heritage;
mod lint;
mod load;
mod model;
mod schema;
mod shapes;
mod source;
mod steps;
pub mod types;
mod unique;
mod verbs;
mod vocabulary;

pub use load::load;
pub use model::{model_of, script_of};
pub use schema::{scenario_schema, script_schema};
pub use source::{ScenarioSource, SourceFile};
pub use types::Scenario;
pub use unique::UniqueNames;
pub use vocabulary::{Cited, CommandCheck, CommandFault, Frames, Kinds, Vocabulary};
