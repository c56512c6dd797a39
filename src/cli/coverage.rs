//! `conform coverage`: for each clause the rules and scenarios that check it, and the faults that prove that the check can fail.

use super::args::DialectArgs;
use super::exit::ExitStatus;
use super::mutants::published_matrix;
use super::{catalogue, output, table};
use crate::mutation::coverage::{self, Covered};
use std::io::{self, Write};

/// Show for each clause which rules and scenarios check it, and which faults prove that they can fail
///
/// The faults are those of the published kill matrix (`conform mutants`). Exit status 1 if a testable clause has no check or no fault, or if no
/// fault shows that a rule can fail.
#[derive(Debug, clap::Args)]
pub(super) struct CoverageArgs {
    #[command(flatten)]
    dialect: DialectArgs,
    /// Only clauses with a gap
    #[arg(long)]
    gaps: bool,
    /// As a JSON array
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: CoverageArgs) -> ExitStatus {
    let known = match catalogue::load(&args.dialect) {
        Ok(known) => known,
        Err(message) => {
            output::error(message);
            return ExitStatus::Usage;
        }
    };
    let mut all = Vec::new();
    let mut unproved = Vec::new();
    for known in &known {
        let id = known.dialect.id();
        let matrix = published_matrix(&id);
        let clauses = coverage::of(&known.dialect, &known.scenarios, &matrix);
        all.push((id, clauses));
        unproved.extend(coverage::unproved(&known.dialect, &matrix));
    }
    let printed = if args.json {
        json(&all)
    } else {
        text(&all, args.gaps)
    };
    for rule in &unproved {
        output::error(format_args!(
            "{rule}: no published fault shows that it can fail"
        ));
    }
    let whole = unproved.is_empty()
        && all
            .iter()
            .all(|(_, clauses)| clauses.iter().all(|c| c.gap().is_none()));
    output::status(printed.map(|()| {
        if whole {
            ExitStatus::Conformant
        } else {
            ExitStatus::Violations
        }
    }))
}

fn json(all: &[(String, Vec<Covered>)]) -> io::Result<()> {
    let mut out = output::stdout();
    let clauses: Vec<&Covered> = all.iter().flat_map(|(_, clauses)| clauses).collect();
    serde_json::to_writer_pretty(&mut out, &clauses)?;
    writeln!(out)
}

fn text(all: &[(String, Vec<Covered>)], gaps: bool) -> io::Result<()> {
    let mut out = output::stdout();
    for (dialect, clauses) in all {
        let shown = clauses.iter().filter(|c| !gaps || c.gap().is_some());
        let rows: Vec<Vec<String>> = shown
            .map(|c| {
                vec![
                    c.clause.clone(),
                    c.section.clone(),
                    c.rules.len().to_string(),
                    c.definitions.len().to_string(),
                    c.scenarios.len().to_string(),
                    c.faults.len().to_string(),
                    c.gap()
                        .map_or_else(|| c.faults.join(" "), |gap| format!("GAP: {gap}")),
                ]
            })
            .collect();
        table::write(
            &[
                "CLAUSE",
                "SECTION",
                "RULES",
                "SCHEMAS",
                "SCENARIOS",
                "FAULTS",
                "PROVED BY",
            ],
            &rows,
            &mut out,
        )?;
        let covered = clauses.iter().filter(|c| c.gap().is_none()).count();
        writeln!(
            out,
            "{dialect}: {covered} of {} testable clauses covered",
            clauses.len()
        )?;
    }
    Ok(())
}
