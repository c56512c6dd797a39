//! Baselines: files of accepted findings, known or flaky, each with a reason. Pure: the text of the file, a report and today's date are
//! the input.
//!
//! A finding in the baseline is still shown, but no longer decides a verdict. An entry that nothing matches any more, or that has expired,
//! is stale and fails the run; the message names the line to delete.

mod apply;
mod date;
mod draft;
mod entry;
mod extent;
mod file;
mod file_text;
mod scenario_patterns;
mod stale;
#[cfg(test)]
mod tests;
mod update;

pub use apply::{DatedBaseline, apply, mark};
pub use date::Date;
pub use entry::{Accepted, Baseline, BaselineEntry, EntryKind, ScenarioPattern};
pub use extent::RunExtent;
pub use file::{BaselineFile, load};
pub use stale::{StaleEntry, stale_entries};
pub use update::update;
