//! Dialects: a folder of data for one protocol at one version, loaded and linted.

mod delta;
pub mod file;
mod frame_names;
mod lint;
mod load;
mod merged_files;
mod source;
mod types;

pub use file::{MemberNames, ToolName};
pub use frame_names::{FrameIdentity, FrameNames};
pub use load::load;
pub use source::DialectSource;
pub use types::{Base, Clause, Dialect, Inheritance, SessionSpec};
