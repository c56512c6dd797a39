//! The faults of synaps, in tables by subject.

mod abort;
mod answers;
mod attachments;
mod conditions;
mod correlation;
mod data;
mod ends;
mod errors;
mod framing;
mod limits;
mod model;
mod session;
mod shutdown;
mod startup;
mod stream;
mod subagents;
pub(super) mod table;
mod tools;
