//! The kill matrix: each fault of the mock agent, what must catch it, and what did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The kill matrix of one dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// `NAME@VERSION`.
    pub dialect: String,
    /// A row a fault, in the order of `conform list faults`.
    pub faults: Vec<Row>,
    /// Rules that no fault kills.
    #[serde(default)]
    pub rules_without_killer: Vec<String>,
}

/// One fault, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The fault's id.
    pub fault: String,
    /// What it does wrong.
    pub summary: String,
    /// What must catch it: rules and scenarios, each of them enough.
    pub must: Vec<String>,
    /// What became of it.
    pub fate: Fate,
    /// The rule, or the scenario's own step, that caught it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caught_by: String,
    /// The scenario in which it was caught.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
    /// The line of the agent's stdout, counted from 1, at which it was caught, or the last one before that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u64,
    /// The frame at which it was caught, in the words of rules.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub frame: String,
    /// Other rules that must catch it and did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The clauses that the findings which caught it cite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// What became of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Caught by what must catch it, where it happened, and no other rule complained.
    Killed,
    /// Caught by what must catch it, and these complained as well: rules that it should not concern, or anything before it was
    /// played.
    Collateral(Vec<String>),
    /// What must catch it complained, but not at the line that the fault had spoilt.
    Misplaced(String),
    /// Only these complained, which should not be what catches it.
    WrongReason(Vec<String>),
    /// It was played, and nothing complained.
    Survived,
    /// It was played in none of the scenarios.
    NotReached,
}

/// What the ids of bad hosts begin with.
pub(super) const HOST: &str = "host/";

impl Row {
    /// Whether it is about a bad host, not about the agent.
    #[must_use]
    pub fn is_of_host(&self) -> bool {
        self.fault.starts_with(HOST)
    }

    /// What is wrong with this row, for people; `None` for a clean kill.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        let Row {
            fault, caught_by, ..
        } = self;
        match &self.fate {
            Fate::Killed => None,
            Fate::Collateral(rules) => Some(format!(
                "{fault}: caught by {caught_by}, and also by {}, which it should not concern",
                rules.join(", ")
            )),
            Fate::Misplaced(how) => Some(format!("{fault}: caught at the wrong place: {how}")),
            Fate::WrongReason(rules) => Some(format!(
                "{fault}: caught for another reason: {} complained, and not {}, which must catch it",
                rules.join(", "),
                self.must.join(" or ")
            )),
            Fate::Survived => Some(format!(
                "{fault}: it was played, and changed nothing that any rule or scenario saw"
            )),
            Fate::NotReached => Some(format!(
                "{fault}: it was never played: no scenario comes to where it would be"
            )),
        }
    }
}

impl Fate {
    /// The word for it in tables.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Fate::Killed => "killed",
            Fate::Collateral(_) => "COLLATERAL",
            Fate::Misplaced(_) => "MISPLACED",
            Fate::WrongReason(_) => "WRONG REASON",
            Fate::Survived => "SURVIVED",
            Fate::NotReached => "NOT REACHED",
        }
    }
}

impl Matrix {
    /// A matrix of these rows, where a fault must show of each of these rules that it can fail.
    #[must_use]
    pub fn of(dialect: &str, faults: Vec<Row>, rules: &[String]) -> Self {
        let mut matrix = Matrix {
            dialect: dialect.to_owned(),
            faults,
            rules_without_killer: Vec::new(),
        };
        let unproved = rules.iter().filter(|rule| !matrix.kills(rule));
        matrix.rules_without_killer = unproved.cloned().collect();
        matrix
    }

    /// All that is wrong, for people. What no fault kills is wrong only if all faults were played.
    #[must_use]
    pub fn complaints(&self, whole: bool) -> Vec<String> {
        let unproved = self.rules_without_killer.iter().filter(|_| whole);
        let unproved = unproved.map(|rule| format!("{rule}: no fault shows that it can fail"));
        let rows = self.faults.iter().filter_map(Row::complaint);
        rows.chain(unproved).collect()
    }

