//! Lints of events and commands in steps: unknown names, commands that violate their schema, matchers that no event can match, and keys
//! without a value.

use crate::scenario::client;
use crate::scenario::context::LoadContext;
use crate::scenario::file::{ScenarioFile, StepVerb};
use conform_judge::dialect::{Dialect, FrameIdentity, FrameNames};
use conform_judge::finding::Level;
use json_matcher::{Segment, segments};
use spanned_yaml::{Key, Kind, Node, Spanned};
use std::collections::HashSet;

/// The most problems that are reported for one command.
const MAX_PROBLEMS: usize = 8;

pub(super) fn events(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let Some(dialect) = context.dialect else {
        return;
    };
    let answered = || file.answers.iter().map(|answer| &answer.on);
    let in_steps = file.steps.iter().flat_map(|step| step.verb.matchers());
    for matcher in in_steps.chain(answered()) {
        check("event", matcher, &dialect.events, context);
    }
    let expected = file.steps.iter().flat_map(|step| match &step.verb {
        StepVerb::ExpectNone(none) => vec![&none.until],
        verb => verb.matchers(),
    });
    for matcher in expected.chain(answered()) {
        let value = matcher.to_value();
        let shown = dialect.events.message(&value, None);
        let FrameIdentity::Known(name, kind) = dialect.events.identify(&value) else {
            continue;
        };
        for name in std::iter::once(name).chain(kind) {
            for (pointer, message) in dialect.event_schemas.contradictions(&name, &shown) {
                let span = matcher.nearest(&pointer).span();
                context.error(span, format!("no event can match this: {message}"));
            }
        }
    }
}

pub(super) fn commands(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let Some(dialect) = context.dialect else {
        return;
    };
    let in_steps = file.steps.iter().filter_map(|step| match &step.verb {
        StepVerb::Send(command) => Some((command, step.keys.unchecked)),
        _ => None,
    });
    let answers = file.answers.iter().map(|answer| (&answer.send, false));
    for (command, unchecked) in in_steps.chain(answers) {
        let before = context.errors.len();
        let key = &dialect.commands.discriminator;
        if command.as_map().is_some() && command.at(key).is_none() {
            let message = match dialect.commands.structure {
                Some(_) => name_needed(command, "ask"),
                None => format!("a command needs a name at `{key}`"),
            };
            context.error(
                command.span(),
                format!("{message}; `send_raw` sends any line"),
            );
        }
        check("command", command, &dialect.commands, context);
        if context.errors.len() == before {
            check_shape(command, unchecked, dialect, context);
        }
    }
}

/// Reports what the schema of a command forbids, else the members that it does not have.
fn check_shape(command: &Node, unchecked: bool, dialect: &Dialect, context: &mut LoadContext<'_>) {
    let value = command.to_value();
    let FrameIdentity::Known(name, kind) = dialect.commands.identify(&value) else {
        return;
    };
    let value = dialect.commands.message(&value, Some(0.into()));
    let before = context.errors.len();
    let schemas = &dialect.command_schemas;
    // A nested kind has the members of the frame around it too.
    let shapes: Vec<&str> = std::iter::once(&*name).chain(kind.as_deref()).collect();
    let of_shape = |shape: &&str| schemas.violations(shape, &value, MAX_PROBLEMS);
    let faults = shapes.iter().flat_map(of_shape);
    let mut known = HashSet::new();
    for fault in faults.filter(|fault| fault.level == Level::Must) {
        let at = command.nearest(&fault.pointer);
        // What is filled in later may be a value of any type, and decide which of several forms the value around it has.
        let is_open = has_placeholder(at) || fault.expected.is_empty() && holds_placeholder(at);
        if !is_open && known.insert((fault.pointer, fault.message.clone())) {
            let why = fault.message;
            let message = format!("not a valid command: {why}; `send_raw` sends any line");
            context.error(at.span(), message);
        }
    }
    if unchecked || context.errors.len() > before {
        return;
    }
    for (pointer, message) in schemas.unknown_members(&shapes, &value) {
        // A schema need not repeat the members that hold the name of the command.
        if !dialect.commands.is_envelope(&pointer) {
            context.error(
                command.key_at(&pointer),
                format!("{message}; quote a text that contains a comma, or use `unchecked: true` to send members that the specification does not have"),
            );
        }
    }
}

