//! Which of the values that did not match came nearest.

use super::{Captures, Matcher, Mismatch};
use serde_json::Value;

/// The value that came nearest to a matcher, of those offered.
///
/// Nearest is the one whose first difference stands latest in the matcher as written (so an event of the right type
/// beats one of another), then the one with the fewest differences, then the latest.
#[derive(Debug, Clone)]
pub struct Closest<T> {
    best: Option<(usize, T, Vec<Mismatch>)>,
}

impl<T> Default for Closest<T> {
    fn default() -> Self {
        Closest { best: None }
    }
}

impl<T> Closest<T> {
    /// Compares one more value, known to the caller as `what`.
    pub fn offer(&mut self, what: T, matcher: &Matcher, value: &Value, captures: &Captures) {
        let found = matcher.differences(value, captures);
        let held = matcher.held_before(&found);
        let is_better = self.best.as_ref().is_none_or(|(best_held, _, best)| {
            held > *best_held || held == *best_held && found.len() <= best.len()
        });
        if is_better {
            self.best = Some((held, what, found));
        }
    }

    /// The nearest value, and what differs.
    #[must_use]
    pub fn get(&self) -> Option<(&T, &[Mismatch])> {
        self.best
            .as_ref()
            .map(|(_, what, found)| (what, found.as_slice()))
    }
}
