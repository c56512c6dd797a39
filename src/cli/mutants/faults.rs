//! Proves the rules of dialects: plays the faults of their `faults.yaml`, of the reference agent or on the frames of any other.

use super::proof::{Progress, Proof, Remark, worse};
use super::suites::{filtered_suites, good_run, reference_suite};
use super::{MutantsArgs, generic_faults, no_fault, published};
use crate::cli::catalogue::{self, KnownDialect};
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_runner::mutation::bad_hosts;
use conform_runner::mutation::coverage::provable_rules;
use conform_runner::mutation::matrix::{Fate, Matrix, Row, over};
use conform_runner::trials::{FaultTrials, GoodRun, TrialSuite};
use frame_faults::{Effect, Fault, FaultTable, KnownNames};
use std::path::Path;

/// The faults of a dialect, of which some are played.
struct FaultList {
    dialect: String,
    /// The faults and bad hosts, in the order of the dialect.
    all: Vec<String>,
    /// The rules that at least one of them must kill, and those of the sides that are played.
    rules: Vec<String>,
    played_rules: Vec<String>,
    /// The published matrix to compare with.
    before: Option<Matrix>,
}

/// Plays the faults of the reference agent, and the bad hosts, of the dialects that the command line asks for.
///
/// # Errors
/// A dialect cannot be loaded, no fault is selected, or the harness failed.
pub(super) async fn of_reference_agent(args: &MutantsArgs) -> Result<ExitStatus, CommandError> {
    let source = DialectSource::new(args.dialect.dialect_dir.clone());
    let mut statuses = Vec::new();
    let mut all = Vec::new();
    for known in catalogue::load(&args.dialect)? {
        let KnownDialect {
            dialect,
            scenarios,
            mut faults,
            ..
        } = known;
        faults.retain(|one| !one.caught_by.is_empty());
        let mut hosts = bad_hosts::load(&source, &dialect)?;
        hosts.retain(|host| !host.is_legal());
        let hosts: Vec<Row> = hosts.iter().map(|host| host.row(&dialect)).collect();
        let counts = [(Blame::Agent, faults.len()), (Blame::Host, hosts.len())];
        let with_faults = counts.iter().filter(|(_, count)| *count > 0);
        let sides: Vec<Blame> = with_faults.map(|(side, _)| *side).collect();
        let only = args.side.map(Blame::from);
        let is_played = |side: &Blame| only.is_none_or(|only| only == *side);
        let played: Vec<Blame> = sides.iter().copied().filter(is_played).collect();
        let ids = faults.iter().map(|fault| fault.id.clone());
        let list = FaultList {
            dialect: dialect.id(),
            all: ids
                .chain(hosts.iter().map(|row| row.fault.clone()))
                .collect(),
            rules: provable_rules(&dialect, &sides),
            played_rules: provable_rules(&dialect, &played),
            before: args.published(&dialect.id())?,
        };
        all.extend(list.all.iter().cloned());
        let mut faults = args.selected(faults, |fault| &fault.id);
        let mut hosts = args.selected(hosts, |row| &row.fault);
        faults.retain(|_| is_played(&Blame::Agent));
        hosts.retain(|_| is_played(&Blame::Host));
        if faults.is_empty() && hosts.is_empty() {
            continue;
        }
        let suite = reference_suite(&source, &dialect, scenarios)?;
        let trials = trials(args, suite, None);
        let mut rows = rows(&trials, &dialect.id(), &faults, "fault").await?;
        rows.append(&mut hosts);
        let matrix = Matrix::new(&list.dialect, rows, &list.played_rules);
        let complaints = matrix.complaints(args.is_whole()).into_iter();
        let remarks = complaints.map(Remark::error).collect();
        statuses.push(list.conclude(args, matrix, remarks)?);
    }
    statuses
        .into_iter()
        .reduce(worse)
        .ok_or_else(|| no_fault(args, &all))
}

/// Plays the faults of dialects on the frames of any agent, which must pass the suite first.
///
/// # Errors
/// The agent could not be started, or has a finding that the baseline does not know; or no fault is selected.
pub(super) async fn of_any_agent(args: &MutantsArgs) -> Result<ExitStatus, CommandError> {
    let accepted = args.accepted.as_deref().map(generic_faults::accepted);
    let accepted = accepted.transpose()?;
    let (source, suites) = filtered_suites(args).await?;
    let mut tables = Vec::new();
    for suite in &suites {
        let table = listed_faults(&source, &suite.dialect)?;
        tables.push(table.filter(|_| !args.generic));
    }
    // Generic faults are known only when the agent has been played.
    if tables.iter().all(Option::is_some) {
        let known = tables.iter().flatten().flat_map(FaultTable::faults);
        args.check_only(known.map(|fault| fault.id.clone()).collect())?;
    }
    let mut statuses = Vec::new();
    let mut all = Vec::new();
    for (mut suite, table) in suites.into_iter().zip(tables) {
        let good = good_run(args, &mut suite).await?;
        let status = match table {
            Some(table) => listed(args, suite, good, &table, &mut all).await?,
            None => generic_faults::play(args, suite, good, accepted.as_ref(), &mut all).await?,
        };
        statuses.extend(status);
    }
    statuses
        .into_iter()
        .reduce(worse)
        .ok_or_else(|| no_fault(args, &all))
}

