//! Response rules: after one frame another must come, before a third one, or before the process ends.

use super::frame_context::FrameContext;
use super::frame_pattern::{FramePattern, symbols_of};
use super::monitor::{EndCircumstances, Moment, Monitor};
use super::slices::{SliceKey, Slices};
use super::symbol::SymbolSet;
use super::wording::{expecting, list};
use crate::finding::{Blame, Difference, DifferenceKind, Finding, Origin};
use conform_dialect::ordering::file::AtEnd;
use frame_language::{Condition, Truth};
use std::sync::Arc;

/// A response rule.
#[derive(Debug, Clone)]
pub struct ResponseRule {
    /// The frame that starts the obligation.
    pub from: FramePattern,
    /// The frame that must come.
    pub to: FramePattern,
    /// Whether each `from` needs a `to` of its own.
    pub one_for_one: bool,
    /// After this frame it is too late.
    pub before: FramePattern,
    /// This frame cancels the obligation. The end of stdin and a signal also cancel those that come after it.
    pub unless: FramePattern,
    /// A frame of `unless` cancels nothing after this budget: its name, and its microseconds.
    pub unless_within: Option<(String, u64)>,
    /// The kinds of end of a session at which it is too late.
    pub at_end: AtEnd,
    /// The end of a session by timeout or on request counts only if this certainly holds.
    pub timeout_if: Option<Condition>,
}

impl ResponseRule {
    /// The alphabet: the symbols of the frames that matter.
    pub fn symbols(&self) -> SymbolSet {
        symbols_of([&self.from, &self.to, &self.before, &self.unless])
    }

    /// A monitor; none if the history cannot show the frames.
    pub fn monitor(self: &Arc<Self>, unobservable: &SymbolSet) -> Option<Box<dyn Monitor>> {
        if self.to.symbols().intersects(unobservable)
            || self.from.symbols().intersects(unobservable)
        {
            return None;
        }
        Some(Box::new(ResponseMonitor {
            rule: Arc::clone(self),
            owed: Slices::default(),
            is_over: false,
            exercised: 0,
        }))
    }
}

#[derive(Debug, Clone, Copy)]
struct Obligation {
    since: u64,
    at: u64,
    /// How many responses are missing.
    missing: u64,
}

#[derive(Clone)]
struct ResponseMonitor {
    rule: Arc<ResponseRule>,
    owed: Slices<Obligation>,
    /// Whether the host ended the session, and that cancels the obligation: it remains ended.
    is_over: bool,
    exercised: u64,
}

/// The frames by which a host ends a session.
const HOST_ENDS: [&str; 2] = ["#stdin_closed", "#signal"];

impl ResponseMonitor {
    /// Whether a frame of `unless` is one by which the host ends the session.
    fn host_ends(&self, context: &FrameContext<'_>) -> bool {
        let symbols = &context.history.symbols;
        let mut ends = HOST_ENDS.iter().filter_map(|name| symbols.id(name));
        ends.any(|end| context.symbols.iter().any(|id| id == end))
            && context.matches(&self.rule.unless) == Truth::True
    }

    fn take_obligations(&mut self, key: Option<&SliceKey>) -> Vec<(SliceKey, Obligation)> {
        match key {
            Some(key) => self
                .owed
                .remove(key)
                .map(|o| (key.clone(), o))
                .into_iter()
                .collect(),
            None => self.owed.drain(),
        }
    }

    /// A response came: it meets one obligation of its slice, or all.
    fn meet(&mut self, key: Option<&SliceKey>) {
        if let Some(key) = key
            && self.rule.one_for_one
            && let Some(owed) = self.owed.get_mut(key)
            && owed.missing > 1
        {
            owed.missing -= 1;
            self.exercised += 1;
        } else {
            self.exercised += self.take_obligations(key).len() as u64;
        }
    }

    fn report(
        &mut self,
        late: Vec<(SliceKey, Obligation)>,
        how: impl Fn() -> String,
        at: &mut Moment<'_>,
    ) {
        let (config, context) = (at.config, at.context);
        let expected: Vec<_> = self.rule.to.atoms().iter().collect();
        for (key, owed) in late {
            self.exercised += 1;
            let message = || {
                format!(
                    "{}, and {} owed since frame {} had not come",
                    how(),
                    list(&expected),
                    owed.since
                )
            };
            at.out.push(Finding {
                blame: config.blame.unwrap_or(Blame::Agent),
                origin: Origin::of_part(key.part()),
                message: config.violation_message(&context.eval_context(), message),
                difference: Difference::of_kind(DifferenceKind::Absent),
                ..expecting(&expected)
            });
        }
    }
}

impl Monitor for ResponseMonitor {
    fn on_frame(&mut self, key: Option<&SliceKey>, at: &mut Moment<'_>) {
        let (config, context) = (at.config, at.context);
        let response = Arc::clone(&self.rule);
        if context.matches(&response.to) != Truth::False {
            self.meet(key);
        }
        if context.matches(&response.unless) != Truth::False {
            self.is_over |= self.host_ends(&context);
            let excused = self.take_obligations(key);
            if let Some((name, budget)) = &response.unless_within
                && context.matches(&response.unless) == Truth::True
                && context.agent_has_to_go_on(response.timeout_if.as_ref())
            {
                let late = excused
                    .into_iter()
                    .filter(|(_, o)| {
                        context.at > o.at.max(context.turn.since).saturating_add(*budget)
                    })
                    .collect();
                let how = || {
                    format!(
                        "`{}` came when the budget `{name}` ({} ms) was over",
                        context.frame_name(),
                        budget / 1000
                    )
                };
                self.report(late, how, at);
            }
        }
        if context.matches(&response.before) == Truth::True {
            let late = self.take_obligations(key);
            let how = || format!("`{}` came", context.frame_name());
            self.report(late, how, at);
        }
        if let Some(key) = key
            && !self.is_over
            && context.matches(&response.from) == Truth::True
            && context.certainly_holds(config.when.as_ref())
        {
            let owed = self.owed.entry(key, || Obligation {
                since: context.n,
                at: context.at,
                missing: 0,
            });
            owed.missing += 1;
        }
    }

    fn on_scope_closed(&mut self, judge: bool, at: &mut Moment<'_>) {
        let late = self.owed.drain();
        if judge {
            let name = at.context.frame_name();
            self.report(late, || format!("`{name}` came"), at);
        }
    }

    fn on_end(&mut self, end: EndCircumstances, at: &mut Moment<'_>) {
        let context = at.context;
        let response = &*self.rule;
        if end.is_last_chance(response.at_end, &context, response.timeout_if.as_ref()) {
            let late = self.owed.drain();
            let how = || "the session ended".to_owned();
            self.report(late, how, at);
        }
    }

    fn overdue_at(&self, context: &FrameContext<'_>) -> Option<u64> {
        let (_, budget) = self.rule.unless_within.as_ref()?;
        let agent_goes_on = self.rule.timeout_if.as_ref()?;
        let newest = self.owed.values().map(|owed| owed.at).max()?;
        let is_owed = context.agent_has_to_go_on(Some(agent_goes_on));
        is_owed.then_some(newest.max(context.turn.since).saturating_add(*budget))
    }

    fn exercised(&self) -> u64 {
        self.exercised
    }
}
