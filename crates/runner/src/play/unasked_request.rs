//! The finding that the agent asked its model without a reason: the work was stopped, or the command had to be refused.

use super::player::ScenarioPlayer;
use super::step_finding::StepFinding;
use crate::step_rules;
use conform_judge::dialect::FrameIdentity;
use conform_judge::finding::{DifferenceKind, Part};
use mock_provider::{News, ScriptFailure};
use serde_json::Value;

/// The key of the dialect's `no_request` for a command that must be refused.
const INVALID: &str = "#invalid";

impl ScenarioPlayer {
    /// Notes a command after which the agent has no reason to ask its model.
    pub(super) fn note_stop(&mut self, command: &Value) {
        let session = &self.suite.dialect.session;
        let name = match self.suite.dialect.commands.identify(command) {
            _ if self.command_error(command).is_some() => INVALID.to_owned(),
            FrameIdentity::Known(name, _) => name,
            _ => return,
        };
        let newest = &mut self.session.asks_no_more;
        if session.prompts.contains(&name) {
            *newest = None;
        } else if name != INVALID && session.no_request.contains_key(&name)
            || self.session.first_prompt.is_none() && name == INVALID
        {
            *newest = Some(name);
        }
    }

    /// Adds the finding about a request that the script has no reply for, and returns true, if a clause forbids the request.
    pub(super) fn check_unasked(&mut self, failure: &ScriptFailure) -> bool {
        let Some(newest) = self.session.asks_no_more.clone() else {
            return false;
        };
        let why = match (newest.as_str(), failure.brings) {
            (INVALID, Some(News::Prompt)) => "for a command that it must refuse".to_owned(),
            (INVALID, _) | (_, None | Some(News::Prompt)) => return false,
            (stop, Some(News::Results)) => format!("again after the host's `{stop}`"),
        };
        let (Some(clause), Some(request)) = (
            self.suite.dialect.session.no_request.get(&newest),
            failure.request.and_then(|n| self.requests.frame(n)),
        ) else {
            return false;
        };
        self.add_finding(StepFinding {
            level: Some(self.suite.dialect.clauses[clause].strength),
            clauses: Some(vec![clause.clone()]),
            part: Some(Part::Whole),
            ..StepFinding::new(
                step_rules::UNASKED,
                format!("the agent asked its model {why}"),
                DifferenceKind::Unexpected,
            )
            .at(request)
            .about(Some("@request".to_owned()))
        });
        true
    }
}
