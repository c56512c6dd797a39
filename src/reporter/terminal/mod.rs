//! The terminal report: one line for each scenario as it ends, then the failures in full, then the summary.

mod finding;
mod scenario;
mod summary;

pub(super) use finding::block as finding_block;
pub use scenario::{left_out, line};
pub use summary::closing;
pub(super) use summary::render;
