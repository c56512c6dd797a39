//! Proves the rules of a dialect with any agent: it must be good first, then faults are played on its frames.

use super::mutation_run::{Exercised, MutationOutcome, MutationRun, note_exercised, tested};
use super::suite_player::SuitePlayer;
use super::tested_agent::TestedAgent;
use crate::cli::baseline::ActiveBaseline;
use crate::cli::command_error::CommandError;
use crate::cli::output;
use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_judge::frame::Body;
use conform_report::Verdict;
use conform_report::reporter::text::count;
use conform_runner::mutation::coverage::provable_rules;
use conform_runner::mutation::kill_analysis::TestedFault;
use conform_runner::mutation::matrix::{Fate, Row};
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::DialectSuite;
use frame_faults::generic_faults::SampleFrames;
use frame_faults::{Effect, Fault, FaultTable, KnownNames};
use indexmap::IndexMap;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// How many findings of an agent that should be good are shown.
const SHOWN: usize = 5;

/// An agent that has passed its suite, and what it did there.
pub(super) struct GoodAgent {
    pub(super) player: SuitePlayer,
    pub(super) exercised: Exercised,
    /// The frames that it sent, by scenario.
    pub(super) samples: IndexMap<String, SampleFrames>,
    /// Scenarios that are left out, because the agent has known findings there.
    pub(super) left_out: usize,
}

/// The result for one dialect.
pub(super) struct AgentOutcome {
    pub(super) outcome: MutationOutcome,
    /// For faults that were never active, the frames that the agent did not send.
    pub(super) missing: IndexMap<String, String>,
}

/// Plays the suite without a fault.
///
/// # Errors
/// The agent could not be started, or has a finding that the baseline does not know.
pub(super) async fn good_agent(
    suite: DialectSuite,
    dialect_dir: Option<PathBuf>,
    baseline: &ActiveBaseline,
    sandboxes: Arc<SandboxRoot>,
) -> Result<GoodAgent, CommandError> {
    let DialectSuite {
        agent,
        dialect,
        wire,
        scenarios,
    } = suite;
    let mut player = SuitePlayer {
        agent: TestedAgent::Filtered { agent, dialect_dir },
        dialect,
        scenarios,
        wire,
        sandboxes,
    };
    let played = player.play(None, player.scenarios.clone(), 1.0).await;
    let mut played = played?;
    for entry in &mut played {
        baseline.mark(&mut entry.report, Blame::Agent);
    }
    refuse_findings(&played)?;
    let (mut exercised, mut samples) = (Exercised::new(), IndexMap::new());
    let is_clean = |entry: &&ScenarioRun| {
        entry.report.verdict == Verdict::Pass
            && !entry
                .report
                .findings
                .iter()
                .any(|f| f.blame == Blame::Agent)
    };
    let mut clean = BTreeSet::new();
    let mut skipped = 0;
    for entry in &played {
        skipped += usize::from(entry.report.verdict == Verdict::Skipped);
        if is_clean(&entry) {
            note_exercised(&mut exercised, entry);
            let sample = sample(entry, &player.dialect);
            samples.insert(entry.report.id.clone(), sample);
            clean.insert(entry.report.id.clone());
        }
    }
    let all = player.scenarios.len();
    let id = player.dialect.id();
    let is_kept = |scenario: &conform_runner::scenario::Scenario| {
        clean.contains(&format!("{id}/{}", scenario.id))
    };
    player.scenarios.retain(is_kept);
    if player.scenarios.is_empty() {
        let message = "no scenario passes, so there is nothing that a fault could break";
        return Err(CommandError::incomplete(message));
    }
    Ok(GoodAgent {
        left_out: all - skipped - player.scenarios.len(),
        player,
        exercised,
        samples,
    })
}

/// Fails if the agent has a finding that no baseline knows: then a finding would say nothing about a fault.
fn refuse_findings(played: &[ScenarioRun]) -> Result<(), CommandError> {
    let findings = played.iter().flat_map(|entry| {
        let own = entry.report.findings.iter();
        own.filter(|finding| finding.blame == Blame::Agent && finding.baseline.is_none())
            .map(|finding| {
                format!(
                    "{} in {}: {}",
                    finding.rule, entry.report.id, finding.message
                )
            })
    });
    let findings: Vec<String> = findings.collect();
    if findings.is_empty() {
        return Ok(());
    }
    let more = match findings.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    let shown = &findings[..findings.len().min(SHOWN)];
    Err(CommandError::violations(format!(
        "the agent has findings without any fault, so a finding proves nothing; mend them, or name a baseline with --baseline\n  {}{more}",
        shown.join("\n  ")
    )))
}

