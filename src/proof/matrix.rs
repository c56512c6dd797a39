//! The kill matrix: each fault of the mock agent, the rule that must catch it, and what did.

use crate::finding::{Blame, Finding, Level};
use crate::report::ScenarioReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kill matrix of one dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// `NAME@VERSION`.
    pub dialect: String,
    /// A row a fault, in the order of their ids.
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
    pub says: String,
    /// The rule, or the scenario's own assertion, that must catch it.
    pub must: String,
    /// What became of it.
    pub fate: Fate,
    /// The scenario in which it was caught.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
    /// The frame at which it was caught.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub frame: u64,
    /// The clauses that the findings of the named rule cited.
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
    /// Caught by the rule that must, and nothing else was found.
    Killed,
    /// The named rule caught it, and these, which have nothing to do with it, complained as well.
    Collateral(Vec<String>),
    /// Only other rules complained.
    WrongReason(Vec<String>),
    /// Nothing complained.
    Survived,
}

impl Fate {
    /// What is wrong, for people; `None` for a clean kill.
    #[must_use]
    pub fn complaint(&self, row: &Row) -> Option<String> {
        let Row { fault, must, .. } = row;
        match self {
            Fate::Killed => None,
            Fate::Collateral(rules) => Some(format!(
                "{fault} was caught by {must}, and also by {}, which it should not concern",
                rules.join(", ")
            )),
            Fate::WrongReason(rules) => Some(format!(
                "{fault} was caught for another reason: {} complained, {must} did not",
                rules.join(", ")
            )),
            Fate::Survived => Some(format!(
                "{fault} changed nothing that any rule saw; {must} should have caught it"
            )),
        }
    }
}

/// A fault as the matrix needs to know it.
#[derive(Debug, Clone, Copy)]
pub struct Suspect<'a> {
    /// The fault's id.
    pub id: &'a str,
    /// What it does wrong.
    pub says: &'a str,
    /// The rule that must catch it.
    pub must: &'a str,
    /// Rules that may complain as well, for the fault breaks them too.
    pub may: &'a [&'a str],
}

/// What the scenarios that were played with a fault say of it.
#[must_use]
pub fn row(suspect: Suspect<'_>, scenarios: &[ScenarioReport]) -> Row {
    let findings = || {
        scenarios
            .iter()
            .flat_map(|s| s.findings.iter().map(move |f| (s, f)))
    };
    let by_name = || findings().filter(|(_, f)| f.rule == suspect.must && counts(f));
    let mut row = Row {
        fault: suspect.id.to_owned(),
        says: suspect.says.to_owned(),
        must: suspect.must.to_owned(),
        fate: Fate::Survived,
        scenario: String::new(),
        frame: 0,
        clauses: Vec::new(),
    };
    let mut others: Vec<String> = Vec::new();
    for (scenario, finding) in findings().filter(|(_, f)| counts(f)) {
        let caught_here = scenario.findings.iter().any(|f| f.rule == suspect.must);
        let expected = finding.rule == suspect.must
            || suspect.may.contains(&finding.rule.as_str())
            || (caught_here && is_step(&finding.rule));
        if !expected && !others.contains(&finding.rule) {
            others.push(finding.rule.clone());
        }
    }
    let Some((scenario, finding)) = by_name().min_by_key(|(_, f)| f.at) else {
        if !others.is_empty() {
            row.fate = Fate::WrongReason(others);
        }
        return row;
    };
    row.scenario = scenario.id.clone();
    row.frame = finding.at;
    row.clauses = by_name()
        .flat_map(|(_, f)| f.clauses.iter().cloned())
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

/// Notes and the host's own faults kill nothing and hurt nobody, unless a note is the very thing.
fn counts(finding: &Finding) -> bool {
    finding.blame == Blame::Agent && finding.level >= Level::May
}

/// A scenario's own steps fail in the wake of whatever broke the session.
fn is_step(rule: &str) -> bool {
    rule.starts_with("scenario.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;

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

    fn fate(scenarios: &[ScenarioReport]) -> Fate {
        let suspect = Suspect {
            id: "f",
            says: "s",
            must: "d/r",
            may: &["d/also"],
        };
        row(suspect, scenarios).fate
    }

    #[test]
    fn a_fault_is_killed_only_by_the_rule_named_for_it_alone() {
        assert_eq!(fate(&[scenario("a", &[])]), Fate::Survived);
        assert_eq!(
            fate(&[scenario("a", &["d/r", "d/also", "scenario.expect"])]),
            Fate::Killed
        );
        assert_eq!(
            fate(&[scenario("a", &["d/x"])]),
            Fate::WrongReason(vec!["d/x".into()])
        );
        assert_eq!(
            fate(&[scenario("a", &["d/r", "d/x"])]),
            Fate::Collateral(vec!["d/x".into()])
        );
        let elsewhere = [scenario("a", &["d/r"]), scenario("b", &["scenario.expect"])];
        assert_eq!(
            fate(&elsewhere),
            Fate::Collateral(vec!["scenario.expect".into()])
        );
    }
}
