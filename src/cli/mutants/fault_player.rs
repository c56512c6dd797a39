//! Plays faults of one dialect, several at a time: each in the scenarios that can catch it, the likeliest first.

use super::suite_player::{SuitePlayer, in_order};
use super::{MutantsArgs, published};
use conform_judge::dialect::Dialect;
use conform_judge::finding::Blame;
use conform_runner::mutation::kill_analysis::{Catcher, PlayedScenario, TestedFault, matrix_row};
use conform_runner::mutation::matrix::{Fate, Matrix, Row};
use conform_runner::scenario_run::ScenarioRun;
use frame_faults::{Fault, ShownAt};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use tokio::sync::{OnceCell, Semaphore};

/// The tag of the scenarios of which some are played with every fault, to show that no other rule has a finding.
const SMOKE: &str = "smoke";
/// How many of them, of the scenarios that exercise a rule, and of those in which a generic fault applies, are played first.
const FEW: usize = 3;
/// How many of those in which a generic fault applies are played before all of them.
const MORE: usize = 12;
/// By how much budgets are stretched for an agent that failed by itself.
const ALONE: f64 = 2.0;

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

const ROUNDS: [Round; 4] = [
    Round::Published,
    Round::Likely,
    Round::Exercised,
    Round::All,
];

/// For each rule, the scenarios that exercise it.
pub(super) type Exercised = HashMap<String, BTreeSet<String>>;

/// What the tasks share that play faults.
pub(super) struct FaultPlayer {
    suite: SuitePlayer,
    /// Where faults were caught when the matrix was published.
    published: Matrix,
    exercised: OnceCell<Exercised>,
    /// For each generic fault the scenarios in which the agent sends the frame that it changes.
    generic: HashMap<String, Vec<String>>,
    permits: Semaphore,
    /// How many permits there are.
    jobs: u32,
    time_scale: f64,
}

impl FaultPlayer {
    /// What the scenarios exercise is found out when it is needed, if it is `None`.
    pub(super) fn new(
        suite: SuitePlayer,
        exercised: Option<Exercised>,
        args: &MutantsArgs,
    ) -> Self {
        let jobs = args.jobs();
        FaultPlayer {
            published: published::matrix(&suite.dialect.id()),
            suite,
            exercised: OnceCell::new_with(exercised),
            generic: HashMap::new(),
            permits: Semaphore::new(jobs),
            jobs: u32::try_from(jobs).unwrap_or(u32::MAX),
            time_scale: args.time_scale,
        }
    }

    /// The same with generic faults, each with the scenarios in which the agent sends the frame that it changes.
    pub(super) fn with_generic(self, generic: HashMap<String, Vec<String>>) -> Self {
        FaultPlayer { generic, ..self }
    }

    /// Plays faults, and gives a row for each in their order.
    pub(super) async fn rows(self, faults: Vec<TestedFault>) -> Result<Vec<Row>, String> {
        let player = Arc::new(self);
        let tasks = faults.into_iter().map(|fault| {
            let player = Arc::clone(&player);
            async move { player.play_fault(&fault).await }
        });
        in_order(tasks).await
    }

    /// Plays the whole suite without a fault, which must have no finding, and returns which scenarios exercise which rule.
    async fn good_run(&self) -> Result<Exercised, String> {
        let entries = self.suite.play(None, self.suite.scenarios.clone(), 1.0);
        let mut exercised = Exercised::new();
        for entry in entries.await? {
            let mut findings = entry.report.findings.iter();
            if let Some(finding) = findings.find(|one| one.blame == Blame::Agent) {
                return Err(format!(
                    "the agent without a fault has a finding: {} in {}: {}",
                    finding.rule, entry.report.id, finding.message
                ));
            }
            note_exercised(&mut exercised, &entry);
        }
        Ok(exercised)
    }

