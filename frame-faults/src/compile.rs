//! From a fault as written to a fault that can be played, with the place of every mistake.

use crate::condition::{Condition, FrameSelector, PartMatcher};
use crate::edit::{Edit, Edits};
use crate::fault::{
    ActiveFrom, Effect, EventFault, Fault, KillSignal, LineEdit, Operation, ShownAt,
};
use crate::file::{FaultFile, FramesFile, Places};
use crate::pointer::Pointer;
use indexmap::IndexMap;
use json_matcher::{CompileError, CompileErrorKind, EntryPart};
use serde_json::Value;
use spanned_yaml::{Error, Node, Span, Spanned, unknown};
use std::time::Duration;

/// What a fault refers to.
pub(crate) struct Context<'a> {
    /// The named frames, each with its file.
    pub(crate) frames: &'a IndexMap<String, (FramesFile, Node)>,
    /// The common faults, by id.
    pub(crate) common: &'a dyn Fn(&str) -> Option<FaultFile>,
    /// The names of the common faults.
    pub(crate) common_names: &'a [String],
}

/// The target of a fault.
enum Target {
    Events(FrameSelector),
    Commands(FrameSelector),
    Options(FrameSelector),
}

/// What frames are chosen by, and their defaults.
struct Chosen {
    target: Target,
    from: Option<ActiveFrom>,
    text: Option<Pointer>,
}

const ON_MISSING: &str = "`on` is missing: name the event, `>command` for a command, `\"*\"` for every event, or `$name` for frames under `frames`";

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
    let chosen = chosen(file, node, span, context)?;
    let usual = match chosen.target {
        Target::Events(_) => ActiveFrom::Turn,
        Target::Commands(_) | Target::Options(_) => ActiveFrom::Start,
    };
    let from = file.from.or(chosen.from).unwrap_or(usual);
    let edits = compile_edits(played, node)?;
    let (effect, shown_at) = match (chosen.target, edits) {
        (Target::Events(on), edits) => {
            let operation = match edits {
                Some(edits) => Operation::Edit(edits),
                None => operation(name, played, node, chosen.text)?,
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

/// The name of the only operation of a fault.
fn operation_name(file: &FaultFile, node: &Node, span: Span) -> Result<&'static str, Vec<Error>> {
    match operation_names(file).as_slice() {
        [name] => Ok(name),
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
                "`{one}` and `{other}` are two operations: a fault has one; make two faults of them"
            );
            Err(vec![node.error_at(key_span(node, other), message)])
        }
    }
}

/// The operations of a fault by name; all edits are one.
fn operation_names(file: &FaultFile) -> Vec<&'static str> {
    let edit = EDITS
        .iter()
        .find(|(_, has)| has(file))
        .map(|(name, _)| *name);
    let others = OPERATIONS.iter().filter(|(_, has)| has(file));
    edit.into_iter()
        .chain(others.map(|(name, _)| *name))
        .collect()
}

