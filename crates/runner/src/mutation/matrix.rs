//! The kill matrix: each fault of the reference agent, what must catch it and what did, as JSON and as Markdown.

use conform_judge::finding::is_default;
use conform_report::reporter::text;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The kill matrix of one dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// `NAME@VERSION`.
    pub dialect: String,
    /// One row for each fault, in the order of `conform list faults`.
    pub faults: Vec<Row>,
    /// Rules that killed no fault.
    #[serde(default)]
    pub rules_without_killer: Vec<String>,
}

/// One fault and its result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The fault's id.
    pub fault: String,
    /// What goes wrong, in one line.
    pub summary: String,
    /// The rules and scenarios that must catch it; one of them is enough.
    pub must: Vec<String>,
    /// The result.
    pub fate: Fate,
    /// The rule, or the step of a scenario, that caught it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caught_by: String,
    /// The scenario in which it was caught.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
    /// The line of the agent's stdout, counted from 1, at which it was caught, or the last line before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub line: u64,
    /// The name of the frame at which it was caught, as rules write it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub frame: String,
    /// Other rules that must catch it, and did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The clauses that the findings which caught it cite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
}

/// The result of a fault.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Caught by what must catch it, at the right place, without findings of other rules.
    Killed,
    /// Caught by what must catch it, but these reported findings too: rules that it should not concern, or any rule before it was
    /// injected.
    Collateral(Vec<String>),
    /// Reported by what must catch it, but not at the line that the fault affects.
    Misplaced(String),
    /// Reported only by these, which must not be what catches it.
    WrongReason(Vec<String>),
    /// Injected, but nothing was reported.
    #[default]
    Survived,
    /// Injected in none of the scenarios.
    NotReached,
    /// The agent failed by itself in every scenario, before the fault began.
    Disturbed(String),
    /// A behavior of the reference agent, which no other agent can play.
    NotPlayable,
}

/// A published result: the fates of the faults or variants of a dialect.
pub trait PublishedMatrix: Default + Serialize + DeserializeOwned {
    /// The result in Markdown.
    fn markdown(&self) -> String;
}

/// A row of a result that is published: one fault or variant.
pub trait PublishedRow: Clone {
    /// The titles of the columns of its table, separated by ` | `.
    const TITLES: &'static str;

    /// The cells of its line in that table.
    fn cells(&self) -> Vec<String>;

    /// The id of the fault or variant.
    fn id(&self) -> &str;

    /// The members that must be as published, each with its name. Lines and frames are not, because those of timeouts vary.
    fn compared(&self) -> Vec<(&'static str, String)>;
}

impl PublishedRow for Row {
    const TITLES: &'static str = "FAULT | FATE | CAUGHT BY | LINE | FRAME | SCENARIO";

    fn cells(&self) -> Vec<String> {
        let was_caught = self.line > 0 || !self.frame.is_empty();
        let line = was_caught.then(|| self.line.to_string());
        vec![
            self.fault.clone(),
            self.fate.word().to_owned(),
            self.caught_by.clone(),
            line.unwrap_or_default(),
            self.frame.clone(),
            self.scenario.clone(),
        ]
    }

    fn id(&self) -> &str {
        &self.fault
    }

    fn compared(&self) -> Vec<(&'static str, String)> {
        vec![
            ("summary", self.summary.clone()),
            ("must", self.must.join(", ")),
            ("fate", self.fate.word().to_owned()),
        ]
    }
}

fn find<'r, R: PublishedRow>(rows: &'r [R], id: &str) -> Option<&'r R> {
    rows.iter().find(|row| row.id() == id)
}

/// The rows of these ids: those that were played, and those of an earlier result for the ids that were not played.
#[must_use]
pub fn over<R: PublishedRow>(all: &[String], played: &[R], before: &[R]) -> Vec<R> {
    let row = |id: &String| find(played, id).or_else(|| find(before, id)).cloned();
    all.iter().filter_map(row).collect()
}

/// The differences from published rows, as sentences: rows that are new or gone, and those with another compared member. Rows that are
/// gone are reported only if all were played (`whole`).
#[must_use]
pub fn differences<R: PublishedRow>(rows: &[R], published: &[R], whole: bool) -> Vec<String> {
    let mut differences = Vec::new();
    for row in rows {
        let id = row.id();
        let Some(before) = find(published, id) else {
            differences.push(format!("{id}: it is not in the published matrix"));
            continue;
        };
        for ((member, now), (_, before)) in row.compared().into_iter().zip(before.compared()) {
            if before != now {
                differences.push(format!(
                    "{id}: its {member} is `{now}`, and `{before}` in the published matrix"
                ));
            }
        }
    }
    let gone = published
        .iter()
        .map(PublishedRow::id)
        .filter(|id| whole && find(rows, id).is_none());
    differences.extend(gone.map(|id| format!("{id}: it is only in the published matrix")));
    differences
}

/// The prefix of the ids of bad hosts.
pub(super) const HOST: &str = "host/";

impl Row {
    /// Whether the fault is a bad host, not a fault of the agent.
    #[must_use]
    pub fn is_of_host(&self) -> bool {
        self.fault.starts_with(HOST)
    }

