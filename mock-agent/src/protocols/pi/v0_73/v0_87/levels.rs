//! "Thinking" of the page: which levels a model has, and that a change of it is told.

use super::super::model::LEVELS;
use super::super::state::Modern;
use serde_json::{Value, json};

/// How many of the levels every model has that can think.
const COMMON: usize = 5;

/// The levels of a model, of which one that cannot think has the first only.
pub(in crate::protocols::pi::v0_73) fn levels(reasons: bool) -> &'static [&'static str] {
    match reasons {
        false => &LEVELS[..1],
        true => &LEVELS[..COMMON],
    }
}

/// The frame that tells of another level than before, where there is one.
pub(in crate::protocols::pi::v0_73) fn told(modern: &Modern, before: &str) -> Option<Value> {
    let changed = modern.later.is_some() && modern.level != before;
    changed.then(|| json!({ "type": "thinking_level_changed", "level": modern.level }))
}
