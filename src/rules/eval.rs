//! Answers conditions: three-valued, over every world that fits the history.

use super::compare::compare;
use super::cond::{Compare, Cond, Function, Operand};
use super::parse::{Atom, Pattern};
use super::state::{Content, Variable, canonical};
use super::symbol::SymSet;
use super::tri::Tri;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// What a condition is asked of.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    /// The frame's symbols.
    pub symbols: &'a SymSet,
    /// The frame's JSON.
    pub value: &'a Value,
    /// The state variables as they were before the frame.
    pub vars: &'a [Variable],
    /// Bit n: a frame that matches the rule's `seen` pattern n came earlier in the slice.
    pub seen: u64,
    /// `seen` patterns that this history cannot show (no commands were recorded).
    pub blind: u64,
    /// The rule's fold in this slice.
    pub fold: Option<&'a Value>,
}

type Values<'a> = Vec<Option<Cow<'a, Value>>>;

impl<'a> Cx<'a> {
    /// Whether the frame matches a pattern.
    #[must_use]
    pub fn matches(&self, pattern: &Pattern) -> Tri {
        Tri::any(pattern.0.iter().map(|atom| self.matches_atom(atom)))
    }

    /// Whether the frame matches an atom.
    #[must_use]
    pub fn matches_atom(&self, atom: &Atom) -> Tri {
        if !atom.include.meets(self.symbols) || atom.exclude.meets(self.symbols) {
            return Tri::False;
        }
        Tri::all(atom.guards.iter().map(|guard| self.holds(guard)))
    }

    /// Whether a condition holds.
    #[must_use]
    pub fn holds(&self, cond: &Cond) -> Tri {
        match cond {
            Cond::All(each) => Tri::all(each.iter().map(|c| self.holds(c))),
            Cond::Any(each) => Tri::any(each.iter().map(|c| self.holds(c))),
            Cond::Not(inner) => self.holds(inner).negate(),
            Cond::Seen(n, _) if self.seen & (1 << n) != 0 => Tri::True,
            Cond::Seen(n, _) if self.blind & (1 << n) != 0 => Tri::Unknown,
            Cond::Seen(..) => Tri::False,
            Cond::Compare {
                left,
                how: Compare::In,
                right: Operand::State(var),
                ..
            } => self.member(left, *var),
            Cond::Compare {
                left,
                how: Compare::NotIn,
                right: Operand::State(var),
                ..
            } => self.member(left, *var).negate(),
            Cond::Compare {
                left,
                how,
                right,
                except,
            } => {
                let (left, right) = (self.values(left), self.values(right));
                Tri::over_worlds(left.iter().flat_map(|l| {
                    right.iter().map(move |r| match (l, r) {
                        (Some(l), Some(r)) => compare(l, *how, r, except),
                        _ => Tri::Unknown,
                    })
                }))
            }
            Cond::Matches(operand, regex) => self.each(operand, |v| {
                v.as_str()
                    .map_or(Tri::Unknown, |t| regex.is_match(t).into())
            }),
            Cond::Present(operand) => {
                if self.unknown(operand) {
                    return Tri::Unknown;
                }
                Tri::over_worlds(self.values(operand).iter().map(|v| v.is_some().into()))
            }
            Cond::Empty(operand) => self.each(operand, |v| is_empty(v).into()),
            Cond::Every(operand, inner) => self.each(operand, |list| match list.as_array() {
                Some(items) => Tri::all(items.iter().map(|item| {
                    Cx {
                        value: item,
                        ..*self
                    }
                    .holds(inner)
                })),
                None => Tri::Unknown,
            }),
        }
    }

    fn each(&self, operand: &Operand, ask: impl Fn(&Value) -> Tri) -> Tri {
        Tri::over_worlds(
            self.values(operand)
                .iter()
                .map(|v| v.as_ref().map_or(Tri::Unknown, |v| ask(v))),
        )
    }

