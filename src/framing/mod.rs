//! Bytes to lines, lines to JSON values, and every defect of the wire by its name.
//!
//! [`Framer`] cuts a stream into lines under any chunking and keeps memory bounded. [`parse`] reads one line in one pass: it
//! builds the value and notes what a host could trip over, so that a rule can name it and the rules of order still see the value.

mod defect;
mod framer;
mod parse;
mod surrogate;
mod value;

pub use defect::Defect;
pub use framer::{Framer, LINE_LIMIT};
pub use parse::{Parsed, parse};