    /// Where this matrix differs from a published one: faults that are new, gone, or have another text, expectation or fate. Lines and
    /// frames are not compared, for those of findings that wait for time may differ. A fault is gone only if all were played.
    #[must_use]
    pub fn differences(&self, published: &Matrix, whole: bool) -> Vec<String> {
        let of =
            |matrix: &Matrix, id: &str| matrix.faults.iter().find(|row| row.fault == id).cloned();
        let mut differences = Vec::new();
        for row in &self.faults {
            let id = &row.fault;
            let Some(before) = of(published, id) else {
                differences.push(format!("{id}: it is not in the published matrix"));
                continue;
            };
            let compared = [
                ("summary", &before.summary, &row.summary),
                ("must", &before.must.join(", "), &row.must.join(", ")),
                (
                    "fate",
                    &before.fate.word().to_owned(),
                    &row.fate.word().to_owned(),
                ),
            ];
            for (member, before, now) in compared {
                if before != now {
                    differences.push(format!(
                        "{id}: its {member} is `{now}`, and `{before}` in the published matrix"
                    ));
                }
            }
        }
        let gone = published
            .faults
            .iter()
            .filter(|row| whole && of(self, &row.fault).is_none());
        differences.extend(gone.map(|row| {
            format!(
                "{}: it is in the published matrix, and no fault any more",
                row.fault
            )
        }));
        differences
    }

    /// How many were killed, in a sentence without its full stop.
    #[must_use]
    pub fn sum(&self) -> String {
        let killed = self.faults.iter().filter(|row| row.fate == Fate::Killed);
        format!(
            "{}: {} of {} faults killed",
            self.dialect,
            killed.count(),
            self.faults.len()
        )
    }

    /// Whether a fault shows that this rule can fail.
    #[must_use]
    pub fn kills(&self, rule: &str) -> bool {
        self.faults.iter().any(|row| {
            row.fate == Fate::Killed
                && (row.caught_by == rule || row.also.iter().any(|also| also == rule))
        })
    }

    /// The matrix in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut page = format!("# Kill matrix of {}\n\n{}.\n\n", self.dialect, self.sum());
        page += "Each row is a deliberate defect of the reference agent, and the rule or the scenario that caught it: at which frame, and behind how many lines of stdout.\n\n";
        page += "| fault | what goes wrong | | caught by | at | scenario |\n|---|---|---|---|---|---|\n";
        for row in &self.faults {
            page += &row.markdown();
        }
        let complaints = self.complaints(true);
        if !complaints.is_empty() {
            page += "\n## What is missing\n\n";
            for complaint in complaints {
                // Writing to a text cannot fail.
                let _ = writeln!(page, "- {complaint}");
            }
        }
        page
    }
}

impl Row {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(fault: &str, fate: Fate) -> Row {
        Row {
            fault: fault.to_owned(),
            summary: "goes wrong".to_owned(),
            must: vec!["toy/rule".to_owned()],
            fate,
            caught_by: String::new(),
            scenario: String::new(),
            line: 0,
            frame: String::new(),
            also: Vec::new(),
            clauses: Vec::new(),
        }
    }

    fn matrix(faults: Vec<Row>) -> Matrix {
        Matrix::of("toy@1", faults, &[])
    }

    #[test]
    fn a_matrix_differs_where_a_fault_is_new_or_gone_or_has_another_fate() {
        let published = matrix(vec![row("a", Fate::Killed), row("b", Fate::Killed)]);
        let played = matrix(vec![row("a", Fate::Survived), row("c", Fate::Killed)]);

        assert_eq!(
            played.differences(&published, true),
            [
                "a: its fate is `SURVIVED`, and `killed` in the published matrix",
                "c: it is not in the published matrix",
                "b: it is in the published matrix, and no fault any more",
            ]
        );
    }

    #[test]
    fn a_part_of_a_matrix_lacks_nothing_and_lines_may_differ() {
        let published = matrix(vec![row("a", Fate::Killed), row("b", Fate::Killed)]);
        let mut played = matrix(vec![row("a", Fate::Killed)]);
        played.faults[0].line = 7;

        assert_eq!(played.differences(&published, false), Vec::<String>::new());
    }
}
