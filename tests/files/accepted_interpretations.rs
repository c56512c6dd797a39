//! The tables "Accepted interpretations" in the READMEs of the dialects, and the legal variants that play their rows.

use conform_judge::dialect::{self, DialectSource};
use frame_faults::FaultTable;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A dialect: its id, those of its bases and its own, and its legal variants.
struct Played {
    id: String,
    lineage: Vec<String>,
    table: FaultTable,
}

impl Played {
    /// The topics that a variant plays, or that cannot be played.
    fn topics(&self) -> impl Iterator<Item = &str> {
        let legal = self.table.variants().filter_map(|one| one.legal.as_ref());
        let accepts = legal.filter_map(|legal| legal.accepts.as_deref());
        accepts.chain(self.table.unplayed().keys().map(String::as_str))
    }
}

fn all() -> Vec<Played> {
    let source = DialectSource::default();
    let names = source.names().into_iter();
    let ids = names.map(|(name, version)| format!("{name}@{version}"));
    ids.map(|id| {
        let dialect = dialect::load(&source, &id).unwrap();
        let lineage = dialect.fault_sources();
        let table = dialect::faults(&source, &lineage).unwrap();
        Played {
            id,
            lineage,
            table: table.unwrap(),
        }
    })
    .collect()
}

/// The first column of the table in the README of a dialect; none if it has no such table.
fn rows(id: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let page = folder.join(id.replace('@', "/")).join("README.md");
    let page = std::fs::read_to_string(page).unwrap();
    let Some((_, section)) = page.split_once("\n## Accepted interpretations\n") else {
        return Vec::new();
    };
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter_map(|line| line.strip_prefix("| "));
    let topics = lines.map(|line| line.split(" | ").next().unwrap().to_owned());
    topics.skip(1).collect()
}

#[test]
fn each_accepted_interpretation_is_played_by_a_variant_or_says_why_not() {
    let all = all();
    let mut count = 0;
    let mut holes = Vec::new();
    for one in &all {
        let heirs = all.iter().filter(|heir| heir.lineage.contains(&one.id));
        let played: BTreeSet<_> = heirs.flat_map(Played::topics).collect();
        let rows = rows(&one.id);
        count += rows.len();
        let missing = rows.iter().filter(|row| !played.contains(row.as_str()));
        holes.extend(missing.map(|row| format!("{}: {row}", one.id)));
    }
    assert!(count > 80, "{count} rows were found");
    assert!(
        holes.is_empty(),
        "no variant plays these, and none says why not:\n{}",
        holes.join("\n")
    );
}

#[test]
fn a_variant_names_only_interpretations_that_a_table_has() {
    for one in all() {
        let known: BTreeSet<_> = one.lineage.iter().flat_map(|id| rows(id)).collect();
        let unknown = one.topics().filter(|topic| !known.contains(*topic));
        assert_eq!(unknown.collect::<Vec<_>>(), [""; 0], "{}", one.id);
    }
}

#[test]
fn coverage_shows_what_plays_an_interpretation_and_why_nothing_does() {
    let shown = |more: &[&str]| {
        let mut conform = Command::new(env!("CARGO_BIN_EXE_conform"));
        conform.args(["coverage", "--dialect", "synaps@1"]);
        let output = conform.args(more).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, table) = text.split_once("INTERPRETATION").unwrap();
        let lines = table.lines().map(|line| {
            let words = line.split("  ").map(str::trim);
            let words = words.filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" | ")
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let played = "a prompt during a turn | prompt-queued";
    let unplayed = "a child that cannot start | NOT PLAYED: the reference agent writes no `error`";
    let all = shown(&[]);
    assert!(all.contains(played) && all.contains(unplayed), "{all}");
    let gaps = shown(&["--gaps"]);
    assert!(!gaps.contains(played) && gaps.contains(unplayed), "{gaps}");
}
