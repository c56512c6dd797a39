//! Matchers on JSON values: literals, subset objects, operators, and placeholders with captures.
//!
//! A matcher is written as a JSON value. A scalar matches an equal scalar (`1` and `1.0` are equal), an object matches an object
//! with at least these entries, a list matches a list of exactly these elements, and a map of `$` keys is a list of
//! [operators](OPERATORS) that must all hold. `$$name` is the plain key `$name`. Texts may hold `{name}` placeholders, which are
//! filled from [`Captures`].
//!
//! ```
//! use json_matcher::{Captures, Matcher};
//! use serde_json::json;
//!
//! let matcher = Matcher::compile(&json!({ "type": "result", "id": "{call}", "size": { "$gte": 1 } })).expect("a matcher");
//! let mut captures = Captures::default();
//! captures.set("call", "t1");
//! let event = json!({ "type": "result", "id": "t1", "size": 0, "more": true });
//! let mismatch = matcher.matches(&event, &captures).expect_err("a difference");
//! assert_eq!(mismatch.to_string(), "/size: expected a number at least 1, got 0");
//! ```

mod captures;
mod closest;
mod compile;
mod json_schema;
mod matcher;
mod mismatch;
mod operators;
mod pattern;
mod placeholder;
mod read;
mod template;
mod yaml;

pub use captures::Captures;
pub use closest::Closest;
pub use compile::{CompileError, Operator};
pub use json_schema::{AnyValueSchema, MatcherSchema};
pub use matcher::Matcher;
pub use mismatch::{Mismatch, escape_hidden};
pub use operators::OPERATORS;
pub use pattern::object_in_words;
pub use placeholder::{
    Placeholder, Segment, UnknownPlaceholder, escape, fill, is_name, placeholders, segments,
};
pub use read::{numbers_as_written, read_json, with_bounded_numbers};
pub use template::{Template, render_text};
pub use yaml::{compile_filled_node, compile_node, placeholders_in};
