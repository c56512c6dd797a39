//! The context in which rules evaluate a condition on a frame: the state before it, and what came earlier in its slice.

use super::state_variable::Variable;
use super::symbol::FrameSymbols;
use super::variable_content::VariableContent;
use frame_language::{Compare, Condition, History, Operand, Truth, Values, canonical, compare};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

/// What the conditions of rules are evaluated against.
pub type EvalContext<'a> = frame_language::EvalContext<'a, Known<'a>>;

/// The facts about the frame that are not in its JSON.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The frame's symbols.
    pub symbols: &'a FrameSymbols,
    /// When it came, in microseconds since the spawn.
    pub at: u64,
    /// The state variables as they were before the frame.
    pub variables: &'a [Variable],
    /// Bit n: a frame that matches the rule's `seen` pattern n came earlier in the slice.
    pub seen: u64,
    /// Bit n: the history cannot show frames of `seen` pattern n (no commands were recorded).
    pub unobservable: u64,
    /// The rule's fold in this slice.
    pub fold: Option<&'a Value>,
}

impl<'a> Known<'a> {
    /// The context of a frame alone, with the state before it.
    #[inline]
    pub fn context(
        symbols: &'a FrameSymbols,
        at: u64,
        value: &'a Value,
        variables: &'a [Variable],
    ) -> EvalContext<'a> {
        let history = Known {
            symbols,
            at,
            variables,
            seen: 0,
            unobservable: 0,
            fold: None,
        };
        EvalContext { value, history }
    }

    /// Whether a variable is, or is not, this value. A variable without a value differs from every value, which is known: if it were
    /// unknown, a change guarded by it would make another variable unknown.
    fn equals_literal(self, var: usize, how: Compare, literal: &Value) -> Truth {
        let contents = self.variables[var].possible_contents();
        Truth::over_possibilities(contents.iter().map(|content| {
            if content.is_nothing() {
                return (how == Compare::NotEqual).into();
            }
            let value = content.to_value();
            value.map_or(Truth::Unknown, |value| compare(&value, how, literal, &[]))
        }))
    }

    fn is_member(self, lefts: &Values<'_>, var: usize) -> Truth {
        let contents = self.variables[var].possible_contents();
        Truth::over_possibilities(contents.iter().flat_map(|content| {
            lefts.iter().map(move |l| match (l, content) {
                (Some(l), VariableContent::Set(set)) => set.contains(&canonical(l)).into(),
                (Some(l), VariableContent::Map(_) | VariableContent::PartOfMap(_)) => content
                    .has_entry(&canonical(l))
                    .map_or(Truth::Unknown, Truth::from),
                (Some(l), other) => other
                    .to_value()
                    .map_or(Truth::Unknown, |v| compare(l, Compare::In, &v, &[])),
                (None, _) => Truth::Unknown,
            })
        }))
    }

    /// The value of each possible content of a variable.
    fn contents(
        self,
        var: usize,
        read: impl Fn(&VariableContent) -> Option<Cow<'_, Value>>,
    ) -> Values<'a> {
        match self.variables[var].possible_contents() {
            Cow::Borrowed([only]) => Values::One(read(only)),
            contents => {
                let each = contents.iter();
                let each = each.map(|content| read(content).map(|v| Cow::Owned(v.into_owned())));
                Values::Many(each.collect())
            }
        }
    }
}

impl History for Known<'_> {
    fn holds(self, condition: &Condition, context: &EvalContext<'_>) -> Option<Truth> {
        Some(match condition {
            Condition::Seen(n) if self.seen & (1 << n) != 0 => Truth::True,
            Condition::Seen(n) if self.unobservable & (1 << n) != 0 => Truth::Unknown,
            Condition::Seen(_) => Truth::False,
            Condition::Compare {
                left,
                how: how @ (Compare::In | Compare::NotIn),
                right: Operand::State(var),
                ..
            } => {
                let is_member = self.is_member(&context.values(left), *var);
                match how {
                    Compare::In => is_member,
                    _ => is_member.negate(),
                }
            }
            Condition::Compare {
                left: Operand::State(var),
                how: how @ (Compare::Equal | Compare::NotEqual),
                right: Operand::Literal(literal),
                ..
            } => self.equals_literal(*var, *how, literal),
            Condition::Present(Operand::Entry(var, key)) if self.is_unknown(*var) => {
                let key = context.value(key).map(|key| canonical(&key));
                let contents = self.variables[*var].possible_contents();
                Truth::over_possibilities(contents.iter().map(|content| {
                    let known = key.as_ref().and_then(|key| content.has_entry(key));
                    known.map_or(Truth::Unknown, Truth::from)
                }))
            }
            Condition::Present(Operand::State(var)) if !self.is_unknown(*var) => {
                let contents = self.variables[*var].possible_contents();
                Truth::over_possibilities(contents.iter().map(|c| (!c.is_nothing()).into()))
            }
            _ => return None,
        })
    }

    fn values<'v>(self, operand: &'v Operand, context: &EvalContext<'v>) -> Values<'v>
    where
        Self: 'v,
    {
        match operand {
            Operand::State(var) => self.contents(*var, VariableContent::to_value),
            Operand::Entry(var, key) => {
                let Some(key) = context.value(key) else {
                    return Values::One(None);
                };
                let key = canonical(&key);
                self.contents(*var, |content| match content {
                    VariableContent::Map(map) => map.get(&key).map(Cow::Borrowed),
                    VariableContent::PartOfMap(map) => map.get(&key)?.as_ref().map(Cow::Borrowed),
                    _ => None,
                })
            }
            // A capture without times has none.
            Operand::Time => Values::One((self.at > 0).then(|| {
                let seconds = Duration::from_micros(self.at).as_secs_f64();
                Cow::Owned(seconds.into())
            })),
            _ => Values::One(self.fold.map(Cow::Borrowed)),
        }
    }

    fn is_unknown(self, var: usize) -> bool {
        let contents = self.variables[var].possible_contents();
        let mut contents = contents.iter();
        contents.any(|content| {
            matches!(
                content,
                VariableContent::Unknown | VariableContent::PartOfMap(_)
            )
        })
    }
}
