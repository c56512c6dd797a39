//! The terminal report: one line for each scenario as it ends, then the causes, then the summary.

mod cause;
mod finding;
mod scenario;
mod summary;

pub(super) use finding::block as finding_block;
pub use scenario::{LINE_WIDTH, left_out, line};
pub(super) use summary::render;
pub use summary::{Details, causes, closing};
