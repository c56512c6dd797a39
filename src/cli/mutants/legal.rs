//! Plays the legal variants of dialects, alone and in combinations, and prints what was found in them.

use super::MutantsArgs;
use super::any_agent::{good_agent, players};
use super::legality::{LegalMatrix, LegalRow, Legality, Together};
use super::proof::Remark;
use super::suite_player::{SuitePlayer, in_order};
use super::{published, reference_agent, worse};
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use crate::cli::{catalogue, output, table};
use conform_judge::dialect::{DialectSource, faults};
use conform_judge::frame::Body;
use conform_report::reporter::text::count;
use conform_runner::mutation::matrix::differences;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::cores;
use frame_faults::{Effect, Fault};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::LocalSet;

/// How many variants are played at once, so that the last scenarios of one do not leave the cores idle.
const AT_ONCE: usize = 2;
/// How many scenarios of each are played at once, a core.
const SCENARIOS: NonZeroUsize = NonZeroUsize::new(6).unwrap();
/// How often a scenario is played again while something is found.
const RETRIES: u32 = 2;
/// After how many scenarios with a violation a variant is not played any further.
const MOST_FAILED: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// What the tasks share that play the variants of a dialect.
struct LegalPlayer {
    suite: SuitePlayer,
    variants: Vec<Fault>,
    /// For each variant of frames the scenarios in which a frame is sent that it changes.
    reached: HashSet<(usize, String)>,
    permits: Semaphore,
    /// In at most so many scenarios each is played.
    sample: usize,
    /// Where variants took effect when the matrix was published.
    published: LegalMatrix,
    /// Whether all scenarios are played.
    whole: bool,
    /// Whether another agent than the reference agent is played.
    outside: bool,
}

/// The result for a dialect, and the ids of all its variants.
type Played = (LegalMatrix, Vec<String>);

pub(super) fn run(args: &MutantsArgs) -> Result<ExitStatus, CommandError> {
    let played = LocalSet::new().block_on(&Runtime::new()?, async {
        let mut all = Vec::new();
        for (suite, variants) in suites(args).await? {
            all.push(play(args, suite, variants).await?);
        }
        Ok::<_, CommandError>(all)
    })?;
    output::status(print(&played, args))
}

/// The dialects that the command line asks for and that have variants.
async fn suites(args: &MutantsArgs) -> Result<Vec<(SuitePlayer, Vec<Fault>)>, CommandError> {
    let mut suites = Vec::new();
    if args.agent.is_empty() {
        let source = DialectSource::new(args.dialect.dialect_dir.clone());
        for known in catalogue::load(&args.dialect)? {
            let player = reference_agent::player(&source, &known.dialect, known.scenarios);
            suites.push((player.map_err(CommandError::harness)?, known.variants));
        }
    } else {
        let (source, players) = players(args).await?;
        for player in players {
            let table = faults(&source, &player.dialect.fault_sources())?;
            let variants = table.iter().flat_map(|table| table.variants().cloned());
            suites.push((player, variants.collect()));
        }
    }
    suites.retain(|(_, variants)| !variants.is_empty());
    let all = suites.iter().flat_map(|(_, variants)| variants);
    let all = all.map(|one| one.id.clone()).collect();
    args.check_only(all)?;
    if suites.is_empty() {
        return Err(CommandError::incomplete("there is no `variants.yaml`"));
    }
    Ok(suites)
}

/// Plays the variants of one dialect.
async fn play(
    args: &MutantsArgs,
    suite: SuitePlayer,
    variants: Vec<Fault>,
) -> Result<Played, CommandError> {
    let suite = SuitePlayer {
        jobs: cores().saturating_mul(SCENARIOS),
        retries: RETRIES,
        max_fail: Some(MOST_FAILED),
        ..suite
    };
    let dialect = Arc::clone(&suite.dialect);
    let mut reached = HashSet::new();
    let mut note = |run: &ScenarioRun| {
        let frames = run.frames.iter().flatten();
        let sent = frames.filter(|one| matches!(one.frame.body, Body::FromAgent(_)));
        for value in sent.filter_map(|one| one.parsed.value.as_ref()) {
            let kind = value.pointer(&dialect.events.discriminator);
            let kind = kind.and_then(Value::as_str).unwrap_or_default();
            let fitting = variants.iter().enumerate();
            let fitting = fitting.filter(|(_, one)| one.is_played_on(kind, value));
            reached.extend(fitting.map(|(n, _)| (n, run.report.id.clone())));
        }
    };
    let good = good_agent(args, suite, &mut note).await?;
    let folder = args.compare.as_deref().filter(|_| args.sample.is_some());
    let published = folder.map(|folder| published::read(folder, &dialect.id()));
    let player = Arc::new(LegalPlayer {
        sample: args.sample.map_or(usize::MAX, NonZeroUsize::get),
        published: published.transpose()?.unwrap_or_default(),
        suite: good.suite,
        reached,
        permits: Semaphore::new(args.jobs.map_or(AT_ONCE, NonZeroUsize::get)),
        whole: args.run.scenario.is_empty(),
        outside: !args.agent.is_empty(),
        variants,
    });
    let id = dialect.id();
    let numbered = || player.variants.iter().enumerate();
    let name = |(_, one): &(usize, &Fault)| one.id.clone();
    let alone = args.selected(numbered(), |(_, one)| &one.id);
    let alone: Vec<Vec<usize>> = alone.into_iter().map(|(n, _)| vec![n]).collect();
    output::note(format_args!(
        "{id}: playing {}; the results come at the end",
        count(alone.len() as u64, "legal variant"),
    ));
    let mut variants = player.rows(alone).await.map_err(CommandError::harness)?;
    // A sample may leave out the scenarios in which something takes effect.
    let counts = |row: &LegalRow| args.sample.is_none() || row.fate != Legality::NotActive;
    variants.retain(counts);
    // What is wrong alone would be told again in each of its combinations.
    let is_wrong = |id: &str| {
        let mut rows = variants.iter().filter(|row| row.fate != Legality::Legal);
        rows.any(|row| row.variant == id)
    };
    let playable = numbered().filter(|(_, one)| player.can_play(one) && !is_wrong(&one.id));
    let playable: Vec<_> = playable.filter(|one| args.selects(&name(one))).collect();
    let drawn = (0..args.combinations).filter_map(|n| Together::drawn(&playable, args.seed, n));
    let mut told = HashSet::new();
    let drawn = drawn.filter(|one| told.insert(one.clone())).enumerate();
    let drawn = drawn.filter(|(n, _)| args.shard.is_none_or(|shard| shard.holds(*n)));
    let drawn: Vec<Vec<usize>> = drawn.map(|(_, one)| one).collect();
    output::note(format_args!(
        "{id}: playing {}",
        count(drawn.len() as u64, "combination")
    ));
    let mut combinations = player.rows(drawn).await.map_err(CommandError::harness)?;
    combinations.retain(counts);
    let matrix = LegalMatrix {
        dialect: id,
        variants,
        combinations,
    };
    let all = player.variants.iter().map(|one| one.id.clone());
    Ok((matrix, all.collect()))
}

