//! The data of dialects: a protocol at one version as a folder of files (`dialect.yaml`, `clauses.yaml`, `ordering.yaml`, `faults.yaml`, JSON
//! Schemas). Finds the files, built in or on disk, reads them, and merges a version into the one that it extends. Rules and schemas are
//! compiled by the judge.

pub mod agents;
pub mod clause_names;
pub mod clauses;
pub mod client;
mod delta;
mod faults;
pub mod file;
pub mod json_rpc;
mod merged_files;
pub mod ordering;
pub mod requirement;
mod source;
mod types;

pub use agents::KnownAgent;
pub use clauses::Clause;
pub use faults::{fault, faults, frame_naming, kinds_of, nested_kinds};
pub use file::{MemberNames, ToolName};
pub use json_rpc::OpenRequest;
pub use merged_files::{MergedFiles, MergedYaml, dialect_file, version_of_base};
pub use source::DialectSource;
pub use types::{Base, FrameIdentity, FrameNames, Inheritance, MessageNames, STEP_NAME};
