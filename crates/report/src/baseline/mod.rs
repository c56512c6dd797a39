//! Baselines: files of accepted findings, known or flaky, each with a reason. Pure: the text of the file, a report and today's date are
//! the input.
//!
//! A finding in the baseline is still shown, but no longer decides a verdict. An entry that nothing matches any more, or that has expired,
//! is stale and fails the run; the message names the line to delete.

mod apply;
mod date;
mod entry;
mod file;
mod patterns;
mod run_extent;
mod update;

pub use apply::{DatedBaseline, apply, mark};
pub use date::Date;
pub use entry::{Accepted, Baseline, BaselineEntry};
pub use file::{BaselineFile, load};
pub use patterns::dialect_of;
pub use run_extent::RunExtent;
pub use update::update;
