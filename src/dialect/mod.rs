//! Dialects: a folder of data for one protocol at one version, loaded and linted.

pub mod file;
mod inherit;
mod lint;
mod load;
mod recognize;
mod source;
mod types;
mod vocabulary;

pub use inherit::{Base, Heritage, ToolName};
pub use load::load;
pub use recognize::recognize;
pub use source::DialectSource;
pub use types::{Clause, Dialect, Session};
pub use vocabulary::{Named, Vocabulary};
