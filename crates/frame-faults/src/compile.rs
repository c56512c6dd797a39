//! From a fault as written to a fault that can be played, with the place of every mistake.

mod edits;
mod operation;
mod selection;
mod values;

pub(crate) use edits::compile_edits;
pub(crate) use selection::OPTIONS;

use crate::fault::{ActiveFrom, Effect, EventFault, Fault, Operation, ShownAt};
use crate::file::{FaultFile, FramesFile};
use indexmap::IndexMap;
use operation::{operation, operation_name};
use selection::{Target, selection};
use spanned_yaml::{Error, Node, Span, Spanned, unknown};
use values::key_span;

/// What a fault refers to.
pub(crate) struct Context<'a> {
    /// The named frames, each with its file.
    pub(crate) frames: &'a IndexMap<String, (FramesFile, Node)>,
    /// The common faults, by id.
    pub(crate) common: &'a dyn Fn(&str) -> Option<FaultFile>,
    /// The names of the common faults.
    pub(crate) common_names: &'a [String],
}

/// Compiles one fault. `node` is the fault in its file, `caught_by` what must catch it.
pub(crate) fn compile_fault(
    id: &Spanned<String>,
    file: &FaultFile,
    node: &Node,
    caught_by: Vec<String>,
    context: &Context<'_>,
) -> Result<Fault, Vec<Error>> {
    let common = common_fault(file, node, context)?;
    let summary = file.summary.as_ref();
    let summary = summary.or(common.as_ref().and_then(|common| common.summary.as_ref()));
    let summary = summary.map(|summary| summary.value.clone());
    let summary = summary.ok_or_else(|| {
        vec![node.error_at(
            id.span,
            "`summary` is missing: say in one line what goes wrong",
        )]
    })?;
    let (from, mut effect, shown_at) = compile_part(file, node, id.span, context)?;
    let parts = node.get("also").and_then(Node::as_list).unwrap_or_default();
    for (part, node) in file.also.iter().zip(parts) {
        if part.summary.is_some() || !part.caught_by.is_empty() || !part.also.is_empty() {
            let message = "a part has `on`, `when`, `every` and an operation: leave out the rest";
            return Err(vec![node.error(message)]);
        }
        match (&mut effect, compile_part(part, node, node.span(), context)?) {
            (Effect::Events(all), (_, Effect::Events(more), _)) => all.extend(more),
            _ => {
                let message =
                    "only a fault of events has parts, and only events are changed by them";
                return Err(vec![node.error(message)]);
            }
        }
    }
    Ok(Fault {
        id: id.value.clone(),
        summary,
        caught_by,
        shown_at: file.shown.unwrap_or(shown_at),
        active_from: from,
        effect,
    })
}

/// The common fault that a fault names.
fn common_fault(
    file: &FaultFile,
    node: &Node,
    context: &Context<'_>,
) -> Result<Option<FaultFile>, Vec<Error>> {
    let find = |name: &Spanned<String>| {
        (context.common)(name).ok_or_else(|| {
            let known = context.common_names.iter().map(String::as_str);
            vec![node.error_at(name.span, unknown("common fault", name, known))]
        })
    };
    file.common.as_ref().map(find).transpose()
}

/// A fault or a part of it: from when on it is played, what it changes, and where that is shown by default.
fn compile_part(
    file: &FaultFile,
    node: &Node,
    span: Span,
    context: &Context<'_>,
) -> Result<(ActiveFrom, Effect, ShownAt), Vec<Error>> {
    let name = operation_name(file, node, span)?;
    if let Some(behavior) = &file.behavior {
        if let Some(on) = &file.on {
            let message = "a behavior is played by the agent itself: leave out `on`";
            return Err(vec![node.error_at(on.span, message)]);
        }
        let effect = Effect::Behavior(behavior.value.clone());
        return Ok((
            file.from.unwrap_or(ActiveFrom::Turn),
            effect,
            ShownAt::Later,
        ));
    }
    let common = common_fault(file, node, context)?;
    let played = common.as_ref().unwrap_or(file);
    let selection = selection(file, node, span, context)?;
    let usual = match selection.target {
        Target::Events(_) => ActiveFrom::Turn,
        Target::Commands(_) | Target::Options(_) => ActiveFrom::Start,
    };
    let from = file.from.or(selection.from).unwrap_or(usual);
    let edits = compile_edits(played, node)?;
    let (effect, shown_at) = match (selection.target, edits) {
        (Target::Events(on), edits) => {
            let operation = match edits {
                Some(edits) => Operation::Edit(edits),
                None => operation(name, played, node, selection.text)?,
            };
            let shown_at = operation.shown_at();
            let part = EventFault {
                on,
                every: file.every,
                operation,
            };
            (Effect::Events(vec![part]), shown_at)
        }
        (Target::Commands(on), Some(edits)) => (Effect::Commands(on, edits), ShownAt::Later),
        (Target::Options(on), Some(edits)) => (Effect::Options(on, edits), ShownAt::Later),
        (_, None) => {
            let message = format!(
                "`{name}` is for events: a command or an option can only be edited, as with `set` or `remove`"
            );
            return Err(vec![node.error_at(key_span(node, name), message)]);
        }
    };
    Ok((from, effect, shown_at))
}
