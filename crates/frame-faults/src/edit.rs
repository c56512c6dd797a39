//! Edits of a frame.

use crate::references::References;
use frame_language::{Pointer, parent};
use indexmap::IndexMap;
use json_matcher::Matcher;
use regex::Regex;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::hash::{Hash, Hasher};

/// A value for each of several places in a frame.
pub(crate) type Places<T> = IndexMap<Pointer, T>;

/// Edits, made one after the other, and where they are made.
#[derive(Debug, Clone, Default)]
pub struct Edits {
    /// The places in which they are made; in the frame as a whole if `None`.
    pub(crate) inside: Option<Pointer>,
    /// Only values that match are edited.
    pub(crate) matching: Option<Matcher>,
    pub(crate) edits: Vec<Edit>,
}

/// One edit. Its pointers start at the value that is edited.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Edit: sets members; adds those that are missing, and with `/-` an element at the end of a list. A text `$/pointer` is that
    /// part of the frame as it was, `$` is all of it; `$request/pointer`, `$[NAME]/pointer` and `$new` are as in other frames.
    Set(Places<Value>),
    /// Edit: turns values into another type.
    Retype(Places<Retype>),
    /// Edit: adds to numbers.
    Add(Places<f64>),
    /// Edit: multiplies numbers.
    Multiply(Places<f64>),
    /// Edit: rounds numbers to this many decimals.
    Round(Places<i32>),
    /// Edit: sets numbers to a sum of other members of the same object.
    Sum(Places<Vec<String>>),
    /// Edit: cuts texts and lists to this many characters or elements; a negative number keeps the last ones.
    Cut(Places<i64>),
    /// Edit: has each element of lists twice.
    Double(Vec<Pointer>),
    /// Edit: replaces what regular expressions find in texts, one after the other; `$1` is a group.
    Replace(
        #[schemars(with = "Places<IndexMap<String, String>>")] Places<IndexMap<Pattern, String>>,
    ),
    /// Edit: removes white space at both ends of texts.
    Trim(Vec<Pointer>),
    /// Edit: turns texts into lower case.
    Lower(Vec<Pointer>),
    /// Edit: puts all earlier texts of the same place before a text. They start again where the value at the other pointer changes.
    Cumulate(Places<Option<Pointer>>),
    /// Edit: removes members or elements.
    Remove(Vec<Pointer>),
}

/// A change of type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retype {
    /// Numbers only, as texts.
    NumberToText,
    /// Null only, as an empty text.
    NullToText,
    /// A text or null as a number, any other value as a text.
    Other,
}

/// A regular expression as a key: it is the same as another one that is written alike.
#[derive(Debug, Clone)]
pub struct Pattern(pub(crate) Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text).map(Pattern).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ");
            D::Error::custom(format!("not a regular expression: {reason}"))
        })
    }
}

/// What edits remember between frames: the texts so far, and the value for which they were collected.
#[derive(Debug, Clone, Default)]
pub(crate) struct EditMemory {
    group: Option<Value>,
    text: String,
    /// What references in new values point to.
    pub(crate) references: References,
}

impl From<Edit> for Edits {
    fn from(edit: Edit) -> Self {
        Edits {
            edits: vec![edit],
            ..Edits::default()
        }
    }
}

impl Edits {
    pub(crate) fn apply(&self, frame: &mut Value, memory: &mut EditMemory) {
        let Some(inside) = &self.inside else {
            self.edit(frame, memory);
            return;
        };
        // The innermost values first, so that no edit moves a place before it is visited.
        for place in inside.places(frame).iter().rev() {
            let edited = frame.pointer_mut(place);
            if edited.is_some_and(|part| self.edit(part, memory)) && self.removes_the_whole() {
                take(frame, place);
            }
        }
    }