/// The trials of the faults of a dialect.
pub(super) fn trials(args: &MutantsArgs, suite: TrialSuite, good: Option<GoodRun>) -> FaultTrials {
    let published = published::matrix(&suite.dialect.id());
    // What is published says which scenarios catch a fault, too.
    let by_frames = args.publish.is_none();
    FaultTrials::new(
        suite,
        good,
        published,
        args.jobs(),
        args.time_scale,
        by_frames,
    )
}

/// Plays faults, and shows each row as it comes.
pub(super) async fn rows(
    trials: &FaultTrials,
    dialect: &str,
    faults: &[Fault],
    what: &str,
) -> Result<Vec<Row>, CommandError> {
    let mut progress = Progress::new(dialect, faults.len(), what);
    Ok(trials.rows(faults, |row| progress.row(row)).await?)
}

/// Plays the faults of a table on the frames of a good agent; `None` if none is selected. Adds all of them to `all`.
async fn listed(
    args: &MutantsArgs,
    suite: TrialSuite,
    good: GoodRun,
    table: &FaultTable,
    all: &mut Vec<String>,
) -> Result<Option<ExitStatus>, CommandError> {
    let dialect = suite.dialect.clone();
    let rules = provable_rules(&dialect, &[Blame::Agent]);
    let list = FaultList {
        dialect: dialect.id(),
        all: table.faults().map(|one| one.id.clone()).collect(),
        played_rules: rules.clone(),
        rules,
        before: args.published(&dialect.id())?,
    };
    all.extend(list.all.iter().cloned());
    let named = table.faults().filter(|fault| !fault.caught_by.is_empty());
    let selected: Vec<Fault> = args.selected(named.cloned(), |fault| &fault.id);
    if selected.is_empty() {
        return Ok(None);
    }
    let trials = trials(args, suite, Some(good));
    let rows = rows(&trials, &list.dialect, &selected, "fault").await?;
    let matrix = Matrix::new(&list.dialect, rows, &list.rules);
    let mut remarks = Vec::new();
    for (row, fault) in matrix.faults.iter().zip(&selected) {
        if row.fate == Fate::NotReached {
            let why = trials.why_inactive(fault);
            let text = format!("{}: it was not active: {why}", row.fault);
            remarks.push(Remark::warning(text));
        } else if matches!(row.fate, Fate::Disturbed(_)) {
            remarks.extend(row.complaint().map(Remark::warning));
        } else if let Some(complaint) = row.complaint() {
            remarks.push(Remark::error(complaint));
        }
    }
    let unproved = &matrix.rules_without_killer;
    if args.is_whole() && !unproved.is_empty() {
        remarks.push(Remark::note(format!(
            "note: no fault proves that these rules can fail ({}): {}",
            unproved.len(),
            unproved.join(", ")
        )));
    }
    list.conclude(args, matrix, remarks).map(Some)
}

impl FaultList {
    /// Publishes, compares and prints the matrix of the faults that were played.
    fn conclude(
        &self,
        args: &MutantsArgs,
        matrix: Matrix,
        remarks: Vec<Remark>,
    ) -> Result<ExitStatus, CommandError> {
        if let Some(folder) = &args.publish {
            published::write(folder, &self.dialect, |before: &Matrix| {
                let rows = over(&self.all, &matrix.faults, &before.faults);
                Matrix::new(&self.dialect, rows, &self.rules)
            })?;
        }
        let mut proof = Proof {
            summary: matrix.summary(),
            rows: matrix.faults,
            remarks,
        };
        if let Some(before) = &self.before {
            let is_whole = args.is_whole() && args.side.is_none();
            proof.compare(&before.faults, is_whole);
        }
        proof.print()
    }
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
    let legal = table.variants().filter_map(|one| one.legal.as_ref());
    let catchers = catchers.chain(legal.flat_map(|legal| legal.listed.keys()));
    let behavior = |fault: &Fault| match &fault.effect {
        Effect::Behavior(name) => Some(name.clone()),
        _ => None,
    };
    KnownNames {
        scenarios: catchers
            .filter_map(|catcher| catcher.strip_prefix("scenario:").map(str::to_owned))
            .collect(),
        behaviors: table.faults().filter_map(behavior).collect(),
        ..catalogue::names_for_faults(dialect)
    }
}
