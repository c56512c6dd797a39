//! `conform mutants --legal`: the legal variants of dialects, alone and in combinations, in which nothing may be found.

use super::proof::{Progress, Proof, Remark, worse};
use super::suites::{filtered_suites, marks_known, note_left_out, reference_suite};
use super::{MutantsArgs, published};
use crate::cli::catalogue;
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use conform_judge::dialect::{DialectSource, faults};
use conform_runner::trials::{
    LegalMatrix, LegalOptions, LegalRow, LegalTrials, Legality, TrialSuite,
};
use frame_faults::Fault;

/// Plays the variants of each dialect that the command line asks for.
///
/// # Errors
/// There are none, or the agent has findings without one, or cannot be started.
pub(super) async fn play(args: &MutantsArgs) -> Result<ExitStatus, CommandError> {
    let mut status = ExitStatus::Conformant;
    for (suite, variants) in suites(args).await? {
        status = worse(status, played(args, suite, variants).await?);
    }
    Ok(status)
}

/// The dialects that the command line asks for and that have variants.
async fn suites(args: &MutantsArgs) -> Result<Vec<(TrialSuite, Vec<Fault>)>, CommandError> {
    let mut all = Vec::new();
    if args.agent.is_empty() {
        let source = DialectSource::new(args.dialect.dialect_dir.clone());
        for known in catalogue::load(&args.dialect)? {
            let suite = reference_suite(&source, &known.dialect, known.scenarios)?;
            all.push((suite, known.variants));
        }
    } else {
        let (source, suites) = filtered_suites(args).await?;
        for suite in suites {
            let table = faults(&source, &suite.dialect.fault_sources())?;
            let variants = table.iter().flat_map(|table| table.variants().cloned());
            all.push((suite, variants.collect()));
        }
    }
    all.retain(|(_, variants)| !variants.is_empty());
    let variants = all.iter().flat_map(|(_, variants)| variants);
    args.check_only(variants.map(|one| one.id.clone()).collect())?;
    if all.is_empty() {
        return Err(CommandError::incomplete("there is no `variants.yaml`"));
    }
    Ok(all)
}

/// Plays the variants of one dialect.
async fn played(
    args: &MutantsArgs,
    suite: TrialSuite,
    variants: Vec<Fault>,
) -> Result<ExitStatus, CommandError> {
    let id = suite.dialect.id();
    let before: Option<LegalMatrix> = args.published(&id)?;
    let options = LegalOptions {
        sample: args.sample,
        at_once: args.jobs,
        combinations: args.combinations,
        seed: args.seed,
        is_part: !args.run.scenario.is_empty(),
        published: before.clone().unwrap_or_default(),
    };
    let mark = marks_known(args, &suite)?;
    let all: Vec<String> = variants.iter().map(|one| one.id.clone()).collect();
    let alone = args.selected(all.iter().enumerate(), |(_, id)| id);
    let (trials, good) = LegalTrials::new(suite, variants, options, mark).await?;
    note_left_out(&good);
    drop(good);
    let mut progress = Progress::new(&id, alone.len(), "legal variant");
    let on_row = |row: &LegalRow| {
        let active = format!("active in {} of {}", row.active, row.played);
        progress.show(row.fate.word(), &row.variant, &active);
    };
    let alone = alone.into_iter().map(|(n, _)| n).collect();
    let is_combined = |variant: &Fault| args.selects(&variant.id);
    let is_in_shard = |n: usize| args.shard.is_none_or(|shard| shard.holds(n));
    let matrix = trials.matrix(alone, is_combined, is_in_shard, on_row);
    let matrix = matrix.await?;
    if let Some(folder) = &args.publish {
        published::write(folder, &id, |before| matrix.over(before, &all))?;
    }
    let summary = matrix.summary();
    let mut proof = Proof {
        remarks: matrix.rows().flat_map(remarks).collect(),
        rows: matrix.variants,
        summary,
    };
    if let Some(before) = before {
        proof.compare(&before.variants, args.is_whole());
    }
    proof.rows.extend(matrix.combinations);
    proof.print()
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
