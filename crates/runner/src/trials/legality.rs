//! Legality: what was found in the legal variants of a dialect, in which nothing may be found, as JSON and as Markdown.

use super::scenario_run::ScenarioRun;
use super::suite::logged;
use crate::mutation::matrix::{PublishedMatrix, PublishedRow, over};
use conform_judge::finding::{Blame, Finding, Level};
use conform_report::Verdict;
use frame_faults::{Fault, names_scenario};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The legal variants of one dialect, and what was found in them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegalMatrix {
    /// `NAME@VERSION`.
    pub dialect: String,
    /// One row for each variant, in the order of `conform list variants`.
    pub variants: Vec<LegalRow>,
    /// Variants that were played together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub combinations: Vec<LegalRow>,
}

/// One variant, or several that were played together, and the result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LegalRow {
    /// The id; several are separated by commas.
    pub variant: String,
    /// What the agent does differently, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The topic of the accepted interpretation; empty for a freedom of the specification.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub accepts: String,
    /// The result.
    pub fate: Legality,
    /// In how many scenarios it was played.
    pub played: usize,
    /// In how many of them it took effect.
    pub active: usize,
    /// One of those.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
    /// The findings that are still expected: rules, and `scenario:ID` or `scenario:FOLDER/*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<String>,
    /// The findings that must not occur, each with its scenario.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// The scenarios in which something was found that was not found again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
}

/// The result of a legal variant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Legality {
    /// Only listed findings were found.
    Legal,
    /// There is a finding that is not listed, or a listed one is missing.
    Accused,
    /// It took effect in no scenario.
    #[default]
    NotActive,
    /// A behavior of the reference agent, which no other agent can play.
    NotPlayable,
}

impl Legality {
    /// Its name in tables.
    pub fn word(self) -> &'static str {
        match self {
            Legality::Legal => "legal",
            Legality::Accused => "ACCUSED",
            Legality::NotActive => "NOT ACTIVE",
            Legality::NotPlayable => "not playable",
        }
    }
}

/// One or several variants that are played together.
#[derive(Debug, Clone)]
pub(super) struct Together<'a>(pub(super) Vec<&'a Fault>);

impl Together<'_> {
    /// The numbers of two to four of these variants, chosen by a seed and a number. No two of them play the same interpretation, which
    /// might contradict each other. `None` if there are not enough of them.
    pub(super) fn drawn(
        variants: &[(usize, &Fault)],
        seed: u64,
        number: u64,
    ) -> Option<Vec<usize>> {
        let bits = |n: usize| mixed(mixed(mixed(seed) ^ number) ^ n as u64);
        let mut order: Vec<usize> = (0..variants.len()).collect();
        order.sort_by_key(|n| bits(*n));
        let mut topics = BTreeSet::new();
        order.retain(|n| accepts(variants[*n].1).is_none_or(|topic| topics.insert(topic)));
        order.truncate(2 + usize::try_from(bits(variants.len()) % 3).unwrap_or_default());
        order.sort_unstable();
        let drawn = order.into_iter().map(|n| variants[n].0);
        (drawn.len() > 1).then(|| drawn.collect())
    }

    /// The ids, separated by commas.
    pub(super) fn id(&self) -> String {
        let ids: Vec<&str> = self.0.iter().map(|one| one.id.as_str()).collect();
        ids.join(",")
    }

    /// The row before anything was played.
    pub(super) fn unplayed(&self, fate: Legality) -> LegalRow {
        let mut row = LegalRow {
            variant: self.id(),
            fate,
            listed: self.listed().cloned().collect(),
            ..LegalRow::default()
        };
        if let [one] = self.0.as_slice() {
            row.summary.clone_from(&one.summary);
            row.accepts = accepts(one).cloned().unwrap_or_default();
        }
        row
    }

    /// The row of these scenarios. If these are all its scenarios (`whole`), every listed finding must have been found.
    pub(super) fn row(&self, dialect: &str, runs: &[ScenarioRun], whole: bool) -> LegalRow {
        let mut row = self.unplayed(Legality::Legal);
        let mut shown = BTreeSet::new();
        row.played = runs.len();
        let mut active = runs.iter().filter(|run| self.took_effect(run)).peekable();
        let first = active.peek().map(|run| run.report.id.clone());
        row.scenario = first.unwrap_or_default();
        row.active = active.count();
        for run in runs {
            let accusations = accusations(run);
            if run.report.flaky && accusations.is_empty() {
                row.flaky.push(run.report.id.clone());
            }
            for (rule, text) in accusations {
                let scenario = run.report.id.strip_prefix(dialect).unwrap_or_default();
                let scenario = scenario.trim_start_matches('/');
                let mut listed = row.listed.iter();
                let is_listed = |check: &&String| match check.strip_prefix("scenario:") {
                    Some(name) => names_scenario(name, scenario),
                    None => **check == rule,
                };
                match listed.find(is_listed) {
                    Some(check) => drop(shown.insert(check.clone())),
                    None => row.found.push(text),
                }
            }
        }
        // What is listed may be what a retry did not find.
        if whole && self.0.len() == 1 && row.flaky.is_empty() {
            let stale = row.listed.iter().filter(|check| !shown.contains(*check));
            let stale = stale.map(|check| format!("{check} is listed, but is not found"));
            row.found.extend(stale);
        }
        if row.active == 0 {
            row.fate = Legality::NotActive;
        }
        if !row.found.is_empty() {
            row.fate = Legality::Accused;
        }
        row
    }

    fn listed(&self) -> impl Iterator<Item = &String> {
        let legal = self.0.iter().filter_map(|one| one.legal.as_ref());
        legal.flat_map(|legal| legal.listed.keys())
    }

    fn took_effect(&self, run: &ScenarioRun) -> bool {
        logged(run).any(|id| self.0.iter().any(|one| one.id == id))
    }
}

