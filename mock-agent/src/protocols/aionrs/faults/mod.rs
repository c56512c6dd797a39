//! The faults of aionrs, in tables by subject. Each fault names the versions that have it if not all of its table's versions do.

mod approval;
mod config;
mod correlation;
mod data;
mod errors;
mod framing;
mod lifecycle;
mod model;
mod order;
mod sessions;
mod stop;
pub(super) mod table;
