//! What a run shows about a pattern of scenarios: whether all of them were judged, and whether there are any.

use super::patterns::{dialect_of, is_wide};
use crate::id_pattern::matches_id;
use crate::{Report, ScenarioReport};

/// How much of the suite a run covers, which decides whether an unmatched entry is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunExtent {
    /// All of it.
    Whole,
    /// A selection: an entry whose scenarios may have been left out is not stale.
    Part,
}

/// Why a pattern of scenarios that do not exist is stale.
pub(super) const NOT_THERE: &str = "there is no such scenario or transcript";

/// Why a pattern that nothing matched is stale: its scenarios were judged (for a pattern of several scenarios: in a whole run), or the run of
/// its whole dialect has none of them.
pub(super) fn why_stale(
    pattern: &str,
    may_occur_again: bool,
    report: &Report,
    extent: RunExtent,
) -> Option<&'static str> {
    let is_whole = extent == RunExtent::Whole;
    let all = report.scenarios.iter();
    let own: Vec<_> = all.filter(|one| matches_id(pattern, &one.id)).collect();
    let was_run =
        || dialect_of(pattern).is_some_and(|id| report.dialect.iter().any(|one| one == id));
    if own.is_empty() {
        (is_whole && was_run()).then_some("there is no such scenario")
    } else {
        let is_decided =
            (is_whole || !is_wide(pattern)) && own.into_iter().all(ScenarioReport::is_judged);
        (is_decided && !may_occur_again).then_some("nothing matched it in this run")
    }
}
