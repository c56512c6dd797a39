//! What a scenario may say about a value.
//!
//! Literals are equality on scalars, subset on objects, element by element on lists; a map of `$op` keys is a list of
//! [operators](OPERATORS) that must all hold. Texts may hold `{name}` places, filled from [`Captures`].

mod captures;
mod closest;
mod compile;
mod compiled;
#[cfg(test)]
mod laws;
mod mismatch;
mod ops;
mod pattern;
mod places;
mod pointer;
mod request;
mod same;
mod template;
#[cfg(test)]
mod tests;
mod words;

pub use captures::Captures;
pub use closest::Closest;
pub use compiled::Matcher;
pub use mismatch::Mismatch;
pub use ops::{OPERATORS, Operator};
pub use places::places;
pub use request::RequestMatcher;
pub use template::{Template, render_text};
