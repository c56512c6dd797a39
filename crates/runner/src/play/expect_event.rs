//! Steps that wait for events: `expect`, `expect_next`, `expect_none` and `expect_text`.

use super::awaited::Awaited;
use super::context::EarlyStop;
use super::event_log::{AgentEvent, EventWindow};
use super::event_loop::{EventWait, WaitResult, cancelled};
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use super::text_difference::describe_text_difference;
use super::timeout_message::{NearestMatch, ReceivedEvents, describe_difference};
use crate::scenario::types::{Barrier, JoinedText, Step};
use crate::step_rules;
use conform_judge::finding::{DifferenceKind, Expected};
use json_matcher::{Closest, Matcher, Mismatch};
use serde_json::Value;
use std::sync::Arc;
use tokio::time::Instant;

impl ScenarioPlayer {
    /// Waits for an event that matches: the first one that no step has taken, also if it came early.
    pub(super) async fn expect(&mut self, step: &Step, matcher: &Matcher) -> Result<(), EarlyStop> {
        self.handle_sent()?;
        let window = self.window_of(false, matcher);
        let (mut at, new) = (window.after, self.session.events.position());
        let mut wait = self.wait_for_event(step);
        let (mut received, mut closest) = (ReceivedEvents::default(), Closest::default());
        let expected = matcher.shown(&self.captures);
        let name = self.suite.dialect.events.discriminator.clone();
        let may_ask_until = Instant::now() + self.budgets.response;
        loop {
            let found = self.wait_until(&mut wait, |player| {
                while let Some(event) = player.session.events.after(at) {
                    at = event.n;
                    let may_be_taken = window.contains(event);
                    if may_be_taken && matcher.matches(&event.value, &player.captures).is_ok() {
                        return Some((true, event.clone()));
                    }
                    if event.n > new {
                        received.add(event);
                    }
                    if event.n > new && event.value.is_object() {
                        closest.offer(event.n, matcher, &event.value, &player.captures);
                    }
                    if event.n > new && player.is_last_answer(&event.name, &expected) {
                        return Some((false, event.clone()));
                    }
                    let log = &player.session.events;
                    if step.again.is_some() && log.is_answer(&event.value, &expected, &name, true) {
                        return Some((false, event.clone()));
                    }
                }
                None
            });
            match found.await? {
                Ok((true, event)) => {
                    self.session.events.take(event.n);
                    return self.matched(step, step_rules::EXPECT, matcher, &event);
                }
                Ok((false, event)) if step.again.is_some() => {
                    self.session.events.take(event.n);
                    if Instant::now() < may_ask_until {
                        self.ask_again(step).await?;
                    }
                }
                result => {
                    let result = result.err().unwrap_or(WaitResult::Settled("idle"));
                    let nearest = self.nearest(matcher, &closest);
                    let awaited = self.awaited(matcher);
                    let rule = step_rules::EXPECT;
                    return Err(self.timed_out(rule, &result, &received, nearest, awaited));
                }
            }
        }
    }

    /// Whether this is a response to the method whose response is expected, and no other can come: no work is open.
    fn is_last_answer(&self, name: &str, expected: &Value) -> bool {
        let events = &self.suite.dialect.events;
        let method = |name: &str| Some(name.rsplit_once('.')?.0.to_owned());
        let awaited = events.identify(expected).into_name();
        events.is_answer(name)
            && awaited.is_some_and(|one| events.is_answer(&one) && method(&one) == method(name))
            && self.is_all_over()
    }

    /// Sends the command of the preceding step once more, after the pause that the step names.
    async fn ask_again(&mut self, step: &Step) -> Result<(), EarlyStop> {
        tokio::select! {
            biased;
            () = cancelled(&mut self.cancel) => return Err(EarlyStop::Interrupted),
            () = tokio::time::sleep(self.budgets.scaled(step.again.unwrap_or_default())) => {}
        }
        let scenario = Arc::clone(&self.scenario);
        match scenario.steps.get(self.step.wrapping_sub(1)) {
            Some(before) => self.play_action(before),
            None => Ok(()),
        }
    }

    /// Requires that the next event after the furthest one that a step has taken matches.
    pub(super) async fn expect_next(
        &mut self,
        step: &Step,
        matcher: &Matcher,
    ) -> Result<(), EarlyStop> {
        let rule = step_rules::EXPECT_NEXT;
        self.handle_sent()?;
        let at = self.session.events.position();
        let mut wait = self.wait_for_event(step);
        let next = self.wait_until(&mut wait, |player| player.session.events.after(at).cloned());
        let event = match next.await? {
            Ok(event) => {
                self.session.events.take(event.n);
                event
            }
            Err(result) => {
                let (awaited, received) = (self.awaited(matcher), ReceivedEvents::default());
                return Err(self.timed_out(rule, &result, &received, None, awaited));
            }
        };
        let differences = self.differences(matcher, &event);
        let Some(first) = differences.first() else {
            return self.matched(step, rule, matcher, &event);
        };
        let awaited = self.awaited(matcher);
        if first.pointer != self.suite.dialect.events.discriminator {
            return Err(self.differs(rule, event.n, differences, &awaited, ""));
        }
        let (name, subject) = (&event.name, &awaited.subject);
        let message = format!("`{name}` came, where {subject} must be next");
        Err(self.fail(StepFinding {
            clauses: Some(self.clauses_about(&awaited.names)),
            frame: BlamedFrame::Number(event.n, first.pointer.clone()),
            expected: awaited.expected,
            ..StepFinding::new(rule, message, DifferenceKind::Absent)
                .about(awaited.names.into_iter().next())
        }))
    }

