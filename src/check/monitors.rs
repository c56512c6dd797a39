//! The monitors of a dialect's rules, and which frames each of them must see.

use crate::dialect::Dialect;
use crate::rules::frame_context::FrameContext;
use crate::rules::rule::{EndCircumstances, Monitor, Rule, Violation};
use crate::rules::slices::SliceKey;
use crate::rules::symbol::{SymbolIndex, SymbolSet};
use indexmap::IndexMap;
use std::sync::Arc;

/// A monitor a rule, for the rules that have one.
#[derive(Clone)]
pub(super) struct Monitors {
    monitors: Vec<Option<Box<dyn Monitor>>>,
    by_symbol: Arc<SymbolIndex>,
    /// For each rule, the first that slices the history in the same way.
    same_slices: Vec<usize>,
    /// The slice of the newest frame, at the rules that others slice like.
    slices: Vec<SliceOfFrame>,
    text: String,
    by_scope: Vec<Vec<usize>>,
}

/// What broke, each with the number of its rule.
pub(super) type Violations = Vec<(usize, Violation)>;

impl Monitors {
    /// The monitors at the start of a history in which the symbols of `unobservable` are not to be seen.
    pub(super) fn new(dialect: &Dialect, unobservable: &SymbolSet) -> Self {
        let rules = &dialect.rules;
        let mut by_scope = vec![Vec::new(); dialect.declarations.scopes.len()];
        let mut monitors = Vec::new();
        for (n, rule) in rules.iter().enumerate() {
            let monitor = rule.monitor(unobservable);
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
        Monitors {
            by_symbol: Arc::new(SymbolIndex::new(watched)),
            same_slices: rules.iter().filter_map(first).collect(),
            slices: vec![SliceOfFrame::default(); rules.len()],
            text: String::new(),
            monitors,
            by_scope,
        }
    }

    /// Shows a frame to the rules that look at its symbols, in their order.
    pub(super) fn frame(
        &mut self,
        rules: &[Rule],
        context: &FrameContext<'_>,
        out: &mut Violations,
    ) {
        let by_symbol = Arc::clone(&self.by_symbol);
        for n in by_symbol.of(context.symbols) {
            let rule = &rules[n];
            let slice = &mut self.slices[self.same_slices[n]];
            let key = slice.key(rule, context, &mut self.text);
            ask(&mut self.monitors, n, out, |monitor, out| {
                monitor.frame(rule, key, context, out);
            });
        }
    }

    /// Closes scopes; with `judge` false what they held is only forgotten.
    pub(super) fn close(
        &mut self,
        rules: &[Rule],
        scopes: &[usize],
        judge: bool,
        context: &FrameContext<'_>,
        out: &mut Violations,
    ) {
        let slicing = scopes.iter().flat_map(|scope| &self.by_scope[*scope]);
        for n in slicing.copied().collect::<Vec<_>>() {
            ask(&mut self.monitors, n, out, |monitor, out| {
                monitor.on_scope_closed(&rules[n], context, judge, out);
            });
        }
    }

    /// The history ends here.
    pub(super) fn end(
        &mut self,
        rules: &[Rule],
        context: &FrameContext<'_>,
        ending: EndCircumstances,
        out: &mut Violations,
    ) {
        for (n, rule) in rules.iter().enumerate() {
            ask(&mut self.monitors, n, out, |monitor, out| {
                monitor.end(rule, context, ending, out)
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
    key: Option<SliceKey>,
}

impl SliceOfFrame {
    fn key(
        &mut self,
        rule: &Rule,
        context: &FrameContext<'_>,
        text: &mut String,
    ) -> Option<&SliceKey> {
        if self.frame != context.n {
            self.frame = context.n;
            self.known = context.write_slice_key(&rule.each, text).is_some();
            let same = |key: &SliceKey| key.text() == text;
            if self.known && !self.key.as_ref().is_some_and(same) {
                self.key = Some(SliceKey::new(text));
            }
        }
        self.key.as_ref().filter(|_| self.known)
    }
}