    /// Edits a value; returns whether it matches.
    fn edit(&self, value: &mut Value, memory: &mut EditMemory) -> bool {
        let matching = self.matching.as_ref();
        let is_edited = matching.is_none_or(|matcher| matcher.matches_part(Some(value)));
        if is_edited {
            for edit in &self.edits {
                edit.apply(value, memory);
            }
        }
        is_edited
    }

    /// The new values, which can have references.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Value> {
        self.edits.iter().flat_map(Edit::templates)
    }

    fn removes_the_whole(&self) -> bool {
        let removed = self.edits.iter().filter_map(|edit| match edit {
            Edit::Remove(places) => Some(places),
            _ => None,
        });
        removed.flatten().any(Pointer::is_whole)
    }
}

impl Edit {
    /// The new values, which can have references.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Value> {
        let members = match self {
            Edit::Set(members) => Some(members.values()),
            _ => None,
        };
        members.into_iter().flatten()
    }

    fn apply(&self, value: &mut Value, memory: &mut EditMemory) {
        match self {
            Edit::Set(members) => set(value, members, &memory.references),
            Edit::Retype(places) => change_each(value, places, |part, to| retype(part, *to)),
            Edit::Add(places) => {
                change_each(value, places, |part, more| arithmetic(part, |n| n + more));
            }
            Edit::Multiply(places) => {
                change_each(value, places, |part, by| arithmetic(part, |n| n * by));
            }
            Edit::Round(places) => change_each(value, places, |part, decimals| {
                let unit = 10_f64.powi(*decimals);
                arithmetic(part, |n| (n * unit).round() / unit);
            }),
            Edit::Sum(places) => places.iter().for_each(|(at, parts)| sum(value, at, parts)),
            Edit::Cut(places) => change_each(value, places, |part, length| cut(part, *length)),
            Edit::Double(places) => change_all(value, places, |part| {
                if let Value::Array(items) = part {
                    *items = items
                        .iter()
                        .flat_map(|item| [item.clone(), item.clone()])
                        .collect();
                }
            }),
            Edit::Replace(places) => change_each(value, places, |part, replacements| {
                for (what, by) in replacements {
                    text(part, |text| what.0.replace_all(text, by).into_owned());
                }
            }),
            Edit::Trim(places) => {
                change_all(value, places, |part| {
                    text(part, |text| text.trim().to_owned())
                });
            }
            Edit::Lower(places) => {
                change_all(value, places, |part| text(part, str::to_lowercase));
            }
            Edit::Cumulate(places) => {
                for (at, group) in places {
                    memory.enter(group.as_ref().and_then(|group| group.first(value)));
                    change(value, at, |part| text(part, |text| memory.add(text)));
                }
            }
            Edit::Remove(places) => {
                for at in places {
                    for place in at.places(value).iter().rev() {
                        take(value, place);
                    }
                }
            }
        }
    }
}

impl EditMemory {
    /// Forgets the texts if they were collected for another value.
    fn enter(&mut self, group: Option<&Value>) {
        if self.group.as_ref() != group {
            self.group = group.cloned();
            self.text.clear();
        }
    }

    /// All texts so far, with this one.
    fn add(&mut self, text: &str) -> String {
        self.text.push_str(text);
        self.text.clone()
    }
}

/// Sets members. References in the values are to the value as it was before.
fn set(value: &mut Value, members: &Places<Value>, references: &References) {
    let before = value.clone();
    for (at, template) in members {
        for place in at.settable_places(value) {
            let filled = references.filled(template, &before);
            match value.pointer_mut(&place) {
                Some(part) => *part = filled,
                None => add(value, &place, filled),
            }
        }
    }
}

/// Adds a member, or an element at the end of a list.
fn add(value: &mut Value, place: &str, new: Value) {
    let Some((above, name)) = parent(place) else {
        return;
    };
    match value.pointer_mut(above) {
        Some(Value::Object(members)) => {
            members.insert(name, new);
        }
        Some(Value::Array(items)) => items.push(new),
        _ => {}
    }
}

