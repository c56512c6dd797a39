//! Plays faults, each against the scenarios that can show it.

use crate::agent::{self, faults};
use crate::cli::catalogue::Known;
use crate::dialect::Dialect;
use crate::profile::Profile;
use crate::proof::matrix::{Catcher, Fate, Matrix, Row, Suspect, row};
use crate::report::ScenarioReport;
use crate::rules::rule::{Form, Rule};
use crate::runner::suite::{self, Ended, Entry, Part, Settings};
use crate::runner::{Agent, Keep, Scratch};
use crate::scenario::Scenario;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Scenarios with this tag are played with every fault, for they must complain of nothing else.
const SMOKE: &str = "smoke";
/// How many of the scenarios that exercise a rule are tried first.
const FIRST: usize = 5;

pub(super) struct Hunt<'a> {
    pub(super) only: &'a [String],
    pub(super) jobs: usize,
    pub(super) time_scale: f64,
}

/// What the hunters share.
struct Ground {
    dialect: Arc<Dialect>,
    scenarios: Vec<Scenario>,
    /// For each rule, the scenarios that exercise it.
    exercised: HashMap<String, BTreeSet<String>>,
    scratch: Arc<Scratch>,
    places: Semaphore,
    time_scale: f64,
}

impl Hunt<'_> {
    /// The matrix of one dialect; nothing if the mock agent has no faults for it.
    pub(super) async fn matrix(&self, known: Known) -> Result<Option<Matrix>, String> {
        let Known {
            dialect, scenarios, ..
        } = known;
        let suspects: Vec<Suspect> = suspects(&dialect);
        if suspects.is_empty() {
            return Ok(None);
        }
        let wanted = |s: &Suspect| {
            self.only.is_empty() || self.only.iter().any(|part| s.id.contains(part.as_str()))
        };
        let wanted: Vec<Suspect> = suspects.into_iter().filter(wanted).collect();
        let scratch = Arc::new(Scratch::new().map_err(|e| e.to_string())?);
        let mut ground = Ground {
            dialect: Arc::clone(&dialect),
            scenarios,
            exercised: HashMap::new(),
            scratch,
            places: Semaphore::new(self.jobs),
            time_scale: self.time_scale,
        };
        ground.exercised = ground.good_run().await?;
        let ground = Arc::new(ground);
        let mut hunters = JoinSet::new();
        for (n, suspect) in wanted.into_iter().enumerate() {
            let ground = Arc::clone(&ground);
            hunters.spawn_local(async move { (n, ground.hunt(&suspect).await) });
        }
        let mut rows = Vec::new();
        while let Some(done) = hunters.join_next().await {
            let (n, row) = done.map_err(|e| e.to_string())?;
            rows.push((n, row?));
        }
        rows.sort_by_key(|(n, _)| *n);
        let faults: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
        let needs = dialect
            .rules
            .iter()
            .filter(|rule| needs_killer(rule, &dialect))
            .map(|rule| rule.id.clone());
        let killed = |rule: &String| {
            faults
                .iter()
                .any(|row| row.fate == Fate::Killed && row.caught_by == *rule)
        };
        Ok(Some(Matrix {
            dialect: dialect.id(),
            rules_without_killer: needs.filter(|rule| !killed(rule)).collect(),
            faults,
        }))
    }
}

fn suspects(dialect: &Dialect) -> Vec<Suspect> {
    let catcher = |text: &&str| match text.strip_prefix("scenario:") {
        Some(id) => Catcher::Scenario(format!("{}/{id}", dialect.id())),
        None => Catcher::Rule(format!("{}/{text}", dialect.name)),
    };
    let spoken = (&*dialect.name, &*dialect.version);
    let own = faults::all().filter(|(of, fault)| *of == spoken && !fault.caught_by.is_empty());
    let suspects = own.map(|(_, fault)| Suspect {
        id: fault.id.to_owned(),
        summary: fault.summary.to_owned(),
        caught_by: fault.caught_by.iter().map(catcher).collect(),
    });
    suspects.collect()
}

/// Rules about the agent, of the forms that can accuse it.
fn needs_killer(rule: &Rule, dialect: &Dialect) -> bool {
    let symbols = &dialect.symbols;
    let host = rule.blame == Some(crate::finding::Blame::Host);
    !host
        && match &rule.form {
            Form::Schema(name) => !name.starts_with('>'),
            Form::Require(require) => !require
                .on
                .symbols()
                .iter()
                .all(|s| symbols.host.contains(s)),
            Form::Probe(_) => false,
            Form::Order(_) | Form::Deadline(_) | Form::Wire(_) => true,
        }
}

