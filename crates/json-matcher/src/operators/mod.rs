//! Operators of matchers, such as `$regex` and `$one_of`.

mod check;
mod regex_text;
mod table;
mod types;

pub(crate) use check::Check;
pub use table::OPERATORS;
