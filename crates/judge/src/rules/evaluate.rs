//! Evaluation of conditions, in three-valued logic: a state variable may have several possible values, and a condition is true only if it
//! is true for all of them.

use super::compare::compare;
use super::condition::{Compare, Condition, Function, Operand};
use super::frame_pattern::{Atom, FramePattern};
use super::state_variable::Variable;
use super::symbol::FrameSymbols;
use super::truth::Truth;
use super::variable_content::{VariableContent, canonical};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// What conditions are evaluated against.
#[derive(Clone, Copy)]
pub struct EvalContext<'a> {
    /// The frame's symbols.
    pub symbols: &'a FrameSymbols,
    /// The frame's JSON.
    pub value: &'a Value,
    /// The state variables as they were before the frame.
    pub variables: &'a [Variable],
    /// Bit n: a frame that matches the rule's `seen` pattern n came earlier in the slice.
    pub seen: u64,
    /// Bit n: the history cannot show frames of `seen` pattern n (no commands were recorded).
    pub unobservable: u64,
    /// The rule's fold in this slice.
    pub fold: Option<&'a Value>,
}

/// The possible values of an operand; `None` where it is missing.
enum Values<'v> {
    One(Option<Cow<'v, Value>>),
    Many(Vec<Option<Cow<'v, Value>>>),
}

impl<'v> Values<'v> {
    fn iter(&self) -> std::slice::Iter<'_, Option<Cow<'v, Value>>> {
        match self {
            Values::One(value) => std::slice::from_ref(value).iter(),
            Values::Many(values) => values.iter(),
        }
    }

    fn and_then(self, then: impl Fn(Cow<'v, Value>) -> Option<Cow<'v, Value>>) -> Self {
        match self {
            Values::One(value) => Values::One(value.and_then(then)),
            Values::Many(values) => {
                let each = values.into_iter().map(|value| value.and_then(&then));
                Values::Many(each.collect())
            }
        }
    }
}

impl<'a> EvalContext<'a> {
    /// The context of a frame alone, with the state before it.
    pub fn new(symbols: &'a FrameSymbols, value: &'a Value, variables: &'a [Variable]) -> Self {
        EvalContext {
            symbols,
            value,
            variables,
            seen: 0,
            unobservable: 0,
            fold: None,
        }
    }

    /// Whether the frame matches a pattern.
    pub fn matches(&self, pattern: &FramePattern) -> Truth {
        let mut result = Truth::False;
        for atom in pattern.0.iter().filter(|atom| atom.names(self.symbols)) {
            match self.holds_all(atom) {
                Truth::True => return Truth::True,
                Truth::Unknown => result = Truth::Unknown,
                Truth::False => {}
            }
        }
        result
    }

    /// Whether the frame matches an atom.
    pub fn matches_atom(&self, atom: &Atom) -> Truth {
        if atom.names(self.symbols) {
            self.holds_all(atom)
        } else {
            Truth::False
        }
    }

    /// Whether the guards of an atom hold.
    pub fn holds_all(&self, atom: &Atom) -> Truth {
        Truth::all(atom.guards.iter().map(|guard| self.holds(guard)))
    }

    /// Whether a condition holds.
    pub fn holds(&self, condition: &Condition) -> Truth {
        match condition {
            Condition::All(each) => Truth::all(each.iter().map(|c| self.holds(c))),
            Condition::Any(each) => Truth::any(each.iter().map(|c| self.holds(c))),
            Condition::Not(inner) => self.holds(inner).negate(),
            Condition::Seen(n, _) if self.seen & (1 << n) != 0 => Truth::True,
            Condition::Seen(n, _) if self.unobservable & (1 << n) != 0 => Truth::Unknown,
            Condition::Seen(..) => Truth::False,
            Condition::Compare {
                left,
                how: Compare::In,
                right: Operand::State(var),
                ..
            } => self.is_member(left, *var),
            Condition::Compare {
                left,
                how: Compare::NotIn,
                right: Operand::State(var),
                ..
            } => self.is_member(left, *var).negate(),
            Condition::Compare {
                left: Operand::State(var),
                how: how @ (Compare::Equal | Compare::NotEqual),
                right: Operand::Literal(literal),
                ..
            } => self.equals_literal(*var, *how, literal),
            Condition::Compare {
                left,
                how,
                right,
                except,
            } => {
                let (left, right) = (self.values(left), self.values(right));
                Truth::over_possibilities(left.iter().flat_map(|l| {
                    right.iter().map(move |r| match (l, r) {
                        (Some(l), Some(r)) => compare(l, *how, r, except),
                        _ => Truth::Unknown,
                    })
                }))
            }
            Condition::Matches(operand, regex) => self.each(operand, |v| {
                v.as_str()
                    .map_or(Truth::Unknown, |t| regex.is_match(t).into())
            }),
            Condition::Present(Operand::State(var)) => {
                let contents = self.variables[*var].possible_contents();
                if contents
                    .iter()
                    .any(|c| matches!(c, VariableContent::Unknown))
                {
                    return Truth::Unknown;
                }
                Truth::over_possibilities(contents.iter().map(|c| (!c.is_nothing()).into()))
            }
            Condition::Present(operand) => {
                if self.is_unknown(operand) {
                    return Truth::Unknown;
                }
                Truth::over_possibilities(self.values(operand).iter().map(|v| v.is_some().into()))
            }
            Condition::Empty(operand) => self.each(operand, |v| is_empty(v).into()),
            Condition::Every(operand, inner) => self.each(operand, |list| match list.as_array() {
                Some(items) => Truth::all(items.iter().map(|item| {
                    EvalContext {
                        value: item,
                        ..*self
                    }
                    .holds(inner)
                })),
                None => Truth::Unknown,
            }),
        }
    }

    /// Whether a variable is, or is not, this value. One without a value is none of all values, which is known: if it were unknown, a
    /// change guarded by it would make another variable unknown.
    fn equals_literal(&self, var: usize, how: Compare, literal: &Value) -> Truth {
        let contents = self.variables[var].possible_contents();
        Truth::over_possibilities(contents.iter().map(|content| {
            if content.is_nothing() {
                return (how == Compare::NotEqual).into();
            }
            let value = content.to_value();
            value.map_or(Truth::Unknown, |value| compare(&value, how, literal, &[]))
        }))
    }

    fn each(&self, operand: &Operand, ask: impl Fn(&Value) -> Truth) -> Truth {
        Truth::over_possibilities(
            self.values(operand)
                .iter()
                .map(|v| v.as_ref().map_or(Truth::Unknown, |v| ask(v))),
        )
    }

    fn is_unknown(&self, operand: &Operand) -> bool {
        match operand {
            Operand::State(var) | Operand::Entry(var, _) => self.variables[*var]
                .possible_contents()
                .iter()
                .any(|c| matches!(c, VariableContent::Unknown)),
            Operand::Call(_, inner) | Operand::At(inner, _) => self.is_unknown(inner),
            Operand::List(all) => all.iter().any(|one| self.is_unknown(one)),
            _ => false,
        }
    }

    fn is_member(&self, left: &Operand, var: usize) -> Truth {
        let lefts = self.values(left);
        Truth::over_possibilities(self.variables[var].possible_contents().iter().flat_map(
            |content| {
                lefts.iter().map(move |l| match (l, content) {
                    (Some(l), VariableContent::Set(set)) => set.contains(&canonical(l)).into(),
                    (Some(l), VariableContent::Map(map)) => map.contains_key(&canonical(l)).into(),
                    (Some(l), other) => other
                        .to_value()
                        .map_or(Truth::Unknown, |v| compare(l, Compare::In, &v, &[])),
                    (None, _) => Truth::Unknown,
                })
            },
        ))
    }

    /// The value of an operand, if there is only one possible value.
    pub fn value<'v>(&self, operand: &'v Operand) -> Option<Cow<'v, Value>>
    where
        'a: 'v,
    {
        match self.values(operand) {
            Values::One(value) => value,
            Values::Many(mut values) if values.len() == 1 => values.remove(0),
            Values::Many(_) => None,
        }
    }

    fn values<'v>(&self, operand: &'v Operand) -> Values<'v>
    where
        'a: 'v,
    {
        match operand {
            Operand::Literal(value) => Values::One(Some(Cow::Borrowed(value))),
            Operand::Pointer(pointer) => Values::One(pointer.resolve(Cow::Borrowed(self.value))),
            Operand::Fold => Values::One(self.fold.map(Cow::Borrowed)),
            Operand::State(var) => self.contents(*var, VariableContent::to_value),
            Operand::Entry(var, key) => self.entry(*var, key),
            Operand::At(inner, pointer) => self.values(inner).and_then(|v| pointer.resolve(v)),
            Operand::Call(function, inner) => self
                .values(inner)
                .and_then(|v| call(*function, &v).map(Cow::Owned)),
            Operand::List(all) => {
                let values = all.iter().map(|one| self.value(one).map(Cow::into_owned));
                let values = values.collect::<Option<Vec<_>>>();
                Values::One(values.map(|v| Cow::Owned(Value::Array(v))))
            }
        }
    }

    /// What each possible content of a variable reads as.
    fn contents<'v>(
        &self,
        var: usize,
        read: impl Fn(&VariableContent) -> Option<Cow<'_, Value>>,
    ) -> Values<'v>
    where
        'a: 'v,
    {
        match self.variables[var].possible_contents() {
            Cow::Borrowed([only]) => Values::One(read(only)),
            contents => {
                let each = contents.iter();
                let each = each.map(|content| read(content).map(|v| Cow::Owned(v.into_owned())));
                Values::Many(each.collect())
            }
        }
    }

    fn entry<'v>(&self, var: usize, key: &'v Operand) -> Values<'v>
    where
        'a: 'v,
    {
        let Some(key) = self.value(key) else {
            return Values::One(None);
        };
        let key = canonical(&key);
        self.contents(var, |content| match content {
            VariableContent::Map(map) => map.get(&key).map(Cow::Borrowed),
            _ => None,
        })
    }
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
    }
}

/// A number as JSON; a whole number becomes an integer, so that it prints as one.
pub fn number(n: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    if n.fract() == 0.0 && n.abs() < 9e15 {
        Value::from(n as i64)
    } else {
        Value::from(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_are_multiplied_joined_and_deduplicated() {
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
    fn a_text_is_trimmed_and_nothing_else_is() {
        let applied = |function, value| call(function, &value);

        assert_eq!(
            applied(Function::Trim, json!(" a b\n\n")),
            Some(json!("a b"))
        );
        assert_eq!(applied(Function::Trim, json!(7)), None);
    }
}
