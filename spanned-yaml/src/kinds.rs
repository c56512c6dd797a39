//! Kinds of values in words fit for a message.

use super::Kind;
use serde::de::{Expected, Unexpected};

const LONGEST: usize = 60;

/// Serde's words for what it wanted, and ours. A word that ends in a space stands for whatever follows it.
const WANTED: &[(&str, &str)] = &[
    ("a string", "text"),
    ("a sequence", "a list"),
    ("a boolean", "true or false"),
    ("a map", "a map"),
    ("unit", "nothing"),
    ("f32", "a number"),
    ("f64", "a number"),
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number, 0 or more"),
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("struct ", "a map"),
    ("enum ", "one of a few words"),
    ("tuple struct ", "a list"),
];

/// A kind with its value: `the text "abc"`, `the number 5`, `a list`.
pub(super) fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Null => "nothing".to_owned(),
        Kind::Bool(value) => format!("`{value}`"),
        Kind::Number(number) => format!("the number {number}"),
        Kind::Text(text) => text_of(text),
        Kind::List(_) => "a list".to_owned(),
        Kind::Map(_) => "a map".to_owned(),
    }
}

/// The same for a value as serde names it.
pub(super) fn found(unexpected: &Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number}"),
        Unexpected::Str(text) => text_of(text),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        other => other.to_string(),
    }
}

/// What serde wanted, in our words.
pub(super) fn wanted(expected: &dyn Expected) -> String {
    let words = expected.to_string();
    let ours = WANTED.iter().find(|(theirs, _)| {
        if theirs.ends_with(' ') {
            words.starts_with(theirs)
        } else {
            words == *theirs
        }
    });
    ours.map_or(words, |(_, ours)| (*ours).to_owned())
}

fn text_of(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return format!("the text {text:?}");
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("the text {start:?}…")
}
