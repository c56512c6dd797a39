//! `conform coverage`: for each clause the rules and scenarios that check it, and the faults that prove that the check can fail; for each
//! accepted interpretation the legal variants that play it.

mod situations;

use super::args::DialectArgs;
use super::catalogue::{KnownDialect, ScenarioChoice};
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::mutants::{published_matrix, read_matrix};
use super::{catalogue, output, table};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Blame;
use conform_runner::mutation::coverage::{self, Covered};
use conform_runner::mutation::matrix::{Matrix, Row};
use indexmap::IndexMap;
use spanned_yaml::Error;
use std::io::{self, Write};
use std::path::PathBuf;

/// Show for each clause which rules and scenarios check it, and which faults prove that they can fail
///
/// The faults are those of the published kill matrix (`conform mutants`); for a dialect of your own, of the one that `conform mutants --publish DIR`
/// has written. For each interpretation that the dialect accepts, it shows the legal variants that play it, or why none does. Exit status 1 if a testable clause has no check or no fault, or if no
/// fault shows that a rule can fail.
#[derive(Debug, clap::Args)]
pub(super) struct CoverageArgs {
    #[command(flatten)]
    dialect: DialectArgs,
    /// Scenarios of your own, files or folders, instead of the built-in ones; repeatable
    #[arg(long, value_name = "PATH", requires = "dialect")]
    scenarios: Vec<PathBuf>,
    /// The folder of the kill matrix, as `conform mutants --publish DIR` writes it [default: the published matrices of conform]
    #[arg(long, value_name = "DIR")]
    matrix: Option<PathBuf>,
    /// Only clauses with a gap
    #[arg(long)]
    gaps: bool,
    /// As a JSON array
    #[arg(long)]
    json: bool,
    /// Show instead which situations exploration covers: a move at a moment, and classes of data at places; with --gaps only those that it
    /// does not cover
    #[arg(long, conflicts_with_all = ["scenarios", "matrix", "json"])]
    situations: bool,
    /// With --situations: by how many sessions of the seed 0
    #[arg(long, value_name = "N", default_value_t = 200, requires = "situations")]
    sessions: usize,
}

pub(super) fn run(args: CoverageArgs) -> Result<ExitStatus, CommandError> {
    if args.situations {
        return situations::run(&args.dialect, args.sessions, args.gaps);
    }
    let known = with_matrices(&args, known(&args)?)?;
    let mut all = Vec::new();
    let mut unproved = Vec::new();
    let mut topics = Vec::new();
    for (known, matrix) in &known {
        let id = known.dialect.id();
        let clauses = coverage::covered(&known.dialect, &known.scenarios, matrix);
        all.push((id, clauses));
        topics.push(interpretations(known, args.gaps));
        let has_hosts = matrix.faults.iter().any(Row::is_of_host);
        let mut clauses_of = known.dialect.clauses.values();
        if !has_hosts && clauses_of.any(|c| c.side == Blame::Host && c.untestable.is_none()) {
            output::note(format_args!(
                "the matrix of {} has no bad hosts, which prove the clauses with `side: host`: `conform mutants --side host --publish DIR` adds them",
                known.dialect.id()
            ));
        }
        unproved.extend(coverage::unproved(&known.dialect, matrix));
    }
    let printed = if args.json {
        json(&all)
    } else {
        text(&all, &topics, args.gaps)
    };
    for rule in &unproved {
        output::error(format_args!("{rule}: no fault shows that it can fail"));
    }
    let mut clauses = all.iter().flat_map(|(_, clauses)| clauses);
    let status = if unproved.is_empty() && clauses.all(|one| one.gap().is_none()) {
        ExitStatus::Conformant
    } else {
        ExitStatus::Violations
    };
    output::status(printed.map(|()| status))
}

/// The dialects, with the scenarios of the command line.
fn known(args: &CoverageArgs) -> Result<Vec<KnownDialect>, Vec<Error>> {
    match (&args.dialect.dialect, args.scenarios.as_slice()) {
        (Some(id), own @ [_, ..]) => {
            let source = DialectSource::new(args.dialect.dialect_dir.clone());
            let choice = ScenarioChoice {
                own,
                ..ScenarioChoice::default()
            };
            catalogue::one(&source, id, choice).map(|one| vec![one])
        }
        _ => catalogue::load(&args.dialect),
    }
}

/// Each dialect with its kill matrix.
fn with_matrices(
    args: &CoverageArgs,
    known: Vec<KnownDialect>,
) -> Result<Vec<(KnownDialect, Matrix)>, CommandError> {
    let with_matrix = |known: KnownDialect| {
        let id = known.dialect.id();
        let matrix = match &args.matrix {
            None => published_matrix(&id),
            Some(folder) => read_matrix(folder, &id)?,
        };
        Ok((known, matrix))
    };
    known.into_iter().map(with_matrix).collect()
}

fn json(all: &[(String, Vec<Covered>)]) -> io::Result<()> {
    let mut out = output::stdout();
    let clauses: Vec<&Covered> = all.iter().flat_map(|(_, clauses)| clauses).collect();
    serde_json::to_writer_pretty(&mut out, &clauses)?;
    writeln!(out)
}

/// Each accepted interpretation of a dialect with the legal variants that play it, or why none does; with `gaps` only these.
fn interpretations(known: &KnownDialect, gaps: bool) -> Vec<Vec<String>> {
    let mut played: IndexMap<&String, Vec<&str>> = IndexMap::new();
    for variant in known.variants.iter().filter(|_| !gaps) {
        if let Some(topic) = variant.legal.as_ref().and_then(|one| one.accepts.as_ref()) {
            played.entry(topic).or_default().push(&variant.id);
        }
    }
    let played = played
        .into_iter()
        .map(|(topic, ids)| (topic, ids.join(" ")));
    let unplayed = known.unplayed.iter();
    let unplayed = unplayed.map(|(topic, why)| (topic, format!("NOT PLAYED: {why}")));
    let rows = played.chain(unplayed);
    rows.map(|(topic, text)| vec![topic.clone(), text])
        .collect()
}

fn text(all: &[(String, Vec<Covered>)], topics: &[Vec<Vec<String>>], gaps: bool) -> io::Result<()> {
    let mut out = output::stdout();
    for ((dialect, clauses), topics) in all.iter().zip(topics) {
        let shown = clauses.iter().filter(|c| !gaps || c.gap().is_some());
        let row = |c: &Covered| {
            let counts = [&c.rules, &c.definitions, &c.scenarios, &c.faults];
            let mut row = vec![c.clause.clone(), c.section.clone()];
            row.extend(counts.map(|checks| checks.len().to_string()));
            row.push(match c.gap() {
                Some(gap) => format!("GAP: {gap}"),
                None => c.faults.join(" "),
            });
            row
        };
        let rows: Vec<Vec<String>> = shown.map(row).collect();
        table::write(
            "CLAUSE | SECTION | RULES | SCHEMAS | SCENARIOS | FAULTS | PROVED BY",
            &rows,
            &mut out,
        )?;
        if !topics.is_empty() {
            table::write("INTERPRETATION | PLAYED BY", topics, &mut out)?;
        }
        let covered = clauses.iter().filter(|c| c.gap().is_none()).count();
        writeln!(
            out,
            "{dialect}: {covered} of {} testable clauses covered",
            clauses.len()
        )?;
    }
    Ok(())
}
