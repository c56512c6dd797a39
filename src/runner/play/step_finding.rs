//! Findings of steps.

use super::player::ScenarioPlayer;
use crate::finding::{Blame, Finding, Level, Source};
use crate::scenario::types::Step;

/// What a step holds against the agent. Where it does not say, level, clauses and key are those of the step that is played.
#[derive(Debug)]
pub(super) struct StepFinding {
    pub(super) rule: &'static str,
    pub(super) message: String,
    pub(super) level: Option<Level>,
    pub(super) clauses: Option<Vec<String>>,
    pub(super) expected: Vec<String>,
    pub(super) key: Option<String>,
    pub(super) near: BlamedFrame,
}

/// The frame that is to blame.
#[derive(Debug, Default)]
pub(super) enum BlamedFrame {
    /// The newest one.
    #[default]
    Newest,
    /// The one of this number; a JSON Pointer to the place in it.
    Frame(u64, String),
    /// None: what is wrong is that nothing came.
    Nothing,
}

impl StepFinding {
    pub(super) fn new(rule: &'static str, message: impl Into<String>) -> Self {
        StepFinding {
            rule,
            message: message.into(),
            level: None,
            clauses: None,
            expected: Vec::new(),
            key: None,
            near: BlamedFrame::default(),
        }
    }
}

impl ScenarioPlayer {
    /// Puts down a finding, with the frames around it. Behind a request that the script does not foresee there are none: they may follow
    /// from the answer that it got.
    pub(super) fn charge(&mut self, charge: StepFinding) {
        if self.requests.unforeseen().is_some() {
            return;
        }
        let step = self.scenario.steps.get(self.step);
        let clauses = charge.clauses.unwrap_or_else(|| self.clauses_of(step));
        let source = if clauses.is_empty() {
            Source::Host
        } else {
            Source::Spec
        };
        let level = charge
            .level
            .or(step.and_then(|step| step.level))
            .unwrap_or(self.scenario.level);
        let place = || {
            step.map_or(String::new(), |step| {
                format!("step {}, line {}", self.step + 1, step.span.line)
            })
        };
        let mut evidence = self.session.recorder.evidence();
        let mut at = self.session.recorder.number();
        let mut pointer = String::new();
        match charge.near {
            BlamedFrame::Newest => {}
            BlamedFrame::Nothing => evidence.iter_mut().for_each(|quote| quote.here = false),
            BlamedFrame::Frame(frame, place) => {
                at = frame;
                if evidence.iter().any(|quote| quote.frame == frame) {
                    pointer = place;
                }
                for quote in &mut evidence {
                    quote.here = quote.frame == frame;
                }
            }
        }
        let finding = Finding {
            rule: charge.rule.to_owned(),
            level: self.suite.profile.apply(level, source),
            source,
            blame: Blame::Agent,
            clauses,
            at,
            key: charge.key.unwrap_or_else(place),
            message: charge.message,
            expected: charge.expected,
            pointer,
            evidence,
            rerun: String::new(),
            baseline: None,
        };
        self.findings.push((self.past_sessions.len(), finding));
    }

    /// The clauses that a step checks: its own, else the scenario's.
    pub(super) fn clauses_of(&self, step: Option<&Step>) -> Vec<String> {
        let own = step.and_then(|step| step.clauses.as_ref());
        own.unwrap_or(&self.scenario.clauses).clone()
    }

    /// A step has checked its clauses.
    pub(super) fn checked(&mut self) {
        let clauses = self.clauses_of(self.scenario.steps.get(self.step));
        self.checked_clauses.extend(clauses);
    }
}
