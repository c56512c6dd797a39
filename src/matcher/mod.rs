//! What a scenario may say about a value.

/// A compiled matcher.
#[derive(Debug, Clone)]
pub struct Matcher {}

/// A JSON value whose strings may hold `{name}` places.
#[derive(Debug, Clone)]
pub struct Template {}
