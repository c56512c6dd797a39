//! Lints of cited clauses: unknown, not testable, checked by no step, or stronger than the level of the scenario or step.

use crate::scenario::context::LoadContext;
use crate::scenario::file::{Does, ScenarioFile, StepFile};
use conform_judge::finding::Level;
use spanned_yaml::Spanned;

pub(super) fn known(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let Some(dialect) = context.dialect else {
        return;
    };
    for clause in &file.clauses {
        let is_known = context.known("clause", clause, dialect.clauses.keys().map(String::as_str));
        let cited = dialect.clauses.get(&clause.value).filter(|_| is_known);
        if let Some(why) = cited.and_then(|cited| cited.untestable.as_ref()) {
            let message = format!("the clause `{}` is not testable: {why}", clause.value);
            context.error(clause.span, message);
        }
    }
}

pub(super) fn checked(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let named = |step: &StepFile, id: &str| {
        let own = step.keys.clauses.iter().flatten();
        own.into_iter().any(|clause| clause.value == id)
    };
    for clause in file
        .steps
        .iter()
        .flat_map(|step| step.keys.clauses.iter().flatten())
    {
        if !file.clauses.iter().any(|known| known.value == clause.value) {
            let id = clause.as_str();
            let message = format!("the clause `{id}` is not among the scenario's `clauses`");
            context.error(clause.span, message);
        }
    }
    let checks: Vec<_> = checking(file).collect();
    if checks.is_empty() && file.files_after.is_empty() && !file.steps.is_empty() {
        let message = "nothing is checked: no step expects anything, and `files_after` is empty";
        return context.error(file.written.span, message);
    }
    let all_are_narrow =
        file.files_after.is_empty() && checks.iter().all(|step| step.keys.clauses.is_some());
    for clause in file.clauses.iter().filter(|_| all_are_narrow) {
        if !checks.iter().any(|step| named(step, &clause.value)) {
            let message = format!(
                "no step checks the clause `{}`: each step has other `clauses`",
                clause.value
            );
            context.error(clause.span, message);
        }
    }
}

/// The steps that can fail because of the agent.
fn checking(file: &ScenarioFile) -> impl Iterator<Item = &StepFile> {
    let steps = file.steps.iter();
    steps.filter(|step| step.verb.does() >= Does::Check)
}

/// The level of a scenario or a step is never weaker than a clause that it cites.
pub(super) fn levels(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    report_stronger(&file.clauses, file.level, "the scenario", context);
    for step in checking(file) {
        let level = step.keys.level.unwrap_or(file.level);
        match &step.keys.clauses {
            Some(own) => report_stronger(own, level, "the step", context),
            None if level < file.level => {
                let stronger = first_stronger(&file.clauses, level, context);
                if let Some(clause) = stronger {
                    let message = format!(
                        "the step is `{level}`, but cites `{}` of the scenario, which is stronger: leave out its `level`, or give the \
                         step its own `clauses`: some that are `{level}`, or `[]` if no clause requires it",
                        clause.value,
                        level = level.word(),
                    );
                    context.error(step.span, message);
                }
            }
            None => {}
        }
    }
}

fn report_stronger(
    clauses: &[Spanned<String>],
    level: Level,
    what: &str,
    context: &mut LoadContext<'_>,
) {
    if let Some(clause) = first_stronger(clauses, level, context).cloned() {
        let message = format!(
            "{what} is `{}`, but the clause `{}` is stronger: leave out `level`, or cite clauses of that level",
            level.word(),
            clause.value
        );
        context.error(clause.span, message);
    }
}

/// The first of the clauses with a stronger level than this.
fn first_stronger<'c>(
    clauses: &'c [Spanned<String>],
    level: Level,
    context: &LoadContext<'_>,
) -> Option<&'c Spanned<String>> {
    let known = &context.dialect?.clauses;
    let stronger = |id: &str| known.get(id).is_some_and(|cited| cited.strength > level);
    clauses.iter().find(|clause| stronger(&clause.value))
}
