//! Events and commands that the dialect does not have.

use crate::located::{Kind, Located, Node, Piece, pieces};
use crate::scenario::context::Context;
use crate::scenario::file::{ScenarioFile, StepFile};
use crate::scenario::vocabulary::Frames;

pub(super) fn events(file: &ScenarioFile, context: &mut Context<'_>) {
    let Some(vocabulary) = context.vocabulary else {
        return;
    };
    let in_steps = file.steps.iter().flat_map(|step| matchers(step));
    for matcher in in_steps.chain(file.answers.iter().map(|answer| &answer.on)) {
        check("event", matcher, &vocabulary.events, context);
    }
}

pub(super) fn commands(file: &ScenarioFile, context: &mut Context<'_>) {
    let Some(vocabulary) = context.vocabulary else {
        return;
    };
    let in_steps = file.steps.iter().filter_map(|step| step.send.as_ref());
    for command in in_steps.chain(file.answers.iter().map(|answer| &answer.send)) {
        let before = context.errors.len();
        if command.as_map().is_some() && command.at(&vocabulary.commands.discriminator).is_none() {
            let key = &vocabulary.commands.discriminator;
            context.error(
                command.span(),
                format!("a command has a name at `{key}`; `send_raw` sends any line"),
            );
        }
        check("command", command, &vocabulary.commands, context);
        if let Some(judge) = vocabulary
            .check_command
            .as_ref()
            .filter(|_| context.errors.len() == before)
        {
            for (pointer, message) in judge(&command.to_value()) {
                let at = command.nearest(&pointer);
                if !is_place(at) {
                    context.error(
                        at.span(),
                        format!("not a valid command: {message}; `send_raw` sends any line"),
                    );
                }
            }
        }
    }
}

/// The matchers on events in a step.
fn matchers(step: &StepFile) -> impl Iterator<Item = &Node> {
    let unordered = step.unordered.iter().flat_map(|nodes| nodes.iter());
    let none = step
        .expect_none
        .iter()
        .flat_map(|none| [&none.not, &none.until]);
    let text = step
        .expect_text
        .iter()
        .flat_map(|text| text.until.iter().chain([&text.of]));
    step.expect
        .iter()
        .chain(&step.expect_next)
        .chain(unordered)
        .chain(none)
        .chain(text)
}

/// Looks for unknown names in a matcher, and in those that its operators hold.
fn check(what: &str, node: &Node, frames: &Frames, context: &mut Context<'_>) {
    for operator in ["$any", "$all"] {
        for inner in node
            .get(operator)
            .and_then(Node::as_list)
            .unwrap_or_default()
        {
            check(what, inner, frames, context);
        }
    }
    if let Some(inner) = node.get("$not") {
        check(what, inner, frames, context);
    }
    for name in literals(node.at(&frames.discriminator)) {
        if !context.known(what, &name, frames.names.keys().map(String::as_str)) {
            continue;
        }
        let Some(Some(kinds)) = frames.names.get(&name.value) else {
            continue;
        };
        for kind in literals(node.at(&kinds.pointer)) {
            context.known(
                &format!("`{}` kind", name.value),
                &kind,
                kinds.names.iter().map(String::as_str),
            );
        }
    }
}

/// The names that a matcher on a name spells out.
fn literals(node: Option<&Node>) -> Vec<Located<String>> {
    let Some(node) = node.filter(|node| !is_place(node)) else {
        return Vec::new();
    };
    match node.kind() {
        Kind::Text(text) => vec![Located {
            value: text.clone(),
            span: node.span(),
        }],
        Kind::Map(_) => {
            let several = ["$one_of", "$any"]
                .into_iter()
                .filter_map(|name| node.get(name)?.as_list())
                .flatten();
            let one = ["$ne", "$not"]
                .into_iter()
                .filter_map(|name| node.get(name));
            several
                .chain(one)
                .flat_map(|inner| literals(Some(inner)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the value is known only when the step is played.
fn is_place(node: &Node) -> bool {
    node.as_str().is_some_and(|text| {
        pieces(text)
            .iter()
            .any(|piece| matches!(piece, Piece::Place(_)))
    })
}
