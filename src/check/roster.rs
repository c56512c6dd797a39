//! The monitors of a dialect's rules, and which frames each of them must see.

use crate::dialect::Dialect;
use crate::rules::moment::Moment;
use crate::rules::rule::{Ending, Monitor, Rule, Violation};
use crate::rules::symbol::SymSet;
use indexmap::IndexMap;

/// A monitor a rule, for the rules that have one.
#[derive(Clone)]
pub(super) struct Roster {
    monitors: Vec<Option<Box<dyn Monitor>>>,
    by_symbol: Vec<Vec<usize>>,
    by_scope: Vec<Vec<usize>>,
}

/// What broke, each with the number of its rule.
pub(super) type Violations = Vec<(usize, Violation)>;

impl Roster {
    /// The monitors at the start of a history in which the symbols of `blind` are not to be seen.
    pub(super) fn new(dialect: &Dialect, blind: &SymSet) -> Self {
        let mut by_symbol = vec![Vec::new(); SymSet::CAPACITY];
        let mut by_scope = vec![Vec::new(); dialect.memory.scopes.len()];
        let mut monitors = Vec::new();
        for (n, rule) in dialect.rules.iter().enumerate() {
            let monitor = rule.monitor(blind);
            if monitor.is_some() {
                for symbol in rule.symbols().iter() {
                    by_symbol[symbol].push(n);
                }
                for scope in &rule.scopes {
                    by_scope[*scope].push(n);
                }
            }
            monitors.push(monitor);
        }
        Roster {
            monitors,
            by_symbol,
            by_scope,
        }
    }

    /// Shows a frame to the rules that look at its symbols, in their order.
    pub(super) fn frame(&mut self, rules: &[Rule], moment: &Moment<'_>, out: &mut Violations) {
        let symbols = moment.symbols.iter();
        let mut interested: Vec<_> = symbols.flat_map(|s| &self.by_symbol[s]).copied().collect();
        interested.sort_unstable();
        interested.dedup();
        for n in interested {
            self.ask(n, out, |monitor, out| monitor.frame(&rules[n], moment, out));
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
            self.ask(n, out, |monitor, out| {
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
            self.ask(n, out, |monitor, out| {
                monitor.end(rule, moment, ending, out)
            });
        }
    }

    fn ask(
        &mut self,
        n: usize,
        out: &mut Violations,
        ask: impl FnOnce(&mut dyn Monitor, &mut Vec<Violation>),
    ) {
        let Some(monitor) = &mut self.monitors[n] else {
            return;
        };
        let mut found = Vec::new();
        ask(monitor.as_mut(), &mut found);
        out.extend(found.into_iter().map(|violation| (n, violation)));
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
