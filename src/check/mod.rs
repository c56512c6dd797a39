//! The Checker: frames in, findings out. Pure: no clock, no environment, no file, no async.
//!
//! The same code judges a session while it runs and a recording of it, so the findings are the same; and the findings of a
//! prefix are a prefix of the findings of the whole, for only the end may add.

mod alone;
mod checker;
mod ending;
mod evidence;
mod ledger;
mod lines;
mod reading;
mod roster;

pub use checker::{Checker, Context, Outcome};
