//! The mutation run: plays each fault of a dialect against the scenarios that can catch it, the likeliest first.

use super::published;
use super::suite_player::SuitePlayer;
use super::tested_agent::TestedAgent;
use crate::cli::catalogue::KnownDialect;
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_runner::mutation::bad_hosts;
use conform_runner::mutation::coverage;
use conform_runner::mutation::kill_analysis::{Catcher, PlayedScenario, TestedFault, matrix_row};
use conform_runner::mutation::matrix::{Fate, Matrix, Row};
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::selection::Shard;
use frame_faults::{Fault, ShownAt};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::JoinSet;

/// The tag of the scenarios of which some are played with every fault, to show that no other rule has a finding.
const SMOKE: &str = "smoke";
/// How many of them, and of the scenarios that exercise a rule, are played first.
const FEW: usize = 3;

/// The rounds of scenarios that a fault is played against, until it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    /// The scenario in which it was caught when the matrix was published.
    Published,
    /// Some scenarios that exercise the rules that must catch it.
    Likely,
    /// All scenarios that exercise them.
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

/// Which faults are played, and how.
pub(super) struct MutationRun<'a> {
    pub(super) only: &'a [String],
    /// Only the faults of this side.
    pub(super) side: Option<Blame>,
    pub(super) shard: Option<Shard>,
    pub(super) jobs: usize,
    pub(super) time_scale: f64,
    pub(super) source: &'a DialectSource,
}

/// The result for the faults of one dialect.
pub(super) struct MutationOutcome {
    pub(super) dialect: String,
    pub(super) rows: Vec<Row>,
    /// Every fault of the dialect, in its order.
    pub(super) all: Vec<String>,
    /// The rules that at least one fault must kill.
    pub(super) rules: Vec<String>,
    /// Those of them whose faults were played.
    pub(super) played_rules: Vec<String>,
}

impl MutationOutcome {
    /// The matrix of the faults that were played.
    pub(super) fn matrix(&self) -> Matrix {
        Matrix::of(&self.dialect, self.rows.clone(), &self.played_rules)
    }

    /// The matrix with the rows of an earlier one for faults that were not played.
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
pub(super) type Exercised = HashMap<String, BTreeSet<String>>;

/// What the tasks of a mutation run share.
struct MutationContext {
    player: SuitePlayer,
    /// Where faults were caught when the matrix was published.
    published: Matrix,
    exercised: OnceCell<Exercised>,
    permits: Semaphore,
    time_scale: f64,
}

impl MutationRun<'_> {
    /// Plays the faults of one dialect; `None` if the mock agent has none for it.
    pub(super) async fn matrix(
        &self,
        known: KnownDialect,
    ) -> Result<Option<MutationOutcome>, String> {
        let KnownDialect {
            dialect,
            faults,
            scenarios,
            ..
        } = known;
        let faults = faults.iter().filter(|fault| !fault.caught_by.is_empty());
        let faults: Vec<_> = faults.map(|fault| tested(fault, &dialect)).collect();
        let hosts = bad_hosts::load(self.source, &dialect).map_err(|e| e.to_string())?;
        let hosts: Vec<Row> = hosts.iter().map(|host| host.row(&dialect)).collect();
        let counts = [(Blame::Agent, faults.len()), (Blame::Host, hosts.len())];
        let sides = counts.iter().filter(|(_, count)| *count > 0);
        let sides: Vec<Blame> = sides.map(|(side, _)| *side).collect();
        let is_played = |side: Blame| self.side.is_none_or(|only| only == side);
        let played: Vec<Blame> = sides
            .iter()
            .copied()
            .filter(|side| is_played(*side))
            .collect();
        if played.is_empty() {
            return Ok(None);
        }
        let agents = faults.iter().map(|fault| fault.id.clone());
        let all = agents
            .chain(hosts.iter().map(|row| row.fault.clone()))
            .collect();
        let selected = faults
            .into_iter()
            .filter(|fault| is_played(Blame::Agent) && self.is_selected(&fault.id));
        let hosts = hosts
            .into_iter()
            .filter(|row| is_played(Blame::Host) && self.is_selected(&row.fault));
        let selected = self.part(selected);
        let hosts = self.part(hosts);
        let sandboxes = Arc::new(SandboxRoot::new().map_err(|e| e.to_string())?);
        let player = SuitePlayer {
            agent: TestedAgent::Reference {
                dialect_dir: self.source.folder(),
            },
            dialect: Arc::clone(&dialect),
            scenarios,
            wire: None,
            sandboxes,
        };
        let rows = self.rows(player, OnceCell::new(), selected).await?;
        Ok(Some(MutationOutcome {
            all,
            rules: coverage::provable_rules(&dialect, &sides),
            played_rules: coverage::provable_rules(&dialect, &played),
            rows: rows.into_iter().chain(hosts).collect(),
            dialect: dialect.id(),
        }))
    }

