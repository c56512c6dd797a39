//! Matchers on events and requests: the matchers of [`json_matcher`], tied to YAML files and to frames.

mod request;

pub use json_matcher::{
    Captures, Closest, Matcher, Mismatch, OPERATORS, Template, compile_node, placeholders_in,
    render_text,
};
pub use request::RequestMatcher;
