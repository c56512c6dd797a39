//! The closest of several values that do not match.

use crate::captures::Captures;
use crate::matcher::Matcher;
use crate::mismatch::Mismatch;
use serde_json::Value;

/// The value that is closest to a matcher, of all values offered.
///
/// The closest value is the one whose first difference is latest in the matcher as written (so an event of the right
/// type beats one of another), then the one with the fewest differences, then the latest.
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
    /// Compares one more value, which the caller identifies by `what`.
    pub fn offer(&mut self, what: T, matcher: &Matcher, value: &Value, captures: &Captures) {
        let found = matcher.differences(value, captures);
        let matching = matcher.matching_entries(&found);
        let is_better = self.best.as_ref().is_none_or(|(best_matching, _, best)| {
            matching > *best_matching || matching == *best_matching && found.len() <= best.len()
        });
        if is_better {
            self.best = Some((matching, what, found));
        }
    }

    /// The closest value, and its differences.
    pub fn get(&self) -> Option<(&T, &[Mismatch])> {
        self.best
            .as_ref()
            .map(|(_, what, found)| (what, found.as_slice()))
    }
}
