//! Matchers on events and requests: the matchers of [`json_matcher`], tied to YAML files and to frames.

mod compile;
mod request;

pub use compile::{compile, placeholders};
pub use json_matcher::{
    Captures, Closest, Matcher, Mismatch, OPERATORS, Operator, Template, render_text,
};
pub use request::RequestMatcher;