    fn unknown(&self, operand: &Operand) -> bool {
        match operand {
            Operand::State(var) | Operand::Entry(var, _) => self.vars[*var]
                .worlds()
                .iter()
                .any(|c| matches!(**c, Content::Unknown)),
            Operand::Call(_, inner) | Operand::At(inner, _) => self.unknown(inner),
            Operand::List(all) => all.iter().any(|one| self.unknown(one)),
            _ => false,
        }
    }

    fn member(&self, left: &Operand, var: usize) -> Tri {
        let lefts = self.values(left);
        Tri::over_worlds(self.vars[var].worlds().iter().flat_map(|content| {
            lefts.iter().map(move |l| match (l, &**content) {
                (Some(l), Content::Set(set)) => set.contains(&canonical(l)).into(),
                (Some(l), Content::Map(map)) => map.contains_key(&canonical(l)).into(),
                (Some(l), other) => other
                    .to_value()
                    .map_or(Tri::Unknown, |v| compare(l, Compare::In, &v, &[])),
                (None, _) => Tri::Unknown,
            })
        }))
    }

    /// The value of an operand, if only one fits the history.
    #[must_use]
    pub fn value(&self, operand: &Operand) -> Option<Cow<'a, Value>> {
        let mut values = self.values(operand);
        if values.len() == 1 {
            values.remove(0)
        } else {
            None
        }
    }

    /// The values of an operand, one a world; `None` for a world in which it is missing.
    fn values(&self, operand: &Operand) -> Values<'a> {
        match operand {
            Operand::Literal(value) => vec![Some(Cow::Owned(value.clone()))],
            Operand::Pointer(pointer) => {
                vec![at(Cow::Borrowed(self.value), pointer)]
            }
            Operand::Fold => vec![self.fold.map(Cow::Borrowed)],
            Operand::State(var) => match self.vars[*var].only() {
                Some(content) => vec![content.to_value()],
                None => {
                    let worlds = self.vars[*var].worlds();
                    worlds
                        .iter()
                        .map(|c| c.to_value().map(|v| Cow::Owned(v.into_owned())))
                        .collect()
                }
            },
            Operand::Entry(var, key) => self.entry(*var, key),
            Operand::At(inner, pointer) => {
                let inner = self.values(inner);
                inner
                    .into_iter()
                    .map(|v| v.and_then(|v| at(v, pointer)))
                    .collect()
            }
            Operand::Call(function, inner) => {
                let inner = self.values(inner);
                inner
                    .into_iter()
                    .map(|v| v.and_then(|v| call(*function, &v)).map(Cow::Owned))
                    .collect()
            }
            Operand::List(all) => {
                let values = all.iter().map(|one| self.value(one).map(Cow::into_owned));
                vec![
                    values
                        .collect::<Option<Vec<_>>>()
                        .map(|v| Cow::Owned(Value::Array(v))),
                ]
            }
        }
    }

    fn entry(&self, var: usize, key: &Operand) -> Values<'a> {
        let Some(key) = self.value(key) else {
            return vec![None];
        };
        let key = canonical(&key);
        let find = |content: &Content| match content {
            Content::Map(map) => map.get(&key).cloned(),
            _ => None,
        };
        match self.vars[var].only() {
            Some(Content::Map(map)) => vec![map.get(&key).map(Cow::Borrowed)],
            Some(_) => vec![None],
            None => self.vars[var]
                .worlds()
                .iter()
                .map(|c| find(c).map(Cow::Owned))
                .collect(),
        }
    }
}

