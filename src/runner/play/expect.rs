//! Steps that wait for an event.

use super::charge::{Charge, Near};
use super::live::Event;
use super::missed::{Nearest, Seen};
use super::wait::{More, Wait};
use super::{Player, Stop};
use crate::matcher::{Closest, Matcher, Mismatch};
use crate::runner::rules;
use crate::scenario::types::{Barrier, Step};

impl Player {
    /// Waits for an event that matches; those in between are passed over.
    pub(super) async fn expect(&mut self, step: &Step, matcher: &Matcher) -> Result<(), Stop> {
        let mut wait = self.wait_for_event(step);
        let (mut seen, mut closest) = (Seen::default(), Closest::default());
        loop {
            while let Some(event) = self.live.events.pop_front() {
                if matcher.matches(&event.value, &self.captures).is_ok() {
                    return self.matched(step, rules::EXPECT, &event);
                }
                seen.note(&event);
                closest.offer(event.n, matcher, &event.value, &self.captures);
            }
            let more = self.more(&mut wait).await?;
            if !matches!(more, More::Came) {
                let expected = vec![matcher.describe(&self.captures)];
                let nearest = nearest(&closest);
                return Err(self.missed(rules::EXPECT, &more, &seen, nearest, expected));
            }
        }
    }

    /// Demands that the next event matches.
    pub(super) async fn expect_next(&mut self, step: &Step, matcher: &Matcher) -> Result<(), Stop> {
        let mut wait = self.wait_for_event(step);
        loop {
            if let Some(event) = self.live.events.pop_front() {
                let Err(difference) = matcher.matches(&event.value, &self.captures) else {
                    return self.matched(step, rules::EXPECT_NEXT, &event);
                };
                let message = format!("the next event is `{}`: {difference}", event.name);
                self.charge(Charge {
                    near: Near::Frame(event.n, difference.pointer),
                    expected: vec![matcher.describe(&self.captures)],
                    ..Charge::new(rules::EXPECT_NEXT, message)
                });
                return Err(Stop::Failed(None));
            }
            let more = self.more(&mut wait).await?;
            if !matches!(more, More::Came) {
                let expected = vec![matcher.describe(&self.captures)];
                let seen = Seen::default();
                return Err(self.missed(rules::EXPECT_NEXT, &more, &seen, None, expected));
            }
        }
    }

    /// Demands that an event does not come before the barrier.
    pub(super) async fn expect_none(
        &mut self,
        step: &Step,
        not: &Matcher,
        until: &Barrier,
    ) -> Result<(), Stop> {
        let mut wait = match until {
            Barrier::Event(_) => self.wait_for_event(step),
            Barrier::End => {
                let own = step
                    .within
                    .map(|within| ("within", self.budgets.scaled(within)));
                Wait::for_event_within(own.unwrap_or(("exit", self.budgets.exit)))
            }
            Barrier::Quiet(window) => {
                Wait::for_event_within(("quiet", self.budgets.scaled(*window)))
            }
        };
        let mut seen = Seen::default();
        loop {
            while let Some(event) = self.live.events.pop_front() {
                if not.matches(&event.value, &self.captures).is_ok() {
                    let message = format!("`{}` came, which must not come here", event.name);
                    self.charge(Charge {
                        near: Near::Frame(event.n, String::new()),
                        expected: vec![format!("no {}", not.describe(&self.captures))],
                        ..Charge::new(rules::EXPECT_NONE, message)
                    });
                    return Err(Stop::Failed(None));
                }
                if let Barrier::Event(barrier) = until
                    && barrier.matches(&event.value, &self.captures).is_ok()
                {
                    self.checked();
                    return Ok(());
                }
                seen.note(&event);
            }
            // An agent that has closed its stdout may be about to end, which is to be known before the next step.
            let ended = match until {
                Barrier::Event(_) => false,
                Barrier::End => self.live.stdout_end.is_some() || self.live.end.is_some(),
                Barrier::Quiet(_) => self.live.end.is_some(),
            };
            if ended {
                self.checked();
                return Ok(());
            }
            match self.more(&mut wait).await? {
                More::Came => {}
                More::Late("quiet", _) | More::Over if matches!(until, Barrier::Quiet(_)) => {
                    self.checked();
                    return Ok(());
                }
                more => {
                    let expected = match until {
                        Barrier::Event(barrier) => barrier.describe(&self.captures),
                        _ => "the end of its stdout".to_owned(),
                    };
                    return Err(self.missed(
                        rules::EXPECT_NONE,
                        &more,
                        &seen,
                        None,
                        vec![expected],
                    ));
                }
            }
        }
    }

    pub(super) fn wait_for_event(&self, step: &Step) -> Wait {
        match step.within {
            Some(within) => Wait::for_event_within(("within", self.budgets.scaled(within))),
            None => Wait::for_event(),
        }
    }

    fn matched(&mut self, step: &Step, rule: &'static str, event: &Event) -> Result<(), Stop> {
        let Err(lacking) = self.captures.take(&step.capture, &event.value) else {
            self.checked();
            return Ok(());
        };
        let message = format!(
            "`{}` came without what the step captures: {lacking}",
            event.name
        );
        self.charge(Charge {
            near: Near::Frame(event.n, String::new()),
            expected: vec![lacking.expected],
            ..Charge::new(rule, message)
        });
        Err(Stop::Failed(None))
    }
}

/// The event that came nearest, with its first difference.
pub(super) fn nearest(closest: &Closest<u64>) -> Nearest {
    let (n, differences): (&u64, &[Mismatch]) = closest.get()?;
    Some((*n, differences.first()?.clone()))
}