impl LegalPlayer {
    /// Whether the agent can play this variant.
    fn can_play(&self, variant: &Fault) -> bool {
        !self.outside || variant.is_playable_outside()
    }

    /// Plays sets of variants, and gives a row for each in their order.
    async fn rows(self: &Arc<Self>, sets: Vec<Vec<usize>>) -> Result<Vec<LegalRow>, String> {
        let tasks = sets.into_iter().map(|variants| {
            let player = Arc::clone(self);
            async move { player.row(&variants).await }
        });
        in_order(tasks).await
    }

    /// Plays variants together, in every scenario in which one of them can take effect: until then, nothing differs from the agent
    /// without them.
    async fn row(&self, numbers: &[usize]) -> Result<LegalRow, String> {
        let variants = Together(numbers.iter().map(|n| &self.variants[*n]).collect());
        if !variants.0.iter().all(|one| self.can_play(one)) {
            return Ok(variants.unplayed(Legality::NotPlayable));
        }
        let _permit = self.permits.acquire().await.map_err(|e| e.to_string())?;
        let is_reached = |n: usize, id: &String| {
            let of_events = matches!(self.variants[n].effect, Effect::Events(_));
            !of_events || self.reached.contains(&(n, id.clone()))
        };
        let mut scenarios = self.suite.scenarios.clone();
        scenarios.retain(|scenario| {
            let id = self.suite.id(scenario);
            numbers.iter().any(|n| is_reached(*n, &id))
        });
        if scenarios.is_empty() {
            return Ok(variants.unplayed(Legality::NotActive));
        }
        let id = variants.id();
        let is_whole = self.whole && scenarios.len() <= self.sample;
        let stride = scenarios.len().div_ceil(self.sample);
        let known = self.published.scenario_of(&id).unwrap_or_default();
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

/// Prints what was found, and publishes or compares the results.
fn print(played: &[Played], args: &MutantsArgs) -> io::Result<ExitStatus> {
    let mut out = output::stdout();
    let mut status = ExitStatus::Conformant;
    for (matrix, all) in played {
        let rows = || matrix.variants.iter().chain(&matrix.combinations);
        let cells: Vec<Vec<String>> = rows().map(cells).collect();
        let titles = ["VARIANT", "FATE", "PLAYED", "ACTIVE", "ACCEPTS"];
        table::write(&titles, &cells, &mut out)?;
        let mut remarks: Vec<Remark> = rows().flat_map(remarks).collect();
        if let Some(folder) = &args.publish {
            published::write(
                folder,
                &matrix.dialect,
                |before| matrix.over(before, all),
                LegalMatrix::markdown,
            )?;
        }
        if let Some(folder) = &args.compare {
            let published: LegalMatrix = published::read(folder, &matrix.dialect)?;
            let found = differences(&matrix.variants, &published.variants, args.is_whole());
            remarks.extend(found.into_iter().map(Remark::error));
        }
        for remark in remarks {
            writeln!(out, "{}", remark.line)?;
            status = worse(status, remark.status);
        }
        writeln!(out, "{}", matrix.summary())?;
    }
    Ok(status)
}

fn remarks(row: &LegalRow) -> Vec<Remark> {
    let id = &row.variant;
    let found = row.found.iter();
    let mut all: Vec<_> = found
        .map(|found| Remark::error(format!("{id}: {found}")))
        .collect();
    if row.fate == Legality::NotActive {
        let why = "it was not active: no scenario reaches the point where it applies";
        all.push(Remark::warning(format!("{id}: {why}")));
    }
    if !row.flaky.is_empty() {
        let scenarios = row.flaky.join(", ");
        all.push(Remark::note(format!(
            "note: {id}: something was found, but not again: {scenarios}"
        )));
    }
    all
}

fn cells(row: &LegalRow) -> Vec<String> {
    vec![
        row.variant.clone(),
        row.fate.word().to_owned(),
        row.played.to_string(),
        row.active.to_string(),
        row.accepts.clone(),
    ]
}
