//! Steps that come too late: behind the end of stdin, or of the agent.

use crate::scenario::context::LoadContext;
use crate::scenario::file::{ScenarioFile, StepFile};

pub(super) fn order(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    if file.steps.is_empty() {
        context.error(file.steps.span, "a scenario without steps");
    }
    let (mut closed, mut gone) = (None, None);
    for step in file.steps.iter() {
        if step.restart.is_some() {
            (closed, gone) = (None, None);
            continue;
        }
        if let Some(line) = gone {
            context.error(
                step.span,
                format!("the agent ended in line {line}: only `restart` may follow"),
            );
        } else if let Some(line) = closed.filter(|_| writes(step)) {
            context.error(step.span, format!("stdin was closed in line {line}"));
        }
        closed = closed.or(step.close_stdin.as_ref().map(|_| step.span.line));
        gone = gone.or(step.expect_exit.as_ref().map(|_| step.span.line));
    }
}

fn writes(step: &StepFile) -> bool {
    step.send.is_some()
        || step.send_raw.is_some()
        || step.send_bytes.is_some()
        || step.close_stdin.is_some()
}
