//! The checker: a pure function from frames to findings, without clock, environment, files or async.
//!
//! A live session and its recording go through the same code, so the findings are the same. The findings of a prefix of a session are a
//! prefix of the findings of the session: only the end of the session can add some that concern earlier frames.

mod checker;
mod coverage;
mod decoded_frame;
mod end_of_session;
mod evidence;
mod excerpt;
mod finding_log;
mod interpreter;
mod line_classifier;
mod monitors;
mod open_work;
mod per_frame;
mod state;
mod structure;
mod tables;

pub use checker::{CheckOptions, CheckOutcome, Checker};
pub use coverage::Coverage;
pub use excerpt::SessionExcerpt;
pub(crate) use tables::CheckTables;
