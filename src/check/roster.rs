//! The monitors of a dialect's rules, and which frames each of them must see.

use crate::dialect::Dialect;
use crate::rules::moment::Moment;
use crate::rules::rule::{Ending, Monitor, Rule, Violation};
use crate::rules::slices::Key;
use crate::rules::symbol::{Interested, SymSet};
use indexmap::IndexMap;
use std::sync::Arc;

/// A monitor a rule, for the rules that have one.
#[derive(Clone)]
pub(super) struct Roster {
    monitors: Vec<Option<Box<dyn Monitor>>>,
    by_symbol: Arc<Interested>,
    /// For each rule, the first that slices the history in the same way.
    same_slices: Vec<usize>,
    /// The slice of the newest frame, at the rules that others slice like.
    slices: Vec<SliceOfFrame>,
    text: String,
    by_scope: Vec<Vec<usize>>,
}

/// What broke, each with the number of its rule.
pub(super) type Violations = Vec<(usize, Violation)>;

impl Roster {
    /// The monitors at the start of a history in which the symbols of `blind` are not to be seen.
    pub(super) fn new(dialect: &Dialect, blind: &SymSet) -> Self {
        let rules = &dialect.rules;
        let mut by_scope = vec![Vec::new(); dialect.memory.scopes.len()];
        let mut monitors = Vec::new();
        for (n, rule) in rules.iter().enumerate() {
            let monitor = rule.monitor(blind);
            if monitor.is_some() {
                for scope in &rule.scopes {
                    by_scope[*scope].push(n);
                }
            }
            monitors.push(monitor);
        }
        let watched = rules.iter().zip(&monitors).map(|(rule, monitor)| {
            let monitor = monitor.as_ref();
            monitor.map(|_| rule.symbols()).unwrap_or_default()
        });
        let first = |rule: &Rule| rules.iter().position(|other| other.each == rule.each);
        Roster {
            by_symbol: Arc::new(Interested::new(watched)),
            same_slices: rules.iter().filter_map(first).collect(),
            slices: vec![SliceOfFrame::default(); rules.len()],
            text: String::new(),
            monitors,
            by_scope,
        }
    }

    /// Shows a frame to the rules that look at its symbols, in their order.
    pub(super) fn frame(&mut self, rules: &[Rule], moment: &Moment<'_>, out: &mut Violations) {
        let by_symbol = Arc::clone(&self.by_symbol);
        for n in by_symbol.of(moment.symbols) {
            let rule = &rules[n];
            let slice = &mut self.slices[self.same_slices[n]];
            let key = slice.key(rule, moment, &mut self.text);
            ask(&mut self.monitors, n, out, |monitor, out| {
                monitor.frame(rule, key, moment, out);
            });
        }
    }

    /// Closes scopes; with `judge` false what they held is only forgotten.
    pub(super) fn close(
        &mut self,
        rules: &[Rule],
        scopes: &[usize],
        judge: bool,
        moment: &Moment<'_>,
        out: &mut Violations,
    ) {
        let slicing = scopes.iter().flat_map(|scope| &self.by_scope[*scope]);
        for n in slicing.copied().collect::<Vec<_>>() {
            ask(&mut self.monitors, n, out, |monitor, out| {
                monitor.scope_closed(&rules[n], moment, judge, out);
            });
        }
    }

    /// The history ends here.
    pub(super) fn end(
        &mut self,
        rules: &[Rule],
        moment: &Moment<'_>,
        ending: Ending,
        out: &mut Violations,
    ) {
        for (n, rule) in rules.iter().enumerate() {
            ask(&mut self.monitors, n, out, |monitor, out| {
                monitor.end(rule, moment, ending, out)
            });
        }
    }

    /// How often a rule met its subject.
    pub(super) fn exercised(&self, rule: usize) -> u64 {
        let monitor = self.monitors[rule].as_ref();
        monitor.map_or(0, |monitor| monitor.exercised())
    }

    /// Which reading of a rule was met how often.
    pub(super) fn readings(&self, rule: usize) -> IndexMap<String, u64> {
        let monitor = self.monitors[rule].as_ref();
        let readings = monitor.map(|monitor| monitor.readings());
        readings.into_iter().flatten().collect()
    }
}

fn ask(
    monitors: &mut [Option<Box<dyn Monitor>>],
    n: usize,
    out: &mut Violations,
    ask: impl FnOnce(&mut dyn Monitor, &mut Vec<Violation>),
) {
    let Some(monitor) = &mut monitors[n] else {
        return;
    };
    let mut found = Vec::new();
    ask(monitor.as_mut(), &mut found);
    out.extend(found.into_iter().map(|violation| (n, violation)));
}

/// The slice that a frame belongs to. A frame mostly belongs to the slice of the one before, whose key then serves again.
#[derive(Debug, Clone, Default)]
struct SliceOfFrame {
    /// The number of the frame.
    frame: u64,
    /// Whether it belongs to one.
    known: bool,
    /// The newest key.
    key: Option<Key>,
}

impl SliceOfFrame {
    fn key(&mut self, rule: &Rule, moment: &Moment<'_>, text: &mut String) -> Option<&Key> {
        if self.frame != moment.n {
            self.frame = moment.n;
            self.known = moment.key(&rule.each, text).is_some();
            let same = |key: &Key| key.text() == text;
            if self.known && !self.key.as_ref().is_some_and(same) {
                self.key = Some(Key::new(text));
            }
        }
        self.key.as_ref().filter(|_| self.known)
    }
}