    /// Requires that an event does not come between the furthest one that a step has taken and the barrier.
    pub(super) async fn expect_none(
        &mut self,
        step: &Step,
        not: &Matcher,
        until: &Barrier,
    ) -> Result<(), EarlyStop> {
        let mut wait = match until {
            Barrier::Event(_) => self.wait_for_event(step),
            Barrier::End => EventWait::for_event_within(self.exit_budget(step)),
            Barrier::Quiet(window) => {
                EventWait::for_event_within(("quiet", self.budgets.scaled(*window)))
            }
        };
        self.handle_sent()?;
        let new = self.session.events.position();
        let barrier = match until {
            Barrier::Event(barrier) => Some((barrier, self.window_of(true, barrier))),
            _ => None,
        };
        let mut at = barrier.map_or(new, |(_, window)| window.after);
        let mut received = ReceivedEvents::default();
        let mut before = None;
        let seen = self.wait_until(&mut wait, |player| {
            while let Some(event) = player.session.events.after(at) {
                at = event.n;
                if at > new && not.matches(&event.value, &player.captures).is_ok() {
                    return Some(Some(event.clone()));
                }
                if let Some((barrier, window)) = &barrier
                    && window.contains(event)
                    && barrier.matches(&event.value, &player.captures).is_ok()
                {
                    player.session.events.take(at);
                    return Some(None);
                }
                if at > new {
                    received.add(event);
                    before = Some(event.clone());
                }
            }
            // Without a barrier event the end of stdout, or of the process, is the proof.
            let has_ended = match until {
                Barrier::Event(_) => false,
                Barrier::End => player.has_ended(),
                Barrier::Quiet(_) => player.session.end.is_some(),
            };
            has_ended.then_some(None)
        });
        let rule = step_rules::EXPECT_NONE;
        let seen = seen.await?;
        self.session.events.pass(at);
        match seen {
            Ok(Some(event)) => {
                let not_before = self.not_before(until, &event);
                if let (Barrier::Event(barrier), Some(before)) = (until, before)
                    && self.is_answer(barrier, &before)
                {
                    let differences = self.differences(barrier, &before);
                    let (then, awaited) = (
                        format!(", and then `{}`, {not_before}", event.name),
                        self.awaited(barrier),
                    );
                    return Err(self.differs(rule, before.n, differences, &awaited, &then));
                }
                let message = format!("`{}` came, {not_before}", event.name);
                let found = StepFinding::new(rule, message, DifferenceKind::Unexpected)
                    .at(event.n)
                    .expecting(format!("no {}", not.in_words(&self.captures)));
                Err(self.fail(found.about(self.event_name(not))))
            }
            Err(more) if !is_proof(until, &more) => {
                let end_of_stdout = "the end of its stdout";
                let awaited = match until {
                    Barrier::Event(barrier) => self.awaited(barrier),
                    _ => Awaited::thing(end_of_stdout, end_of_stdout.to_owned()),
                };
                Err(self.timed_out(rule, &more, &received, None, awaited))
            }
            Ok(None) | Err(_) => {
                self.step_passed();
                Ok(())
            }
        }
    }

    /// That an event must not come before the barrier, as the end of a sentence.
    fn not_before(&self, until: &Barrier, event: &AgentEvent) -> String {
        match until {
            // The name alone does not distinguish the two.
            Barrier::Event(barrier) if self.event_name(barrier).as_ref() == Some(&event.name) => {
                let barrier = barrier.in_words(&self.captures);
                format!("which must not come before the next one: {barrier}")
            }
            Barrier::Event(barrier) if self.event_name(barrier).is_some() => {
                let awaited = self.awaited(barrier);
                format!("which must not come before {}", awaited.subject)
            }
            Barrier::End => "which must not come before the agent ends".to_owned(),
            Barrier::Event(_) | Barrier::Quiet(_) => "which must not come here".to_owned(),
        }
    }