/// A key of a fault, and whether a fault has it.
type FaultKey = (&'static str, fn(&FaultFile) -> bool);

const EDITS: &[FaultKey] = &[
    ("set", |file| !file.set.is_empty()),
    ("rename", |file| !file.rename.is_empty()),
    ("retype", |file| !file.retype.is_empty()),
    ("add", |file| !file.add.is_empty()),
    ("multiply", |file| !file.multiply.is_empty()),
    ("sum", |file| !file.sum.is_empty()),
    ("cut", |file| !file.cut.is_empty()),
    ("double", |file| !file.double.is_empty()),
    ("reverse", |file| !file.reverse.is_empty()),
    ("discard", |file| !file.discard.is_empty()),
    ("keep", |file| !file.keep.is_empty()),
    ("replace", |file| !file.replace.is_empty()),
    ("trim", |file| !file.trim.is_empty()),
    ("lower", |file| !file.lower.is_empty()),
    ("negate", |file| !file.negate.is_empty()),
    ("prepend", |file| !file.prepend.is_empty()),
    ("append", |file| !file.append.is_empty()),
    ("cumulate", |file| !file.cumulate.is_empty()),
    ("remove", |file| !file.remove.is_empty()),
];

const OPERATIONS: &[FaultKey] = &[
    ("drop", |file| file.drop.is_some()),
    ("twice", |file| file.twice.is_some()),
    ("before", |file| file.before.is_some()),
    ("after", |file| file.after.is_some()),
    ("late", |file| file.late.is_some()),
    ("until", |file| file.until.is_some()),
    ("delay_ms", |file| file.delay_ms.is_some()),
    ("silence", |file| file.silence.is_some()),
    ("exit", |file| file.exit.is_some()),
    ("kill", |file| file.kill.is_some()),
    ("half_then_exit", |file| file.half_then_exit.is_some()),
    ("byte_by_byte", |file| file.byte_by_byte.is_some()),
    ("raw_before", |file| file.raw_before.is_some()),
    ("raw_after", |file| file.raw_after.is_some()),
    ("raw_in_text", |file| file.raw_in_text.is_some()),
    ("line_end", |file| file.line_end.is_some()),
    ("repeat_member", |file| file.repeat_member.is_some()),
    ("pad", |file| file.pad.is_some()),
    ("nest", |file| file.nest.is_some()),
    ("cut_character", |file| file.cut_character.is_some()),
    ("common", |file| file.common.is_some()),
    ("behavior", |file| file.behavior.is_some()),
];

fn key_span(node: &Node, key: &str) -> Span {
    node.entry(key)
        .map_or_else(|| node.span(), |(key, _)| key.span)
}

/// The frames of a fault: those that it names, or named frames, and its own conditions.
fn chosen(
    file: &FaultFile,
    node: &Node,
    id: Span,
    context: &Context<'_>,
) -> Result<Chosen, Vec<Error>> {
    let on = file
        .on
        .as_ref()
        .ok_or_else(|| vec![node.error_at(id, ON_MISSING)])?;
    let mut conditions = Vec::new();
    let (mut from, mut text) = (None, None);
    let kind = match on.strip_prefix('$') {
        None => on,
        Some(name) => {
            let (frames, root) = context.frames.get(name).ok_or_else(|| {
                let known = context.frames.keys().map(String::as_str);
                vec![node.error_at(on.span, unknown("name of frames", name, known))]
            })?;
            conditions.extend(condition(frames.when.as_ref())?);
            from = frames.from;
            text = pointer_of(frames.text.as_ref(), root)?;
            &frames.on
        }
    };
    conditions.extend(condition(file.when.as_ref())?);
    let own_text = pointer_of(file.text.as_ref(), node)?;
    let target = target(kind, conditions);
    Ok(Chosen {
        target,
        from,
        text: own_text.or(text),
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

/// `on` for the options of the process.
pub(crate) const OPTIONS: &str = "#options";

fn pointer_of(text: Option<&Spanned<String>>, node: &Node) -> Result<Option<Pointer>, Vec<Error>> {
    text.map(|text| pointer(text, node)).transpose()
}

fn pointer(text: &Spanned<String>, node: &Node) -> Result<Pointer, Vec<Error>> {
    Pointer::parse(text).map_err(|message| vec![node.error_at(text.span, message)])
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
        match matcher(value) {
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

fn matcher(node: &Node) -> Result<PartMatcher, Vec<Error>> {
    PartMatcher::compile(&node.to_value())
        .map_err(|errors| errors.iter().map(|error| located(error, node)).collect())
}

/// The error at its place in the file, with a suggestion for an unknown name.
fn located(error: &CompileError, node: &Node) -> Error {
    let pointer = PartMatcher::pointer_in_part(&error.pointer);
    let span = match error.part {
        EntryPart::Key => node.key_at(pointer),
        EntryPart::Value => node.nearest(pointer).span(),
    };
    let message = match &error.kind {
        CompileErrorKind::Unknown { what, name, known } => {
            unknown(what, name, known.iter().copied())
        }
        CompileErrorKind::Invalid(message) => message.clone(),
    };
    node.error_at(span, message)
}

/// The edits of a fault; `None` if it has none. `node` is in the file of the fault.
pub(crate) fn compile_edits(file: &FaultFile, node: &Node) -> Result<Option<Edits>, Vec<Error>> {
    let mut edits = EditCompiler {
        node,
        edits: Vec::new(),
        errors: Vec::new(),
    };
    let set = file.set.iter();
    let set = set.filter_map(|(at, value)| Some((edits.at(at)?, value.to_value())));
    let set: Vec<_> = set.collect();
    if !set.is_empty() {
        edits.edits.push(Edit::Set(set));
    }
    edits.each(&file.rename, |at, name| Edit::Rename(at, name.clone()));
    edits.each(&file.retype, |at, to| Edit::Retype(at, to.value));
    edits.each(&file.add, |at, more| Edit::Add(at, *more));
    edits.each(&file.multiply, |at, by| Edit::Multiply(at, *by));
    edits.each(&file.sum, |at, parts| Edit::Sum(at, parts.clone()));
    edits.each(&file.cut, |at, length| Edit::Cut(at, *length));
    edits.list(&file.double, Edit::Double);
    edits.list(&file.reverse, Edit::Reverse);
    edits.try_each(&file.discard, |at, what| {
        Ok(Edit::Discard(at, matcher(what)?))
    });
    edits.each(&file.keep, |at, names| Edit::Keep(at, names.clone()));
    edits.try_each(&file.replace, |at, texts| {
        let regexes = texts.iter().map(|(what, by)| {
            let regex = regex::Regex::new(what).map_err(|error| {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().to_owned();
                let reason = reason.trim_start_matches("error: ");
                vec![node.error_at(what.span, format!("not a regular expression: {reason}"))]
            });
            Ok((regex?, by.clone()))
        });
        Ok(Edit::Replace(
            at,
            regexes.collect::<Result<_, Vec<Error>>>()?,
        ))
    });
    edits.list(&file.trim, Edit::Trim);
    edits.list(&file.lower, Edit::Lower);
    edits.list(&file.negate, Edit::Negate);
    edits.each(&file.prepend, |at, text| Edit::Prepend(at, text.clone()));
    edits.each(&file.append, |at, text| Edit::Append(at, text.clone()));
    edits.try_each(&file.cumulate, |at, group| {
        pointer_of(group.as_ref(), node)?;
        let group = group.as_ref().map(|group| group.value.clone());
        Ok(Edit::Cumulate(at, group))
    });
    edits.list(&file.remove, Edit::Remove);
    let EditCompiler { edits, errors, .. } = edits;
    if !errors.is_empty() {
        return Err(errors);
    }
    let matching = file.matching.as_ref().map(matcher).transpose()?;
    let inside = pointer_of(file.inside.as_ref(), node)?;
    if edits.is_empty() {
        return Ok(None);
    }
    let inside = inside.or_else(|| matching.is_some().then(Pointer::anywhere));
    Ok(Some(Edits {
        inside,
        matching,
        edits,
    }))
}

struct EditCompiler<'a> {
    node: &'a Node,
    edits: Vec<Edit>,
    errors: Vec<Error>,
}

impl EditCompiler<'_> {
    fn at(&mut self, text: &Spanned<String>) -> Option<Pointer> {
        pointer(text, self.node)
            .map_err(|errors| self.errors.extend(errors))
            .ok()
    }

    fn each<T>(&mut self, places: &Places<T>, make: impl Fn(Pointer, &T) -> Edit) {
        self.try_each(places, |at, value| Ok(make(at, value)));
    }

    fn try_each<T>(
        &mut self,
        places: &Places<T>,
        make: impl Fn(Pointer, &T) -> Result<Edit, Vec<Error>>,
    ) {
        for (at, value) in places {
            if let Some(at) = self.at(at) {
                match make(at, value) {
                    Ok(edit) => self.edits.push(edit),
                    Err(errors) => self.errors.extend(errors),
                }
            }
        }
    }

    fn list(&mut self, places: &[Spanned<String>], make: impl Fn(Pointer) -> Edit) {
        for at in places {
            if let Some(at) = self.at(at) {
                self.edits.push(make(at));
            }
        }
    }
}

/// The operation of this name, which is no edit.
fn operation(
    name: &str,
    file: &FaultFile,
    node: &Node,
    text: Option<Pointer>,
) -> Result<Operation, Vec<Error>> {
    let kind = |kind: &Option<Spanned<String>>| {
        let kind = kind.as_ref().map(|kind| kind.value.clone());
        kind.filter(|kind| kind != "*")
    };
    for flag in [&file.drop, &file.twice, &file.silence, &file.byte_by_byte] {
        if let Some(value) = flag.as_ref().filter(|value| !value.is_null()) {
            let message = format!("takes no value, found {}", value.describe());
            return Err(vec![value.error(message)]);
        }
    }
    if let (Some(wait), None) = (&file.after_ms, &file.after) {
        let message = "`after_ms` is the time before the frames of `after`: add `after`";
        return Err(vec![node.error_at(wait.span, message)]);
    }
    let number = |number: Option<usize>| number.unwrap_or_default();
    let raw = |bytes: &Option<Node>| bytes.as_ref().map_or(Ok(Vec::new()), raw_bytes);
    let wait = |millis: u64| Duration::from_millis(millis);
    let line = |edit| Ok(Operation::Line(edit));
    // The common table names its operation inside.
    let name = match &file.common {
        None if name == "common" => operation_names(file).first().copied().unwrap_or(name),
        _ => name,
    };
    match name {
        "drop" => Ok(Operation::Drop),
        "twice" => Ok(Operation::Twice),
        "before" => Ok(Operation::Before(frames(file.before.as_ref())?)),
        "after" => {
            let millis = file.after_ms.as_ref().map_or(0, |millis| millis.value);
            Ok(Operation::After(frames(file.after.as_ref())?, wait(millis)))
        }
        "late" => Ok(Operation::Late(kind(&file.late))),
        "until" => Ok(Operation::Until(kind(&file.until))),
        "delay_ms" => Ok(Operation::Delay(wait(file.delay_ms.unwrap_or_default()))),
        "silence" => Ok(Operation::Silence),
        "exit" => Ok(Operation::Exit(file.exit.unwrap_or_default())),
        "kill" => Ok(Operation::Kill(file.kill.unwrap_or(KillSignal::Kill))),
        "half_then_exit" => Ok(Operation::HalfThenExit(
            file.half_then_exit.unwrap_or_default(),
        )),
        "byte_by_byte" => Ok(Operation::ByteByByte),
        "raw_before" => line(LineEdit::Before(raw(&file.raw_before)?)),
        "raw_after" => line(LineEdit::After(raw(&file.raw_after)?)),
        "raw_in_text" => match text {
            Some(text) => line(LineEdit::InText(text, raw(&file.raw_in_text)?)),
            None => {
                let message =
                    "`text` is missing: the place of a text in the frame, such as `text: /message`";
                Err(vec![node.error(message)])
            }
        },
        "line_end" => line(LineEdit::End(raw(&file.line_end)?)),
        "repeat_member" => {
            let member = file.repeat_member.as_ref();
            line(LineEdit::RepeatMember(
                member.map_or_else(String::new, |name| name.value.clone()),
            ))
        }
        "pad" => line(LineEdit::Pad(number(file.pad))),
        "nest" => line(LineEdit::Nest(number(file.nest))),
        _ => line(LineEdit::CutCharacter(number(file.cut_character))),
    }
}

/// A frame, or a list of frames.
fn frames(node: Option<&Node>) -> Result<Vec<Value>, Vec<Error>> {
    let Some(node) = node else {
        return Ok(Vec::new());
    };
    let all = match node.as_list() {
        Some(items) => items.to_vec(),
        None => vec![node.clone()],
    };
    let frames = all.iter().map(|frame| match frame.as_map() {
        Some(_) => Ok(frame.to_value()),
        None => {
            let message = format!(
                "expected a frame, which is a map, found {}",
                frame.describe()
            );
            Err(vec![frame.error(message)])
        }
    });
    frames.collect()
}

/// Bytes as written: a text, or a map with the key `hex`.
fn raw_bytes(node: &Node) -> Result<Vec<u8>, Vec<Error>> {
    if let Some(text) = node.as_str() {
        return Ok(text.as_bytes().to_vec());
    }
    let hex = node.get("hex").and_then(Node::as_str).and_then(hex_bytes);
    let is_hex = node.as_map().is_some_and(|entries| entries.len() == 1);
    hex.filter(|_| is_hex).ok_or_else(|| {
        let message = format!(
            "expected a text, or bytes such as `{{ hex: \"f0 9f\" }}`, found {}",
            node.describe()
        );
        vec![node.error(message)]
    })
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.split_whitespace();
    pairs
        .map(|pair| {
            (pair.len() == 2)
                .then(|| u8::from_str_radix(pair, 16).ok())
                .flatten()
        })
        .collect()
}
