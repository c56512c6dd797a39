//! `conform coverage --situations`: the commands at moments with their outcomes, the pairs of moments and the data that scenarios and
//! exploration cover, and the checks of one dialect that others lack.

use crate::cli::args::DialectArgs;
use crate::cli::catalogue::{self, KnownDialect};
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use crate::cli::mutants::published_matrix;
use crate::cli::{output, table};
use conform_judge::dialect::DialectSource;
use conform_runner::explore::{MoveTable, SituationCounts, Situations, Walker};
use conform_runner::mutation::coverage;
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The situations of a dialect.
struct Walked {
    known: KnownDialect,
    table: MoveTable,
    /// The moves of its sessions.
    counts: SituationCounts,
    in_scenarios: Situations,
    in_sessions: Situations,
}

/// Prints the situations of each dialect with moves, and how often its scenarios and the first `sessions` sessions of the seed 0 cover
/// them.
///
/// # Errors
/// A dialect cannot be loaded, or none has moves.
pub(super) fn run(
    dialect: &DialectArgs,
    sessions: usize,
    gaps: bool,
) -> Result<ExitStatus, CommandError> {
    let source = DialectSource::new(dialect.dialect_dir.clone());
    let mut all = Vec::new();
    for known in catalogue::load(dialect)? {
        if let Some(table) = MoveTable::load(&source, &known.dialect, None)? {
            all.push(Walked::of(known, table, sessions)?);
        }
    }
    if all.is_empty() {
        return Err(CommandError::incomplete(
            "there are no situations to show: no dialect has an explore.yaml".to_owned(),
        ));
    }
    let each: io::Result<()> = all.iter().try_for_each(|one| one.print(sessions, gaps));
    let printed = each.and_then(|()| parity(&all));
    output::status(printed.map(|()| ExitStatus::Conformant))
}

impl Walked {
    fn of(known: KnownDialect, table: MoveTable, sessions: usize) -> Result<Self, CommandError> {
        let (mut in_scenarios, mut in_sessions) = (Situations::default(), Situations::default());
        for file in known.files.files() {
            let scenario = file.read().map_err(|error| vec![error])?.to_value();
            table.note_scenario(&known.dialect, &scenario, &mut in_scenarios);
        }
        let mut walker = Walker::new(&table, 0);
        for session in walker.by_ref().take(sessions) {
            table.note_session(&known.dialect, &session, &mut in_sessions);
        }
        Ok(Walked {
            counts: walker.counts,
            known,
            table,
            in_scenarios,
            in_sessions,
        })
    }

    fn print(&self, sessions: usize, gaps: bool) -> io::Result<()> {
        let mut out = output::stdout();
        let id = self.known.dialect.id();
        let (scenarios, explored) = (&self.in_scenarios, &self.in_sessions);
        let all = self
            .table
            .situations(&self.known.dialect, &[scenarios, explored]);
        let (mut rows, mut neither, mut impossible) = (Vec::new(), 0, 0);
        for one in &all {
            let times = |of: &Situations| of.commands.get(one).copied().unwrap_or_default();
            let times = [times(scenarios), times(explored)];
            let note = match (times, self.table.why_impossible(one)) {
                ([0, 0], Some(why)) => {
                    impossible += 1;
                    format!("impossible: {why}")
                }
                ([0, 0], None) => {
                    neither += 1;
                    "NEITHER".to_owned()
                }
                _ => String::new(),
            };
            if !gaps || note == "NEITHER" {
                let [by_scenarios, by_sessions] = times.map(|times| times.to_string());
                let names = [&one.moment, &one.command, &one.outcome].map(String::clone);
                rows.push([&names[..], &[by_scenarios, by_sessions, note]].concat());
            }
        }
        let heads = "MOMENT | COMMAND | OUTCOME | SCENARIOS | SESSIONS | ";
        table::write(heads, &rows, &mut out)?;
        if !gaps {
            let pairs = scenarios.moments.keys().chain(explored.moments.keys());
            let pairs: BTreeSet<_> = pairs.collect();
            let times = |of: &Situations, pair| of.moments.get(pair).copied().unwrap_or_default();
            let rows = pairs.iter().map(|pair| {
                let times = [times(scenarios, pair), times(explored, pair)];
                let [by_scenarios, by_sessions] = times.map(|times| times.to_string());
                vec![pair.0.clone(), pair.1.clone(), by_scenarios, by_sessions]
            });
            let heads = "MOMENT | THEN | SCENARIOS | SESSIONS";
            table::write(heads, &rows.collect::<Vec<_>>(), &mut out)?;
        }
        let moves = self.table.moves.iter().flat_map(|(name, one)| {
            let moments = one.from.iter();
            let holes = moments.filter(|moment| self.counts.times_at(moment, name) == 0);
            holes.map(|moment| vec![moment.clone(), name.clone()])
        });
        table::write(
            "MOMENT | MOVE NOT MADE",
            &moves.collect::<Vec<_>>(),
            &mut out,
        )?;
        let heads = "DATA AT | IN SCENARIOS | ONLY IN SESSIONS | IN NEITHER";
        let (rows, left_out) = self.data_at_places(gaps);
        table::write(heads, &rows, &mut out)?;
        if !gaps {
            table::write("NOT REQUIRED AT | DATA | ", &left_out, &mut out)?;
        }
        let (pairs, met) = (self.counts.moves_in_a_row(&self.table), &scenarios.commands);
        writeln!(
            out,
            "{id}: {} situations: {} in scenarios, {} in {sessions} sessions, {neither} in neither, {impossible} impossible; {} of {} moves in a row",
            all.len(),
            met.len(),
            explored.commands.len(),
            pairs.met,
            pairs.all
        )
    }

