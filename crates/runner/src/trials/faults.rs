//! Plays faults of a dialect until a rule or scenario that must catch them does: on recorded frames where those prove it, else with a
//! process, in the scenarios that can catch it, the likeliest first.

use super::good_run::GoodRun;
use super::suite::{REHEARSAL, logged};
use super::{TrialError, TrialSuite, each};
use crate::mutation::fault_trace::FaultTrace;
use crate::mutation::kill_analysis::{Catcher, PlayedScenario, TestedFault, matrix_row};
use crate::mutation::matrix::{Fate, Matrix, Row};
use crate::scenario::Scenario;
use conform_judge::dialect::Dialect;
use conform_judge::finding::Blame;
use frame_faults::{Effect, Fault, ShownAt};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The tag of the scenarios of which some are played with every fault, to show that no other rule has a finding.
const SMOKE: &str = "smoke";
/// How many of them, of the scenarios that exercise a rule, and of those in which a generic fault applies, are played first.
const FEW: usize = 3;
/// How many of those in which a generic fault applies are played before all of them.
const MORE: usize = 12;
/// The factor by which budgets are stretched for a scenario that is played alone.
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

/// Faults of one dialect, and the suite that must catch them.
pub struct FaultTrials {
    suite: TrialSuite,
    /// Where faults were caught when the matrix was published.
    published: Matrix,
    /// The part of the suite that the first round of all faults needs, without a fault.
    part: OnceCell<GoodRun>,
    /// The whole suite without a fault, once it is needed.
    whole: OnceCell<GoodRun>,
    /// For each smoke scenario the faults that take effect in it, if the agent can rehearse its faults.
    rehearsed: OnceCell<HashMap<String, HashSet<String>>>,
    at_once: usize,
    time_scale: f64,
    /// Whether frames are proof enough. They show which rules catch a fault, and not which scenarios do.
    by_frames: bool,
}

/// The results of a fault so far.
struct Outcome {
    row: Row,
    /// The scenarios in which the result is not certain, and those in which it is.
    odd: BTreeSet<String>,
    sure: Vec<PlayedScenario>,
}

impl From<Row> for Outcome {
    fn from(row: Row) -> Self {
        Outcome {
            row,
            odd: BTreeSet::new(),
            sure: Vec::new(),
        }
    }
}

impl FaultTrials {
    /// Trials of so many faults at once. The suite is played without a fault if that result is not known. `by_frames`: a fault that a rule
    /// catches on recorded frames is not played with a process.
    #[must_use]
    pub fn new(
        suite: TrialSuite,
        good: Option<GoodRun>,
        published: Matrix,
        at_once: usize,
        time_scale: f64,
        by_frames: bool,
    ) -> Self {
        FaultTrials {
            suite,
            published,
            part: OnceCell::new(),
            whole: OnceCell::new_with(good),
            rehearsed: OnceCell::new(),
            at_once,
            time_scale,
            by_frames,
        }
    }

