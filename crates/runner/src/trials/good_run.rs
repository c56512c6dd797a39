//! The run without a fault: which scenarios pass and can show a fault, what they exercise, and the frames that the agent sends.

use super::TrialSuite;
use super::recording::Recording;
use crate::scenario::Scenario;
use crate::scenario_run::ScenarioRun;
use conform_judge::dialect::Dialect;
use conform_judge::finding::{Blame, Finding};
use conform_judge::frame::Body;
use conform_report::{ScenarioReport, Verdict};
use frame_faults::SampleFrames;
use indexmap::IndexMap;
use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// What scenarios do without a fault.
pub struct GoodRun {
    /// For each rule, the scenarios that exercise it.
    pub(super) exercised: HashMap<String, BTreeSet<String>>,
    /// The frames that the agent sent, by scenario.
    pub samples: IndexMap<String, SampleFrames>,
    pub(super) recording: Arc<Recording>,
    /// How many scenarios were left out, because the agent has known findings there.
    pub left_out: usize,
}

/// Why a run without a fault shows nothing.
#[derive(Debug)]
pub enum GoodRunError {
    /// The agent has these findings, so a finding says nothing about a fault.
    Findings(Vec<String>),
    /// No scenario passes.
    NothingPasses,
    /// The agent could not be started.
    NotStarted(String),
}

impl GoodRun {
    /// Plays scenarios of a suite without a fault, and keeps those that pass in it. `mark` marks the findings that are known.
    ///
    /// # Errors
    /// The agent has a finding that is not known, or no scenario passes.
    pub async fn play(
        suite: &TrialSuite,
        scenarios: Vec<Scenario>,
        mark: impl Fn(&mut ScenarioReport),
    ) -> Result<Self, GoodRunError> {
        let runs = suite.play(None, scenarios.clone(), 1.0).await;
        let mut runs = runs.map_err(GoodRunError::NotStarted)?;
        runs.iter_mut().for_each(|run| mark(&mut run.report));
        let unknown: Vec<String> = runs.iter().flat_map(unknown_findings).collect();
        if !unknown.is_empty() {
            return Err(GoodRunError::Findings(unknown));
        }
        let mut recording = Recording::new(Arc::clone(&suite.dialect));
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
            if let Some(scenario) = scenario {
                recording.add(scenario, run);
            }
        }
        if good.samples.is_empty() {
            return Err(GoodRunError::NothingPasses);
        }
        good.recording = Arc::new(recording);
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
        for one in run.sessions.iter().flat_map(|session| &session.frames) {
            if matches!(one.frame.body, Body::FromAgent(_))
                && let Some(value) = &one.parsed.value
                && let Some(name) = dialect.events.identify(value).into_name()
            {
                sample.add(&name, value);
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
}

fn is_of_agent(finding: &Finding) -> bool {
    finding.blame == Blame::Agent
}

fn unknown_findings(run: &ScenarioRun) -> impl Iterator<Item = String> {
    let findings = run.report.findings.iter();
    let unknown = findings.filter(|one| is_of_agent(one) && one.baseline.is_none());
    unknown.map(|one| format!("{} in {}: {}", one.rule, run.report.id, one.message))
}

impl Display for GoodRunError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        /// How many findings are shown.
        const SHOWN: usize = 5;
        match self {
            GoodRunError::NotStarted(why) => f.write_str(why),
            GoodRunError::NothingPasses => {
                f.write_str("no scenario passes, so there is nothing that a fault could break")
            }
            GoodRunError::Findings(findings) => {
                let shown = &findings[..findings.len().min(SHOWN)];
                write!(
                    f,
                    "the agent has findings without any fault, so a finding proves nothing; mend them, or name a baseline with --baseline\n  {}",
                    shown.join("\n  ")
                )?;
                match findings.len() - shown.len() {
                    0 => Ok(()),
                    more => write!(f, "\n  and {more} more"),
                }
            }
        }
    }
}