    /// For each place: the classes of data that occur in scenarios, only in sessions, and in neither; then those that are not required
    /// there, with the reason.
    fn data_at_places(&self, gaps: bool) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
        let (scenarios, sessions) = (&self.in_scenarios.data, &self.in_sessions.data);
        let places: BTreeSet<_> = scenarios.keys().chain(sessions.keys()).collect();
        let mut left_out: IndexMap<(&String, &str), Vec<&str>> = IndexMap::new();
        let rows = places.into_iter().map(|place| {
            let came = |of: &BTreeMap<String, BTreeSet<String>>, class: &String| {
                of.get(place).is_some_and(|classes| classes.contains(class))
            };
            let mut row = vec![vec![]; 3];
            for class in self.table.classes.keys() {
                let column = match (came(scenarios, class), came(sessions, class)) {
                    (true, _) => &mut row[0],
                    (false, true) => &mut row[1],
                    (false, false) => match self.why_left_out(place, class) {
                        Some(why) => left_out.entry((place, why)).or_default(),
                        None => &mut row[2],
                    },
                };
                column.push(class.as_str());
            }
            let columns = row.into_iter().map(|classes| classes.join(", "));
            std::iter::once(place.clone()).chain(columns).collect()
        });
        let rows = rows
            .filter(|row: &Vec<_>| !gaps || !row[3].is_empty())
            .collect();
        let left_out = left_out
            .into_iter()
            .map(|((place, why), classes)| vec![place.clone(), classes.join(", "), why.to_owned()]);
        (rows, left_out.collect())
    }

    /// Why a class of data does not occur at a place, if the dialect gives a reason.
    fn why_left_out(&self, place: &str, class: &String) -> Option<&str> {
        let mut left_out = self.table.left_out.iter();
        let found = left_out.rfind(|one| one.names(place, class));
        found.map(|one| one.why.as_str())
    }

    /// What checks each clause, and what reaches each moment with each outcome.
    fn checked_by(&self) -> IndexMap<String, BTreeSet<&'static str>> {
        let matrix = published_matrix(&self.known.dialect.id());
        let moves = self.table.moves.values().chain(self.table.starts.values());
        let cited = moves.flat_map(|one| &one.file.clauses);
        let explored: BTreeSet<_> = cited.map(|clause| &clause.value).collect();
        let mut checked: IndexMap<String, BTreeSet<&'static str>> = IndexMap::new();
        for one in coverage::covered(&self.known.dialect, &self.known.scenarios, &matrix) {
            let by = [
                (!one.rules.is_empty() || !one.definitions.is_empty()).then_some("rules"),
                (!one.scenarios.is_empty()).then_some("scenarios"),
                explored.contains(&one.clause).then_some("exploration"),
            ];
            checked.insert(one.clause, by.into_iter().flatten().collect());
        }
        let subject = |outcome: &str, moment: &str| format!("{outcome}, {moment}");
        for (outcome, moment) in self.table.outcomes_at_moments() {
            checked.insert(subject(outcome, moment), BTreeSet::new());
        }
        for (found, by) in [
            (&self.in_scenarios, "scenarios"),
            (&self.in_sessions, "exploration"),
        ] {
            for one in found.commands.keys() {
                let subject = subject(&one.outcome, &one.moment);
                checked.entry(subject).or_default().insert(by);
            }
        }
        checked
    }
}

/// Prints the checks and outcomes of some dialects that others with the same clause or moment lack.
fn parity(all: &[Walked]) -> io::Result<()> {
    let mut subjects: IndexMap<String, Vec<(String, BTreeSet<&str>)>> = IndexMap::new();
    for one in all {
        for (subject, by) in one.checked_by() {
            let of = subjects.entry(subject).or_default();
            of.push((one.known.dialect.id(), by));
        }
    }
    let mut rows = Vec::new();
    for (subject, dialects) in subjects {
        for by in ["rules", "scenarios", "exploration"] {
            let (with, without): (Vec<_>, Vec<_>) =
                dialects.iter().partition(|(_, has)| has.contains(by));
            if !with.is_empty() && !without.is_empty() {
                let names = |some: Vec<&(String, BTreeSet<&str>)>| {
                    let ids = some.into_iter().map(|(id, _)| id.as_str());
                    ids.collect::<Vec<_>>().join(" ")
                };
                let subject = subject.clone();
                rows.push(vec![subject, by.to_owned(), names(with), names(without)]);
            }
        }
    }
    if rows.is_empty() {
        Ok(())
    } else {
        table::write("SUBJECT | BY | IN | NOT IN", &rows, &mut output::stdout())
    }
}
