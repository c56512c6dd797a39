//! Plays faults, each against the scenarios that can show it.

use super::published;
use crate::cli::catalogue::KnownDialect;
use crate::dialect::{Dialect, DialectSource};
use crate::finding::Blame;
use crate::frame::Frame;
use crate::mutation::bad_hosts;
use crate::mutation::coverage;
use crate::mutation::fault_trace::FaultTrace;
use crate::mutation::kill_analysis::{Catcher, PlayedScenario, TestedFault, matrix_row};
use crate::mutation::matrix::{Fate, Matrix, Row};
use crate::profile::Profile;
use crate::runner::agent::Agent;
use crate::runner::retry::RetryPolicy;
use crate::runner::sandbox::SandboxRoot;
use crate::runner::scheduler::{self, DialectSuite, ScenarioRun, SuiteEnd, SuiteSettings};
use crate::runner::selection::Shard;
use crate::runner::transcripts::KeepTranscripts;
use crate::scenario::Scenario;
use crate::transcript::TranscriptReader;
use mock_agent::faults::{self, Shows};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{OnceCell, Semaphore, watch};
use tokio::task::JoinSet;

/// Some scenarios with this tag are played with every fault, for they must complain of nothing else.
const SMOKE: &str = "smoke";
/// How many of them, and of the scenarios that exercise a rule, are tried first.
const FEW: usize = 3;
/// How many scenarios are played at a time with one fault: most that goes wrong is waited for.
const AT_A_TIME: usize = 4;

/// Against what a fault is played, from the likeliest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    /// The scenario in which it was caught when the matrix was published.
    Published,
    /// Some scenarios that exercise the rules that must catch it.
    Likely,
    /// All scenarios that do.
    Exercised,
    /// Every scenario.
    All,
}

const ROUNDS: &[Round] = &[
    Round::Published,
    Round::Likely,
    Round::Exercised,
    Round::All,
];

pub(super) struct MutationRun<'a> {
    pub(super) only: &'a [String],
    pub(super) shard: Option<Shard>,
    pub(super) jobs: usize,
    pub(super) time_scale: f64,
    pub(super) source: &'a DialectSource,
}

/// What became of the faults of one dialect that were played.
pub(super) struct MutationOutcome {
    dialect: String,
    rows: Vec<Row>,
    /// Every fault of the dialect, in its order.
    all: Vec<String>,
    /// The rules that a fault must show to be able to fail.
    rules: Vec<String>,
}

impl MutationOutcome {
    /// The matrix of what was played.
    pub(super) fn matrix(&self) -> Matrix {
        Matrix::of(&self.dialect, self.rows.clone(), &self.rules)
    }

    /// The matrix with what was not played as it was before.
    pub(super) fn over(&self, before: &Matrix) -> Matrix {
        let row = |id: &String| {
            let mut rows = self.rows.iter().chain(&before.faults);
            rows.find(|row| row.fault == *id).cloned()
        };
        let rows = self.all.iter().filter_map(row).collect();
        Matrix::of(&self.dialect, rows, &self.rules)
    }
}

/// For each rule, the scenarios that exercise it.
type Exercised = HashMap<String, BTreeSet<String>>;

/// What the hunters share.
struct MutationContext {
    dialect: Arc<Dialect>,
    scenarios: Vec<Scenario>,
    /// Where faults were caught when the matrix was published.
    published: Matrix,
    exercised: OnceCell<Exercised>,
    sandboxes: Arc<SandboxRoot>,
    places: Semaphore,
    time_scale: f64,
}

impl MutationRun<'_> {
    /// What became of the faults of one dialect; nothing if the mock agent has none for it.
    pub(super) async fn matrix(
        &self,
        known: KnownDialect,
    ) -> Result<Option<MutationOutcome>, String> {
        let KnownDialect {
            dialect, scenarios, ..
        } = known;
        let suspects: Vec<TestedFault> = suspects(&dialect);
        if suspects.is_empty() {
            return Ok(None);
        }
        let hosts = bad_hosts::load(self.source, &dialect).map_err(|e| e.to_string())?;
        let binds_hosts = !hosts.is_empty();
        let hosts: Vec<Row> = hosts.iter().map(|host| host.row(&dialect)).collect();
        let agents = suspects.iter().map(|suspect| suspect.id.clone());
        let all = agents
            .chain(hosts.iter().map(|row| row.fault.clone()))
            .collect();
        let is_wanted = |id: &str| {
            self.only.is_empty() || self.only.iter().any(|part| id.contains(part.as_str()))
        };
        let wanted = suspects.into_iter().filter(|s| is_wanted(&s.id));
        let hosts = hosts.into_iter().filter(|row| is_wanted(&row.fault));
        let wanted = self.part(wanted);
        let hosts = self.part(hosts);
        let sandboxes = Arc::new(SandboxRoot::new().map_err(|e| e.to_string())?);
        let ground = Arc::new(MutationContext {
            published: published::matrix(&dialect.id()),
            dialect: Arc::clone(&dialect),
            scenarios,
            exercised: OnceCell::new(),
            sandboxes,
            places: Semaphore::new(self.jobs),
            time_scale: self.time_scale,
        });
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
        Ok(Some(MutationOutcome {
            all,
            rules: coverage::provable_rules(&dialect, binds_hosts),
            rows: rows.into_iter().map(|(_, row)| row).chain(hosts).collect(),
            dialect: dialect.id(),
        }))
    }
}

