//! Clauses that do not exist, cannot be checked, or that no step is left to check.

use crate::scenario::context::Context;
use crate::scenario::file::{ScenarioFile, StepFile};

pub(super) fn known(file: &ScenarioFile, context: &mut Context<'_>) {
    let Some(vocabulary) = context.vocabulary else {
        return;
    };
    for clause in &file.clauses {
        let is_known = context.known(
            "clause",
            clause,
            vocabulary.clauses.keys().map(String::as_str),
        );
        if let Some(Some(why)) = vocabulary.clauses.get(&clause.value).filter(|_| is_known) {
            context.error(
                clause.span,
                format!("the clause `{}` is not testable: {why}", clause.value),
            );
        }
    }
}

pub(super) fn reachable(file: &ScenarioFile, context: &mut Context<'_>) {
    let named = |step: &StepFile, id: &str| step.clauses.iter().any(|clause| clause.value == id);
    for clause in file.steps.iter().flat_map(|step| &step.clauses) {
        if !file.clauses.iter().any(|known| known.value == clause.value) {
            context.error(
                clause.span,
                format!(
                    "the clause `{}` is not among the scenario's `clauses`",
                    clause.value
                ),
            );
        }
    }
    let checks: Vec<_> = file.steps.iter().filter(|step| step.checks()).collect();
    if checks.is_empty() && file.files_after.is_empty() && !file.steps.is_empty() {
        let message = "nothing is checked: no step expects anything, and `files_after` is empty";
        return context.error(file.steps.span, message);
    }
    let all_are_narrow =
        file.files_after.is_empty() && checks.iter().all(|step| !step.clauses.is_empty());
    for clause in file.clauses.iter().filter(|_| all_are_narrow) {
        if !checks.iter().any(|step| named(step, &clause.value)) {
            let message = format!(
                "no step checks the clause `{}`: each names other clauses",
                clause.value
            );
            context.error(clause.span, message);
        }
    }
}