    /// Plays a fault in the scenario that caught it before, and in more scenarios while it is not killed.
    async fn play_fault(&self, fault: &TestedFault) -> Result<Row, String> {
        let permit = self.permits.acquire().await.map_err(|e| e.to_string())?;
        let attempt =
            async |selected: &dyn Fn(&String) -> bool, time_scale, before: Vec<PlayedScenario>| {
                let mut played = self.suite.attempt(&fault.id, selected, time_scale).await?;
                played.extend(before);
                played.sort_by(|a, b| a.id.cmp(&b.id));
                Ok::<_, String>(played)
            };
        let mut played = Vec::new();
        for round in ROUNDS {
            let selected = self.scenarios_of(fault, round).await?;
            let before: BTreeSet<String> = ids(&played);
            let fresh = |id: &String| selected.contains(id) && !before.contains(id);
            played = attempt(&fresh, self.time_scale, played).await?;
            let row = matrix_row(fault, &played);
            match row.fate {
                Fate::Killed => return Ok(row),
                Fate::Collateral(_) => break,
                _ => {}
            }
        }
        // Neither a finding nor a survival that comes from a timeout budget that is too short must decide: play again with full budgets.
        let (found, mut silent): (Vec<_>, Vec<_>) = played
            .into_iter()
            .partition(|played| !played.findings.is_empty());
        let again = match found.is_empty() {
            true => self.scenarios_of(fault, Round::Likely).await?,
            false => ids(&found),
        };
        silent.retain(|one| !again.contains(&one.id));
        let mut played = attempt(&|id| again.contains(id), 1.0, silent).await?;
        if !self.suite.agent.is_filtered() {
            return Ok(matrix_row(fault, &played));
        }
        // An agent that fails before the fault begins lacks time on a busy machine: it plays again while no other fault is played.
        let failed = |one: &PlayedScenario| one.own_failure(fault.side).is_some();
        let disturbed: BTreeSet<String> = ids(played.iter().filter(|one| failed(one)));
        if !disturbed.is_empty() {
            drop(permit);
            let all = self.permits.acquire_many(self.jobs).await;
            let _alone = all.map_err(|e| e.to_string())?;
            played.retain(|one| !failed(one));
            played = attempt(&|id| disturbed.contains(id), ALONE, played).await?;
        }
        let (failed, sound): (Vec<_>, Vec<_>) = played.into_iter().partition(failed);
        let mut row = matrix_row(fault, &sound);
        let failures = failed.iter().filter_map(|one| one.own_failure(fault.side));
        if let (Fate::NotReached, Some(failure)) = (&row.fate, { failures }.next()) {
            row.fate = Fate::Disturbed(failure);
        }
        Ok(row)
    }

    /// The scenarios of a round.
    async fn scenarios_of(
        &self,
        fault: &TestedFault,
        round: Round,
    ) -> Result<BTreeSet<String>, String> {
        if let Some(fitting) = self.generic.get(&fault.id) {
            let stride = match round {
                Round::Published | Round::Likely => fitting.len().div_ceil(FEW),
                Round::Exercised => fitting.len().div_ceil(MORE),
                Round::All => 1,
            };
            let some = fitting.iter().step_by(stride.max(1));
            return Ok(some.cloned().collect());
        }
        let all = || self.suite.scenarios.iter();
        if round == Round::All {
            return Ok(all().map(|s| self.suite.id(s)).collect());
        }
        let smoke = all().filter(|s| s.tags.iter().any(|tag| tag == SMOKE));
        let smoke = smoke.take(FEW);
        let mut selected: BTreeSet<String> = smoke.map(|s| self.suite.id(s)).collect();
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

fn ids<'p>(played: impl IntoIterator<Item = &'p PlayedScenario>) -> BTreeSet<String> {
    played.into_iter().map(|one| one.id.clone()).collect()
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

/// Adds the rules that a scenario has exercised.
pub(super) fn note_exercised(exercised: &mut Exercised, entry: &ScenarioRun) {
    let rules = entry.check.coverage.rules.iter();
    for (rule, _) in rules.filter(|(_, times)| **times > 0) {
        let scenarios = exercised.entry(rule.clone()).or_default();
        scenarios.insert(entry.report.id.clone());
    }
}
