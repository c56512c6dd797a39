//! The form `order`: the frames of each slice are a word of a regular expression.

use super::automaton::{Automaton, START, State, places};
use super::cond::Cond;
use super::moment::Moment;
use super::parse::Pattern;
use super::rule::{AtEnd, Ending, Monitor, Rule, Violation};
use super::slices::{Key, Slices};
use super::symbol::SymSet;
use super::tri::Tri;
use crate::finding::Blame;

/// An order rule.
#[derive(Debug, Clone)]
pub struct Order {
    /// The expression.
    pub automaton: Automaton,
    /// As written.
    pub source: String,
    /// Frames that count besides those that the expression names, and so may not come where it does not name them.
    pub also: Pattern,
    /// Frames after which an unfinished slice is no fault (its order still counts).
    pub excuse: Pattern,
    /// Frames after which nothing is judged in the slice.
    pub void: Pattern,
    /// Which endings of the session must find every slice finished.
    pub at_end: AtEnd,
    /// A budget that ran out counts only where this certainly holds.
    pub in_time: Option<Cond>,
}

impl Order {
    /// The symbols of the frames that matter.
    #[must_use]
    pub fn symbols(&self) -> SymSet {
        let mut all = self.automaton.symbols();
        for pattern in [&self.also, &self.excuse, &self.void] {
            all.extend(&pattern.symbols());
        }
        all
    }

    /// A monitor; none if the history cannot hold frames that the expression names.
    #[must_use]
    pub fn monitor(&self, blind: &SymSet) -> Option<Box<dyn Monitor>> {
        if self.automaton.symbols().meets(blind) {
            return None;
        }
        Some(Box::new(OrderMonitor::default()))
    }
}

#[derive(Debug, Clone, Copy)]
struct Slice {
    state: State,
    excused: bool,
    last: u64,
}

#[derive(Clone, Default)]
struct OrderMonitor {
    slices: Slices<Slice>,
    excuse_new: bool,
    exercised: u64,
}

const DEAD: State = 0;

impl OrderMonitor {
    fn unfinished(
        &mut self,
        rule: &Rule,
        order: &Order,
        moment: &Moment<'_>,
        end: bool,
        out: &mut Vec<Violation>,
    ) {
        for (key, slice) in self.slices.drain() {
            if slice.state == DEAD || slice.excused || order.automaton.accepts(slice.state) {
                continue;
            }
            let expected = order.automaton.expected(slice.state);
            let place = if end {
                "the session ended".to_owned()
            } else {
                format!("`{}` came", moment.name())
            };
            let message = format!(
                "{place} while {} was still owed (the last frame of this slice is number {})",
                list(&expected),
                slice.last
            );
            out.push(Violation {
                blame: rule.blame.unwrap_or(Blame::Agent),
                key: key.text().to_owned(),
                message: rule.say(moment, || message),
                expected,
                pointer: String::new(),
            });
        }
    }
}

impl Monitor for OrderMonitor {
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
        let super::rule::Form::Order(order) = &rule.form else {
            return;
        };
        if moment.is(&order.void) != Tri::False {
            match key {
                Some(key) => self.slices.entry(key, || new_slice(false)).state = DEAD,
                None => self.slices.values_mut().for_each(|s| s.state = DEAD),
            }
            return;
        }
        if moment.is(&order.excuse) != Tri::False {
            self.excuse_new = !rule.scopes.is_empty();
            self.slices.values_mut().for_each(|s| s.excused = true);
        }
        let Some(key) = key else {
            return;
        };
        let cx = moment.cx();
        let candidates = order.automaton.candidates(moment.symbols);
        let named = places(candidates).map(|place| cx.holds_all(order.automaton.atom(place)));
        let relevant = Tri::any(named.chain(order.also.0.iter().map(|atom| cx.matches_atom(atom))));
        if relevant == Tri::False {
            return;
        }
        let excused = self.excuse_new;
        let slice = self.slices.entry(key, || new_slice(excused));
        if slice.state == DEAD {
            return;
        }
        self.exercised += 1;
        let mut next = if relevant == Tri::Unknown {
            slice.state
        } else {
            0
        };
        for place in places(order.automaton.followers(slice.state) & candidates) {
            if cx.holds_all(order.automaton.atom(place)) != Tri::False {
                next |= 1 << place;
            }
        }
        if next == DEAD {
            let expected = order.automaton.expected(slice.state);
            out.push(Violation {
                blame: rule.blame.unwrap_or(moment.blame),
                key: key.text().to_owned(),
                message: rule.say(moment, || unexpected(moment, &expected, slice.last)),
                expected,
                pointer: String::new(),
            });
        }
        slice.state = next;
        slice.last = moment.n;
    }

    fn scope_closed(
        &mut self,
        rule: &Rule,
        moment: &Moment<'_>,
        judge: bool,
        out: &mut Vec<Violation>,
    ) {
        let super::rule::Form::Order(order) = &rule.form else {
            return;
        };
        if judge {
            self.unfinished(rule, order, moment, false, out);
        }
        self.slices = Slices::default();
        self.excuse_new = false;
    }

    fn end(&mut self, rule: &Rule, moment: &Moment<'_>, ending: Ending, out: &mut Vec<Violation>) {
        if let super::rule::Form::Order(order) = &rule.form
            && order.at_end.is_due(ending)
            && (!ending.out_of_time || moment.certain(order.in_time.as_ref()))
        {
            if rule.each.is_empty() {
                self.slices.entry(&Key::new(""), || new_slice(false));
            }
            self.unfinished(rule, order, moment, true, out);
        }
    }

    fn exercised(&self) -> u64 {
        self.exercised
    }
}

fn new_slice(excused: bool) -> Slice {
    Slice {
        state: START,
        excused,
        last: 0,
    }
}

fn unexpected(moment: &Moment<'_>, expected: &[String], last: u64) -> String {
    let name = moment.name();
    let after = if last == 0 {
        "at the start".to_owned()
    } else {
        format!("after frame {last}")
    };
    if expected.is_empty() {
        format!("`{name}` came {after}, where nothing more may come")
    } else {
        format!(
            "`{name}` came {after}, where only {} may come",
            list(expected)
        )
    }
}

/// `a`, `b` or `c`.
#[must_use]
pub fn list(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}
