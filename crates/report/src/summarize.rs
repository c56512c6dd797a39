//! Derives from the scenarios of a report what every format shows: the counts, the causes, and the scenarios without a result. Pure.

use super::causes;
use super::model::Report;
use super::verdict_rules;

impl Report {
    /// Derives the counts and the causes again, after the scenarios have changed.
    pub fn summarize(&mut self) {
        self.summary = verdict_rules::summary(&self.scenarios);
        self.causes = causes::collect(&mut self.scenarios, self.side);
        self.without_result = causes::group_by_reason(&self.scenarios);
    }
}
