//! Order rules: the frames of each slice match a regular expression.

use super::automaton::{Automaton, PositionSet, START, positions};
use super::frame_context::FrameContext;
use super::frame_pattern::{Atom, FramePattern, symbols_of};
use super::monitor::{EndCircumstances, Moment, Monitor};
use super::slices::{SliceKey, Slices};
use super::symbol::SymbolSet;
use super::wording::{expecting, list};
use crate::finding::{Blame, Difference, DifferenceKind, Finding, Origin};
use conform_dialect::ordering::file::AtEnd;
use frame_language::{Condition, Truth};
use std::sync::Arc;

/// An order rule.
#[derive(Debug, Clone)]
pub struct OrderRule {
    /// The expression.
    pub automaton: Automaton,
    /// As written.
    pub source: String,
    /// Frames that count although the expression need not name them: they may come only where it does.
    pub alphabet: FramePattern,
    /// Frames after which an unfinished slice is not a violation. A wrong order still is one.
    pub unless: FramePattern,
    /// Frames after which the slice is no longer checked.
    pub disable_on: FramePattern,
    /// The kinds of end of a session at which every slice must be finished.
    pub at_end: AtEnd,
    /// The end of a session by timeout or on request counts only if this certainly holds.
    pub timeout_if: Option<Condition>,
}

impl OrderRule {
    /// The alphabet: the symbols of the frames that matter.
    pub fn symbols(&self) -> SymbolSet {
        let mut all = self.automaton.symbols();
        let others = [&self.alphabet, &self.unless, &self.disable_on];
        all.extend(&symbols_of(others));
        all
    }

    /// A monitor; none if the history cannot show frames that the expression names.
    pub fn monitor(self: &Arc<Self>, unobservable: &SymbolSet) -> Option<Box<dyn Monitor>> {
        if self.automaton.symbols().intersects(unobservable) {
            return None;
        }
        Some(Box::new(OrderMonitor {
            rule: Arc::clone(self),
            slices: Slices::default(),
            excuse_new: false,
            exercised: 0,
        }))
    }
}

#[derive(Debug, Clone, Copy)]
struct OrderSlice {
    state: PositionSet,
    excused: bool,
    last: u64,
}

#[derive(Clone)]
struct OrderMonitor {
    rule: Arc<OrderRule>,
    slices: Slices<OrderSlice>,
    excuse_new: bool,
    exercised: u64,
}

const DEAD: PositionSet = 0;

impl OrderMonitor {
    fn report_unfinished(&mut self, end: bool, at: &mut Moment<'_>) {
        let (config, context) = (at.config, at.context);
        let order = &*self.rule;
        for (key, slice) in self.slices.drain() {
            if slice.state == DEAD || slice.excused || order.automaton.accepts(slice.state) {
                continue;
            }
            let expected = order.automaton.missing(slice.state);
            let place = if end {
                "the session ended".to_owned()
            } else {
                format!("`{}` came", context.frame_name())
            };
            let message = format!(
                "{place} before {} came after frame {}",
                list(&expected),
                slice.last
            );
            at.out.push(Finding {
                blame: config.blame.unwrap_or(Blame::Agent),
                origin: Origin::of_part(key.part()),
                message: config.violation_message(&context.eval_context(), || message),
                difference: Difference::of_kind(DifferenceKind::Absent),
                ..expecting(&expected)
            });
        }
    }
}

impl Monitor for OrderMonitor {
    fn on_frame(&mut self, key: Option<&SliceKey>, at: &mut Moment<'_>) {
        let (config, context) = (at.config, at.context);
        let order = &*self.rule;
        if context.matches(&order.disable_on) != Truth::False {
            match key {
                Some(key) => self.slices.entry(key, || new_slice(false)).state = DEAD,
                None => self.slices.values_mut().for_each(|s| s.state = DEAD),
            }
            return;
        }
        if context.matches(&order.unless) != Truth::False {
            self.excuse_new = !config.scopes.is_empty();
            if config.each.is_empty() {
                // The one slice of the session has begun with it, even if nothing of it has come.
                self.slices.entry(&SliceKey::new(""), || new_slice(false));
            }
            self.slices.values_mut().for_each(|s| s.excused = true);
        }
        let Some(key) = key else {
            return;
        };
        let state = self.slices.get(key).map_or(START, |slice| slice.state);
        if state == DEAD {
            return;
        }
        let eval = context.eval_context();
        let guard = config.when.as_ref().map_or(Truth::True, |c| eval.holds(c));
        if guard == Truth::False {
            return;
        }
        let candidates = order.automaton.candidates(context.symbols);
        let (mut next, mut relevant) = (DEAD, Truth::False);
        for position in positions(order.automaton.followers(state) & candidates) {
            let holds = eval
                .holds_all(&order.automaton.atom(position).written)
                .and(guard);
            if holds != Truth::False {
                next |= 1 << position;
            }
            if holds == Truth::True {
                relevant = Truth::True;
            }
        }
        if relevant == Truth::False {
            let named = positions(candidates)
                .map(|position| eval.holds_all(&order.automaton.atom(position).written));
            let alphabet = order
                .alphabet
                .atoms()
                .iter()
                .map(|atom| atom.matches(&eval));
            relevant = Truth::any(named.chain(alphabet)).and(guard);
        }
        match relevant {
            Truth::False => return,
            Truth::Unknown => next |= state,
            Truth::True => {}
        }
        self.exercised += 1;
        let excused = self.excuse_new;
        let slice = self.slices.entry(key, || new_slice(excused));
        if next == DEAD {
            let expected = order.automaton.expected(slice.state);
            let origin = Origin::of_part(key.part());
            at.out.push(Finding {
                blame: config.blame.unwrap_or(context.blame),
                message: config.violation_message(&eval, || {
                    unexpected(&context, &expected, &origin, slice.last)
                }),
                origin,
                difference: Difference::named(DifferenceKind::Unexpected, context.frame_name()),
                ..expecting(&expected)
            });
        }
        slice.state = next;
        slice.last = context.n;
    }

    fn on_scope_closed(&mut self, judge: bool, at: &mut Moment<'_>) {
        if judge {
            self.report_unfinished(false, at);
        }
        self.slices = Slices::default();
        self.excuse_new = false;
    }

    fn on_end(&mut self, end: EndCircumstances, at: &mut Moment<'_>) {
        let (config, context) = (at.config, at.context);
        let order = &*self.rule;
        if end.is_last_chance(order.at_end, &context, order.timeout_if.as_ref()) {
            if config.each.is_empty() {
                self.slices.entry(&SliceKey::new(""), || new_slice(false));
            }
            self.report_unfinished(true, at);
        }
    }

    fn exercised(&self) -> u64 {
        self.exercised
    }
}

fn new_slice(excused: bool) -> OrderSlice {
    OrderSlice {
        state: START,
        excused,
        last: 0,
    }
}

fn unexpected(
    context: &FrameContext<'_>,
    expected: &[&Atom],
    origin: &Origin,
    last: u64,
) -> String {
    let name = context.frame_name();
    let allowed = match expected {
        [] => "nothing more".to_owned(),
        expected => format!("only {}", list(expected)),
    };
    match (last, origin.slice()) {
        (0, []) => format!("`{name}` came at the start, where {allowed} may come"),
        (0, slice) => {
            let slice: Vec<_> = slice
                .iter()
                .map(|one| format!("{} {}", one.name, one.value))
                .collect();
            let slice = slice.join(", ");
            format!("`{name}` is the first event of {slice}, where {allowed} may come first")
        }
        (last, _) => format!("`{name}` came after frame {last}, where {allowed} may come"),
    }
}
