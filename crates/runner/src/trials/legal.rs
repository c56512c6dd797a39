//! Plays the legal variants of a dialect, alone and in combinations: nothing may be found in them.

use super::engine::cores;
use super::good_run::GoodRun;
use super::legality::{LegalMatrix, LegalRow, Legality, Together};
use super::{TrialError, TrialSuite, each};
use conform_report::ScenarioReport;
use frame_faults::{Effect, Fault};
use std::collections::HashSet;
use std::num::{NonZeroU32, NonZeroUsize};

/// How many variants are played at once by default, so that the last scenarios of one do not leave the cores idle.
const AT_ONCE: usize = 2;
/// How many scenarios of each are played at once, a core.
const SCENARIOS: NonZeroUsize = NonZeroUsize::new(6).unwrap();
/// How often a scenario is played again while something is found.
const RETRIES: u32 = 2;
/// After how many scenarios with a violation a variant is not played any further.
const MOST_FAILED: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// The selection of legal variants to play.
pub struct LegalOptions {
    /// In at most so many scenarios each is played.
    pub sample: Option<NonZeroUsize>,
    /// How many are played at once.
    pub at_once: Option<NonZeroUsize>,
    /// How many combinations are drawn.
    pub combinations: u64,
    /// The seed of the selection.
    pub seed: u64,
    /// Whether the suite is a part of all scenarios.
    pub is_part: bool,
    /// Where variants took effect when the matrix was published, for a sample.
    pub published: LegalMatrix,
}

/// The legal variants of a dialect, and the suite in which they are played.
pub struct LegalTrials {
    suite: TrialSuite,
    variants: Vec<Fault>,
    /// For each variant of frames, the scenarios with a frame that it changes.
    reached: HashSet<(usize, String)>,
    options: LegalOptions,
}

impl LegalTrials {
    /// Trials of these variants, after the suite was played without one.
    ///
    /// # Errors
    /// The agent has a finding that is not known, or no scenario passes.
    pub async fn new(
        mut suite: TrialSuite,
        variants: Vec<Fault>,
        options: LegalOptions,
        mark: impl FnMut(&mut ScenarioReport),
    ) -> Result<(Self, GoodRun), TrialError> {
        let settings = &mut suite.engine.settings;
        settings.jobs = cores().saturating_mul(SCENARIOS);
        settings.retry.max_retries = RETRIES;
        let good = GoodRun::play(&suite, suite.scenarios.clone(), mark).await?;
        suite.engine.settings.max_fail = Some(MOST_FAILED);
        good.restrict(&mut suite);
        let mut reached = HashSet::new();
        for (n, variant) in variants.iter().enumerate() {
            let scenarios = good.recording.scenarios_with(variant);
            reached.extend(scenarios.map(|id| (n, id.clone())));
        }
        let trials = LegalTrials {
            suite,
            variants,
            reached,
            options,
        };
        Ok((trials, good))
    }

    /// Plays the variants whose numbers are selected, then combinations of those that can be combined. Shows each row as it comes.
    ///
    /// # Errors
    /// The agent cannot be started.
    pub async fn matrix(
        &self,
        alone: Vec<usize>,
        can_be_combined: impl Fn(&Fault) -> bool,
        is_in_shard: impl Fn(usize) -> bool,
        mut on_row: impl FnMut(&LegalRow),
    ) -> Result<LegalMatrix, TrialError> {
        let alone = alone.into_iter().map(|n| vec![n]).collect();
        let variants = self.rows(alone, &mut on_row).await?;
        // What is wrong alone would be found again in each of its combinations.
        let is_wrong = |id: &str| {
            let mut rows = variants.iter().filter(|row| row.fate != Legality::Legal);
            rows.any(|row| row.variant == id)
        };
        let numbered = self.variants.iter().enumerate();
        let combined: Vec<_> = numbered
            .filter(|(_, one)| self.can_play(one) && !is_wrong(&one.id) && can_be_combined(one))
            .collect();
        let LegalOptions {
            combinations, seed, ..
        } = self.options;
        let drawn = (0..combinations).filter_map(|n| Together::drawn(&combined, seed, n));
        let mut seen = HashSet::new();
        let fresh = drawn.filter(|one| seen.insert(one.clone())).enumerate();
        let in_shard = fresh.filter(|(n, _)| is_in_shard(*n));
        let sets = in_shard.map(|(_, one)| one).collect();
        Ok(LegalMatrix {
            dialect: self.suite.dialect.id(),
            combinations: self.rows(sets, &mut on_row).await?,
            variants,
        })
    }

    /// Whether the agent can play this variant.
    fn can_play(&self, variant: &Fault) -> bool {
        !self.suite.is_filtered() || variant.is_playable_outside()
    }

    /// Plays sets of variants. A sample may leave out the scenarios in which one takes effect, and then has no row of it.
    async fn rows(
        &self,
        sets: Vec<Vec<usize>>,
        on_row: &mut impl FnMut(&LegalRow),
    ) -> Result<Vec<LegalRow>, TrialError> {
        let at_once = self.options.at_once.map_or(AT_ONCE, NonZeroUsize::get);
        let counts =
            |row: &LegalRow| self.options.sample.is_none() || row.fate != Legality::NotActive;
        let play = async |set: Vec<usize>| self.row(&set).await;
        let show = |row: &LegalRow| {
            if counts(row) {
                on_row(row);
            }
        };
        let mut rows = each(sets, at_once, play, show).await?;
        rows.retain(counts);
        Ok(rows)
    }

    /// Plays variants together, in every scenario in which one of them can take effect: until then, nothing differs from the agent
    /// without them.
    async fn row(&self, numbers: &[usize]) -> Result<LegalRow, TrialError> {
        let variants = Together(numbers.iter().map(|n| &self.variants[*n]).collect());
        if !variants.0.iter().all(|one| self.can_play(one)) {
            return Ok(variants.unplayed(Legality::NotPlayable));
        }
        let is_reached = |n: usize, id: &String| {
            let of_events = matches!(self.variants[n].effect, Effect::Events(_));
            !of_events || self.reached.contains(&(n, id.clone()))
        };
        let is_any_reached = |id: &String| numbers.iter().any(|n| is_reached(*n, id));
        let mut scenarios = self.suite.selected(is_any_reached);
        if scenarios.is_empty() {
            return Ok(variants.unplayed(Legality::NotActive));
        }
        let id = variants.id();
        let sample = self.options.sample.map_or(usize::MAX, NonZeroUsize::get);
        let is_whole = !self.options.is_part && scenarios.len() <= sample;
        let stride = scenarios.len().div_ceil(sample);
        let known = self.options.published.scenario_of(&id).unwrap_or_default();
        let mut place = numbers[0];
        scenarios.retain(|scenario| {
            place += 1;
            place.is_multiple_of(stride) || self.suite.id(scenario) == known
        });
        let mut runs = self.suite.play(Some(&id), scenarios, 1.0).await?;
        runs.retain(|run| run.played);
        Ok(variants.row(&self.suite.dialect.id(), &runs, is_whole))
    }
}