/// The frames that the agent sent in a scenario.
fn sample(entry: &ScenarioRun, dialect: &Dialect) -> SampleFrames {
    let mut sample = SampleFrames::default();
    for one in entry.frames.iter().flatten() {
        let at = &dialect.events.discriminator;
        if matches!(one.frame.body, Body::FromAgent(_))
            && let Some(value) = &one.parsed.value
            && let Some(kind) = value.pointer(at).and_then(Value::as_str)
        {
            sample.add(kind, value);
        }
    }
    sample
}

/// The faults of a dialect; `None` if it has no `faults.yaml`.
///
/// # Errors
/// A file that cannot be read, or a mistake in it.
pub(super) fn listed_faults(
    source: &DialectSource,
    dialect: &Dialect,
) -> Result<Option<FaultTable>, CommandError> {
    let table = dialect::faults(source, &dialect::fault_sources(dialect))?;
    // A base may name frames that this version does not have any more.
    let own = Path::new(&dialect.name)
        .join(&dialect.version)
        .join("faults.yaml");
    let mistakes = table.as_ref().map(|table| {
        let mut mistakes = table.check(&known_names(table, dialect));
        mistakes.retain(|mistake| mistake.file.ends_with(&own));
        mistakes
    });
    match mistakes.filter(|mistakes| !mistakes.is_empty()) {
        Some(mistakes) => Err(mistakes.into()),
        None => Ok(table),
    }
}

/// The names that the faults may use. Scenarios and behaviors are those that the faults name: the suite may be a part of all scenarios, and
/// behaviors are not played.
fn known_names(table: &FaultTable, dialect: &Dialect) -> KnownNames {
    let catchers = table.faults().iter().flat_map(|fault| &fault.caught_by);
    let behavior = |fault: &Fault| match &fault.effect {
        Effect::Behavior(name) => Some(name.clone()),
        _ => None,
    };
    KnownNames {
        scenarios: catchers
            .filter_map(|catcher| catcher.strip_prefix("scenario:").map(str::to_owned))
            .collect(),
        behaviors: table.faults().iter().filter_map(behavior).collect(),
        ..dialect::names_for_faults(dialect)
    }
}

/// Plays the faults of a table on the frames of a good agent.
///
/// # Errors
/// The harness failed.
pub(super) async fn matrix(
    run: &MutationRun<'_>,
    good: GoodAgent,
    table: &FaultTable,
) -> Result<AgentOutcome, CommandError> {
    let dialect = Arc::clone(&good.player.dialect);
    let is_sent = |kind: &str| {
        let mut samples = good.samples.values();
        samples.any(|sample| sample.get(kind).is_some())
    };
    let selected = table
        .faults()
        .iter()
        .filter(|fault| run.is_selected(&fault.id));
    let selected: Vec<&Fault> = run.part(selected.filter(|fault| !fault.caught_by.is_empty()));
    let mut missing = IndexMap::new();
    for fault in &selected {
        let kind = match &fault.effect {
            Effect::Events(parts) => parts.first().and_then(|part| part.on.kind.as_deref()),
            _ => None,
        };
        if let Some(kind) = kind {
            let why = if is_sent(kind) {
                format!("no `{kind}` that it applies to was sent")
            } else {
                format!("no `{kind}` was sent")
            };
            missing.insert(fault.id.clone(), why);
        }
    }
    let playable = selected.iter().filter(|fault| fault.is_playable_outside());
    let playable: Vec<_> = playable.map(|fault| tested(fault, &dialect)).collect();
    output::note(format_args!(
        "{}: playing {}; the results come at the end",
        dialect.id(),
        count(playable.len() as u64, "fault")
    ));
    let exercised = OnceCell::new_with(Some(good.exercised));
    let played = run.rows(good.player, exercised, playable).await;
    let mut played = played.map_err(CommandError::harness)?.into_iter();
    let rows = selected
        .iter()
        .filter_map(|fault| match fault.is_playable_outside() {
            true => played.next(),
            false => Some(unplayable(&tested(fault, &dialect))),
        });
    let rules = provable_rules(&dialect, &[Blame::Agent]);
    Ok(AgentOutcome {
        outcome: MutationOutcome {
            rows: rows.collect(),
            all: table
                .faults()
                .iter()
                .map(|fault| fault.id.clone())
                .collect(),
            played_rules: rules.clone(),
            rules,
            dialect: dialect.id(),
        },
        missing,
    })
}

fn unplayable(fault: &TestedFault) -> Row {
    Row {
        fate: Fate::NotPlayable,
        ..conform_runner::mutation::kill_analysis::matrix_row(fault, &[])
    }
}
