//! Proves the rules of a dialect with any agent: it must be good first, then faults are played on its frames.

use super::MutantsArgs;
use super::fault_player::{Exercised, FaultPlayer, note_exercised, tested};
use super::generic_faults;
use super::proof::{Proof, Remark};
use super::suite_player::SuitePlayer;
use super::tested_agent::TestedAgent;
use crate::cli::baseline::BaselineArgs;
use crate::cli::command_error::CommandError;
use crate::cli::output;
use crate::cli::run::{LastFailures, run_plan};
use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_judge::frame::Body;
use conform_report::Verdict;
use conform_report::reporter::text::count;
use conform_runner::mutation::coverage::provable_rules;
use conform_runner::mutation::kill_analysis::matrix_row;
use conform_runner::mutation::matrix::{Fate, Row};
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::DialectSuite;
use frame_faults::{ActiveFrom, Effect, Fault, FaultTable, KnownNames, SampleFrames};
use indexmap::IndexMap;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// How many findings of an agent that should be good are shown.
const SHOWN: usize = 5;

/// An agent that has passed its suite, and what it did there.
pub(super) struct GoodAgent {
    pub(super) suite: SuitePlayer,
    pub(super) exercised: Exercised,
    /// The frames that it sent, by scenario.
    pub(super) samples: IndexMap<String, SampleFrames>,
}

/// Proves the rules of each dialect of the run plan: the agent must pass the suite, then the faults are played.
///
/// # Errors
/// The agent could not be started, or has a finding that the baseline does not know.
pub(super) async fn proofs(args: &MutantsArgs) -> Result<Vec<Proof>, CommandError> {
    let accepted = args.accepted.as_deref().map(generic_faults::accepted);
    let accepted = accepted.transpose()?;
    let (source, players) = players(args).await?;
    let mut tables = Vec::new();
    for player in &players {
        let table = listed_faults(&source, &player.dialect)?;
        tables.push(table.filter(|_| !args.generic));
    }
    // Generic faults are known only when the agent has been played.
    if tables.iter().all(Option::is_some) {
        let known = tables.iter().flatten().flat_map(FaultTable::faults);
        args.check_only(known.map(|fault| fault.id.clone()).collect())?;
    }
    let mut proofs = Vec::new();
    for (player, table) in players.into_iter().zip(tables) {
        let good = good_agent(args, player, &mut |_| ()).await?;
        let proof = match table {
            Some(table) => listed(args, good, &table).await,
            None => generic_faults::proof(args, good, accepted.as_ref()).await,
        };
        proofs.push(proof.map_err(CommandError::harness)?);
    }
    Ok(proofs)
}

/// The dialects of the run plan with the agent, and where dialects come from.
///
/// # Errors
/// The agent could not be started, or there is no such dialect.
pub(super) async fn players(
    args: &MutantsArgs,
) -> Result<(DialectSource, Vec<SuitePlayer>), CommandError> {
    let request = args.run.request(&args.dialect, &args.agent);
    let sandboxes = Arc::new(SandboxRoot::new()?);
    let (_cancel, cancelled) = watch::channel(false);
    let before = LastFailures::read(&args.agent);
    let plan = run_plan(&request, &sandboxes, &cancelled, &before).await?;
    let dialect_dir = plan.dialect_dir;
    let player = |suite: DialectSuite| {
        let agent = TestedAgent::Filtered {
            agent: suite.agent,
            dialect_dir: dialect_dir.clone(),
        };
        let sandboxes = Arc::clone(&sandboxes);
        SuitePlayer {
            wire: suite.wire,
            ..SuitePlayer::new(agent, suite.dialect, suite.scenarios, sandboxes)
        }
    };
    let players = plan.suites.into_iter().map(player).collect();
    Ok((DialectSource::new(dialect_dir), players))
}

