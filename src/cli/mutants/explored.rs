//! Measures what exploration alone finds: plays the sessions of a seed with each fault, instead of the suite.

use super::MutantsArgs;
use super::fault_player::tested;
use super::reference_agent::player;
use super::suite_player::{SuitePlayer, in_order};
use crate::cli::catalogue::{self, KnownDialect};
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use crate::cli::{output, table};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::{Blame, Finding, Level};
use conform_judge::frame::Body;
use conform_judge::framing::ParsedFrame;
use conform_runner::explore::{MoveTable, Session, Walker};
use conform_runner::mutation::kill_analysis::{Catcher, PlayedScenario, TestedFault};
use conform_runner::scenario::Scenario;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::LocalSet;

/// How many sessions of a fault are played before it is asked whether one has found it.
const AT_ONCE: usize = 6;

/// What became of a fault.
struct ExploredFault {
    fault: TestedFault,
    /// The first finding, and the session that has it.
    found: Option<(Finding, String)>,
    /// Whether it took effect in any session that was played.
    was_active: bool,
}

/// The sessions of a dialect, and the faults that are played in them.
struct FaultExplorer {
    suite: SuitePlayer,
    /// The full ids of the sessions in which nothing is found without a fault, in their order, with the faults that can take effect in each.
    sound: BTreeMap<String, HashSet<String>>,
    permits: Semaphore,
    time_scale: f64,
}

/// Plays the faults of the dialects that the command line asks for in `sessions` sessions each.
///
/// # Errors
/// A dialect cannot be loaded, or has no moves, or the harness failed.
pub(super) fn run(args: &MutantsArgs, sessions: usize) -> Result<ExitStatus, CommandError> {
    LocalSet::new().block_on(&Runtime::new()?, async {
        let source = DialectSource::new(args.dialect.dialect_dir.clone());
        let mut status = ExitStatus::Incomplete;
        for known in catalogue::load(&args.dialect)? {
            let Some(moves) = MoveTable::load(&source, &known.dialect, None)? else {
                continue;
            };
            let id = known.dialect.id();
            let explored = explored(args, &source, known, &moves, sessions).await?;
            print(&id, &explored).map_err(output::failure)?;
            status = ExitStatus::Conformant;
        }
        match status {
            ExitStatus::Conformant => Ok(status),
            _ => Err(CommandError::incomplete(
                "nothing was played: no dialect has an explore.yaml".to_owned(),
            )),
        }
    })
}

async fn explored(
    args: &MutantsArgs,
    source: &DialectSource,
    known: KnownDialect,
    moves: &MoveTable,
    sessions: usize,
) -> Result<Vec<ExploredFault>, CommandError> {
    let dialect = known.dialect;
    let mut scenarios: Vec<Scenario> = Vec::new();
    let walked: Vec<Session> = Walker::new(moves, args.seed).take(sessions).collect();
    for (n, session) in walked.iter().enumerate() {
        scenarios.push(moves.scenario(session, &format!("explore/{:05}", n + 1), &dialect)?);
    }
    let faults = known.faults.iter().filter(|one| !one.caught_by.is_empty());
    let faults = faults.map(|fault| tested(fault, &dialect));
    let faults = args.selected(faults, |fault| &fault.id);
    let suite = player(source, &dialect, scenarios).map_err(CommandError::harness)?;
    let mut explorer = FaultExplorer {
        suite,
        sound: BTreeMap::new(),
        permits: Semaphore::new(args.jobs()),
        time_scale: args.time_scale,
    };
    let sound = explorer.sound_sessions().await;
    explorer.sound = sound.map_err(CommandError::harness)?;
    let explorer = Arc::new(explorer);
    let tasks = faults.into_iter().map(|fault| {
        let explorer = Arc::clone(&explorer);
        async move { explorer.play(fault).await }
    });
    in_order(tasks).await.map_err(CommandError::harness)
}

