//! The step `unordered`, which waits for several events in any order.

use super::context::EarlyStop;
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
        self.handle_sent()?;
        let window = |one| self.window_of(false, one);
        let windows: Vec<_> = matchers.iter().map(window).collect();
        let new = self.session.events.position();
        let begins = windows.iter().map(|window| window.after);
        let mut at = begins.min().unwrap_or(new);
        let mut wait = self.wait_for_event(step);
        let mut received = ReceivedEvents::default();
        let mut pairs = EventMatching::new(matchers.len());
        let mut closest: Vec<_> = matchers.iter().map(|_| Closest::default()).collect();
        let met = self.wait_until(&mut wait, |player| {
            while let Some(event) = player.session.events.after(at) {
                at = event.n;
                let is_new = at > new;
                if is_new {
                    received.add(event);
                }
                let mut fits = Vec::new();
                for (index, matcher) in matchers.iter().enumerate() {
                    let matches = matcher.matches(&event.value, &player.captures).is_ok();
                    if matches && windows[index].contains(event) {
                        fits.push(index);
                    } else if !matches && is_new && event.value.is_object() {
                        closest[index].offer(event.n, matcher, &event.value, &player.captures);
                    }
                }
                pairs.add(at, fits);
                if pairs.is_complete() {
                    return Some(());
                }
            }
            None
        });
        let Err(result) = met.await? else {
            for n in pairs.taken() {
                self.session.events.take(n);
            }
            self.step_passed();
            return Ok(());
        };
        let open: Vec<usize> = pairs.open().collect();
        let awaited = self.all_awaited(open.iter().map(|index| &matchers[*index]));
        let first = open.first();
        let nearest = first.and_then(|index| self.nearest(&matchers[*index], &closest[*index]));
        Err(self.timed_out(step_rules::UNORDERED, &result, &received, nearest, awaited))
    }
}

/// The assignment of events to matchers: a maximum bipartite matching, so that the order of the events does not matter.
#[derive(Debug)]
struct EventMatching {
    /// For each event that matches anything, its frame number and the matchers it matches.
    events: Vec<(u64, Vec<usize>)>,
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

    /// Adds the event of a frame, with the matchers it matches.
    fn add(&mut self, frame: u64, fits: Vec<usize>) {
        if !fits.is_empty() && !self.is_complete() {
            self.events.push((frame, fits));
            let mut tried = vec![false; self.event_of.len()];
            self.assign(self.events.len() - 1, &mut tried);
        }
    }

    /// Assigns an event to a matcher, and moves other events if necessary.
    fn assign(&mut self, event: usize, tried: &mut [bool]) -> bool {
        for fit in self.events[event].1.clone() {
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

    /// The frames of the events that are assigned to a matcher.
    fn taken(&self) -> Vec<u64> {
        let taken = self.event_of.iter().flatten();
        taken.map(|event| self.events[*event].0).collect()
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
        for (n, fits) in (1..).zip([vec![0, 1], vec![], vec![0], vec![1]]) {
            assert!(!pairs.is_complete());
            pairs.add(n, fits);
        }
        assert_eq!(pairs.open().collect::<Vec<_>>(), [2]);
        pairs.add(5, vec![0, 1, 2]);
        assert!(pairs.is_complete());
        assert_eq!(pairs.taken(), [3, 1, 5]);
    }
}
