//! The operators.

mod check;
mod compare;
mod lists;
mod logic;
mod operand;
mod presence;
mod table;
mod text;
mod types;

pub(super) use check::Check;
use table::Compiled;
pub(super) use table::find;
pub use table::{OPERATORS, Operator};
pub(super) use text::pieces as regex_pieces;