    /// Joins the pieces of a text until the events that end it, and requires that the result is the whole text.
    pub(super) async fn expect_text(
        &mut self,
        step: &Step,
        text: &JoinedText,
    ) -> Result<(), EarlyStop> {
        self.handle_sent()?;
        let new = self.session.events.position();
        let mut wait = self.wait_for_event(step);
        let mut received = ReceivedEvents::default();
        let mut joined = String::new();
        let with_window = |until| (until, self.window_of(true, until));
        let mut open: Vec<_> = text.until.iter().map(with_window).collect();
        let begins = open.iter().map(|(_, window)| window.after);
        let mut at = begins.fold(new, u64::min);
        let last = self.wait_until(&mut wait, |player| {
            while let Some(event) = player.session.events.after(at) {
                at = event.n;
                let is_piece = at > new && text.of.matches(&event.value, &player.captures).is_ok();
                if is_piece {
                    let piece = event.value.pointer(&text.at).and_then(Value::as_str);
                    joined += piece.unwrap_or_default();
                }
                if at > new {
                    received.add(event);
                }
                let met = open.iter().position(|(until, window)| {
                    window.contains(event) && until.matches(&event.value, &player.captures).is_ok()
                });
                if let Some(met) = met {
                    open.remove(met);
                }
                if is_piece || met.is_some() {
                    player.session.events.take(at);
                }
                if open.is_empty() {
                    return Some(at);
                }
            }
            None
        });
        let rule = step_rules::EXPECT_TEXT;
        match last.await? {
            Err(result) => {
                let awaited = self.all_awaited(open.into_iter().map(|(until, _)| until));
                Err(self.timed_out(rule, &result, &received, None, awaited))
            }
            Ok(_) if text.is_met_by(&joined) => {
                self.step_passed();
                Ok(())
            }
            Ok(frame) => {
                let message = describe_text_difference(&text.is, &joined);
                let found = StepFinding::new(rule, message, DifferenceKind::WrongValue)
                    .at(frame)
                    .expecting(Expected::Values(vec![text.is.as_str().into()]));
                Err(self.fail(found.about(self.event_name(&text.of))))
            }
        }
    }

    /// Where a step that waits for an event may find it; `here`: in what follows the furthest event that a step has taken.
    pub(super) fn window_of(&self, here: bool, matcher: &Matcher) -> EventWindow {
        let name = &self.suite.dialect.events.discriminator;
        let expected = self.shown(matcher);
        self.session.events.window(&expected, name, here)
    }

    pub(super) fn wait_for_event(&self, step: &Step) -> EventWait {
        let wait = match step.within {
            Some(within) => EventWait::for_event_within(("within", self.budgets.scaled(within))),
            None => EventWait::for_event(),
        };
        wait.settling(self.budgets.settle)
    }

    /// The event that came closest to matching, with its differences.
    pub(super) fn nearest(&self, matcher: &Matcher, closest: &Closest<u64>) -> NearestMatch {
        let (n, _) = closest.get()?;
        let event = self.session.events.after(n - 1)?;
        Some((*n, self.differences(matcher, event)))
    }

    /// Where an event differs from what a step expects: every place if it is the event that the step means, else the first one.
    fn differences(&self, matcher: &Matcher, event: &AgentEvent) -> Vec<Mismatch> {
        let mut all = matcher.differences(&event.value, &self.captures);
        if !self.is_answer(matcher, event) {
            all.truncate(1);
        }
        all
    }

    /// Whether an event has the name and the ids that a step expects, with any other members.
    fn is_answer(&self, matcher: &Matcher, event: &AgentEvent) -> bool {
        let expected = matcher.shown(&self.captures);
        let name = &self.suite.dialect.events.discriminator;
        let log = &self.session.events;
        expected.pointer(name).is_some() && log.is_answer(&event.value, &expected, name, false)
    }

    /// Adds a finding for each place at which an event differs; `then`: what came after it, as the end of the sentence.
    pub(super) fn differs(
        &mut self,
        rule: &'static str,
        frame: u64,
        differences: Vec<Mismatch>,
        awaited: &Awaited,
        then: &str,
    ) -> EarlyStop {
        for difference in differences {
            let near = describe_difference(frame, &difference);
            let message = format!("{} {near}{then}", awaited.subject);
            self.add_finding(StepFinding {
                clauses: Some(self.clauses_about(&awaited.names)),
                frame: BlamedFrame::Number(frame, difference.pointer),
                expected: awaited.expected.clone(),
                ..StepFinding::new(rule, message, DifferenceKind::WrongValue)
                    .about(awaited.names.first().cloned())
                    .after(awaited.command.as_ref())
            });
        }
        EarlyStop::Failed(None)
    }

    fn matched(
        &mut self,
        step: &Step,
        rule: &'static str,
        matcher: &Matcher,
        event: &AgentEvent,
    ) -> Result<(), EarlyStop> {
        let Err(missing) = self.captures.take(&step.capture, &event.value) else {
            self.step_passed();
            return Ok(());
        };
        if let Some(why) = &step.else_skip {
            return Err(EarlyStop::Skipped(why.clone()));
        }
        let message = format!(
            "`{}` came without what the scenario needs of it: {missing}",
            event.name
        );
        let found = StepFinding::new(rule, message, DifferenceKind::WrongValue)
            .at(event.n)
            .expecting(missing.expected);
        Err(self.fail(found.about(self.event_name(matcher))))
    }
}

/// Whether the end of a wait proves that nothing comes: a quiet window is over, or the agent has ended in it.
fn is_proof(until: &Barrier, end: &WaitResult) -> bool {
    matches!(until, Barrier::Quiet(_))
        && matches!(
            end,
            WaitResult::TimedOut("quiet", _) | WaitResult::AgentEnded
        )
}