impl MutationRun<'_> {
    /// The part of them that is in the shard.
    fn part<T>(&self, all: impl Iterator<Item = T>) -> Vec<T> {
        let places = all.enumerate();
        let inside = places.filter(|(place, _)| self.shard.is_none_or(|shard| shard.holds(*place)));
        inside.map(|(_, one)| one).collect()
    }
}

fn suspects(dialect: &Dialect) -> Vec<TestedFault> {
    let catcher = |text: &&str| match text.strip_prefix("scenario:") {
        Some(id) => Catcher::Scenario(format!("{}/{id}", dialect.id())),
        None => Catcher::Rule(format!("{}/{text}", dialect.name)),
    };
    let spoken = (&*dialect.name, &*dialect.version);
    let own =
        mock_agent::all_faults().filter(|(of, fault)| *of == spoken && !fault.caught_by.is_empty());
    let suspects = own.map(|(_, fault)| TestedFault {
        id: fault.id.to_owned(),
        summary: fault.summary.to_owned(),
        caught_by: fault.caught_by.iter().map(catcher).collect(),
        side: Blame::Agent,
        at_fault: fault.shows == Shows::There,
    });
    suspects.collect()
}

impl MutationContext {
    /// Plays the whole suite with the good agent, which must be clean, and learns which scenarios exercise which rule.
    async fn good_run(&self) -> Result<Exercised, String> {
        let entries = self
            .play(None, self.scenarios.clone(), 1.0, KeepTranscripts::Nothing)
            .await?;
        let mut exercised = Exercised::new();
        for entry in entries {
            if let Some(finding) = entry
                .report
                .findings
                .iter()
                .find(|f| f.blame == Blame::Agent)
            {
                let ScenarioRun { report, .. } = &entry;
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

    /// Plays a fault where it was caught before, and against more scenarios only while it survives.
    async fn hunt(&self, suspect: &TestedFault) -> Result<Row, String> {
        let _place = self.places.acquire().await.map_err(|e| e.to_string())?;
        let mut played: Vec<PlayedScenario> = Vec::new();
        for round in ROUNDS {
            let wanted = self.wanted(suspect, *round).await?;
            let fresh = |id: &String| wanted.contains(id) && !played.iter().any(|p| p.id == *id);
            let more = self.attempt(suspect, fresh, self.time_scale).await?;
            played.extend(more);
            played.sort_by(|a, b| a.id.cmp(&b.id));
            match matrix_row(suspect, &played) {
                row if row.fate == Fate::Killed => return Ok(row),
                Row {
                    fate: Fate::Collateral(_),
                    ..
                } => break,
                _ => {}
            }
        }
        // Before anything is held against a fault or a rule, time must not be what was short.
        let (found, silent): (Vec<PlayedScenario>, Vec<PlayedScenario>) = played
            .into_iter()
            .partition(|played| !played.findings.is_empty());
        let again = |id: &String| found.iter().any(|p| p.id == *id);
        let mut played = self.attempt(suspect, again, 1.0).await?;
        played.extend(silent);
        played.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(matrix_row(suspect, &played))
    }

    /// The scenarios of a round.
    async fn wanted(
        &self,
        suspect: &TestedFault,
        round: Round,
    ) -> Result<BTreeSet<String>, String> {
        let all = || self.scenarios.iter();
        let smoke = all().filter(|s| s.tags.iter().any(|tag| tag == SMOKE));
        let smoke = smoke.take(FEW);
        let mut wanted: BTreeSet<String> = smoke.map(|s| self.id(s)).collect();
        if round == Round::All {
            return Ok(all().map(|s| self.id(s)).collect());
        }
        let named = suspect
            .caught_by
            .iter()
            .filter_map(|catcher| match catcher {
                Catcher::Scenario(id) => Some(id.clone()),
                Catcher::Rule(_) => None,
            });
        wanted.extend(named);
        let before = self.published.faults.iter().find(|r| r.fault == suspect.id);
        if let Some(before) = before.filter(|row| row.fate == Fate::Killed) {
            wanted.insert(before.scenario.clone());
            if round == Round::Published {
                return Ok(wanted);
            }
        }
        let exercised = self.exercised.get_or_try_init(|| self.good_run()).await?;
        let most = if round == Round::Exercised {
            usize::MAX
        } else {
            FEW
        };
        for catcher in &suspect.caught_by {
            if let Catcher::Rule(rule) = catcher {
                let shows = exercised.get(rule).into_iter().flatten();
                wanted.extend(shows.take(most).cloned());
            }
        }
        Ok(wanted)
    }

    /// Plays a fault against some scenarios.
    async fn attempt(
        &self,
        suspect: &TestedFault,
        wanted: impl Fn(&String) -> bool,
        time_scale: f64,
    ) -> Result<Vec<PlayedScenario>, String> {
        let scenarios = self.scenarios.iter().filter(|s| wanted(&self.id(s)));
        let scenarios = scenarios.cloned().collect();
        let folder = self.sandboxes.folder().map_err(|e| e.to_string())?;
        let keep = KeepTranscripts::All(folder.clone());
        let entries = self
            .play(Some(&suspect.id), scenarios, time_scale, keep)
            .await?;
        let played = entries
            .into_iter()
            .map(|entry| self.played(&suspect.id, entry));
        let played = played.collect();
        // What is left is removed with the folder of sandboxes.
        let _ = std::fs::remove_dir_all(folder);
        played
    }

    fn played(&self, fault: &str, entry: ScenarioRun) -> Result<PlayedScenario, String> {
        let heard = |text: &str| {
            let (id, line) = faults::parse_entry(text)?;
            (id == fault).then_some(line)
        };
        let trace = |path: &PathBuf| {
            let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
            let file = File::open(path).map_err(|error| failed(&error))?;
            let frames =
                TranscriptReader::new(BufReader::new(file)).map_err(|error| failed(&error))?;
            let frames: Result<Vec<Frame>, _> = frames.collect();
            let frames = frames.map_err(|error| failed(&error))?;
            Ok(FaultTrace::of(frames.into_iter(), &self.dialect, heard))
        };
        let traces: Result<Vec<FaultTrace>, String> = entry.transcripts.iter().map(trace).collect();
        Ok(PlayedScenario {
            id: entry.report.id,
            findings: entry
                .sessions
                .into_iter()
                .zip(entry.report.findings)
                .collect(),
            traces: traces?,
        })
    }

    fn id(&self, scenario: &Scenario) -> String {
        format!("{}/{}", self.dialect.id(), scenario.id)
    }

    async fn play(
        &self,
        fault: Option<&str>,
        scenarios: Vec<Scenario>,
        time_scale: f64,
        keep: KeepTranscripts,
    ) -> Result<Vec<ScenarioRun>, String> {
        let agent = Agent {
            program: std::env::current_exe().map_err(|e| e.to_string())?,
            prefix: vec!["agent".into()],
            args: None,
            env: fault
                .map(|id| ("MOCK_AGENT_FAULT".into(), id.into()))
                .into_iter()
                .chain([(mock_agent::PROTOCOL.into(), self.dialect.id().into())])
                .collect(),
            missing_features: Vec::new(),
        };
        let part = DialectSuite {
            agent,
            dialect: Arc::clone(&self.dialect),
            wire: None,
            scenarios,
        };
        let settings = SuiteSettings {
            jobs: AT_A_TIME,
            profile: Profile::Spec,
            time_scale,
            seed: 0,
            retry: RetryPolicy::default(),
            keep,
        };
        let (_keep, cancelled) = watch::channel(false);
        let mut entries = Vec::new();
        let ended = scheduler::run(
            vec![part],
            &settings,
            Arc::clone(&self.sandboxes),
            cancelled,
            &mut |entry| entries.push(entry),
        )
        .await;
        match ended {
            SuiteEnd::NotStarted(why) => Err(why),
            SuiteEnd::Complete | SuiteEnd::Silent | SuiteEnd::Interrupted => Ok(entries),
        }
    }
}
