//! From a fault as written to a fault that can be played, with the place of every mistake.

mod selection;

pub(crate) use selection::{INTERNAL, pattern};

use crate::common::common;
use crate::edit::{Edit, Edits};
use crate::fault::{Effect, EventFault, Fault, Legal};
use crate::file::{ActiveFrom, FaultFile, FaultPart, FramesFile, ShownAt};
use crate::operation::Operation;
use crate::selector::NestedKinds;
use frame_language::Names;
use frame_language::Pointer;
use indexmap::IndexMap;
use json_matcher::compile_filled_node;
use selection::{Target, selection};
use spanned_yaml::{Error, Node, Span, Spanned, unknown};
use std::sync::Arc;
use std::time::Duration;

/// What a fault refers to.
pub(crate) struct Context<'a> {
    /// The named frames, each with its file.
    pub(crate) frames: &'a IndexMap<String, (FramesFile, Node)>,
    /// Their patterns.
    pub(crate) names: &'a Names,
    /// Where frames name their nested kind.
    pub(crate) nested: &'a Arc<NestedKinds>,
}

/// Compiles one fault with its parts. `caught_by` lists the rules and scenarios that must catch it.
pub(crate) fn compile_fault(
    id: &Spanned<String>,
    parts: &[FaultPart],
    caught_by: Vec<String>,
    context: &Context<'_>,
) -> Result<Fault, Vec<Error>> {
    let Some((main, more)) = parts.split_first() else {
        return Err(Vec::new());
    };
    let common = common_fault(main)?;
    let summary = [Some(main), common].into_iter().flatten();
    let summary = summary.filter_map(|part| part.file.summary.as_ref()).next();
    let summary = summary.ok_or_else(|| {
        let message = "`summary` is missing: say in one line what goes wrong";
        vec![main.node.error_at(id.span, message)]
    })?;
    let legal = legal(main)?;
    let (from, mut effect, shown_at) = compile_part(main, id.span, context)?;
    for part in more {
        let file = &part.file;
        if file.summary.is_some() || !file.caught_by.is_empty() || !file.also.is_empty() {
            let message = "a part has `on`, `every` and an operation: leave out the rest";
            return Err(vec![part.node.error(message)]);
        }
        match (&mut effect, compile_part(part, part.node.span(), context)?) {
            (Effect::Events(all), (_, Effect::Events(more), _)) => all.extend(more),
            _ => {
                let message =
                    "only a fault of events has parts, and only events are changed by them";
                return Err(vec![part.node.error(message)]);
            }
        }
    }
    Ok(Fault {
        id: id.value.clone(),
        summary: summary.value.clone(),
        caught_by,
        legal,
        shown_at: main.file.shown.unwrap_or(shown_at),
        active_from: from,
        effect,
    })
}

/// What makes a variant legal; an error where a fault has keys of variants, or a variant has keys of faults.
fn legal(main: &FaultPart) -> Result<Option<Legal>, Vec<Error>> {
    let FaultFile {
        accepts, listed, ..
    } = &main.file;
    let foreign: &[_] = if main.is_variant {
        &["caught_by", "shown"]
    } else {
        &["accepts", "listed"]
    };
    let foreign = foreign.iter().find(|key| main.node.get(key).is_some());
    if let Some(key) = foreign {
        let owner = if main.is_variant { "fault" } else { "variant" };
        let message = format!("`{key}` is a key of a {owner}");
        return Err(vec![main.node.error_at(key_span(&main.node, key), message)]);
    }
    let listed = listed.iter();
    let listed = listed.map(|(check, why)| (check.value.clone(), why.clone()));
    Ok(main.is_variant.then(|| Legal {
        accepts: accepts.as_ref().map(|topic| topic.value.clone()),
        listed: listed.collect(),
    }))
}

/// The common fault that a fault names.
fn common_fault(part: &FaultPart) -> Result<Option<&'static FaultPart>, Vec<Error>> {
    let [(_, Operation::Common(name))] = part.operations.as_slice() else {
        return Ok(None);
    };
    let found = common().get(&name.value);
    found.map(Some).ok_or_else(|| {
        let known = common().keys().map(String::as_str);
        vec![
            part.node
                .error_at(name.span, unknown("common fault", name, known)),
        ]
    })
}

