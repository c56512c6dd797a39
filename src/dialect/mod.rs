//! Dialects: a protocol at one version as a folder of data (`dialect.yaml`, `clauses.yaml`, `ordering.yaml`, JSON Schemas), loaded and linted.

mod delta;
mod faults;
pub mod file;
mod frame_schemas;
mod launch;
mod lint;
mod load;
mod merged_files;
mod reply_events;
mod session;
mod source;
mod types;

pub use faults::{fault_sources, faults, names_for_faults};
pub use file::{MemberNames, ToolName};
pub use load::load;
pub use reply_events::{EventPart, ReplyEvents};
pub use source::{DialectSource, read_file};
pub use types::{Base, Clause, Dialect, FrameIdentity, FrameNames, Inheritance, SessionSpec};
