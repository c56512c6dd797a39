//! `conform mutants --explore`: measures what exploration alone finds, with the sessions of a seed instead of the suite.

use super::MutantsArgs;
use super::proof::Progress;
use super::suites::reference_suite;
use crate::cli::catalogue::{self, KnownDialect};
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use crate::cli::{output, table};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Finding;
use conform_runner::explore::{MoveTable, SessionTables};
use conform_runner::mutation::kill_analysis::Catcher;
use conform_runner::trials::{ExploredFault, SessionTrials};
use std::io::{self, Write};

/// Plays the faults of the dialects that the command line asks for in `sessions` sessions each.
///
/// # Errors
/// A dialect cannot be loaded, or has no moves, or the harness failed.
pub(super) async fn play(args: &MutantsArgs, sessions: usize) -> Result<ExitStatus, CommandError> {
    let source = DialectSource::new(args.dialect.dialect_dir.clone());
    let mut has_moves = false;
    for known in catalogue::load(&args.dialect)? {
        let Some(walked) = MoveTable::load(&source, &known.dialect, None)? else {
            continue;
        };
        let spliced = walked.spliced(&known.files, &known.dialect)?;
        let tables = SessionTables { walked, spliced };
        has_moves = true;
        let id = known.dialect.id();
        let explored = explored(args, &source, known, &tables, sessions).await?;
        print(&id, &explored).map_err(output::failure)?;
    }
    if has_moves {
        Ok(ExitStatus::Conformant)
    } else {
        let why = "nothing was played: no dialect has an explore.yaml";
        Err(CommandError::incomplete(why))
    }
}

async fn explored(
    args: &MutantsArgs,
    source: &DialectSource,
    known: KnownDialect,
    tables: &SessionTables,
    sessions: usize,
) -> Result<Vec<ExploredFault>, CommandError> {
    let KnownDialect {
        dialect,
        mut faults,
        ..
    } = known;
    faults.retain(|one| !one.caught_by.is_empty());
    let faults = args.selected(faults, |fault| &fault.id);
    let suite = reference_suite(source, &dialect, Vec::new())?;
    let warn = |session: &str, finding: &Finding| {
        output::warning(format_args!(
            "left out, because the agent without a fault has a finding: {session}: {}: {}",
            finding.rule, finding.message
        ));
    };
    let (walks, speed) = (
        (tables, args.seed, sessions),
        (args.jobs(), args.time_scale),
    );
    let trials = SessionTrials::new(suite, walks, speed, warn).await?;
    let mut progress = Progress::new(&dialect.id(), faults.len(), "fault");
    let on_result = |one: &ExploredFault| {
        let [id, fate, rule, _] = cells(one);
        progress.show(&fate, &id, &rule);
    };
    Ok(trials.play(&faults, on_result).await?)
}

fn cells(one: &ExploredFault) -> [String; 4] {
    let (fate, rule, session) = match &one.found {
        Some((finding, session)) => ("found", finding.rule.as_str(), session.as_str()),
        None if one.was_active => ("MISSED", "", ""),
        None => ("NOT ACTIVE", "", ""),
    };
    [&one.fault.id, fate, rule, session].map(str::to_owned)
}

/// Prints what was found and what was missed, with the shares of the faults that rules and that scenarios must catch.
fn print(dialect: &str, explored: &[ExploredFault]) -> io::Result<()> {
    let mut out = output::stdout();
    let rows = explored.iter().map(|one| cells(one).to_vec());
    let titles = "FAULT | FATE | FOUND BY | SESSION";
    table::write(titles, &rows.collect::<Vec<_>>(), &mut out)?;
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
