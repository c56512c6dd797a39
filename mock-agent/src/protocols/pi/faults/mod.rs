//! The faults of pi, in tables by subject. Each fault names the versions that have it if not all of its table's versions do.

mod abort;
mod bash;
mod commands;
mod common;
mod compaction;
mod content;
mod data;
mod errors;
mod framing;
mod lifecycle;
mod messages;
mod model;
mod responses;
mod run;
mod sessions;
mod shapes;
mod stream;
pub(super) mod table;
mod tools;
mod values;
