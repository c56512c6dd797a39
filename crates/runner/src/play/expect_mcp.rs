//! The step that waits for what reaches an MCP server (`expect_mcp`).

use super::awaited::Awaited;
use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::step_finding::StepFinding;
use super::timeout_message::ReceivedEvents;
use crate::scenario::types::Step;
use crate::step_rules;
use conform_judge::finding::DifferenceKind;
use json_matcher::{Closest, Matcher};

impl ScenarioPlayer {
    /// Waits for a message to an MCP server, or its start, that matches. What other servers get meanwhile stays for later steps.
    pub(super) async fn expect_mcp(
        &mut self,
        step: &Step,
        matcher: &Matcher,
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step).without_stdout();
        let found = self.wait_until(&mut wait, |player| {
            let events = &player.session.mcp_events;
            let fits = |value| matcher.matches(value, &player.captures).is_ok();
            let at = events.iter().position(|(_, _, value)| fits(value))?;
            player.session.mcp_events.remove(at)
        });
        let rule = step_rules::EXPECT_MCP;
        match found.await? {
            Ok((n, _, value)) => match self.captures.take(&step.capture, &value) {
                Ok(()) => {
                    self.step_passed();
                    Ok(())
                }
                Err(missing) => {
                    let message =
                        format!("the message lacks what the scenario needs of it: {missing}");
                    let found = StepFinding::new(rule, message, DifferenceKind::WrongValue);
                    Err(self.fail(found.at(n)))
                }
            },
            Err(result) => {
                let mut received = ReceivedEvents::default();
                let mut closest = Closest::default();
                for (n, name, value) in &self.session.mcp_events {
                    received.add_name(name);
                    closest.offer(*n, matcher, value, &self.captures);
                }
                let nearest = closest.get();
                let nearest = nearest.map(|(n, differences)| (*n, differences.to_vec()));
                let awaited = Awaited::thing(
                    "the expected message to an MCP server",
                    matcher.in_words(&self.captures),
                );
                Err(self.timed_out(rule, &result, &received, nearest, awaited))
            }
        }
    }
}
