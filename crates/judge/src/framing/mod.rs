//! JSON Lines framing and parsing, with every defect of a line by name.
//!
//! [`Framer`] splits a stream into lines in bounded memory. [`parse`] parses one line in one pass: it builds the JSON value and notes the
//! defects that a host could fail on. Ordering rules still see the value of a line with defects.

mod defect;
mod framer;
mod parse;
mod surrogate;
pub(crate) mod value;

pub use defect::{DEFECTS, Defect};
pub use framer::{Framer, LINE_LIMIT};
pub use parse::{Parsed, ParsedFrame, parse};