fn take(value: &mut Value, place: &str) -> Option<Value> {
    let (above, name) = parent(place)?;
    match value.pointer_mut(above)? {
        Value::Object(members) => members.shift_remove(&name),
        Value::Array(items) => {
            let index = name.parse().ok().filter(|index| *index < items.len());
            index.map(|index: usize| items.remove(index))
        }
        _ => None,
    }
}

fn change(value: &mut Value, at: &Pointer, mut edit: impl FnMut(&mut Value)) {
    for place in at.places(value).iter().rev() {
        if let Some(part) = value.pointer_mut(place) {
            edit(part);
        }
    }
}

fn change_all(value: &mut Value, places: &[Pointer], edit: impl Fn(&mut Value)) {
    places.iter().for_each(|at| change(value, at, &edit));
}

fn change_each<T>(value: &mut Value, places: &Places<T>, edit: impl Fn(&mut Value, &T)) {
    for (at, with) in places {
        change(value, at, |part| edit(part, with));
    }
}

fn text(part: &mut Value, edit: impl FnOnce(&str) -> String) {
    if let Value::String(text) = part {
        *text = edit(text);
    }
}

/// Changes a number: a whole number stays one if the result is whole.
fn arithmetic(part: &mut Value, compute: impl Fn(f64) -> f64) {
    let Some(number) = part.as_f64() else {
        return;
    };
    let result = compute(number);
    *part = match (part.is_f64(), result) {
        (false, whole) if whole.fract() == 0.0 && whole.abs() < WHOLE => json!(whole as i64),
        _ => json!(result),
    };
}

/// Whole numbers below this are exact as `f64`.
const WHOLE: f64 = 9_007_199_254_740_992.0;

fn sum(value: &mut Value, at: &Pointer, parts: &[String]) {
    for place in at.settable_places(value) {
        let Some((above, name)) = parent(&place) else {
            continue;
        };
        if let Some(Value::Object(members)) = value.pointer_mut(above) {
            let numbers = parts.iter().map(|part| members.get(part));
            let numbers: Vec<&Value> = numbers.flatten().collect();
            let total = match numbers.iter().map(|number| number.as_u64()).sum() {
                Some::<u64>(total) => json!(total),
                None => json!(
                    numbers
                        .iter()
                        .filter_map(|number| number.as_f64())
                        .sum::<f64>()
                ),
            };
            members.insert(name, total);
        }
    }
}

fn cut(part: &mut Value, length: i64) {
    let kept = usize::try_from(length.unsigned_abs()).unwrap_or(usize::MAX);
    let excess = |all: usize| {
        if length < 0 {
            all.saturating_sub(kept)
        } else {
            0
        }
    };
    match part {
        Value::String(text) => {
            let start = excess(text.chars().count());
            *text = text.chars().skip(start).take(kept).collect();
        }
        Value::Array(items) => {
            items.drain(..excess(items.len()));
            items.truncate(kept);
        }
        _ => {}
    }
}

fn retype(part: &mut Value, to: Retype) {
    *part = match (to, &*part) {
        (Retype::NumberToText, Value::Number(number)) => json!(number.to_string()),
        (Retype::NullToText, Value::Null) => json!(""),
        (Retype::Other, Value::String(_) | Value::Null) => json!(7),
        (Retype::Other, _) => json!("retyped"),
        (Retype::NumberToText | Retype::NullToText, _) => return,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile_edits;
    use crate::file::FaultPart;

    #[test]
    fn each_edit_does_what_its_name_says() {
        let cases = spanned_yaml::load_yaml("edits.yaml", include_str!("edits.yaml")).unwrap();
        for case in cases.as_list().unwrap() {
            let part = |name| case.get(name).unwrap();
            let fault = &FaultPart::decode(part("edit"), false).unwrap()[0];
            let mut value = part("of").to_value();
            let edits = compile_edits(fault).unwrap().expect("edits");
            edits.apply(&mut value, &mut EditMemory::default());
            assert_eq!(value, part("makes").to_value(), "{case:?}");
        }
    }
}
