//! What is wrong with a scenario that is well formed.

mod clauses;
mod events;
mod files;
mod flow;
mod gates;
mod names;
mod places;
mod words;

use super::context::LoadContext;
use super::file::ScenarioFile;

/// Finds one kind of mistake.
type Lint = fn(&ScenarioFile, &mut LoadContext<'_>);

/// Every lint.
pub(super) const LINTS: &[Lint] = &[
    words::lists,
    words::signals,
    words::exits,
    clauses::known,
    clauses::reachable,
    clauses::levels,
    names::known,
    events::events,
    events::commands,
    events::torn,
    places::steps,
    places::answers,
    places::fixed,
    gates::gates,
    flow::order,
    files::paths,
    files::named,
];
