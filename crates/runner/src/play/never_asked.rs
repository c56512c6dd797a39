//! The finding that the agent answered a prompt and never asked its model. What the scenario then misses follows from it.

use super::agent_session::wire;
use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use crate::launch::LaunchPlan;
use crate::network::isolation;
use crate::step_rules;
use conform_judge::finding::{DifferenceKind, Part};

impl ScenarioPlayer {
    /// Notes at the end of a session, before the agent is asked to end, that it answered a prompt without asking its model. `stop` is the
    /// reason why the steps ended early.
    ///
    /// An agent that has ended by itself has another fault, and one that is still at work may ask later, unless it shows a text already.
    pub(super) fn note_unasked(&mut self, stop: Option<&EarlyStop>) {
        let session = &self.session;
        let Some(prompt) = session.first_prompt.filter(|_| session.has_answered) else {
            return;
        };
        let was_asked_to_end = session.was_signalled || !session.process.is_stdin_open();
        let was_waited_for = matches!(stop, Some(EarlyStop::Failed(Some(_))));
        let is_done =
            session.recorder.checker().is_work_over() || session.has_shown_text || was_waited_for;
        let waits_for_host = self.left_open().is_some();
        if !is_done || waits_for_host || self.has_ended() && !was_asked_to_end {
            return;
        }
        let finding = self.finding(StepFinding {
            level: Some(self.scenario.level),
            clauses: Some(Vec::new()),
            expected: vec![self.expected_request().into()],
            part: Some(Part::Whole),
            frame: BlamedFrame::After(prompt),
            ..StepFinding::new(
                step_rules::NEVER_ASKED,
                "the agent answered the prompt and did not ask the scripted model",
                DifferenceKind::Absent,
            )
        });
        self.unasked.push(finding);
    }

    /// Adds the note, if the scenario had no request in any session and needs one; returns whether it did.
    pub(super) fn check_asked(&mut self, stop: Option<&EarlyStop>) -> bool {
        let needs_one = match stop {
            None => !self.server.unused().is_empty(),
            Some(EarlyStop::Failed(_)) => !self.script.replies.is_empty(),
            Some(_) => false,
        };
        let asks_none = self.suite.agent.plays_script || self.scenario.rules_only;
        if asks_none || !needs_one || !self.requests.is_empty() || self.unasked.is_empty() {
            return false;
        }
        self.findings.append(&mut self.unasked);
        true
    }

    /// Why the scenario is skipped: it is the only one to name a model API that an agent may lack, and the agent asked nothing over it.
    pub(super) fn lacks_wire(&self) -> Option<String> {
        let name = self.scenario.wire.as_ref()?;
        let wires = &self.suite.dialect.launch.wires;
        let usual = self.suite.wire.as_ref().or(wires.keys().next());
        let is_silent = self.requests.is_empty() && !self.script.replies.is_empty();
        let is_lacked = is_silent && usual != Some(name) && wires.get(name)?.optional;
        is_lacked.then(|| format!("the agent does not ask its model over {name}"))
    }

    /// The missing request, and where the agent finds the address of the model.
    fn expected_request(&self) -> String {
        let mut placeholders = self.captures.clone();
        placeholders.set("llm_url", "{llm_url}");
        let plan = LaunchPlan {
            agent: &self.suite.agent,
            recipe: &self.suite.dialect.launch,
            wire: wire(&self.suite, &self.scenario).ok().flatten(),
            setup: &self.scenario.agent,
            placeholders: &placeholders,
        };
        let places = plan.address_places(&self.sandbox);
        let at = if places.is_empty() {
            "which the agent does not get: put `{llm_url}` into its arguments".to_owned()
        } else {
            format!("which the agent gets {}", places.join(" and "))
        };
        let hidden = if isolation::is_in_namespace() {
            "; a process that conform did not start (a daemon, a forking server) cannot reach it in conform's network namespace: if one does the work, use `--network proxy`"
        } else {
            ""
        };
        format!("a request to the model's address, {at}{hidden}")
    }
}
