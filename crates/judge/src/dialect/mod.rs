//! A dialect ready to judge with: its rules and schemas compiled, and linted.

mod client;
mod frame_schemas;
mod json_rpc;
mod launch;
mod lint;
mod load;
mod published;
mod session;
mod types;

pub use client::{Client, StandingAnswer, merge};
pub use conform_dialect::file::DialectFile;
pub use conform_dialect::{
    Base, Clause, DialectSource, FrameIdentity, FrameNames, Inheritance, KnownAgent, MemberNames,
    OpenRequest, ToolName, agents, clause_names, dialect_file, fault, faults, frame_naming,
    kinds_of, nested_kinds,
};
pub use load::load;
pub use types::{Dialect, SessionSpec};
