//! The frames that a fault is played on: `on`, `when` and `text`, its own or those of named frames.

use super::Context;
use crate::condition::{Condition, FrameSelector};
use crate::file::{ActiveFrom, FaultFile};
use crate::pointer::Pointer;
use json_matcher::compile_filled_node;
use spanned_yaml::{Error, Node, Span, unknown};

/// `on` for the options of the process.
pub(crate) const OPTIONS: &str = "#options";

/// What a fault is played on.
pub(super) enum Target {
    Events(FrameSelector),
    Commands(FrameSelector),
    Options(FrameSelector),
}

/// The frames that a fault is played on, and the defaults that named frames bring along.
pub(super) struct Selection {
    pub(super) target: Target,
    pub(super) from: Option<ActiveFrom>,
    pub(super) text: Option<Pointer>,
}

const ON_MISSING: &str = "`on` is missing: name the event, `>command` for a command, `\"*\"` for every event, or `$name` for frames under `frames`";

/// The frames of a fault: those that it names, or named frames, and its own conditions.
pub(super) fn selection(
    file: &FaultFile,
    node: &Node,
    id: Span,
    context: &Context<'_>,
) -> Result<Selection, Vec<Error>> {
    let on = file
        .on
        .as_ref()
        .ok_or_else(|| vec![node.error_at(id, ON_MISSING)])?;
    let mut conditions = Vec::new();
    let (mut from, mut text) = (None, None);
    let kind = match on.strip_prefix('$') {
        None => on,
        Some(name) => {
            let (frames, _) = context.frames.get(name).ok_or_else(|| {
                let known = context.frames.keys().map(String::as_str);
                vec![node.error_at(on.span, unknown("name of frames", name, known))]
            })?;
            conditions.extend(condition(frames.when.as_ref())?);
            from = frames.from;
            text = frames.text.clone();
            &frames.on
        }
    };
    conditions.extend(condition(file.when.as_ref())?);
    Ok(Selection {
        target: target(kind, conditions),
        from,
        text: file.text.clone().or(text),
    })
}

fn target(kind: &str, conditions: Vec<Vec<Condition>>) -> Target {
    let selector = |kind: Option<&str>| FrameSelector {
        kind: kind.map(str::to_owned),
        conditions,
    };
    let named = |kind| Some(kind).filter(|kind| *kind != "*");
    match kind.strip_prefix('>') {
        Some(command) => Target::Commands(selector(named(command))),
        None if kind == OPTIONS => Target::Options(selector(None)),
        None => Target::Events(selector(named(kind))),
    }
}

/// A condition as written: a map of places to matchers, or a list of such maps.
fn condition(node: Option<&Node>) -> Result<Option<Vec<Condition>>, Vec<Error>> {
    let Some(node) = node else {
        return Ok(None);
    };
    let alternatives = match node.as_list() {
        Some(items) => items.iter().map(one_condition).collect::<Result<_, _>>()?,
        None => vec![one_condition(node)?],
    };
    Ok(Some(alternatives))
}

fn one_condition(node: &Node) -> Result<Condition, Vec<Error>> {
    let Some(entries) = node.as_map() else {
        let message = format!(
            "expected a map of places and what they hold, such as `{{ /role: user }}`, found {}",
            node.describe()
        );
        return Err(vec![node.error(message)]);
    };
    let mut parts = Vec::new();
    let mut errors = Vec::new();
    for (key, value) in entries {
        if !key.name.is_empty() && !key.name.starts_with('/') {
            let message = format!("a place is a JSON Pointer: write `/{}`", key.name);
            errors.push(node.error_at(key.span, message));
        }
        match compile_filled_node(value) {
            Ok(matcher) => parts.push((key.name.clone(), matcher)),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() {
        Ok(Condition(parts))
    } else {
        Err(errors)
    }
}
