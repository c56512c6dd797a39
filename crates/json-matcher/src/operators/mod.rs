//! Operators of matchers, such as `$regex` and `$one_of`.

mod compare;
mod lists;
mod logic;
mod table;
mod text;
mod types;

pub use table::OPERATORS;
