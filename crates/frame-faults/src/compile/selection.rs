//! The frames that a fault is played on: `on` and `text`, its own or those of named frames.

use super::Context;
use crate::file::{ActiveFrom, FaultFile};
use crate::selector::FrameSelector;
use frame_language::Pointer;
use frame_language::{FrameName, Names, Pattern, parse};
use spanned_yaml::{Error, Node, Span, Spanned};
use std::sync::Arc;

/// `on` for what only the reference agent can change: the options of the process, and the bodies of its requests to the model.
pub(crate) const INTERNAL: [&str; 2] = ["#options", "@request"];

/// The frames that a fault is played on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Events,
    Commands,
    Internal(&'static str),
}

/// The frames that a fault is played on, and the defaults that named frames bring along.
pub(super) struct Selection {
    pub(super) target: Target,
    pub(super) on: FrameSelector,
    pub(super) from: Option<ActiveFrom>,
    pub(super) text: Option<Pointer>,
}

const ON_MISSING: &str = "`on` is missing: name the event, `>command` for a command, `any` for every event, or frames under `frames`";

/// The frames of a fault, with the defaults of the named frames that come first in its pattern.
pub(super) fn selection(
    file: &FaultFile,
    node: &Node,
    id: Span,
    context: &Context<'_>,
) -> Result<Selection, Vec<Error>> {
    let on = file.on.as_ref();
    let on = on.ok_or_else(|| vec![node.error_at(id, ON_MISSING)])?;
    let pattern = pattern(on, node, context.names).map_err(|error| vec![error])?;
    let class = pattern.0.first().and_then(|atom| atom.class.as_ref());
    let frames = class.and_then(|class| context.frames.get(class));
    let frames = frames.map(|(frames, _)| frames);
    let names = pattern.0.iter().flat_map(|atom| &atom.frames);
    let mut targets = names.map(target);
    let target = targets.next().unwrap_or(Target::Events);
    if targets.any(|other| other != target) {
        let message = "a fault is played on events or on commands: make two faults of them";
        return Err(vec![node.error_at(on.span, message)]);
    }
    let text = frames.and_then(|frames| frames.text.clone());
    Ok(Selection {
        target,
        on: FrameSelector {
            pattern,
            nested: Arc::clone(context.nested),
        },
        from: frames.and_then(|frames| frames.from),
        text: file.text.clone().or(text),
    })
}

/// Reads a pattern.
pub(crate) fn pattern(
    text: &Spanned<String>,
    node: &Node,
    names: &Names,
) -> Result<Pattern, Error> {
    parse::pattern(text, names).map_err(|error| node.error_at(text.span, error.shown_in(text)))
}

/// The meaning of a name.
fn target(name: &FrameName) -> Target {
    match name {
        FrameName::AnyCommand => Target::Commands,
        FrameName::Named(name) if name.starts_with('>') => Target::Commands,
        FrameName::Named(name) => {
            let internal = INTERNAL.into_iter().find(|one| one == name);
            internal.map_or(Target::Events, Target::Internal)
        }
        _ => Target::Events,
    }
}
