//! The step `unordered`, which waits for several events in any order.

use super::context::EarlyStop;
use super::expect_event::nearest;
use super::player::ScenarioPlayer;
use super::timeout_message::ReceivedEvents;
use crate::scenario::types::Step;
use crate::step_rules;
use json_matcher::{Closest, Matcher};

impl ScenarioPlayer {
    /// Waits until each matcher has matched an event of its own.
    pub(super) async fn unordered(
        &mut self,
        step: &Step,
        matchers: &[Matcher],
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step);
        let mut received = ReceivedEvents::default();
        let mut pairs = EventMatching::new(matchers.len());
        let mut closest: Vec<_> = matchers.iter().map(|_| Closest::default()).collect();
        let met = self.wait_until(&mut wait, |player| {
            while let Some(event) = player.session.events.pop_front() {
                received.add(&event);
                let mut fits = Vec::new();
                for (index, matcher) in matchers.iter().enumerate() {
                    if matcher.matches(&event.value, &player.captures).is_ok() {
                        fits.push(index);
                    } else if event.value.is_object() {
                        closest[index].offer(event.n, matcher, &event.value, &player.captures);
                    }
                }
                pairs.add(fits);
                if pairs.is_complete() {
                    return Some(());
                }
            }
            None
        });
        let Err(result) = met.await? else {
            self.step_passed();
            return Ok(());
        };
        let open: Vec<usize> = pairs.open().collect();
        let awaited = self.all_awaited(open.iter().map(|index| &matchers[*index]));
        let nearest = open.first().and_then(|index| nearest(&closest[*index]));
        Err(self.timed_out(step_rules::UNORDERED, &result, &received, nearest, awaited))
    }
}

/// The assignment of events to matchers: a maximum bipartite matching, so that the order of the events does not matter.
#[derive(Debug)]
struct EventMatching {
    /// For each event that matches anything, the matchers it matches.
    events: Vec<Vec<usize>>,
    /// For each matcher the event that is assigned to it.
    event_of: Vec<Option<usize>>,
}

impl EventMatching {
    fn new(matchers: usize) -> Self {
        EventMatching {
            events: Vec::new(),
            event_of: vec![None; matchers],
        }
    }

    /// Adds an event, with the matchers it matches.
    fn add(&mut self, fits: Vec<usize>) {
        if !fits.is_empty() && !self.is_complete() {
            self.events.push(fits);
            let mut tried = vec![false; self.event_of.len()];
            self.assign(self.events.len() - 1, &mut tried);
        }
    }

    /// Assigns an event to a matcher, and moves other events if necessary.
    fn assign(&mut self, event: usize, tried: &mut [bool]) -> bool {
        for fit in self.events[event].clone() {
            if std::mem::replace(&mut tried[fit], true) {
                continue;
            }
            let is_free = match self.event_of[fit] {
                None => true,
                Some(other) => self.assign(other, tried),
            };
            if is_free {
                self.event_of[fit] = Some(event);
                return true;
            }
        }
        false
    }

    fn is_complete(&self) -> bool {
        self.event_of.iter().all(Option::is_some)
    }

    fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.event_of.len()).filter(|index| self.event_of[*index].is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_moved_for_one_that_matches_fewer_matchers() {
        let mut pairs = EventMatching::new(3);
        for fits in [vec![0, 1], vec![], vec![0], vec![1]] {
            assert!(!pairs.is_complete());
            pairs.add(fits);
        }
        assert_eq!(pairs.open().collect::<Vec<_>>(), [2]);
        pairs.add(vec![0, 1, 2]);
        assert!(pairs.is_complete());
    }
}