    /// Plays faults, a number of them at once, and gives a row for each in their order.
    pub(super) async fn rows(
        &self,
        player: SuitePlayer,
        exercised: OnceCell<Exercised>,
        faults: Vec<TestedFault>,
    ) -> Result<Vec<Row>, String> {
        let context = Arc::new(MutationContext {
            published: published::matrix(&player.dialect.id()),
            player,
            exercised,
            permits: Semaphore::new(self.jobs),
            time_scale: self.time_scale,
        });
        let mut tasks = JoinSet::new();
        for (n, fault) in faults.into_iter().enumerate() {
            let context = Arc::clone(&context);
            tasks.spawn_local(async move { (n, context.play_fault(&fault).await) });
        }
        let mut rows = Vec::new();
        while let Some(done) = tasks.join_next().await {
            let (n, row) = done.map_err(|e| e.to_string())?;
            rows.push((n, row?));
        }
        rows.sort_by_key(|(n, _)| *n);
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}

impl MutationRun<'_> {
    /// Whether the command line selects a fault.
    pub(super) fn is_selected(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| id.contains(part.as_str()))
    }

    /// The part of them that is in the shard.
    pub(super) fn part<T>(&self, all: impl Iterator<Item = T>) -> Vec<T> {
        let places = all.enumerate();
        let inside = places.filter(|(place, _)| self.shard.is_none_or(|shard| shard.holds(*place)));
        inside.map(|(_, one)| one).collect()
    }
}

/// A fault of a dialect, as it is tested.
pub(super) fn tested(fault: &Fault, dialect: &Dialect) -> TestedFault {
    let catcher = |text: &String| match text.strip_prefix("scenario:") {
        Some(id) => Catcher::Scenario(format!("{}/{id}", dialect.id())),
        None => Catcher::Rule(format!("{}/{text}", dialect.name)),
    };
    TestedFault {
        id: fault.id.clone(),
        summary: fault.summary.clone(),
        caught_by: fault.caught_by.iter().map(catcher).collect(),
        side: Blame::Agent,
        at_fault: fault.shown_at == ShownAt::Line,
    }
}

impl MutationContext {
    /// Plays the whole suite without a fault, which must have no finding, and returns which scenarios exercise which rule.
    async fn good_run(&self) -> Result<Exercised, String> {
        let entries = self
            .player
            .play(None, self.player.scenarios.clone(), 1.0)
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
                    "the agent without a fault has a finding: {} in {}: {}",
                    finding.rule, report.id, finding.message
                ));
            }
            note_exercised(&mut exercised, &entry);
        }
        Ok(exercised)
    }

    /// Plays a fault in the scenario that caught it before, and in more scenarios while it is not killed.
    async fn play_fault(&self, fault: &TestedFault) -> Result<Row, String> {
        let _permit = self.permits.acquire().await.map_err(|e| e.to_string())?;
        let mut played: Vec<PlayedScenario> = Vec::new();
        for round in ROUNDS {
            let selected = self.scenarios_of(fault, *round).await?;
            let fresh = |id: &String| selected.contains(id) && !played.iter().any(|p| p.id == *id);
            let more = self
                .player
                .attempt(&fault.id, fresh, self.time_scale)
                .await?;
            played.extend(more);
            played.sort_by(|a, b| a.id.cmp(&b.id));
            match matrix_row(fault, &played) {
                row if row.fate == Fate::Killed => return Ok(row),
                Row {
                    fate: Fate::Collateral(_),
                    ..
                } => break,
                _ => {}
            }
        }
        // Neither a finding nor a survival that comes from a timeout budget that is too short must decide: play again with full budgets.
        let (found, silent): (Vec<PlayedScenario>, Vec<PlayedScenario>) = played
            .into_iter()
            .partition(|played| !played.findings.is_empty());
        let likely = self.scenarios_of(fault, Round::Likely).await?;
        let again = |id: &String| match found.as_slice() {
            [] => likely.contains(id),
            found => found.iter().any(|played| played.id == *id),
        };
        let mut played = self.player.attempt(&fault.id, again, 1.0).await?;
        let replayed: BTreeSet<String> = played.iter().map(|one| one.id.clone()).collect();
        played.extend(silent.into_iter().filter(|one| !replayed.contains(&one.id)));
        played.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(matrix_row(fault, &played))
    }

    /// The scenarios of a round.
    async fn scenarios_of(
        &self,
        fault: &TestedFault,
        round: Round,
    ) -> Result<BTreeSet<String>, String> {
        let all = || self.player.scenarios.iter();
        let smoke = all().filter(|s| s.tags.iter().any(|tag| tag == SMOKE));
        let smoke = smoke.take(FEW);
        let mut selected: BTreeSet<String> = smoke.map(|s| self.player.id(s)).collect();
        if round == Round::All {
            return Ok(all().map(|s| self.player.id(s)).collect());
        }
        let named = fault.caught_by.iter().filter_map(|catcher| match catcher {
            Catcher::Scenario(id) => Some(id.clone()),
            Catcher::Rule(_) => None,
        });
        selected.extend(named);
        let before = self.published.faults.iter().find(|r| r.fault == fault.id);
        if let Some(before) = before.filter(|row| row.fate == Fate::Killed) {
            selected.insert(before.scenario.clone());
            if round == Round::Published {
                return Ok(selected);
            }
        }
        let exercised = self.exercised.get_or_try_init(|| self.good_run()).await?;
        let most = if round == Round::Exercised {
            usize::MAX
        } else {
            FEW
        };
        for catcher in &fault.caught_by {
            if let Catcher::Rule(rule) = catcher {
                let shows = exercised.get(rule).into_iter().flatten();
                selected.extend(shows.take(most).cloned());
            }
        }
        Ok(selected)
    }
}

/// Adds the rules that a scenario has exercised.
pub(super) fn note_exercised(exercised: &mut Exercised, entry: &ScenarioRun) {
    let rules = entry
        .exercised
        .rules
        .iter()
        .filter(|(_, times)| **times > 0);
    for (rule, _) in rules {
        let scenarios = exercised.entry(rule.clone()).or_default();
        scenarios.insert(entry.report.id.clone());
    }
}
