//! `conform coverage --situations`: which moves at which moments, which moves in a row and which data exploration plays.

use crate::cli::args::DialectArgs;
use crate::cli::catalogue;
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use crate::cli::{output, table};
use conform_judge::dialect::DialectSource;
use conform_runner::explore::{MoveTable, Walker};
use std::io::{self, Write};

/// Prints the situations of each dialect with moves, and how often the first `sessions` sessions of the seed 0 come to them.
///
/// # Errors
/// A dialect cannot be loaded, or none has moves.
pub(super) fn run(
    dialect: &DialectArgs,
    sessions: usize,
    holes: bool,
) -> Result<ExitStatus, CommandError> {
    let source = DialectSource::new(dialect.dialect_dir.clone());
    let mut tables = Vec::new();
    for known in catalogue::load(dialect)? {
        let table = MoveTable::load(&source, &known.dialect, None)?;
        tables.extend(table.map(|table| (known.dialect.id(), table)));
    }
    if tables.is_empty() {
        return Err(CommandError::incomplete(
            "there are no situations to show: no dialect has an explore.yaml".to_owned(),
        ));
    }
    let printed: io::Result<Vec<()>> = tables
        .iter()
        .map(|(id, table)| print(id, table, sessions, holes))
        .collect();
    output::status(printed.map(|_| ExitStatus::Conformant))
}

fn print(id: &str, table: &MoveTable, sessions: usize, holes: bool) -> io::Result<()> {
    let mut out = output::stdout();
    let mut walker = Walker::new(table, 0);
    walker.by_ref().take(sessions).for_each(drop);
    let counts = &walker.counts;
    let (mut rows, possible) = (Vec::new(), table.shortest_sessions());
    for (name, one) in &table.moves {
        let impossible = !possible.contains_key(name);
        for moment in &one.from {
            let times = counts.times_at(moment, name);
            let shown = match (times, impossible) {
                (0, true) => "impossible: no session fulfils its `when`".to_owned(),
                (0, false) => "not yet".to_owned(),
                (times, _) => times.to_string(),
            };
            if times == 0 || !holes {
                rows.push(
                    [moment, name, one.leads_to(moment), &shown]
                        .map(str::to_owned)
                        .to_vec(),
                );
            }
        }
    }
    writeln!(out, "{id}, by {sessions} sessions of exploration:")?;
    table::write(&["MOMENT", "MOVE", "LEADS TO", "TIMES"], &rows, &mut out)?;
    let data = counts.data_not_carried(table);
    let rows = data
        .into_iter()
        .map(|(place, classes)| vec![place, classes.join(", ")]);
    table::write(&["DATA AT", "NOT YET"], &rows.collect::<Vec<_>>(), &mut out)?;
    let pairs = counts.moves_in_a_row(table);
    writeln!(out, "{id}: {} of {} moves in a row", pairs.met, pairs.all)
}
