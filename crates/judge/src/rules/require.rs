//! Require rules (`require` and `exit`): a condition holds whenever a frame comes. With `fold`, a value is collected from earlier frames.

use super::eval_context::{EvalContext, Known};
use super::frame_context::FrameContext;
use super::frame_pattern::{FramePattern, symbols_of};
use super::monitor::{Moment, Monitor};
use super::slices::{SliceKey, Slices};
use super::symbol::SymbolSet;
use super::variable_content::MAX_TEXT;
use crate::finding::{Expected, Facts, Finding, Origin};
use frame_language::{Condition, Operand, Truth, number};
use serde_json::Value;
use spanned_yaml::last_step;
use std::sync::Arc;

/// A require rule.
#[derive(Debug, Clone)]
pub struct RequireRule {
    /// The frames that are checked.
    pub on: FramePattern,
    /// What must hold. It is a violation only if it certainly does not hold.
    pub that: Condition,
    /// What the requirement asks of the frame.
    pub expected: Vec<Expected>,
    /// The first sentence of the rule's `doc`: what it requires, for a finding of a rule without `message`.
    pub summary: Option<String>,
    /// The patterns of the `seen` conditions, by index.
    pub seen: Vec<FramePattern>,
    /// The value collected in the slice.
    pub fold: Option<Fold>,
}

/// A value collected over the frames of a slice; conditions read it as `$fold`.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The frames that have a part of it.
    pub on: FramePattern,
    /// The part in each frame.
    pub what: Operand,
    /// How the parts are combined.
    pub how: FoldMethod,
    /// Its value while no frame has come.
    pub empty: Value,
}

/// How a fold combines values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldMethod {
    /// Texts joined.
    Concat,
    /// Numbers added up.
    Sum,
}

impl RequireRule {
    /// The alphabet: the symbols of the frames that matter.
    pub fn symbols(&self) -> SymbolSet {
        let fold = self.fold.iter().map(|fold| &fold.on);
        symbols_of(self.seen.iter().chain(fold).chain([&self.on]))
    }

    /// A monitor. A `seen` condition is unknown if the history cannot show its frames.
    pub fn monitor(self: &Arc<Self>, unobservable: &SymbolSet) -> Box<dyn Monitor> {
        let bits = self
            .seen
            .iter()
            .enumerate()
            .filter(|(_, p)| p.symbols().intersects(unobservable));
        Box::new(RequireMonitor {
            rule: Arc::clone(self),
            unobservable: bits.fold(0, |bits, (n, _)| bits | 1 << n),
            fold_unobservable: self
                .fold
                .as_ref()
                .is_some_and(|f| f.on.symbols().intersects(unobservable)),
            slices: Slices::default(),
            exercised: 0,
        })
    }
}

#[derive(Debug, Clone, Default)]
struct RequireSlice {
    seen: u64,
    fold: Option<Value>,
    lost: bool,
}

#[derive(Clone)]
struct RequireMonitor {
    rule: Arc<RequireRule>,
    unobservable: u64,
    fold_unobservable: bool,
    slices: Slices<RequireSlice>,
    exercised: u64,
}

impl Monitor for RequireMonitor {
    fn on_frame(&mut self, key: Option<&SliceKey>, at: &mut Moment<'_>) {
        let (config, context) = (at.config, at.context);
        let require = &*self.rule;
        let Some(key) = key else {
            return;
        };
        let remembers = !require.seen.is_empty() || require.fold.is_some();
        let fresh = RequireSlice::default();
        let known = if remembers {
            self.slices.get(key)
        } else {
            None
        };
        let slice = known.unwrap_or(&fresh);
        let EvalContext { value, history } = context.eval_context();
        let history = Known {
            seen: slice.seen,
            unobservable: self.unobservable,
            fold: require
                .fold
                .as_ref()
                .filter(|_| !slice.lost && !self.fold_unobservable)
                .map(|fold| slice.fold.as_ref().unwrap_or(&fold.empty)),
            ..history
        };
        let eval = EvalContext { value, history };
        if require.on.matches(&eval) == Truth::True
            && config
                .when
                .as_ref()
                .is_none_or(|when| eval.holds(when) == Truth::True)
        {
            match eval.holds(&require.that) {
                Truth::True => self.exercised += 1,
                Truth::Unknown => {}
                Truth::False => {
                    self.exercised += 1;
                    let places = require.that.pointers();
                    at.out.push(Finding {
                        blame: config.blame.unwrap_or(context.blame),
                        origin: Origin::of_part(key.part()),
                        message: config.violation_message(&eval, || {
                            let name = context.frame_name();
                            match &require.summary {
                                Some(summary) => format!("`{name}` breaks this: {summary}"),
                                None => format!("`{name}` does not hold what is required of it"),
                            }
                        }),
                        expected: require.expected.clone(),
                        pointer: places.first().copied().unwrap_or_default().to_owned(),
                        facts: Facts {
                            members: places.iter().map(|at| last_step(at)).collect(),
                            ..Facts::default()
                        },
                        ..Finding::default()
                    });
                }
            }
        }
        if remembers {
            let slice = self.slices.entry(key, RequireSlice::default);
            for (n, pattern) in require.seen.iter().enumerate() {
                match context.matches(pattern) {
                    Truth::True => slice.seen |= 1 << n,
                    Truth::Unknown => self.unobservable |= 1 << n,
                    Truth::False => {}
                }
            }
            if let Some(fold) = &require.fold
                && context.matches(&fold.on) != Truth::False
            {
                slice.fold(fold, &context);
            }
        }
    }

    fn on_scope_closed(&mut self, _: bool, _: &mut Moment<'_>) {
        self.slices = Slices::default();
    }

    fn exercised(&self) -> u64 {
        self.exercised
    }
}

impl RequireSlice {
    fn fold(&mut self, fold: &Fold, context: &FrameContext<'_>) {
        let Some(value) = context.eval_context().value(&fold.what) else {
            self.lost = true;
            return;
        };
        match (fold.how, &mut self.fold, &*value) {
            (FoldMethod::Concat, Some(Value::String(joined)), Value::String(text)) => {
                joined.push_str(text);
                self.lost |= joined.len() > MAX_TEXT;
            }
            (FoldMethod::Concat, fold @ None, Value::String(text)) => {
                *fold = Some(Value::String(text.clone()))
            }
            (FoldMethod::Sum, fold, Value::Number(n)) => {
                let sum = fold.as_ref().and_then(Value::as_f64).unwrap_or(0.0);
                *fold = Some(number(sum + n.as_f64().unwrap_or(0.0)));
            }
            _ => self.lost = true,
        }
    }
}