fn accepts(variant: &Fault) -> Option<&String> {
    variant.legal.as_ref()?.accepts.as_ref()
}

/// The findings of a scenario against the agent, each with the rule without its dialect.
fn accusations(run: &ScenarioRun) -> Vec<(String, String)> {
    let report = &run.report;
    let counts = |one: &&Finding| one.blame == Blame::Agent && one.level >= Level::Should;
    let accusation = |one: &Finding| {
        let rule = one
            .rule
            .split_once('/')
            .map_or(&*one.rule, |(_, rule)| rule);
        let text = format!("{} in {}: {}", one.rule, report.id, one.message);
        (rule.to_owned(), text)
    };
    let findings = report.findings.iter().filter(counts);
    let mut all: Vec<_> = findings.map(accusation).collect();
    if !report.is_judged() || all.is_empty() && report.verdict != Verdict::Pass {
        let verdict = format!("{:?}", report.verdict).to_lowercase();
        let text = format!("{verdict}: {}: {}", report.id, report.reason);
        all.push((verdict, text));
    }
    all
}

/// The bits of a number, mixed (splitmix64).
fn mixed(n: u64) -> u64 {
    let mut z = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl PublishedRow for LegalRow {
    const TITLES: &'static str = "VARIANT | FATE | PLAYED | ACTIVE | ACCEPTS";

    fn cells(&self) -> Vec<String> {
        vec![
            self.variant.clone(),
            self.fate.word().to_owned(),
            self.played.to_string(),
            self.active.to_string(),
            self.accepts.clone(),
        ]
    }

    fn id(&self) -> &str {
        &self.variant
    }

    fn compared(&self) -> Vec<(&'static str, String)> {
        vec![
            ("summary", self.summary.clone()),
            ("accepts", self.accepts.clone()),
            ("listed", self.listed.join(", ")),
            ("fate", self.fate.word().to_owned()),
        ]
    }
}

impl LegalRow {
    /// The row as a line of a Markdown table.
    fn markdown(&self) -> String {
        let text = |text: &str| text.replace('|', "\\|");
        let mut words = vec![self.fate.word().to_owned()];
        words.extend(self.listed.iter().map(|check| format!("but {check}")));
        words.extend(self.found.iter().map(|found| text(found)));
        let (summary, accepts) = (text(&self.summary), text(&self.accepts));
        let variant = self.variant.replace(',', "`, `");
        format!(
            "| `{variant}` | {summary} | {accepts} | {} | {} of {} |\n",
            words.join("; "),
            self.active,
            self.played
        )
    }
}

impl LegalMatrix {
    /// The matrix with the rows of an earlier one for those of `all` that were not played.
    pub fn over(&self, before: &LegalMatrix, all: &[String]) -> LegalMatrix {
        let played = [&self.combinations, &before.combinations];
        let combinations = played.into_iter().find(|rows| !rows.is_empty());
        LegalMatrix {
            dialect: self.dialect.clone(),
            variants: over(all, &self.variants, &before.variants),
            combinations: combinations.cloned().unwrap_or_default(),
        }
    }

    /// Its variants, then its combinations.
    pub fn rows(&self) -> impl Iterator<Item = &LegalRow> {
        self.variants.iter().chain(&self.combinations)
    }

    /// A scenario in which this variant took effect.
    pub(super) fn scenario_of(&self, id: &str) -> Option<&str> {
        let row = self.variants.iter().find(|row| row.variant == id)?;
        Some(&row.scenario)
    }

    /// How many variants are legal, and how many scenarios were played, as a sentence without its full stop.
    pub fn summary(&self) -> String {
        let legal = |rows: &[LegalRow]| {
            let legal = rows.iter().filter(|row| row.fate == Legality::Legal);
            format!("{} of {}", legal.count(), rows.len())
        };
        format!(
            "{}: {} legal variants and {} combinations without an accusation, in {} plays",
            self.dialect,
            legal(&self.variants),
            legal(&self.combinations),
            self.rows().map(|row| row.played).sum::<usize>()
        )
    }
}

impl PublishedMatrix for LegalMatrix {
    fn markdown(&self) -> String {
        const HEAD: &str = "| variant | what the agent does | interpretation | | took effect in |\n|---|---|---|---|---|\n";
        let mut page = format!(
            "# Legal variants of {}\n\n{}.\n\n{HEAD}",
            self.dialect,
            self.summary()
        );
        page.extend(self.variants.iter().map(LegalRow::markdown));
        if !self.combinations.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(page, "\n## Combinations\n\n{HEAD}");
            page.extend(self.combinations.iter().map(LegalRow::markdown));
        }
        page
    }
}
