//! Baselines: findings that are known, or flaky, with a reason. Pure: the file's text, a report and today's date in, a report out.
//!
//! A baselined finding is still shown and no longer decides a verdict. An entry that nothing matches any more, or whose day has passed, is a
//! mistake of its own, told with the line to delete.

mod apply;
mod date;
mod file;
mod update;

pub use apply::{DatedBaseline, RunExtent, StaleEntry, apply, mark, stale};
pub use date::Date;
pub use file::{Baseline, BaselineEntry, EntryKind, load};
pub use update::update;
