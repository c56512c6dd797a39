//! Baselines: files of accepted findings, known or flaky, each with a reason. Pure: the text of the file, a report and today's date are
//! the input.
//!
//! A finding in the baseline is still shown, but no longer decides a verdict. An entry that nothing matches any more, or that has expired,
//! is stale and fails the run; the message names the line to delete.

mod apply;
mod date;
mod file;
mod file_text;
mod scenario_patterns;
mod update;

pub use apply::{DatedBaseline, RunExtent, StaleEntry, apply, mark, stale_entries};
pub use date::Date;
pub(crate) use file::BaselineFile;
pub use file::{Accepted, Baseline, BaselineEntry, EntryKind, load};
pub use update::update;
