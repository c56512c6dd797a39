//! Lists with a word twice, signals that do not exist, exits that say nothing.

use crate::scenario::context::LoadContext;
use crate::scenario::file::ScenarioFile;
use crate::signals::{SENDABLE, SIGNALS};

pub(super) fn lists(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    context.no_duplicates("clause", &file.clauses);
    context.no_duplicates("tag", &file.tags);
    context.no_duplicates("capability", &file.needs);
    for step in file.steps.iter() {
        context.no_duplicates("clause", step.clauses.as_deref().unwrap_or_default());
    }
}

pub(super) fn signals(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for step in file.steps.iter() {
        let or_signal = step
            .expect_exit
            .as_ref()
            .and_then(|exit| exit.or_signal.as_ref());
        for name in step.signal.iter().chain(or_signal) {
            let known = SIGNALS[..SENDABLE].iter().map(|(name, _)| *name);
            context.known("signal", name, known);
        }
    }
}

pub(super) fn exits(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for exit in file
        .steps
        .iter()
        .filter_map(|step| step.expect_exit.as_ref())
    {
        match (exit.code, exit.nonzero, &exit.or_signal) {
            (None, false, None) => {
                context.error(
                    exit.span,
                    "says nothing: give it `code`, `nonzero: true` or `or_signal`",
                );
            }
            (Some(_), true, _) => {
                context.error(exit.span, "`code` and `nonzero` exclude each other")
            }
            _ => {}
        }
    }
}
