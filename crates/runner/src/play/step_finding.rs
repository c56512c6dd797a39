//! Findings of steps: the faults of the agent that a step found, added with the frames around it as evidence.

use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use crate::scenario::types::Step;
use crate::step_rules;
use conform_judge::dialect::clause_names::is_about_frame;
use conform_judge::finding::{
    Blame, Difference, DifferenceKind, Expected, Finding, Level, Origin, Part, Source,
};

/// A finding of a step before it is added. Level, clauses and part default to those of the current step.
#[derive(Debug)]
pub(super) struct StepFinding {
    pub(super) rule: &'static str,
    pub(super) message: String,
    pub(super) level: Option<Level>,
    pub(super) clauses: Option<Vec<String>>,
    pub(super) expected: Vec<Expected>,
    pub(super) part: Option<Part>,
    pub(super) frame: BlamedFrame,
    /// The event that did not come, or the wrong part of it, without the values.
    pub(super) difference: Difference,
    /// Who is to blame: the scenario, if it left a request of the agent open.
    pub(super) blame: Blame,
}

/// The frame that a finding points at.
#[derive(Debug, Default)]
pub(super) enum BlamedFrame {
    /// The newest one.
    #[default]
    Newest,
    /// The frame of this number, and a JSON Pointer into it.
    Number(u64, String),
    /// None, since something is missing.
    None,
    /// None: an event is missing that should have come after the frame of this number.
    After(u64),
}

impl StepFinding {
    pub(super) fn new(
        rule: &'static str,
        message: impl Into<String>,
        kind: DifferenceKind,
    ) -> Self {
        StepFinding {
            rule,
            message: message.into(),
            level: None,
            clauses: None,
            expected: Vec::new(),
            part: None,
            frame: BlamedFrame::default(),
            difference: Difference::of_kind(kind),
            blame: Blame::Agent,
        }
    }

    /// The same, about an event of this name.
    pub(super) fn about(mut self, name: Option<String>) -> Self {
        self.difference.name = name.unwrap_or_default();
        self
    }

    /// The same, at the frame of this number.
    pub(super) fn at(mut self, frame: u64) -> Self {
        self.frame = BlamedFrame::Number(frame, String::new());
        self
    }

    /// The same, with what was expected.
    pub(super) fn expecting(mut self, expected: impl Into<Expected>) -> Self {
        self.expected = vec![expected.into()];
        self
    }

    /// The same, about an effect of this command.
    pub(super) fn after(mut self, command: Option<&String>) -> Self {
        self.difference.after = command.cloned().unwrap_or_default();
        self
    }
}

/// The number of a session, from 1.
pub(super) fn session_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

impl ScenarioPlayer {
    /// Adds a finding with the frames around it, unless only rules judge. After a request that the script has no reply for nothing is added, since it may follow from
    /// the answer that the request got.
    pub(super) fn add_finding(&mut self, found: StepFinding) {
        let is_judged = !self.scenario.rules_only || step_rules::ALWAYS.contains(&found.rule);
        if is_judged && self.requests.unscripted().is_none() {
            let finding = self.finding(found);
            self.findings.push(finding);
        }
    }

    /// Adds the finding of a step that has failed.
    pub(super) fn fail(&mut self, found: StepFinding) -> EarlyStop {
        self.add_finding(found);
        EarlyStop::Failed(None)
    }

    /// The finding, with the frames around it.
    pub(super) fn finding(&self, found: StepFinding) -> Finding {
        let step = self.scenario.steps.get(self.step);
        let clauses = found.clauses.unwrap_or_else(|| self.clauses_of(step));
        let source = if clauses.is_empty() {
            Source::Host
        } else {
            Source::Spec
        };
        let level = found
            .level
            .or(step.and_then(|step| step.level))
            .unwrap_or(self.scenario.level);
        let of_step = || {
            step.map_or(Part::Whole, |step| Part::Step {
                number: self.step + 1,
                line: step.span.line,
            })
        };
        let mut difference = found.difference;
        if difference.after.is_empty() {
            difference.after = self.session.last_command.clone().unwrap_or_default();
        }
        let mut evidence = self.session.recorder.checker().evidence();
        let mut at = self.session.recorder.number();
        let mut pointer = String::new();
        match found.frame {
            BlamedFrame::Newest => {}
            BlamedFrame::None => evidence.iter_mut().for_each(|quote| quote.here = false),
            BlamedFrame::After(frame) => {
                at = frame;
                evidence.iter_mut().for_each(|quote| quote.here = false);
            }
            BlamedFrame::Number(frame, place) => {
                at = frame;
                if evidence.iter().any(|quote| quote.frame == frame) {
                    pointer = place;
                }
                for quote in &mut evidence {
                    quote.here = quote.frame == frame;
                }
            }
        }
        Finding {
            rule: found.rule.to_owned(),
            level: self.suite.settings.profile.apply(level, source),
            source,
            blame: found.blame,
            clauses,
            at,
            origin: Origin {
                session: session_number(self.past_sessions.len()),
                part: found.part.unwrap_or_else(of_step),
            },
            message: found.message,
            expected: found.expected,
            pointer,
            difference,
            evidence,
            ..Finding::default()
        }
    }

    /// The clauses that a step checks: its own, else the scenario's.
    pub(super) fn clauses_of(&self, step: Option<&Step>) -> Vec<String> {
        let own = step.and_then(|step| step.clauses.as_ref());
        own.unwrap_or(&self.scenario.clauses).clone()
    }

    /// Those clauses of the current step that are about these events; if there are none, all of its clauses.
    pub(super) fn clauses_about(&self, events: &[String]) -> Vec<String> {
        let all = self.clauses_of(self.scenario.steps.get(self.step));
        let names: Vec<&str> = events.iter().flat_map(|name| name.split('.')).collect();
        let is_about = |clause: &&String| names.iter().any(|name| is_about_frame(clause, name));
        let about: Vec<String> = all.iter().filter(is_about).cloned().collect();
        if about.is_empty() { all } else { about }
    }

    /// Notes that the current step has checked its clauses.
    pub(super) fn step_passed(&mut self) {
        self.has_checked = true;
        let clauses = self.clauses_of(self.scenario.steps.get(self.step));
        self.checked_clauses.extend(clauses);
    }
}