/// A fault or a part of it: when it starts, which frames it changes, and on which line it can be caught by default.
fn compile_part(
    part: &FaultPart,
    span: Span,
    context: &Context<'_>,
) -> Result<(ActiveFrom, Effect, ShownAt), Vec<Error>> {
    let name = operation_name(part, span)?;
    let FaultPart { file, node, .. } = part;
    if let [(_, Operation::Behavior(behavior))] = part.operations.as_slice() {
        if let Some(on) = &file.on {
            let message = "a behavior is played by the agent itself: leave out `on`";
            return Err(vec![node.error_at(on.span, message)]);
        }
        let effect = Effect::Behavior(behavior.value.clone());
        let from = file.from.unwrap_or(if part.is_variant {
            ActiveFrom::Start
        } else {
            ActiveFrom::Turn
        });
        return Ok((from, effect, ShownAt::Later));
    }
    let played = common_fault(part)?.unwrap_or(part);
    let selection = selection(file, node, span, context)?;
    let usual = match selection.target {
        Target::Events if !part.is_variant => ActiveFrom::Turn,
        _ => ActiveFrom::Start,
    };
    let named = selection.from.filter(|_| !part.is_variant);
    let from = file.from.or(named).unwrap_or(usual);
    let edits = compile_edits(played)?;
    let is_edited = edits.is_some();
    let own = played.operations.first().map(|(_, own)| own.clone());
    let operation = edits.clone().map(Operation::Edit).or(own);
    let operation = operation.unwrap_or(Operation::Drop);
    let fits = match (selection.target, &operation) {
        (_, Operation::Edit(_)) => Ok(()),
        (Target::Events, Operation::Reply(_)) => Err(
            "is for commands: use `before` or `after` for a frame that comes with an event".to_owned(),
        ),
        (Target::Events, _) => Ok(()),
        (Target::Commands, Operation::Drop | Operation::Instead(_) | Operation::Reply(_)) => Ok(()),
        (Target::Commands, _) => Err("is for events: a command can be edited, as with `set` or `remove`, dropped, or answered with `reply` or `instead`".to_owned()),
        (Target::Internal(_), _) => Err("is for events: an option or a request can only be edited, as with `set` or `remove`".to_owned()),
    };
    if let Err(why) = fits {
        let message = format!("`{name}` {why}");
        return Err(vec![node.error_at(key_span(node, name), message)]);
    }
    if let (Target::Internal(name), Some(edits)) = (selection.target, edits) {
        return Ok((
            from,
            Effect::Internal(name, selection.on, edits),
            ShownAt::Later,
        ));
    }
    let is_of_events = selection.target == Target::Events;
    if is_of_events {
        check(&operation, part, selection.text.as_ref())?;
    }
    let shown_at = match selection.target {
        Target::Events => operation.shown_at(),
        _ => ShownAt::Later,
    };
    let wait = file.after_ms.as_ref().map_or(0, |millis| millis.value);
    let usual = part.is_variant || !is_of_events && is_edited;
    let played = EventFault {
        on: selection.on,
        every: file.every.unwrap_or(usual),
        operation,
        text: selection.text,
        wait: Duration::from_millis(wait),
    };
    let effect = if is_of_events {
        Effect::Events(vec![played])
    } else {
        Effect::Commands(played)
    };
    Ok((from, effect, shown_at))
}

/// The name of the only operation of a fault; all its edits are one.
fn operation_name(part: &FaultPart, span: Span) -> Result<&str, Vec<Error>> {
    let FaultPart { node, .. } = part;
    let edit = part.edits.first().map(|(key, _)| key);
    let others = part.operations.iter().map(|(key, _)| key);
    match edit
        .into_iter()
        .chain(others)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [only] => Ok(&only.name),
        [] => {
            let lonely = ["in", "where", "after_ms"];
            let lonely = lonely.into_iter().find(|key| node.get(key).is_some());
            let (span, message) = match lonely {
                Some(key) => (key_span(node, key), format!("`{key}` does nothing alone: add an operation such as `set: {{ /member: value }}` or `after`")),
                None => (span, "nothing goes wrong: add an operation such as `drop:`, `twice:` or `set: { /member: value }`".to_owned()),
            };
            Err(vec![node.error_at(span, message)])
        }
        [one, other, ..] => {
            let message = format!(
                "`{}` and `{}` are two operations: a fault has one; make two faults of them",
                one.name, other.name
            );
            Err(vec![node.error_at(other.span, message)])
        }
    }
}

/// Checks that an operation has the keys that it needs in addition, and no others.
fn check(
    operation: &Operation,
    part: &FaultPart,
    text: Option<&Pointer>,
) -> Result<(), Vec<Error>> {
    let node = &part.node;
    if let Some(wait) = &part.file.after_ms
        && !matches!(operation, Operation::After(_))
    {
        let message = "`after_ms` is the time before the frames of `after`: add `after`";
        return Err(vec![node.error_at(wait.span, message)]);
    }
    if matches!(operation, Operation::RawInText(_)) && text.is_none() {
        let message =
            "`text` is missing: the place of a text in the frame, such as `text: /message`";
        return Err(vec![node.error(message)]);
    }
    Ok(())
}

/// The edits of a fault; `None` if it has none.
pub(crate) fn compile_edits(part: &FaultPart) -> Result<Option<Edits>, Vec<Error>> {
    let matching = part.file.matching.as_ref();
    let matching = matching.map(compile_filled_node).transpose()?;
    if part.edits.is_empty() {
        return Ok(None);
    }
    let inside = part.file.inside.clone();
    let edits: Vec<Edit> = part.edits.iter().map(|(_, edit)| edit.clone()).collect();
    Ok(Some(Edits {
        inside: inside.or_else(|| matching.is_some().then(Pointer::anywhere)),
        matching,
        edits,
    }))
}

/// The place of a key, or of the whole fault if it is not there.
fn key_span(node: &Node, key: &str) -> Span {
    node.entry(key)
        .map_or_else(|| node.span(), |(key, _)| key.span)
}
