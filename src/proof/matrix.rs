//! The kill matrix: each fault of the mock agent, what must catch it, and what did.

use crate::finding::{Blame, Finding};
use crate::report::ScenarioReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// What became of it.
    pub fate: Fate,
    /// The rule, or the scenario's own step, that caught it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caught_by: String,
    /// The scenario in which it was caught.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
    /// The frame at which it was caught.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub frame: u64,
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
    /// Caught by what must catch it, and no other rule complained.
    Killed,
    /// Caught by what must catch it, and these rules, which it should not concern, complained as well.
    Collateral(Vec<String>),
    /// Only these complained, which should not be what catches it.
    WrongReason(Vec<String>),
    /// Nothing complained.
    Survived,
}

/// What can catch a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Catcher {
    /// A rule, by its id.
    Rule(String),
    /// A step of a scenario, by the scenario's id.
    Scenario(String),
}

/// A fault as the matrix needs to know it.
#[derive(Debug, Clone)]
pub struct Suspect {
    /// Its id.
    pub id: String,
    /// What it does wrong.
    pub summary: String,
    /// What must catch it: one of these, and no rule beside them.
    pub caught_by: Vec<Catcher>,
}

impl Row {
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
            Fate::WrongReason(rules) => Some(format!(
                "{fault}: caught for another reason: {} complained, and nothing that must catch it",
                rules.join(", ")
            )),
            Fate::Survived => Some(format!(
                "{fault}: changed nothing that any rule or scenario saw"
            )),
        }
    }
}

/// What the scenarios that were played with a fault say of it.
#[must_use]
pub fn row(suspect: &Suspect, scenarios: &[ScenarioReport]) -> Row {
    let all = scenarios
        .iter()
        .flat_map(|s| s.findings.iter().map(move |f| (s, f)));
    let all: Vec<_> = all.filter(|(_, f)| f.blame == Blame::Agent).collect();
    let caught = |(s, f): &(&ScenarioReport, &Finding)| {
        suspect.caught_by.iter().any(|c| c.caught(&s.id, &f.rule))
    };
    let mut others: Vec<String> = Vec::new();
    for (_, finding) in &all {
        let named = suspect
            .caught_by
            .contains(&Catcher::Rule(finding.rule.clone()));
        if !named && !is_step(&finding.rule) && !others.contains(&finding.rule) {
            others.push(finding.rule.clone());
        }
    }
    let mut row = Row {
        fault: suspect.id.clone(),
        summary: suspect.summary.clone(),
        fate: Fate::Survived,
        caught_by: String::new(),
        scenario: String::new(),
        frame: 0,
        clauses: Vec::new(),
    };
    let Some((scenario, finding)) = all.iter().find(|pair| caught(pair)) else {
        let steps = all
            .iter()
            .filter(|(_, f)| is_step(&f.rule))
            .map(|(s, f)| format!("{} in {}", f.rule, s.id));
        others.extend(steps.take(1));
        if !others.is_empty() {
            row.fate = Fate::WrongReason(others);
        }
        return row;
    };
    row.caught_by = finding.rule.clone();
    row.scenario = scenario.id.clone();
    row.frame = finding.at;
    row.clauses = all
        .iter()
        .filter(|pair| caught(pair))
        .flat_map(|(_, f)| f.clauses.clone())
        .collect();
    row.clauses.sort();
    row.clauses.dedup();
    row.fate = if others.is_empty() {
        Fate::Killed
    } else {
        Fate::Collateral(others)
    };
    row
}

impl Catcher {
    fn caught(&self, scenario: &str, rule: &str) -> bool {
        match self {
            Catcher::Rule(id) => id == rule,
            Catcher::Scenario(id) => id == scenario && is_step(rule),
        }
    }
}

/// A scenario's own steps fail in the wake of whatever broke the session, so they are never unrelated.
fn is_step(rule: &str) -> bool {
    rule.starts_with("scenario.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Level, Source};

    fn scenario(id: &str, rules: &[&str]) -> ScenarioReport {
        let finding = |rule: &&str| Finding {
            rule: (*rule).into(),
            level: Level::Must,
            source: Source::Spec,
            blame: Blame::Agent,
            clauses: vec!["c".into()],
            at: 4,
            key: String::new(),
            message: String::new(),
            expected: vec![],
            pointer: String::new(),
            evidence: vec![],
            rerun: String::new(),
            baseline: None,
        };
        ScenarioReport {
            id: id.into(),
            findings: rules.iter().map(finding).collect(),
            ..ScenarioReport::default()
        }
    }

    fn fate(caught_by: &[Catcher], scenarios: &[ScenarioReport]) -> Fate {
        let suspect = Suspect {
            id: "f".into(),
            summary: "s".into(),
            caught_by: caught_by.to_vec(),
        };
        row(&suspect, scenarios).fate
    }

    #[test]
    fn a_fault_is_killed_only_by_what_is_named_for_it() {
        let by_rule = [Catcher::Rule("d/r".into()), Catcher::Rule("d/also".into())];
        assert_eq!(fate(&by_rule, &[scenario("a", &[])]), Fate::Survived);
        assert_eq!(
            fate(
                &by_rule,
                &[scenario("a", &["d/r", "d/also", "scenario.expect"])]
            ),
            Fate::Killed
        );
        assert_eq!(
            fate(&by_rule, &[scenario("a", &["d/x"])]),
            Fate::WrongReason(vec!["d/x".into()])
        );
        assert_eq!(
            fate(&by_rule, &[scenario("a", &["d/r", "d/x"])]),
            Fate::Collateral(vec!["d/x".into()])
        );
        let by_step = [Catcher::Scenario("a".into())];
        assert_eq!(
            fate(&by_step, &[scenario("a", &["scenario.expect"])]),
            Fate::Killed
        );
        let elsewhere = Fate::WrongReason(vec!["scenario.expect in b".into()]);
        assert_eq!(
            fate(&by_step, &[scenario("b", &["scenario.expect"])]),
            elsewhere
        );
    }
}