/// Plays the suite without a fault, which keeps the scenarios that pass, and shows them to `note`.
pub(super) async fn good_agent(
    args: &MutantsArgs,
    mut suite: SuitePlayer,
    note: &mut dyn FnMut(&ScenarioRun),
) -> Result<GoodAgent, CommandError> {
    let baseline = BaselineArgs::new(args.baseline.clone()).read()?;
    let id = suite.dialect.id();
    output::note(format_args!(
        "{id}: playing {} without a fault, which the agent must pass",
        count(suite.scenarios.len() as u64, "scenario")
    ));
    let mut played = suite.play(None, suite.scenarios.clone(), 1.0).await?;
    for entry in &mut played {
        baseline.mark(&mut entry.report, Blame::Agent);
    }
    refuse_findings(&played)?;
    let (mut exercised, mut samples) = (Exercised::new(), IndexMap::new());
    let has_finding = |entry: &ScenarioRun| {
        let mut findings = entry.report.findings.iter();
        findings.any(|finding| finding.blame == Blame::Agent)
    };
    for entry in &played {
        if entry.report.verdict == Verdict::Pass && !has_finding(entry) {
            note_exercised(&mut exercised, entry);
            note(entry);
            let sample = sample(entry, &suite.dialect);
            samples.insert(entry.report.id.clone(), sample);
        }
    }
    let is_skipped = |entry: &&ScenarioRun| entry.report.verdict == Verdict::Skipped;
    let left_out = played.len() - played.iter().filter(is_skipped).count() - samples.len();
    let is_kept = |id: &String| samples.contains_key(id);
    suite
        .scenarios
        .retain(|scenario| is_kept(&format!("{id}/{}", scenario.id)));
    if suite.scenarios.is_empty() {
        let message = "no scenario passes, so there is nothing that a fault could break";
        return Err(CommandError::incomplete(message));
    }
    if left_out > 0 {
        output::note(format_args!(
            "{} left out: the agent has known findings there",
            count(left_out as u64, "scenario")
        ));
    }
    Ok(GoodAgent {
        suite,
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
        if matches!(one.frame.body, Body::FromAgent(_))
            && let Some(value) = &one.parsed.value
            && let Some(name) = dialect.events.identify(value).into_name()
        {
            sample.add(&name, value);
        }
    }
    sample
}

/// The faults of a dialect; `None` if it has no `faults.yaml`.
fn listed_faults(
    source: &DialectSource,
    dialect: &Dialect,
) -> Result<Option<FaultTable>, CommandError> {
    let table = dialect::faults(source, &dialect.fault_sources())?;
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
    let catchers = table.faults().flat_map(|fault| &fault.caught_by);
    let behavior = |fault: &Fault| match &fault.effect {
        Effect::Behavior(name) => Some(name.clone()),
        _ => None,
    };
    KnownNames {
        scenarios: catchers
            .filter_map(|catcher| catcher.strip_prefix("scenario:").map(str::to_owned))
            .collect(),
        behaviors: table.faults().filter_map(behavior).collect(),
        ..dialect.names_for_faults()
    }
}

/// Plays the faults of a table on the frames of a good agent.
async fn listed(args: &MutantsArgs, good: GoodAgent, table: &FaultTable) -> Result<Proof, String> {
    let dialect = Arc::clone(&good.suite.dialect);
    let named = table.faults();
    let named = named.filter(|fault| !fault.caught_by.is_empty());
    let selected = args.selected(named, |fault| &fault.id);
    let playable = selected.iter().filter(|fault| fault.is_playable_outside());
    let playable: Vec<_> = playable.map(|fault| tested(fault, &dialect)).collect();
    output::note(format_args!(
        "{}: playing {}; the results come at the end",
        dialect.id(),
        count(playable.len() as u64, "fault")
    ));
    let player = FaultPlayer::new(good.suite, Some(good.exercised), args);
    let mut played = player.rows(playable).await?.into_iter();
    let rows = selected
        .iter()
        .filter_map(|fault| match fault.is_playable_outside() {
            true => played.next(),
            false => Some(Row {
                fate: Fate::NotPlayable,
                ..matrix_row(&tested(fault, &dialect), &[])
            }),
        });
    let rules = provable_rules(&dialect, &[Blame::Agent]);
    let mut proof = Proof {
        rows: rows.collect(),
        all: table.faults().map(|one| one.id.clone()).collect(),
        played_rules: rules.clone(),
        rules,
        dialect: dialect.id(),
        ..Proof::default()
    };
    for (row, fault) in proof.rows.iter().zip(&selected) {
        if row.fate == Fate::NotReached {
            let why = why_inactive(fault, &good.samples, &dialect);
            let text = format!("{}: it was not active: {why}", row.fault);
            proof.remarks.push(Remark::warning(text));
        } else if matches!(row.fate, Fate::Disturbed(_)) {
            let complaint = row.complaint();
            proof.remarks.extend(complaint.map(Remark::warning));
        } else if let Some(complaint) = row.complaint() {
            proof.remarks.push(Remark::error(complaint));
        }
    }
    let unproved = proof.matrix().rules_without_killer;
    if args.is_whole() && !unproved.is_empty() {
        proof.remarks.push(Remark::note(format!(
            "note: no fault proves that these rules can fail ({}): {}",
            unproved.len(),
            unproved.join(", ")
        )));
    }
    Ok(proof)
}

/// Why a fault was never active: the frame that the agent did not send, or not after a turn had begun.
fn why_inactive(
    fault: &Fault,
    samples: &IndexMap<String, SampleFrames>,
    dialect: &Dialect,
) -> String {
    let name = match &fault.effect {
        Effect::Events(parts) => parts.first().and_then(|part| part.on.name()),
        _ => None,
    };
    let Some(name) = name else {
        return "no frame that it applies to was sent".to_owned();
    };
    if !samples.values().any(|sample| sample.has(name)) {
        return format!("no `{name}` was sent");
    }
    let is_sent = samples
        .values()
        .any(|sample| sample.played_on(fault).is_some());
    let turns = dialect.session.turn.sources().join(" | ");
    match (fault.active_from, turns.as_str()) {
        (ActiveFrom::Turn, "") if is_sent => {
            "it begins with the first turn, and `session.turn` in dialect.yaml does not say what begins one; with `from: start` it is played at once".to_owned()
        }
        (ActiveFrom::Turn, turns) if is_sent => format!(
            "no `{name}` that it applies to was sent after a turn began (`session.turn: {turns}`); with `from: start` it is played at once"
        ),
        _ => format!("no `{name}` that it applies to was sent"),
    }
}
