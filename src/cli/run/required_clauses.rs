//! The clauses that a run must exercise: those that its scenarios claim to check.

use conform_dialect::requirement::Blame;
use conform_judge::dialect::Clause;
use conform_judge::finding::Level;
use conform_report::Verdict;
use conform_report::{Report, ScenarioReport};
use conform_runner::trials::DialectSuite;
use indexmap::{IndexMap, IndexSet};

/// For each scenario id the required clauses that it claims to check.
#[derive(Debug, Default)]
pub(super) struct RequiredClauses(IndexMap<String, Vec<String>>);

impl RequiredClauses {
    /// The required clauses of all scenarios of a run.
    pub(super) fn new(parts: &[DialectSuite]) -> Self {
        let claims = parts.iter().flat_map(|part| {
            part.scenarios.iter().map(|scenario| {
                let required =
                    |id: &&String| part.dialect.clauses.get(*id).is_some_and(is_required);
                let clauses = scenario.clauses.iter().filter(required).cloned();
                let id = format!("{}/{}", part.dialect.id(), scenario.id);
                (id, clauses.collect())
            })
        });
        RequiredClauses(claims.collect())
    }

    /// The required clauses that nothing exercised. Scenarios that were skipped, failed, or have baselined findings do not count.
    pub(super) fn unexercised(&self, report: &Report) -> Vec<String> {
        let counts = |scenario: &&ScenarioReport| {
            !matches!(scenario.verdict, Verdict::Skipped | Verdict::Fail)
                && scenario.findings.iter().all(|f| f.baseline.is_none())
        };
        let counted = report.scenarios.iter().filter(counts);
        let required = counted
            .filter_map(|scenario| self.0.get(&scenario.id))
            .flatten();
        let met = &report.coverage.clauses_exercised;
        let unexercised: IndexSet<&String> =
            required.filter(|clause| !met.contains(*clause)).collect();
        unexercised.into_iter().cloned().collect()
    }
}

fn is_required(clause: &Clause) -> bool {
    clause.side == Blame::Agent && clause.strength == Level::Must && clause.untestable.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clauses_of_a_played_scenario_are_required() {
        let claims = RequiredClauses(IndexMap::from([(
            "d/s".to_owned(),
            vec!["a".into(), "b".into()],
        )]));
        for (verdict, met, unmet) in [
            (Verdict::Warn, vec!["a"], vec!["b"]),
            (Verdict::Pass, vec!["a", "b"], vec![]),
            (Verdict::NotExercised, vec![], vec!["a", "b"]),
            (Verdict::Skipped, vec![], vec![]),
            (Verdict::Fail, vec![], vec![]),
        ] {
            let mut report = Report::default();
            report.coverage.clauses_exercised = met.into_iter().map(str::to_owned).collect();
            report.scenarios.push(ScenarioReport {
                id: "d/s".into(),
                verdict,
                ..ScenarioReport::default()
            });
            assert_eq!(claims.unexercised(&report), unmet, "{verdict:?}");
        }
    }
}