    /// What is wrong with this row, as a sentence; `None` for a kill.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        let Row {
            fault, caught_by, ..
        } = self;
        let what = match &self.fate {
            Fate::Killed | Fate::NotPlayable => return None,
            Fate::Collateral(rules) => format!(
                "caught by {caught_by}, but also reported by {}, which it should not concern",
                rules.join(", ")
            ),
            Fate::Misplaced(how) => format!("caught at the wrong place: {how}"),
            Fate::WrongReason(rules) => format!(
                "caught for another reason: reported by {}, but not by {}, which must catch it",
                rules.join(", "),
                self.must.join(" or ")
            ),
            Fate::Survived => "it was injected, but no rule or scenario reported anything".into(),
            Fate::NotReached => {
                "it was not active: no scenario reaches the point where it applies".into()
            }
            Fate::Disturbed(how) => {
                format!("the agent failed by itself, before the fault began: {how}")
            }
        };
        Some(format!("{fault}: {what}"))
    }

    /// The row as a line of a Markdown table.
    fn markdown(&self) -> String {
        let Row {
            fault,
            caught_by,
            frame,
            scenario,
            ..
        } = self;
        let summary = self.summary.replace('|', "\\|");
        let also = match self.also.as_slice() {
            [] => String::new(),
            also => format!(" (and {})", also.join(", ")),
        };
        let at = if frame.is_empty() {
            String::new()
        } else {
            format!("{frame}, {}", self.line)
        };
        let fate = self.fate.word();
        format!("| `{fault}` | {summary} | {fate} | {caught_by}{also} | {at} | {scenario} |\n")
    }
}

impl Fate {
    /// Its name in tables.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Fate::Killed => "killed",
            Fate::Collateral(_) => "COLLATERAL",
            Fate::Misplaced(_) => "MISPLACED",
            Fate::WrongReason(_) => "WRONG REASON",
            Fate::Survived => "SURVIVED",
            Fate::NotReached => "NOT ACTIVE",
            Fate::Disturbed(_) => "DISTURBED",
            Fate::NotPlayable => "not playable",
        }
    }
}

impl Matrix {
    /// A matrix of these rows. Each of `rules` must kill at least one fault.
    #[must_use]
    pub fn new(dialect: &str, faults: Vec<Row>, rules: &[String]) -> Self {
        let mut matrix = Matrix {
            dialect: dialect.to_owned(),
            faults,
            rules_without_killer: Vec::new(),
        };
        let unproved = rules.iter().filter(|rule| !matrix.kills(rule));
        matrix.rules_without_killer = unproved.cloned().collect();
        matrix
    }

    /// Everything that is wrong, as sentences. Rules without a kill count only if all faults were run (`whole`).
    #[must_use]
    pub fn complaints(&self, whole: bool) -> Vec<String> {
        let unproved = self.rules_without_killer.iter().filter(|_| whole);
        let unproved = unproved
            .map(|rule| format!("{rule}: it kills no fault, so nothing proves that it can fail"));
        let rows = self.faults.iter().filter_map(Row::complaint);
        rows.chain(unproved).collect()
    }

    /// The number of killed faults, as a sentence without its full stop.
    #[must_use]
    pub fn summary(&self) -> String {
        let count = |fate: &Fate| self.faults.iter().filter(|row| row.fate == *fate).count();
        let unplayable = count(&Fate::NotPlayable);
        let playable = self.faults.len() - unplayable;
        let mut summary = format!(
            "{}: {} of {} killed",
            self.dialect,
            count(&Fate::Killed),
            text::count(playable as u64, "fault")
        );
        if unplayable > 0 {
            summary += &format!(", {unplayable} not playable on this agent");
        }
        summary
    }

    /// Whether this rule killed a fault.
    #[must_use]
    pub fn kills(&self, rule: &str) -> bool {
        self.faults.iter().any(|row| {
            row.fate == Fate::Killed
                && (row.caught_by == rule || row.also.iter().any(|also| also == rule))
        })
    }
}

impl PublishedMatrix for Matrix {
    fn markdown(&self) -> String {
        let mut page = format!(
            "# Kill matrix of {}\n\n{}.\n\n",
            self.dialect,
            self.summary()
        );
        page += "Each row is a deliberate defect of the reference agent, and the rule or the scenario that caught it: at which frame, and behind how many lines of stdout.\n\n";
        if self.faults.iter().any(Row::is_of_host) {
            page += "A row that begins with `host/` is a bad host: a session in which the host makes this mistake, and the rule that caught it.\n\n";
        }
        page += "| fault | what goes wrong | | caught by | at | scenario |\n|---|---|---|---|---|---|\n";
        for row in &self.faults {
            page += &row.markdown();
        }
        let complaints = self.complaints(true);
        if !complaints.is_empty() {
            page += "\n## What is missing\n\n";
            for complaint in complaints {
                // Writing to a string cannot fail.
                let _ = writeln!(page, "- {complaint}");
            }
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(fault: &str, fate: Fate) -> Row {
        Row {
            fault: fault.to_owned(),
            summary: "goes wrong".to_owned(),
            must: vec!["toy/rule".to_owned()],
            fate,
            ..Row::default()
        }
    }

    #[test]
    fn a_matrix_differs_where_a_fault_is_new_or_gone_or_has_another_fate() {
        let published = [row("a", Fate::Killed), row("b", Fate::Killed)];
        let played = [row("a", Fate::Survived), row("c", Fate::Killed)];

        assert_eq!(
            differences(&played, &published, true),
            [
                "a: its fate is `SURVIVED`, and `killed` in the published matrix",
                "c: it is not in the published matrix",
                "b: it is only in the published matrix",
            ]
        );
    }

    #[test]
    fn a_part_of_a_matrix_lacks_nothing_and_lines_may_differ() {
        let published = [row("a", Fate::Killed), row("b", Fate::Killed)];
        let mut played = [row("a", Fate::Killed)];
        played[0].line = 7;

        assert_eq!(
            differences(&played, &published, false),
            Vec::<String>::new()
        );
    }
}
