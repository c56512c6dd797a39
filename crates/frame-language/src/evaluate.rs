//! Evaluation of conditions, in three-valued logic: a state variable may have several possible values, and a condition is true only if it
//! is true for all of them.

use crate::compare::compare;
use crate::condition::{Compare, Condition, Operand};
use crate::pattern::Atom;
use crate::truth::Truth;
use serde_json::Value;
use std::borrow::Cow;

/// What conditions are evaluated against: a frame, and the history before it.
#[derive(Clone, Copy)]
pub struct EvalContext<'a, H> {
    /// The frame's JSON.
    pub value: &'a Value,
    /// What is known of earlier frames.
    pub history: H,
}

/// The history that conditions can ask about, besides the frame. `()` is an empty history.
pub trait History: Copy {
    /// Whether a condition about the history as such holds; `None` for one that compares values.
    fn holds(self, condition: &Condition, context: &EvalContext<'_, Self>) -> Option<Truth>;

    /// The possible values of an operand that is not part of the frame.
    fn values<'v>(self, operand: &'v Operand, context: &EvalContext<'v, Self>) -> Values<'v>
    where
        Self: 'v;

    /// Whether nothing is known about a state variable.
    fn is_unknown(self, var: usize) -> bool;
}

impl History for () {
    fn holds(self, _: &Condition, _: &EvalContext<'_, Self>) -> Option<Truth> {
        None
    }

    fn values<'v>(self, _: &'v Operand, _: &EvalContext<'v, Self>) -> Values<'v>
    where
        Self: 'v,
    {
        Values::One(None)
    }

    fn is_unknown(self, _: usize) -> bool {
        true
    }
}

/// The possible values of an operand; `None` where it is missing.
pub enum Values<'v> {
    /// There is only this one.
    One(Option<Cow<'v, Value>>),
    /// It is one of these.
    Many(Vec<Option<Cow<'v, Value>>>),
}

impl<'v> Values<'v> {
    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Option<Cow<'v, Value>>> {
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

impl<'a, H: History> EvalContext<'a, H> {
    /// Whether the guards of an atom are true.
    pub fn holds_all(&self, atom: &Atom) -> Truth {
        Truth::all(atom.guards.iter().map(|guard| self.holds(guard)))
    }

    /// Whether a condition is true.
    pub fn holds(&self, condition: &Condition) -> Truth {
        if let Some(truth) = self.history.holds(condition, self) {
            return truth;
        }
        match condition {
            // A history without it.
            Condition::Seen(_) => Truth::Unknown,
            Condition::All(each) => Truth::all(each.iter().map(|c| self.holds(c))),
            Condition::Any(each) => Truth::any(each.iter().map(|c| self.holds(c))),
            Condition::Not(inner) => self.holds(inner).negate(),
            Condition::Compare {
                left: Operand::Pointer(pointer),
                how: Compare::Equal,
                right: Operand::Literal(Value::Null),
                ..
            } => pointer.is_null(self.value).into(),
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
            Condition::Matches(operand, pattern) => self.each(operand, |v| {
                v.as_str()
                    .map_or(Truth::Unknown, |t| pattern.is_match(t).into())
            }),
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
                        history: self.history,
                    }
                    .holds(inner)
                })),
                None => Truth::Unknown,
            }),
        }
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
            Operand::State(var) | Operand::Entry(var, _) => self.history.is_unknown(*var),
            Operand::Call(_, inner) | Operand::At(inner, _) => self.is_unknown(inner),
            Operand::List(all) => all.iter().any(|one| self.is_unknown(one)),
            _ => false,
        }
    }

    /// The value of an operand, if there is only one possible value.
    pub fn value<'v>(&self, operand: &'v Operand) -> Option<Cow<'v, Value>>
    where
        'a: 'v,
        H: 'v,
    {
        match self.values(operand) {
            Values::One(value) => value,
            Values::Many(mut values) if values.len() == 1 => values.remove(0),
            Values::Many(_) => None,
        }
    }

    /// The possible values of an operand.
    pub fn values<'v>(&self, operand: &'v Operand) -> Values<'v>
    where
        'a: 'v,
        H: 'v,
    {
        match operand {
            Operand::Literal(value) => Values::One(Some(Cow::Borrowed(value))),
            Operand::Pointer(pointer) => Values::One(pointer.resolve(Cow::Borrowed(self.value))),
            Operand::Fold | Operand::Time | Operand::State(_) | Operand::Entry(..) => {
                self.history.values(operand, self)
            }
            Operand::At(inner, pointer) => self.values(inner).and_then(|v| pointer.resolve(v)),
            Operand::Call(function, inner) => self
                .values(inner)
                .and_then(|v| function.apply(&v).map(Cow::Owned)),
            Operand::List(all) => {
                let values = all.iter().map(|one| self.value(one).map(Cow::into_owned));
                let values = values.collect::<Option<Vec<_>>>();
                Values::One(values.map(|v| Cow::Owned(Value::Array(v))))
            }
        }
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