    /// Plays faults. Shows each row as it comes, and returns all in the order of the faults.
    ///
    /// # Errors
    /// The agent cannot be started, or has findings without a fault.
    pub async fn rows(
        &self,
        faults: &[Fault],
        mut on_row: impl FnMut(&Row),
    ) -> Result<Vec<Row>, TrialError> {
        self.prepare(faults).await?;
        let play = async |fault: &Fault| self.outcome(fault).await;
        let show = |outcome: &Outcome| {
            if outcome.odd.is_empty() {
                on_row(&outcome.row);
            }
        };
        let outcomes = each(faults, self.at_once, play, show).await?;
        let mut rows = Vec::new();
        for (fault, outcome) in faults.iter().zip(outcomes) {
            let is_odd = !outcome.odd.is_empty();
            let row = self.settled(fault, outcome).await?;
            if is_odd {
                on_row(&row);
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Plays the scenarios that the first round of these faults needs, without a fault; everything if a fault is not published.
    async fn prepare(&self, faults: &[Fault]) -> Result<(), TrialError> {
        if self.whole.initialized() || faults.is_empty() {
            return Ok(());
        }
        if !self.suite.is_filtered() {
            let smoke: BTreeSet<String> = self.smoke().collect();
            let scenarios = self.suite.selected(|id| smoke.contains(id));
            let runs = self.suite.play(Some(REHEARSAL), scenarios, 1.0).await?;
            let logged = runs
                .iter()
                .map(|run| (run.report.id.clone(), logged(run).collect()));
            // It cannot have been set meanwhile.
            let _ = self.rehearsed.set(logged.collect());
        }
        let published = faults.iter().map(|fault| {
            let fault = tested(fault, &self.suite.dialect);
            self.published_round(&fault)
        });
        let Some(needed) = published.collect::<Option<Vec<_>>>() else {
            return self.whole().await.map(drop);
        };
        let needed: BTreeSet<String> = needed.into_iter().flatten().collect();
        let play = || self.good_run(self.suite.selected(|id| needed.contains(id)));
        self.part.get_or_try_init(play).await.map(drop)
    }

    async fn whole(&self) -> Result<&GoodRun, TrialError> {
        let play = || self.good_run(self.suite.scenarios.clone());
        self.whole.get_or_try_init(play).await
    }

    async fn good_run(&self, scenarios: Vec<Scenario>) -> Result<GoodRun, TrialError> {
        GoodRun::play(&self.suite, scenarios, |_| ()).await
    }

    /// Why a fault that was played in the whole suite was never active.
    #[must_use]
    pub fn why_inactive(&self, fault: &Fault) -> String {
        let good = self.whole.get();
        good.map_or_else(String::new, |good| {
            good.why_inactive(fault, &self.suite.dialect)
        })
    }

    /// The row of a fault that the recorded frames of these scenarios prove: a rule reports it where it takes effect.
    async fn proved(&self, fault: &Fault, ids: &BTreeSet<String>) -> Option<Row> {
        let has_rule = fault
            .caught_by
            .iter()
            .any(|one| !one.starts_with("scenario:"));
        let can_be_proved = has_rule || fault.caught_by.is_empty();
        if !self.by_frames || !can_be_proved || !matches!(fault.effect, Effect::Events(_)) {
            return None;
        }
        let good = self.whole.get().or_else(|| self.part.get())?;
        let recording = Arc::clone(&good.recording);
        let tested = TestedFault {
            at_fault: true,
            ..tested(fault, &self.suite.dialect)
        };
        let (fault, ids) = (fault.clone(), ids.clone());
        let judged = tokio::task::spawn_blocking(move || {
            let played = ids.iter().map(|id| recording.play(&fault, id));
            let played = played.collect::<Option<Vec<_>>>()?;
            Some(matrix_row(&tested, &played)).filter(|row| row.fate == Fate::Killed)
        });
        judged.await.ok()?
    }

    /// Plays scenarios with a fault, and adds what was played before.
    async fn attempt(
        &self,
        fault: &TestedFault,
        ids: &BTreeSet<String>,
        time_scale: f64,
        before: Vec<PlayedScenario>,
    ) -> Result<Vec<PlayedScenario>, TrialError> {
        let scenarios = self.suite.selected(|id| ids.contains(id));
        let mut played = self.suite.attempt(&fault.id, scenarios, time_scale).await?;
        played.extend(before);
        played.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(played)
    }

    /// Plays a fault in the scenario that caught it before, and in more scenarios while it is not killed.
    async fn outcome(&self, fault: &Fault) -> Result<Outcome, TrialError> {
        let tested = tested(fault, &self.suite.dialect);
        if self.suite.is_filtered() && !fault.is_playable_outside() {
            let fate = Fate::NotPlayable;
            return Ok(Row {
                fate,
                ..matrix_row(&tested, &[])
            }
            .into());
        }
        let mut played: Vec<PlayedScenario> = Vec::new();
        let mut was_killed = false;
        for round in ROUNDS {
            let selected = self.scenarios_of(fault, &tested, round).await?;
            if let Some(row) = self.proved(fault, &selected).await {
                return Ok(row.into());
            }
            let fresh: BTreeSet<String> = &selected - &ids(&played);
            played = self
                .attempt(&tested, &fresh, self.time_scale, played)
                .await?;
            let row = matrix_row(&tested, &played);
            was_killed = row.fate == Fate::Killed;
            let is_sure = !self.suite.is_filtered() || timed_out(&row, &played).is_none();
            match row.fate {
                Fate::Killed if !tested.caught_by.is_empty() && is_sure => return Ok(row.into()),
                Fate::Killed | Fate::Collateral(_) => break,
                _ => {}
            }
        }
        // Neither a finding nor a survival that comes from a timeout budget that is too short must decide: play again with full budgets.
        let (found, mut sure): (Vec<_>, Vec<_>) = played
            .into_iter()
            .partition(|played| !played.findings.is_empty());
        let again = if found.is_empty() {
            self.scenarios_of(fault, &tested, Round::Likely).await?
        } else {
            ids(&found)
        };
        sure.retain(|one| !again.contains(&one.id));
        let mut sure = self.attempt(&tested, &again, 1.0, sure).await?;
        let row = matrix_row(&tested, &sure);
        if !self.suite.is_filtered() {
            return Ok(row.into());
        }
        // An agent that fails before the fault begins, and a finding that does not show again, may lack time on a busy machine.
        let failed = sure
            .iter()
            .filter(|one| one.own_failure(tested.side).is_some());
        let mut odd = ids(failed);
        if was_killed && row.fate != Fate::Killed {
            odd.extend(again);
        }
        odd.extend(timed_out(&row, &sure));
        sure.retain(|one| !odd.contains(&one.id));
        Ok(Outcome { row, odd, sure })
    }

    /// The row of a fault after its scenarios with unexpected results were played again while no other fault is played.
    async fn settled(&self, fault: &Fault, outcome: Outcome) -> Result<Row, TrialError> {
        let Outcome { row, odd, sure } = outcome;
        if odd.is_empty() {
            return Ok(row);
        }
        let tested = tested(fault, &self.suite.dialect);
        let played = self.attempt(&tested, &odd, ALONE, sure).await?;
        let failure = |one: &PlayedScenario| one.own_failure(tested.side);
        let (failed, sound): (Vec<_>, Vec<_>) =
            played.into_iter().partition(|one| failure(one).is_some());
        let mut row = matrix_row(&tested, &sound);
        if let (Fate::NotReached, Some(why)) = (&row.fate, failed.iter().find_map(failure)) {
            row.fate = Fate::Disturbed(why);
        }
        Ok(row)
    }

    /// The scenarios of a round.
    async fn scenarios_of(
        &self,
        fault: &Fault,
        tested: &TestedFault,
        round: Round,
    ) -> Result<BTreeSet<String>, TrialError> {
        if fault.caught_by.is_empty() {
            let fitting = self.whole().await?.sending(fault);
            let stride = match round {
                Round::Published | Round::Likely => fitting.len().div_ceil(FEW),
                Round::Exercised => fitting.len().div_ceil(MORE),
                Round::All => 1,
            };
            return Ok(fitting.into_iter().step_by(stride.max(1)).collect());
        }
        if round == Round::All {
            let all = self.suite.scenarios.iter();
            return Ok(all.map(|s| self.suite.id(s)).collect());
        }
        let mut selected = self.always(tested);
        if let Some(published) = self.published_round(tested) {
            selected = published;
            if round == Round::Published {
                return Ok(selected);
            }
        }
        let most = if round == Round::Exercised {
            usize::MAX
        } else {
            FEW
        };
        let exercised = &self.whole().await?.exercised;
        for catcher in &tested.caught_by {
            if let Catcher::Rule(rule) = catcher {
                let shows = exercised.get(rule).into_iter().flatten();
                selected.extend(shows.take(most).cloned());
            }
        }
        Ok(selected)
    }

    /// The smoke scenarios that are played with every fault.
    fn smoke(&self) -> impl Iterator<Item = String> {
        let scenarios = self.suite.scenarios.iter();
        let smoke = scenarios.filter(|s| s.tags.iter().any(|tag| tag == SMOKE));
        smoke.take(FEW).map(|s| self.suite.id(s))
    }

    /// The smoke scenarios in which it takes effect, and those that must catch it.
    fn always(&self, fault: &TestedFault) -> BTreeSet<String> {
        let takes_effect = |id: &String| {
            let logged = self.rehearsed.get().and_then(|all| all.get(id));
            logged.is_none_or(|faults| faults.contains(&fault.id))
        };
        let smoke = self.smoke().filter(takes_effect);
        let named = fault.caught_by.iter().filter_map(|catcher| match catcher {
            Catcher::Scenario(id) => Some(id.clone()),
            Catcher::Rule(_) => None,
        });
        smoke.chain(named).collect()
    }

    /// The scenarios of the first round; `None` if the published matrix does not show where it is killed.
    fn published_round(&self, fault: &TestedFault) -> Option<BTreeSet<String>> {
        let mut rows = self.published.faults.iter();
        let before = rows.find(|row| row.fault == fault.id && row.fate == Fate::Killed)?;
        let mut selected = self.always(fault);
        selected.insert(before.scenario.clone());
        Some(selected)
    }
}

/// The scenario in which a fault was caught, if the process was killed there because a budget was over.
fn timed_out(row: &Row, played: &[PlayedScenario]) -> Option<String> {
    let is_caught = matches!(row.fate, Fate::Killed | Fate::Collateral(_));
    let mut scenarios = played
        .iter()
        .filter(|one| is_caught && one.id == row.scenario);
    let is_out_of_time = |one: &&PlayedScenario| one.traces.iter().any(FaultTrace::is_out_of_time);
    scenarios.find(is_out_of_time).map(|one| one.id.clone())
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
