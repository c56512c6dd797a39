//! Counts that pages quote. `SNAPSHOTS=overwrite cargo test --test files quoted_figures` fills them in.

use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_runner::scenario::ScenarioSource;
use regex::{Captures, Regex};
use snapbox::{Assert, Data};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// A page, a pattern that leaves out the count, and the count.
type Figure = (&'static str, &'static str, fn(&[Arc<Dialect>]) -> usize);

const FIGURES: &[Figure] = &[
    ("README.md", r"() scenarios: \d+ passed", scenarios),
    ("README.md", r"\d+ scenarios: () passed", scenarios),
    ("README.md", r"Clauses \d+ of () testable", testable),
    (
        "schemas/aionrs/0.1/README.md",
        r"the () clauses of `clauses.yaml`",
        |dialects| dialects[0].clauses.len(),
    ),
    (
        "schemas/aionrs/0.1/README.md",
        r"() clauses are not testable",
        |dialects| untestable(&dialects[0]),
    ),
];

fn scenarios(dialects: &[Arc<Dialect>]) -> usize {
    let of = |dialect: &Arc<Dialect>| {
        let source = ScenarioSource::find(&dialect.name, &dialect.version, &dialect.bases);
        source.expect("scenarios").files().len()
    };
    dialects.iter().map(of).sum()
}

/// Clauses that several versions share count once.
fn testable(dialects: &[Arc<Dialect>]) -> usize {
    let clauses = dialects.iter().flat_map(|dialect| &dialect.clauses);
    let testable = clauses.filter(|(_, clause)| clause.untestable.is_none());
    testable.map(|(id, _)| id).collect::<HashSet<_>>().len()
}

fn untestable(dialect: &Dialect) -> usize {
    let clauses = dialect.clauses.values();
    clauses.filter(|clause| clause.untestable.is_some()).count()
}

#[test]
fn counts_that_pages_quote_are_right() {
    let source = DialectSource::default();
    let load = |id: String| dialect::load(&source, &id).expect("a dialect");
    let mut dialects: Vec<_> = source.ids().into_iter().map(load).collect();
    dialects.sort_by_key(|dialect| dialect.id() != "aionrs@0.1");
    for (page, pattern, count) in FIGURES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, after) = pattern.split_once("()").unwrap();
        let figure = Regex::new(&format!(r"({before})\d+({after})")).unwrap();
        assert!(figure.is_match(&text), "{page} has no figure {pattern}");
        let count = count(&dialects);
        let filled = figure.replace(&text, |found: &Captures<'_>| {
            format!("{}{count}{}", &found[1], &found[2])
        });
        Assert::new()
            .action_env("SNAPSHOTS")
            .eq(filled.into_owned(), Data::read_from(&path, None));
    }
}