/// Keys without a value in commands, matchers and model scripts. Most are the rest of an unquoted text that contains a comma.
pub(super) fn keys_without_values(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let answers = file.answers.iter();
    let in_answers = answers.flat_map(|answer| [&answer.on, &answer.send]);
    let in_steps = file.steps.iter().flat_map(|step| step.verb.values());
    let own = client::values(file);
    for node in in_steps.chain(in_answers).chain(&file.model).chain(own) {
        keys_without_value(node, context);
    }
}

fn keys_without_value(node: &Node, context: &mut LoadContext<'_>) {
    for item in node.as_list().unwrap_or_default() {
        keys_without_value(item, context);
    }
    for (key, value) in node.as_map().unwrap_or_default() {
        if value.is_null() && value.span().len == 0 {
            let message = format!(
                "the key `{}` has no value: quote a text that contains a comma, or write `null`",
                key.name
            );
            context.error(key.span, message);
        }
        keys_without_value(value, context);
    }
}

/// Reports unknown names in a matcher, and in the operands of its operators.
fn check(what: &str, node: &Node, frames: &FrameNames, context: &mut LoadContext<'_>) {
    let lists = ["$any", "$all"]
        .iter()
        .filter_map(|operator| node.get(operator)?.as_list());
    for inner in lists.flatten().chain(node.get("$not")) {
        check(what, inner, frames, context);
    }
    let is_message = |(key, _): &(Key, Node)| !key.name.starts_with('$');
    if frames.structure.is_some()
        && what == "event"
        && node.at(&frames.discriminator).is_none()
        && node
            .as_map()
            .is_some_and(|members| members.iter().any(is_message))
    {
        context.error(node.span(), name_needed(node, "ask.result"));
    }
    for name in literals(node.at(&frames.discriminator)) {
        if !context.known(what, &name, frames.names.keys().map(String::as_str)) {
            continue;
        }
        let spec = frames.names.get(&name.value);
        let Some((at, kinds)) = spec.and_then(|spec| Some((spec.kind.as_ref()?, &spec.kinds)))
        else {
            continue;
        };
        let what = format!("`{}` kind", name.value);
        for kind in literals(node.at(at)) {
            context.known(&what, &kind, kinds.iter().map(String::as_str));
        }
    }
}

/// That a step must name its message, where messages are named by their structure.
fn name_needed(step: &Node, example: &str) -> String {
    match step.get("method").and_then(Node::as_str) {
        Some(method) => format!("write `message: {method}` in place of `method: {method}`"),
        None => {
            format!("a step names its message: write `message: NAME`, such as `message: {example}`")
        }
    }
}

/// The names that a matcher on a name lists literally.
fn literals(node: Option<&Node>) -> Vec<Spanned<String>> {
    let Some(node) = node.filter(|node| !has_placeholder(node)) else {
        return Vec::new();
    };
    match node.kind() {
        Kind::Text(text) => vec![Spanned {
            value: text.clone(),
            span: node.span(),
        }],
        Kind::Map(_) => {
            let names = ["$one_of", "$any"].iter();
            let lists = names.filter_map(|name| node.get(name)?.as_list());
            let one = ["$ne", "$not"].iter().filter_map(|name| node.get(name));
            let all = lists.flatten().chain(one);
            all.flat_map(|inner| literals(Some(inner))).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the value, or one inside it, is one placeholder.
fn holds_placeholder(node: &Node) -> bool {
    let in_list = node.as_list().unwrap_or_default().iter();
    let in_map = node.as_map().unwrap_or_default().iter();
    let mut inner = in_list.chain(in_map.map(|(_, value)| value));
    has_placeholder(node) || inner.any(holds_placeholder)
}

/// Whether the value contains a placeholder, which is filled in only when the step is played.
fn has_placeholder(node: &Node) -> bool {
    let is_placeholder = |one: &Segment<'_>| matches!(one, Segment::Placeholder(_));
    let text = node.as_str().unwrap_or_default();
    segments(text).iter().any(is_placeholder)
}
