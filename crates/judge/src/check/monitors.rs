//! The monitors of a dialect's rules while a history is judged: each sees the frames of its alphabet, by slice.

use super::tables::CheckTables;
use crate::dialect::Dialect;
use crate::finding::Finding;
use crate::rules::frame_context::FrameContext;
use crate::rules::monitor::{EndCircumstances, Moment, Monitor};
use crate::rules::rule::Rule;
use crate::rules::slices::SliceKey;
use crate::rules::symbol::SymbolSet;
use indexmap::IndexMap;

/// One monitor for each rule, except for the rules that look at one frame alone.
#[derive(Clone)]
pub(super) struct Monitors {
    monitors: Vec<Option<Box<dyn Monitor>>>,
    /// The slice of the newest frame, by the first rule that slices so.
    slices: Vec<SliceOfFrame>,
    text: String,
}

/// Violations, each with the number of its rule.
pub(super) type Violations = Vec<(usize, Finding)>;

impl Monitors {
    /// The monitors at the start of a history that cannot show the symbols of `unobservable`.
    pub(super) fn new(dialect: &Dialect, unobservable: &SymbolSet) -> Self {
        let rules = dialect.rules.iter();
        Monitors {
            monitors: rules.map(|rule| rule.monitor(unobservable)).collect(),
            slices: vec![SliceOfFrame::default(); dialect.rules.len()],
            text: String::new(),
        }
    }

    /// Shows a frame to the monitors that are interested in it.
    pub(super) fn on_frame(
        &mut self,
        rules: &[Rule],
        (tables, interested): (&CheckTables, &[usize]),
        context: &FrameContext<'_>,
        out: &mut Violations,
    ) {
        for n in interested.iter().copied() {
            if self.monitors[n].is_none() {
                continue;
            }
            let rule = &rules[n];
            let slice = &mut self.slices[tables.same_slices[n]];
            let key = slice.key(rule, context, &mut self.text);
            with_monitor(
                &mut self.monitors,
                (n, rule),
                context,
                out,
                |monitor, at| {
                    monitor.on_frame(key, at);
                },
            );
        }
    }

    /// Closes scopes. With `judge` true their incomplete slices are reported; with false they are dropped without a finding.
    pub(super) fn on_scopes_closed(
        &mut self,
        (tables, rules): (&CheckTables, &[Rule]),
        scopes: &[usize],
        judge: bool,
        context: &FrameContext<'_>,
        out: &mut Violations,
    ) {
        for scope in scopes {
            for n in tables.by_scope[*scope].iter().copied() {
                let rule = (n, &rules[n]);
                with_monitor(&mut self.monitors, rule, context, out, |monitor, at| {
                    monitor.on_scope_closed(judge, at);
                });
            }
        }
    }

    /// Ends the history.
    pub(super) fn on_end(
        &mut self,
        rules: &[Rule],
        context: &FrameContext<'_>,
        end: EndCircumstances,
        out: &mut Violations,
    ) {
        for rule in rules.iter().enumerate() {
            with_monitor(&mut self.monitors, rule, context, out, |monitor, at| {
                monitor.on_end(end, at);
            });
        }
    }

    /// When the last response is overdue that the agent must send by itself.
    pub(super) fn overdue_at(&self, context: &FrameContext<'_>) -> Option<u64> {
        let monitors = self.monitors.iter().flatten();
        monitors
            .filter_map(|monitor| monitor.overdue_at(context))
            .max()
    }

    /// How often a rule applied.
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

fn with_monitor(
    monitors: &mut [Option<Box<dyn Monitor>>],
    (n, rule): (usize, &Rule),
    context: &FrameContext<'_>,
    out: &mut Violations,
    act: impl FnOnce(&mut dyn Monitor, &mut Moment<'_>),
) {
    let Some(monitor) = &mut monitors[n] else {
        return;
    };
    let mut found = Vec::new();
    let mut at = Moment {
        config: &rule.config,
        context: *context,
        out: &mut found,
    };
    act(monitor.as_mut(), &mut at);
    out.extend(found.into_iter().map(|violation| (n, violation)));
}

/// The slice that a frame belongs to. Frames mostly belong to the slice of the frame before, whose key is then reused.
#[derive(Debug, Clone, Default)]
struct SliceOfFrame {
    /// The number of the frame.
    frame: u64,
    /// Whether the frame belongs to a slice.
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
            self.known = context.write_slice_key(&rule.config.each, text).is_some();
            let same = |key: &SliceKey| key.text() == text;
            if self.known && !self.key.as_ref().is_some_and(same) {
                self.key = Some(SliceKey::new(text));
            }
        }
        self.key.as_ref().filter(|_| self.known)
    }
}
