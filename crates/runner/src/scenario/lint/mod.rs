//! Scenario linter: finds mistakes in scenarios that are well formed.

mod clauses;
mod flow;
mod frames;
mod mcp;
mod placeholders;
mod values;

pub(crate) use mcp::placeholder as mcp_placeholder;

use super::context::LoadContext;
use super::file::ScenarioFile;

/// Reports mistakes of one kind.
pub(super) type Lint = fn(&ScenarioFile, &mut LoadContext<'_>);

/// Every lint. To add one, write a function and add it here.
pub(super) const LINTS: &[Lint] = &[
    values::lists,
    values::signals,
    values::exits,
    clauses::known,
    clauses::checked,
    clauses::levels,
    values::names,
    frames::events,
    frames::commands,
    frames::keys_without_values,
    mcp::servers,
    placeholders::steps,
    placeholders::answers,
    placeholders::fixed,
    flow::gates,
    flow::order,
    values::paths,
    values::empty_file_steps,
];
