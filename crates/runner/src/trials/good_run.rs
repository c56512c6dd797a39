//! The run without a fault: which scenarios pass and can show a fault, the rules that they exercise, and the frames that the agent sends.

use super::recording::Recording;
use super::scenario_run::ScenarioRun;
use super::{TrialError, TrialSuite};
use crate::mutation::frame_names::SessionNames;
use crate::scenario::Scenario;
use conform_judge::dialect::Dialect;
use conform_judge::finding::{Blame, Finding};
use conform_judge::frame::Body;
use conform_report::{ScenarioReport, Verdict};
use frame_faults::{ActiveFrom, Effect, Fault, SampleFrames};
use indexmap::IndexMap;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The results of scenarios without a fault.
pub struct GoodRun {
    /// For each rule, the scenarios that exercise it.
    pub(super) exercised: HashMap<String, BTreeSet<String>>,
    /// The frames that the agent sent, by scenario.
    samples: IndexMap<String, SampleFrames>,
    pub(super) recording: Arc<Recording>,
    /// How many scenarios were left out, because the agent has known findings there.
    pub left_out: usize,
}

impl GoodRun {
    /// Plays scenarios of a suite without a fault, and keeps those that pass in it. `mark` is called for each as it ends, and marks the
    /// findings that are known.
    ///
    /// # Errors
    /// The agent has a finding that is not known, or no scenario passes.
    pub async fn play(
        suite: &TrialSuite,
        scenarios: Vec<Scenario>,
        mut mark: impl FnMut(&mut ScenarioReport),
    ) -> Result<Self, TrialError> {
        let on_end = &mut |run: &mut ScenarioRun| mark(&mut run.report);
        let runs = suite
            .play_each(None, scenarios.clone(), 1.0, on_end)
            .await?;
        let unknown: Vec<String> = runs.iter().flat_map(unknown_findings).collect();
        if !unknown.is_empty() {
            return Err(TrialError::Findings(unknown));
        }
        let mut good = GoodRun {
            exercised: HashMap::new(),
            samples: IndexMap::new(),
            recording: Arc::new(Recording::new(Arc::clone(&suite.dialect))),
            left_out: 0,
        };
        for run in runs {
            let has_finding = run.report.findings.iter().any(is_of_agent);
            if run.report.verdict != Verdict::Pass || has_finding {
                good.left_out += usize::from(run.report.verdict != Verdict::Skipped);
                continue;
            }
            good.note(&run, &suite.dialect);
            let scenario = scenarios.iter().find(|one| suite.id(one) == run.report.id);
            if let (Some(scenario), Some(recording)) = (scenario, Arc::get_mut(&mut good.recording))
            {
                recording.add(scenario, run);
            }
        }
        if good.samples.is_empty() {
            return Err(TrialError::NothingPasses);
        }
        Ok(good)
    }

    /// Notes what a scenario exercises, and the frames that the agent sends in it.
    fn note(&mut self, run: &ScenarioRun, dialect: &Dialect) {
        let id = &run.report.id;
        for (rule, times) in &run.check.coverage.rules {
            if *times > 0 {
                let scenarios = self.exercised.entry(rule.clone()).or_default();
                scenarios.insert(id.clone());
            }
        }
        let mut sample = SampleFrames::default();
        for session in &run.sessions {
            let mut names = SessionNames::new(dialect);
            for one in &session.frames {
                let is_command = matches!(one.frame.body, Body::ToAgent(_));
                let is_line = is_command || matches!(one.frame.body, Body::FromAgent(_));
                let Some(value) = one.parsed.value.as_ref().filter(|_| is_line) else {
                    continue;
                };
                let (_, identity) = names.next(dialect, value, is_command);
                if let (false, Some(name)) = (is_command, identity.into_name()) {
                    sample.add(&name, value);
                }
            }
        }
        self.samples.insert(id.clone(), sample);
    }

    /// Removes the scenarios that do not pass from a suite.
    pub fn restrict(&self, suite: &mut TrialSuite) {
        let id = suite.dialect.id();
        let passes = |one: &Scenario| self.samples.contains_key(&format!("{id}/{}", one.id));
        suite.scenarios.retain(passes);
    }

    /// The frames of all scenarios.
    #[must_use]
    pub fn all_samples(&self) -> SampleFrames {
        let mut samples = SampleFrames::default();
        self.samples.values().for_each(|one| samples.add_all(one));
        samples
    }

    /// The scenarios in which the agent sends a frame that a fault changes.
    pub(super) fn sending(&self, fault: &Fault) -> Vec<String> {
        let samples = self.samples.iter();
        let sending = samples.filter(|(_, sample)| sample.played_on(fault).is_some());
        sending.map(|(id, _)| id.clone()).collect()
    }

    /// Why a fault was never active: the frame that the agent did not send, or not after a turn had begun.
    pub(super) fn why_inactive(&self, fault: &Fault, dialect: &Dialect) -> String {
        let name = match &fault.effect {
            Effect::Events(parts) => parts.first().and_then(|part| part.on.name()),
            _ => None,
        };
        let Some(name) = name else {
            return "no frame that it applies to was sent".to_owned();
        };
        if !self.samples.values().any(|sample| sample.has(name)) {
            return format!("no `{name}` was sent");
        }
        let turns = dialect.session.turn.sources().join(" | ");
        if fault.active_from != ActiveFrom::Turn || self.sending(fault).is_empty() {
            format!("no `{name}` that it applies to was sent")
        } else if turns.is_empty() {
            "it begins with the first turn, and `session.turn` in dialect.yaml does not say what begins one; with `from: start` it is played at once".to_owned()
        } else {
            format!(
                "no `{name}` that it applies to was sent after a turn began (`session.turn: {turns}`); with `from: start` it is played at once"
            )
        }
    }
}

fn is_of_agent(finding: &Finding) -> bool {
    finding.blame == Blame::Agent
}

fn unknown_findings(run: &ScenarioRun) -> impl Iterator<Item = String> {
    let findings = run.report.findings.iter();
    let unknown = findings.filter(|one| is_of_agent(one) && one.baseline.is_none());
    unknown.map(|one| format!("{} in {}: {}", one.rule, run.report.id, one.message))
}