impl FaultExplorer {
    /// The sessions in which nothing is found without a fault, with the time budgets of the faults. In each the faults are rehearsed.
    async fn sound_sessions(&self) -> Result<BTreeMap<String, HashSet<String>>, String> {
        let scenarios = self.suite.scenarios.clone();
        let runs = self.suite.play(Some("*"), scenarios, self.time_scale);
        let mut sound = BTreeMap::new();
        for run in runs.await? {
            match run.report.findings.iter().find(|one| counts(one)) {
                None => drop(sound.insert(run.report.id, logged(&run.frames))),
                Some(finding) => output::warning(format_args!(
                    "left out, because the agent without a fault has a finding: {}: {}: {}",
                    run.report.id, finding.rule, finding.message
                )),
            }
        }
        Ok(sound)
    }

    /// Plays a fault in one session after the other, until something is found.
    async fn play(&self, fault: TestedFault) -> Result<ExploredFault, String> {
        let _permit = self.permits.acquire().await.map_err(|e| e.to_string())?;
        let mut explored = ExploredFault {
            fault,
            found: None,
            was_active: false,
        };
        let can_show = self.sound.iter();
        let can_show = can_show.filter(|(_, faults)| faults.contains(&explored.fault.id));
        let can_show: Vec<&String> = can_show.map(|(id, _)| id).collect();
        for ids in can_show.chunks(AT_ONCE) {
            let selected = |id: &String| ids.contains(&id);
            let mut played = self
                .suite
                .attempt(&explored.fault.id, &selected, self.time_scale)
                .await?;
            played.sort_by(|a, b| a.id.cmp(&b.id));
            for PlayedScenario {
                id,
                findings,
                traces,
            } in played
            {
                explored.was_active |= traces.iter().any(|trace| trace.first_affected().is_some());
                let first = findings.into_iter().find(counts);
                explored.found = explored.found.or(first.map(|finding| (finding, id)));
            }
            if explored.found.is_some() {
                break;
            }
        }
        Ok(explored)
    }
}

/// The faults that the logs of sessions name.
fn logged(sessions: &[Vec<ParsedFrame>]) -> HashSet<String> {
    let logged = sessions.iter().flatten().filter_map(|one| {
        let Body::Stderr(line) = &one.frame.body else {
            return None;
        };
        let text = line.text();
        let entry = frame_faults::parse_entry(&text).or_else(|| frame_faults::parse_held(&text));
        Some(entry?.0.to_owned())
    });
    logged.collect()
}

/// Whether a finding tells a fault: a warning or a violation of the agent.
fn counts(finding: &Finding) -> bool {
    finding.blame == Blame::Agent && finding.level > Level::May
}

/// Prints what was found and what was missed, with the shares of the faults that rules and that scenarios must catch.
fn print(dialect: &str, explored: &[ExploredFault]) -> io::Result<()> {
    let mut out = output::stdout();
    let rows = explored.iter().map(|one| {
        let (fate, rule, session) = match &one.found {
            Some((finding, session)) => ("found", finding.rule.as_str(), session.as_str()),
            None if one.was_active => ("MISSED", "", ""),
            None => ("NOT ACTIVE", "", ""),
        };
        [&one.fault.id, fate, rule, session]
            .map(str::to_owned)
            .to_vec()
    });
    let titles = ["FAULT", "FATE", "FOUND BY", "SESSION"];
    table::write(&titles, &rows.collect::<Vec<_>>(), &mut out)?;
    let by_rule =
        |one: &&ExploredFault| matches!(one.fault.caught_by.first(), Some(Catcher::Rule(_)));
    let share = |of: &[&ExploredFault]| {
        let found = of.iter().filter(|one| one.found.is_some()).count();
        format!("{found} of {}", of.len())
    };
    let (rules, steps): (Vec<_>, Vec<_>) = explored.iter().partition(by_rule);
    let all: Vec<_> = explored.iter().collect();
    let found = explored.iter().filter(|one| one.found.is_some()).count();
    writeln!(
        out,
        "{dialect}: exploration found {} faults ({} %): {} of those that rules must catch, {} of those that scenarios must catch",
        share(&all),
        100 * found / explored.len().max(1),
        share(&rules),
        share(&steps)
    )
}
