//! Lints of the order of steps: steps after the end of stdin or of the agent, and gates of the model that are never or wrongly released.

use crate::scenario::context::LoadContext;
use crate::scenario::file::{ScenarioFile, StepVerb};
use spanned_yaml::{Node, Spanned};
use std::collections::HashSet;

pub(super) fn order(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    if file.steps.is_empty() {
        context.error(file.written.span, "a scenario needs at least one step");
    }
    for (n, step) in file.steps.iter().enumerate() {
        let before = n.checked_sub(1).map(|before| &file.steps[before].verb);
        let asks = matches!(
            (before, &step.verb),
            (Some(StepVerb::Send(_)), StepVerb::Expect(_))
        );
        if let Some(again) = step.keys.again.as_ref().filter(|_| !asks) {
            let message =
                "`again` belongs to an `expect` directly after the `send` that it repeats";
            context.error(again.span, message);
        }
    }
    let (mut closed, mut gone) = (None, None);
    for step in &file.steps {
        if let StepVerb::Restart(_) = step.verb {
            (closed, gone) = (None, None);
            continue;
        }
        if let Some(line) = gone {
            context.error(
                step.span,
                format!("the agent ended in line {line}: only `restart` may follow"),
            );
        } else if let Some(line) = closed.filter(|_| writes(&step.verb)) {
            context.error(step.span, format!("stdin was closed in line {line}"));
        }
        match step.verb {
            StepVerb::CloseStdin => closed = closed.or(Some(step.span.line)),
            StepVerb::ExpectExit(_) => gone = gone.or(Some(step.span.line)),
            _ => {}
        }
    }
}

fn writes(verb: &StepVerb) -> bool {
    use StepVerb::{CloseStdin, Send, SendBytes, SendRaw};
    matches!(verb, Send(_) | SendRaw(_) | SendBytes(_) | CloseStdin)
}

pub(super) fn gates(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let replies = file.model.iter().filter_map(Node::as_list).flatten();
    let gates: Vec<_> = replies.flat_map(gates_of).collect();
    let mut released = HashSet::new();
    for step in &file.steps {
        let StepVerb::Release(release) = &step.verb else {
            continue;
        };
        let known = gates.iter().map(|gate| gate.value.as_str());
        if context.known("gate", release, known) && !released.insert(release.value.as_str()) {
            let message = format!("the gate `{}` is released twice", release.value);
            context.error(release.span, message);
        }
    }
    let is_open = |gate: &&Spanned<String>| !released.contains(gate.value.as_str());
    for gate in gates.iter().filter(is_open) {
        let message = format!("no step releases the gate `{}`", gate.value);
        context.error(gate.span, message);
    }
}

/// The gates of one reply.
fn gates_of(reply: &Node) -> Vec<Spanned<String>> {
    let content = reply.get("content").and_then(Node::as_list);
    let parts = std::iter::once(reply).chain(content.unwrap_or_default());
    let gates = parts.filter_map(|part| part.get("gate"));
    let named = gates.filter_map(|gate| {
        let value = gate.as_str()?.to_owned();
        let span = gate.span();
        Some(Spanned { value, span })
    });
    named.collect()
}