fn at<'v>(value: Cow<'v, Value>, pointer: &str) -> Option<Cow<'v, Value>> {
    if let Some((list, rest)) = pointer.split_once("/*") {
        let list = value.pointer(list)?.as_array()?;
        let each = list.iter().filter_map(|item| {
            let found = at(Cow::Borrowed(item), rest)?;
            Some(found.into_owned())
        });
        return Some(Cow::Owned(each.collect()));
    }
    let found = match value {
        Cow::Borrowed(value) => value.pointer(pointer).map(Cow::Borrowed),
        Cow::Owned(value) => value.pointer(pointer).cloned().map(Cow::Owned),
    };
    found.filter(|v| !v.is_null())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn call(function: Function, value: &Value) -> Option<Value> {
    match function {
        Function::Length => match value {
            Value::String(text) => Some(text.chars().count().into()),
            Value::Array(items) => Some(items.len().into()),
            Value::Object(members) => Some(members.len().into()),
            _ => None,
        },
        Function::Json => serde_json::from_str(value.as_str()?).ok(),
        Function::Last => value.as_array()?.last().cloned(),
        Function::Sum => {
            let sum: f64 = value.as_array()?.iter().filter_map(Value::as_f64).sum();
            Some(number(sum))
        }
        Function::Product => {
            let factors: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
            Some(number(factors?.iter().product()))
        }
        Function::Join => {
            let texts: Option<String> = value.as_array()?.iter().map(Value::as_str).collect();
            texts.map(Value::String)
        }
        Function::Distinct => {
            let mut seen = HashSet::new();
            let items = value.as_array()?.iter();
            let once = items.filter(|item| seen.insert(canonical(item)));
            Some(once.cloned().collect())
        }
        Function::Text => {
            let mut texts = Vec::new();
            collect_texts(value, &mut texts);
            Some(Value::String(texts.join("\n")))
        }
        Function::Keys => Some(
            value
                .as_object()?
                .keys()
                .cloned()
                .map(Value::String)
                .collect(),
        ),
        Function::Type => {
            let name = match value {
                Value::Null => return None,
                Value::Bool(_) => "boolean",
                Value::Number(_) => "number",
                Value::String(_) => "string",
                Value::Array(_) => "list",
                Value::Object(_) => "object",
            };
            Some(Value::String(name.to_owned()))
        }
        Function::Trim => Some(Value::String(value.as_str()?.trim().to_owned())),
        Function::Lower => Some(Value::String(value.as_str()?.to_lowercase())),
    }
}

/// A number as JSON: whole ones as integers, so that they print as such.
#[must_use]
pub fn number(n: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    if n.fract() == 0.0 && n.abs() < 9e15 {
        Value::from(n as i64)
    } else {
        Value::from(n)
    }
}

fn collect_texts<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|v| collect_texts(v, into)),
        Value::Object(members) => members.values().for_each(|v| collect_texts(v, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_star_stands_for_every_element_that_has_the_member() {
        let message = json!({ "content": [{ "text": "a" }, { "id": "t" }, { "text": "b" }] });
        let found = |pointer| at(Cow::Borrowed(&message), pointer).map(Cow::into_owned);

        assert_eq!(found("/content/*/text"), Some(json!(["a", "b"])));
        assert_eq!(found("/none/*/text"), None);
        let nested = json!({ "messages": [message.clone(), {}, message] });
        let nested = at(Cow::Borrowed(&nested), "/messages/*/content/*/id");
        assert_eq!(nested.map(Cow::into_owned), Some(json!([["t"], ["t"]])));
    }

    #[test]
    fn lists_are_multiplied_joined_and_rid_of_repeats() {
        let applied = |function, value| call(function, &value);

        assert_eq!(
            applied(Function::Product, json!([3, 0.5])),
            Some(json!(1.5))
        );
        assert_eq!(applied(Function::Product, json!([3, "x"])), None);
        assert_eq!(
            applied(Function::Join, json!(["a", "b"])),
            Some(json!("ab"))
        );
        let repeats = json!([{ "a": 1, "b": 2 }, { "a": 1, "b": 2 }, "x"]);
        let once = applied(Function::Distinct, repeats).unwrap();
        assert_eq!(once.as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn a_text_is_trimmed_and_lowered_and_nothing_else_is() {
        let applied = |function, value| call(function, &value);

        assert_eq!(
            applied(Function::Trim, json!(" a b\n\n")),
            Some(json!("a b"))
        );
        assert_eq!(applied(Function::Lower, json!("Ab")), Some(json!("ab")));
        assert_eq!(applied(Function::Trim, json!(7)), None);
    }
}
