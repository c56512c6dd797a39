//! The forms `require` and `exit`, and `fold` before them: something holds whenever a frame comes.

use super::cond::{Cond, Operand};
use super::eval::{Cx, number};
use super::moment::Moment;
use super::parse::Pattern;
use super::rule::{Ending, Form, Monitor, Rule, Violation};
use super::slices::{Key, Slices};
use super::state::MAX_TEXT;
use super::symbol::SymSet;
use super::tri::Tri;
use serde_json::Value;

/// A requirement.
#[derive(Debug, Clone)]
pub struct Require {
    /// The frames it is asked of.
    pub on: Pattern,
    /// Asked only where this certainly holds.
    pub when: Option<Cond>,
    /// What must hold; a finding only where it certainly does not.
    pub require: Cond,
    /// The requirement as written.
    pub source: Vec<String>,
    /// The patterns of `seen` conditions, by their number.
    pub seen: Vec<Pattern>,
    /// What is gathered in the slice before.
    pub fold: Option<Fold>,
}

/// What a rule gathers over the frames of a slice, read as `$fold`.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The frames gathered.
    pub on: Pattern,
    /// What of each.
    pub what: Operand,
    /// How they are put together.
    pub how: Gather,
}

/// How a fold puts values together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gather {
    /// Texts joined.
    Concat,
    /// Values in a list.
    List,
    /// Numbers added up.
    Sum,
    /// The newest value.
    Last,
}

/// The names of [`Gather`], as written in a rule.
pub const GATHERS: &[(&str, Gather)] = &[
    ("concat", Gather::Concat),
    ("list", Gather::List),
    ("sum", Gather::Sum),
    ("last", Gather::Last),
];

impl Require {
    /// The symbols of the frames that matter.
    #[must_use]
    pub fn symbols(&self) -> SymSet {
        let mut all = self.on.symbols();
        for pattern in self.seen.iter().chain(self.fold.iter().map(|f| &f.on)) {
            all.extend(&pattern.symbols());
        }
        all
    }

    /// A monitor. `seen` patterns over frames that the history cannot hold are unknown.
    #[must_use]
    pub fn monitor(&self, blind: &SymSet) -> Box<dyn Monitor> {
        let bits = self
            .seen
            .iter()
            .enumerate()
            .filter(|(_, p)| p.symbols().meets(blind));
        Box::new(RequireMonitor {
            blind: bits.fold(0, |bits, (n, _)| bits | 1 << n),
            fold_blind: self
                .fold
                .as_ref()
                .is_some_and(|f| f.on.symbols().meets(blind)),
            slices: Slices::default(),
            exercised: 0,
        })
    }
}

#[derive(Debug, Clone, Default)]
struct Slice {
    seen: u64,
    fold: Option<Value>,
    lost: bool,
}

#[derive(Clone)]
struct RequireMonitor {
    blind: u64,
    fold_blind: bool,
    slices: Slices<Slice>,
    exercised: u64,
}

impl Monitor for RequireMonitor {
    fn fork(&self) -> Box<dyn Monitor> {
        Box::new(self.clone())
    }

    fn frame(
        &mut self,
        rule: &Rule,
        key: Option<&Key>,
        moment: &Moment<'_>,
        out: &mut Vec<Violation>,
    ) {
        let Form::Require(require) = &rule.form else {
            return;
        };
        let Some(key) = key else {
            return;
        };
        let remembers = !require.seen.is_empty() || require.fold.is_some();
        let fresh = Slice::default();
        let slice = self.slices.get(key).unwrap_or(&fresh);
        let cx = Cx {
            seen: slice.seen,
            blind: self.blind,
            fold: slice
                .fold
                .as_ref()
                .filter(|_| !slice.lost && !self.fold_blind),
            ..moment.cx()
        };
        if cx.matches(&require.on) == Tri::True
            && require
                .when
                .as_ref()
                .is_none_or(|when| cx.holds(when) == Tri::True)
        {
            match cx.holds(&require.require) {
                Tri::True => self.exercised += 1,
                Tri::Unknown => {}
                Tri::False => {
                    self.exercised += 1;
                    out.push(Violation {
                        blame: rule.blame.unwrap_or(moment.blame),
                        key: key.text().to_owned(),
                        message: rule.say(moment, || {
                            format!("`{}` does not hold what is required of it", moment.name())
                        }),
                        expected: require.source.clone(),
                        pointer: first_pointer(&require.require).unwrap_or_default(),
                    });
                }
            }
        }
        if remembers {
            let slice = self.slices.entry(key, Slice::default);
            for (n, pattern) in require.seen.iter().enumerate() {
                match moment.is(pattern) {
                    Tri::True => slice.seen |= 1 << n,
                    Tri::Unknown => self.blind |= 1 << n,
                    Tri::False => {}
                }
            }
            if let Some(fold) = &require.fold
                && moment.is(&fold.on) != Tri::False
            {
                slice.gather(fold, moment);
            }
        }
    }

    fn scope_closed(&mut self, _: &Rule, _: &Moment<'_>, _: bool, _: &mut Vec<Violation>) {
        self.slices = Slices::default();
    }

    fn end(&mut self, _: &Rule, _: &Moment<'_>, _: Ending, _: &mut Vec<Violation>) {}

    fn exercised(&self) -> u64 {
        self.exercised
    }
}

impl Slice {
    fn gather(&mut self, fold: &Fold, moment: &Moment<'_>) {
        let Some(value) = moment.cx().value(&fold.what) else {
            self.lost = true;
            return;
        };
        match (fold.how, &mut self.fold, &*value) {
            (Gather::Last, fold, value) => *fold = Some(value.clone()),
            (Gather::Concat, Some(Value::String(joined)), Value::String(text)) => {
                joined.push_str(text);
                self.lost |= joined.len() > MAX_TEXT;
            }
            (Gather::Concat, fold @ None, Value::String(text)) => {
                *fold = Some(Value::String(text.clone()))
            }
            (Gather::List, Some(Value::Array(list)), value) => list.push(value.clone()),
            (Gather::List, fold @ None, value) => *fold = Some(Value::Array(vec![value.clone()])),
            (Gather::Sum, fold, Value::Number(n)) => {
                let sum = fold.as_ref().and_then(Value::as_f64).unwrap_or(0.0);
                *fold = Some(number(sum + n.as_f64().unwrap_or(0.0)));
            }
            _ => self.lost = true,
        }
    }
}

/// The first place in the frame that a condition looks at.
#[must_use]
pub fn first_pointer(cond: &Cond) -> Option<String> {
    let of = |operand: &Operand| match operand {
        Operand::Pointer(pointer) => Some(pointer.plain().to_owned()),
        Operand::Call(_, inner) => match &**inner {
            Operand::Pointer(pointer) => Some(pointer.plain().to_owned()),
            _ => None,
        },
        _ => None,
    };
    match cond {
        Cond::All(each) | Cond::Any(each) => each.iter().find_map(first_pointer),
        Cond::Not(inner) => first_pointer(inner),
        Cond::Compare { left, right, .. } => of(left).or_else(|| of(right)),
        Cond::Matches(operand, _)
        | Cond::Present(operand)
        | Cond::Empty(operand)
        | Cond::Every(operand, _) => of(operand),
        Cond::Seen(..) => None,
    }
}