impl Ground {
    /// Plays the whole suite with the good agent, which must be clean, and learns which scenarios exercise which rule.
    async fn good_run(&self) -> Result<HashMap<String, BTreeSet<String>>, String> {
        let entries = self.play(None, self.scenarios.clone(), 2, 1.0).await?;
        let mut exercised: HashMap<String, BTreeSet<String>> = HashMap::new();
        for entry in entries {
            if let Some(finding) = entry
                .report
                .findings
                .iter()
                .find(|f| f.blame == crate::finding::Blame::Agent)
            {
                let Entry { report, .. } = &entry;
                return Err(format!(
                    "the good agent is not clean: {} in {}: {}",
                    finding.rule, report.id, finding.message
                ));
            }
            for (rule, times) in entry.exercised.rules {
                if times > 0 {
                    exercised
                        .entry(rule)
                        .or_default()
                        .insert(entry.report.id.clone());
                }
            }
        }
        Ok(exercised)
    }

    /// Plays a fault against the likeliest scenarios first, and against more only while it survives.
    async fn hunt(&self, suspect: &Suspect) -> Result<Row, String> {
        let _place = self.places.acquire().await.map_err(|e| e.to_string())?;
        let mut reports: Vec<ScenarioReport> = Vec::new();
        let mut best = row(suspect, &[]);
        for wanted in self.rounds(suspect) {
            let played: BTreeSet<String> = reports.iter().map(|r| r.id.clone()).collect();
            let fresh = |s: &&Scenario| {
                let id = self.id(s);
                wanted.contains(&id) && !played.contains(&id)
            };
            let scenarios: Vec<Scenario> = self.scenarios.iter().filter(fresh).cloned().collect();
            let entries = self
                .play(Some(&suspect.id), scenarios, 2, self.time_scale)
                .await?;
            reports.extend(entries.into_iter().map(|entry| entry.report));
            reports.sort_by(|a, b| a.id.cmp(&b.id));
            best = row(suspect, &reports);
            if matches!(best.fate, Fate::Killed | Fate::Collateral(_)) {
                break;
            }
        }
        Ok(best)
    }

    fn id(&self, scenario: &Scenario) -> String {
        format!("{}/{}", self.dialect.id(), scenario.id)
    }

    fn rounds(&self, suspect: &Suspect) -> Vec<BTreeSet<String>> {
        let smoke = self
            .scenarios
            .iter()
            .filter(|s| s.tags.iter().any(|t| t == SMOKE))
            .map(|s| self.id(s));
        let mut first: BTreeSet<String> = smoke.collect();
        let mut second = BTreeSet::new();
        for catcher in &suspect.caught_by {
            match catcher {
                Catcher::Scenario(id) => {
                    first.insert(id.clone());
                }
                Catcher::Rule(rule) => {
                    let shows = self.exercised.get(rule).cloned().unwrap_or_default();
                    first.extend(shows.iter().take(FIRST).cloned());
                    second.extend(shows);
                }
            }
        }
        let all = self.scenarios.iter().map(|s| self.id(s)).collect();
        vec![first, second, all]
    }

    async fn play(
        &self,
        fault: Option<&str>,
        scenarios: Vec<Scenario>,
        jobs: usize,
        time_scale: f64,
    ) -> Result<Vec<Entry>, String> {
        let agent = Agent {
            program: std::env::current_exe().map_err(|e| e.to_string())?,
            prefix: vec!["agent".into()],
            args: None,
            env: fault
                .map(|id| ("MOCK_AGENT_FAULT".into(), id.into()))
                .into_iter()
                .chain([(agent::PROTOCOL.into(), self.dialect.id().into())])
                .collect(),
            lacks: Vec::new(),
        };
        let part = Part {
            agent,
            dialect: Arc::clone(&self.dialect),
            wire: None,
            scenarios,
        };
        let settings = Settings {
            jobs,
            profile: Profile::Spec,
            time_scale,
            seed: 0,
            retries: 0,
            keep: Keep::Nothing,
        };
        let (_keep, cancelled) = watch::channel(false);
        let mut entries = Vec::new();
        let ended = suite::run(
            vec![part],
            &settings,
            Arc::clone(&self.scratch),
            cancelled,
            &mut |entry| entries.push(entry),
        )
        .await;
        match ended {
            Ended::NotStarted(why) => Err(why),
            Ended::Whole | Ended::Mute | Ended::Interrupted => Ok(entries),
        }
    }
}
