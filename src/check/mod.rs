//! The Checker: frames in, findings out. Pure: no clock, no environment, no file, no async.
//!
//! The same code judges a session while it runs and a recording of it, so the findings are the same; and the findings of a
//! prefix are a prefix of the findings of the whole, for only the end may add.

mod checker;
mod decoded_frame;
mod dispatch;
mod end_of_session;
mod evidence;
mod finding_log;
mod line_classifier;
mod monitors;
mod per_frame;
mod state;

pub use checker::{CheckOptions, CheckOutcome, Checker};
