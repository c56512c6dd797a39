//! The one operation of a fault, such as `drop` or `after`. All edits together are one.

use super::values::key_span;
use crate::fault::{KillSignal, LineEdit, Operation};
use crate::file::FaultFile;
use crate::pointer::Pointer;
use serde_json::Value;
use spanned_yaml::{Error, Node, Span, Spanned};
use std::time::Duration;

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

/// The name of the only operation of a fault.
pub(super) fn operation_name(
    file: &FaultFile,
    node: &Node,
    span: Span,
) -> Result<&'static str, Vec<Error>> {
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

/// The operation of this name, which is no edit.
pub(super) fn operation(
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
