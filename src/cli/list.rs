//! `conform list`: prints the known dialects, scenarios, rules, clauses, faults or legal variants, one on each line.

use super::args::DialectArgs;
use super::catalogue::{self, KnownDialect};
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::{describe, output, table};
use clap::ValueEnum;
use conform_report::reporter::text::first_sentence;
use serde_json::Value;
use std::io::Write;

/// List the known dialects, scenarios, rules, clauses, faults or legal variants
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// What to list
    #[arg(value_enum)]
    what: ListKind,
    #[command(flatten)]
    dialect: DialectArgs,
    /// As a JSON array, with all details of each
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListKind {
    /// The protocols, each at one version
    Dialects,
    /// The scripted conversations that `conform run` plays
    Scenarios,
    /// The executable checks
    Rules,
    /// The normative statements of the specifications
    Clauses,
    /// The deliberate defects that the reference agent plays with --fault
    Faults,
    /// What an agent may do differently; the reference agent plays it with --fault too
    Variants,
}

/// A list as a table, and with `--json` the details of each item.
struct Listing {
    /// Separated by ` | `.
    columns: &'static str,
    rows: Vec<Vec<String>>,
    json: Vec<Value>,
}

pub(super) fn run(args: ListArgs) -> Result<ExitStatus, CommandError> {
    let known = catalogue::load(&args.dialect)?;
    let listing = list(args.what, &known, args.json);
    let mut out = output::stdout();
    let printed = if args.json {
        serde_json::to_writer_pretty(&mut out, &listing.json)
            .map_err(Into::into)
            .and_then(|()| writeln!(out))
    } else {
        table::write(listing.columns, &listing.rows, &mut out)
    };
    output::status(printed.map(|()| ExitStatus::Conformant))
}

fn list(what: ListKind, known: &[KnownDialect], as_json: bool) -> Listing {
    match what {
        ListKind::Dialects => collect(
            "DIALECT | EVENTS | COMMANDS | CLAUSES | RULES | SCENARIOS | TITLE",
            known.iter().map(|known| (dialect(known), known)),
            as_json.then_some(describe::dialect),
        ),
        ListKind::Scenarios => collect(
            "SCENARIO | TAGS | NAME",
            each(known, |known| known.scenarios.iter()).map(|(known, scenario)| {
                let row = vec![
                    known.scenario_id(scenario),
                    dash(scenario.tags.join(",")),
                    scenario.name.clone(),
                ];
                (row, (known, scenario))
            }),
            as_json.then_some(|(known, scenario)| describe::scenario(known, scenario)),
        ),
        ListKind::Rules => collect(
            "RULE | LEVEL | SOURCE | WHAT IT REQUIRES",
            each(known, |known| known.dialect.rules.iter()).map(|(known, rule)| {
                let doc: Vec<_> = rule.doc.split_whitespace().collect();
                let asks = first_sentence(&doc.join(" ")).to_owned();
                let row = vec![rule.id.clone(), word(rule.level), word(rule.source), asks];
                (row, (known, rule))
            }),
            as_json.then_some(|(known, rule)| describe::rule(known, rule)),
        ),
        ListKind::Clauses => collect(
            "CLAUSE | SECTION | STRENGTH | BINDS | TESTABLE | TEXT",
            each(known, |known| known.dialect.clauses.iter()).map(|(known, (id, clause))| {
                let testable = clause.untestable.as_ref().map_or("yes", |_| "no");
                let row = vec![
                    id.clone(),
                    clause.section.clone(),
                    word(clause.strength),
                    clause.side.word().to_owned(),
                    testable.to_owned(),
                    clause.text.clone(),
                ];
                (row, (known, id, clause))
            }),
            as_json.then_some(|(known, id, clause): (_, &String, _)| {
                describe::clause(known, id, clause)
            }),
        ),
        ListKind::Faults => collect(
            "FAULT | DIALECT | WHAT GOES WRONG",
            each(known, |known| known.faults.iter()).map(|(known, fault)| {
                let id = fault.id.clone();
                let mut summary = fault.summary.clone();
                if fault.caught_by.is_empty() {
                    summary.insert_str(0, "[hosts] ");
                }
                let row = vec![id, known.dialect.name.clone(), summary];
                (row, (known, fault))
            }),
            as_json.then_some(|(known, fault)| describe::fault(known, fault)),
        ),
        ListKind::Variants => collect(
            "VARIANT | DIALECT | ACCEPTED INTERPRETATION | WHAT THE AGENT DOES",
            each(known, |known| known.variants.iter()).map(|(known, variant)| {
                let legal = variant.legal.as_ref();
                let accepts = legal.and_then(|legal| legal.accepts.clone());
                let row = vec![
                    variant.id.clone(),
                    known.dialect.name.clone(),
                    dash(accepts.unwrap_or_default()),
                    variant.summary.clone(),
                ];
                (row, (known, variant))
            }),
            as_json.then_some(|(known, variant)| describe::variant(known, variant)),
        ),
    }
}

fn each<'a, T, I: Iterator<Item = T> + 'a>(
    known: &'a [KnownDialect],
    items: impl Fn(&'a KnownDialect) -> I + 'a,
) -> impl Iterator<Item = (&'a KnownDialect, T)> + 'a {
    known
        .iter()
        .flat_map(move |known| items(known).map(move |item| (known, item)))
}

/// The table of these items, and the details of each if they are asked for.
fn collect<T>(
    columns: &'static str,
    items: impl Iterator<Item = (Vec<String>, T)>,
    describe: Option<impl Fn(T) -> Value>,
) -> Listing {
    let (mut rows, mut json) = (Vec::new(), Vec::new());
    for (row, item) in items {
        rows.push(row);
        json.extend(describe.as_ref().map(|describe| describe(item)));
    }
    Listing {
        columns,
        rows,
        json,
    }
}

fn dialect(known: &KnownDialect) -> Vec<String> {
    let dialect = &known.dialect;
    let counts = [
        dialect.events.all().count(),
        dialect.commands.all().count(),
        dialect.clauses.len(),
        dialect.rules.len(),
        known.scenarios.len(),
    ];
    let mut row = vec![dialect.id()];
    row.extend(counts.map(|count| count.to_string()));
    row.push(dialect.title.clone());
    row
}

/// The name of a level or a source, as in files.
pub(super) fn word(value: impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn dash(text: String) -> String {
    if text.is_empty() {
        "-".to_owned()
    } else {
        text
    }
}
