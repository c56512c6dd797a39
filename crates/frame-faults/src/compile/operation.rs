//! The one operation of a fault, such as `drop` or `after`. All edits together are one.

use super::values::key_span;
use crate::fault::{KillSignal, LineEdit, Move, Operation};
use crate::file::FaultFile;
use crate::pointer::Pointer;
use serde_json::Value;
use spanned_yaml::{Error, Node, Span, Spanned};
use std::time::Duration;

/// The most bytes of a repeated text.
const MAX_BYTES: usize = 64 << 20;

/// A key of a fault, and whether a fault has it.
type FaultKey = (&'static str, fn(&FaultFile) -> bool);

const EDITS: &[FaultKey] = &[
    ("set", |file| !file.set.is_empty()),
    ("retype", |file| !file.retype.is_empty()),
    ("add", |file| !file.add.is_empty()),
    ("multiply", |file| !file.multiply.is_empty()),
    ("sum", |file| !file.sum.is_empty()),
    ("cut", |file| !file.cut.is_empty()),
    ("double", |file| !file.double.is_empty()),
    ("replace", |file| !file.replace.is_empty()),
    ("trim", |file| !file.trim.is_empty()),
    ("lower", |file| !file.lower.is_empty()),
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
    ("raw_in_text", |file| file.raw_in_text.is_some()),
    ("raw_in_brace", |file| file.raw_in_brace.is_some()),
    ("line_end", |file| file.line_end.is_some()),
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
        "late" => Ok(Operation::Move(kind(&file.late), Move::Behind)),
        "until" => Ok(Operation::Move(kind(&file.until), Move::Before)),
        "delay_ms" => Ok(Operation::Delay(wait(file.delay_ms.unwrap_or_default()))),
        "silence" => Ok(Operation::Silence),
        "exit" => Ok(Operation::Exit(file.exit.unwrap_or_default())),
        "kill" => Ok(Operation::Kill(file.kill.unwrap_or(KillSignal::Kill))),
        "half_then_exit" => Ok(Operation::HalfThenExit(
            file.half_then_exit.unwrap_or_default(),
        )),
        "byte_by_byte" => Ok(Operation::ByteByByte),
        "raw_before" => line(LineEdit::Before(raw(&file.raw_before)?)),
        "raw_in_text" => match text {
            Some(text) => line(LineEdit::InText(text, raw(&file.raw_in_text)?)),
            None => {
                let message =
                    "`text` is missing: the place of a text in the frame, such as `text: /message`";
                Err(vec![node.error(message)])
            }
        },
        "raw_in_brace" => line(LineEdit::InBrace(raw(&file.raw_in_brace)?)),
        _ => line(LineEdit::End(raw(&file.line_end)?)),
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

/// Bytes as written: a text, a map of `hex` or of `repeat` and `times`, or a list of these.
fn raw_bytes(node: &Node) -> Result<Vec<u8>, Vec<Error>> {
    if let Some(parts) = node.as_list() {
        let parts = parts.iter().map(raw_bytes);
        return Ok(parts.collect::<Result<Vec<_>, _>>()?.concat());
    }
    let text_at = |key| node.get(key).and_then(Node::as_str);
    let times = node.get("times").map(Node::to_value);
    let times = times.and_then(|times| usize::try_from(times.as_u64()?).ok());
    let keys = node.as_map().map_or(0, |entries| entries.len());
    let bytes = match (
        node.as_str(),
        text_at("hex"),
        text_at("repeat"),
        times,
        keys,
    ) {
        (Some(text), ..) => Some(text.as_bytes().to_vec()),
        (_, Some(hex), _, _, 1) => hex_bytes(hex),
        (_, _, Some(text), Some(times), 2) if text.len().saturating_mul(times) <= MAX_BYTES => {
            Some(text.repeat(times).into_bytes())
        }
        _ => None,
    };
    bytes.ok_or_else(|| {
        let message = format!(
            "expected a text, or bytes such as `{{ hex: \"f0 9f\" }}` or `{{ repeat: x, times: 64 }}`, at most {MAX_BYTES}, found {}",
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
