//! What a fault's scenarios say of it: who complained, where, and whether that is what must catch it.

use super::fault_trace::{FaultTrace, Place};
use super::matrix::{Fate, Row};
use crate::finding::{Blame, Finding};

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
pub struct TestedFault {
    /// Its id.
    pub id: String,
    /// What it does wrong.
    pub summary: String,
    /// What must catch it: one of these, and no rule beside them.
    pub caught_by: Vec<Catcher>,
    /// Whose fault it is.
    pub side: Blame,
    /// Whether a rule that catches it must stand at the very line that it has spoilt.
    pub there: bool,
}

/// A scenario that was played with a fault.
#[derive(Debug, Clone, Default)]
pub struct PlayedScenario {
    /// Its id.
    pub id: String,
    /// What was found, each with the number of the session, from 0.
    pub findings: Vec<(usize, Finding)>,
    /// The sessions.
    pub traces: Vec<FaultTrace>,
}

/// A finding against the side at fault, and what it says of the fault.
struct Detection<'a> {
    scenario: &'a PlayedScenario,
    session: usize,
    finding: &'a Finding,
    /// Whether the fault had been played by then.
    due: bool,
    /// Whether it stands at the line that the fault has spoilt.
    there: bool,
}

impl TestedFault {
    /// How high the catcher that a finding stands for is in the list of those that must catch the fault.
    fn rank(&self, detection: &Detection<'_>) -> Option<usize> {
        let (rule, id) = (&detection.finding.rule, &detection.scenario.id);
        self.caught_by.iter().position(|c| c.caught(id, rule))
    }
}

impl Catcher {
    fn caught(&self, scenario: &str, rule: &str) -> bool {
        match self {
            Catcher::Rule(id) => id == rule,
            Catcher::Scenario(id) => id == scenario && is_step(rule),
        }
    }

    fn name(&self) -> String {
        match self {
            Catcher::Rule(id) | Catcher::Scenario(id) => id.clone(),
        }
    }
}

impl PlayedScenario {
    fn detections(&self, side: Blame) -> impl Iterator<Item = Detection<'_>> {
        let first = self.traces.iter().position(|trace| trace.from().is_some());
        let theirs = self.findings.iter().filter(move |(_, f)| f.blame == side);
        theirs.map(move |(session, finding)| {
            let trace = self.traces.get(*session);
            let from = trace.and_then(FaultTrace::from);
            Detection {
                scenario: self,
                session: *session,
                finding,
                due: match from {
                    // A step's finding stands at the frame that came nearest to what it waited for, and that may be an old one.
                    Some(from) => finding.at >= from || is_step(&finding.rule),
                    None => first.is_some_and(|first| first < *session),
                },
                there: trace.and_then(FaultTrace::spoilt) == Some(finding.at),
            }
        })
    }

    fn reached(&self) -> bool {
        self.traces.iter().any(|trace| trace.from().is_some())
    }
}

impl Detection<'_> {
    fn place(&self) -> Place {
        let trace = self.scenario.traces.get(self.session);
        trace
            .map(|trace| trace.place(self.finding.at))
            .unwrap_or_default()
    }

    fn is_step(&self) -> bool {
        is_step(&self.finding.rule)
    }

    /// Its rule, and when it spoke if that was too early.
    fn name(&self) -> String {
        let step = if self.is_step() {
            format!(" in {}", self.scenario.id)
        } else {
            String::new()
        };
        let early = if self.due {
            ""
        } else {
            " (before the fault was played)"
        };
        format!("{}{step}{early}", self.finding.rule)
    }
}

/// What the scenarios that were played with a fault say of it.
#[must_use]
pub fn matrix_row(suspect: &TestedFault, scenarios: &[PlayedScenario]) -> Row {
    let all: Vec<Detection<'_>> = scenarios
        .iter()
        .flat_map(|s| s.detections(suspect.side))
        .collect();
    let named = |w: &Detection<'_>| suspect.rank(w).is_some();
    let caught = |w: &Detection<'_>| named(w) && w.due;
    let right = |w: &Detection<'_>| caught(w) && (w.there || !suspect.there || w.is_step());

    let unrelated = |w: &&Detection<'_>| !w.due || !(named(w) || w.is_step());
    let mut others: Vec<String> = all.iter().filter(unrelated).map(Detection::name).collect();
    dedup(&mut others);
    let mut row = Row {
        fault: suspect.id.clone(),
        summary: suspect.summary.clone(),
        must: suspect.caught_by.iter().map(Catcher::name).collect(),
        fate: Fate::Survived,
        caught_by: String::new(),
        scenario: String::new(),
        line: 0,
        frame: String::new(),
        also: Vec::new(),
        clauses: Vec::new(),
    };
    let best = all
        .iter()
        .filter(|w| right(w))
        .min_by_key(|w| suspect.rank(w));
    let Some(best) = best else {
        row.fate = match all.iter().find(|w| caught(w)) {
            Some(elsewhere) => {
                let Place { line, frame } = elsewhere.place();
                let (rule, id) = (&elsewhere.finding.rule, &elsewhere.scenario.id);
                Fate::Misplaced(format!(
                    "{rule} in {id} at line {line} ({frame}), which is not the line that was spoilt"
                ))
            }
            None => {
                let steps = all.iter().filter(|w| w.due && w.is_step());
                others.extend(steps.map(Detection::name).take(1));
                match others.is_empty() {
                    false => Fate::WrongReason(others),
                    true if scenarios.iter().any(PlayedScenario::reached) => Fate::Survived,
                    true => Fate::NotReached,
                }
            }
        };
        return row;
    };
    let Place { line, frame } = best.place();
    row.caught_by.clone_from(&best.finding.rule);
    row.scenario.clone_from(&best.scenario.id);
    row.line = line;
    row.frame = frame;
    for detection in all.iter().filter(|w| caught(w)) {
        row.clauses
            .extend(detection.finding.clauses.iter().cloned());
        if detection.finding.rule != row.caught_by {
            row.also.push(detection.finding.rule.clone());
        }
    }
    dedup(&mut row.also);
    dedup(&mut row.clauses);
    row.fate = if others.is_empty() {
        Fate::Killed
    } else {
        Fate::Collateral(others)
    };
    row
}

fn dedup(list: &mut Vec<String>) {
    list.sort();
    list.dedup();
}

/// A scenario's own steps fail in the wake of whatever broke the session, so they are never unrelated.
fn is_step(rule: &str) -> bool {
    rule.starts_with("scenario.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Level, Source};

    /// A scenario with findings, each a rule at a frame; the fault spoilt the second line, which is frame 4.
    fn scenario(id: &str, findings: &[(&str, u64)]) -> PlayedScenario {
        let finding = |(rule, at): &(&str, u64)| Finding {
            rule: (*rule).into(),
            level: Level::Must,
            source: Source::Spec,
            blame: Blame::Agent,
            clauses: vec!["c".into()],
            at: *at,
            key: String::new(),
            message: String::new(),
            expected: vec![],
            pointer: String::new(),
            evidence: vec![],
            rerun: String::new(),
            baseline: None,
        };
        PlayedScenario {
            id: id.into(),
            findings: findings.iter().map(|f| (0, finding(f))).collect(),
            traces: vec![FaultTrace::sample(&[2, 4, 6], Some(2))],
        }
    }

    fn fate(there: bool, caught_by: &[Catcher], scenarios: &[PlayedScenario]) -> Fate {
        let suspect = TestedFault {
            id: "f".into(),
            summary: "s".into(),
            caught_by: caught_by.to_vec(),
            side: Blame::Agent,
            there,
        };
        matrix_row(&suspect, scenarios).fate
    }

    fn by_rule() -> [Catcher; 2] {
        [Catcher::Rule("d/r".into()), Catcher::Rule("d/also".into())]
    }

    #[test]
    fn a_fault_is_killed_only_by_what_is_named_for_it() {
        let by_rule = by_rule();
        assert_eq!(fate(true, &by_rule, &[scenario("a", &[])]), Fate::Survived);
        let named = [("d/r", 4), ("d/also", 6), ("scenario.expect", 7)];
        assert_eq!(fate(true, &by_rule, &[scenario("a", &named)]), Fate::Killed);
        assert_eq!(
            fate(true, &by_rule, &[scenario("a", &[("d/x", 4)])]),
            Fate::WrongReason(vec!["d/x".into()])
        );
        assert_eq!(
            fate(true, &by_rule, &[scenario("a", &[("d/r", 4), ("d/x", 5)])]),
            Fate::Collateral(vec!["d/x".into()])
        );
        let by_step = [Catcher::Scenario("a".into())];
        let step = [("scenario.expect", 9)];
        assert_eq!(fate(true, &by_step, &[scenario("a", &step)]), Fate::Killed);
        let elsewhere = Fate::WrongReason(vec!["scenario.expect in b".into()]);
        assert_eq!(fate(true, &by_step, &[scenario("b", &step)]), elsewhere);
    }

    #[test]
    fn a_fault_is_killed_where_it_happened() {
        let late = [scenario("a", &[("d/r", 6)])];
        let told = "d/r in a at line 3 (), which is not the line that was spoilt";
        assert_eq!(fate(true, &by_rule(), &late), Fate::Misplaced(told.into()));
        assert_eq!(fate(false, &by_rule(), &late), Fate::Killed);
        let early = Fate::WrongReason(vec!["d/r (before the fault was played)".into()]);
        assert_eq!(
            fate(false, &by_rule(), &[scenario("a", &[("d/r", 2)])]),
            early
        );
    }

    #[test]
    fn a_fault_that_was_never_played_is_told_from_one_that_changed_nothing() {
        let unplayed = PlayedScenario {
            traces: vec![FaultTrace::sample(&[2, 4], None)],
            ..scenario("a", &[])
        };
        let fate = fate(true, &by_rule(), &[unplayed]);
        assert_eq!(fate, Fate::NotReached);
    }

    #[test]
    fn the_catcher_that_is_named_first_counts() {
        let suspect = TestedFault {
            id: "f".into(),
            summary: "s".into(),
            caught_by: by_rule().to_vec(),
            side: Blame::Agent,
            there: false,
        };
        let row = matrix_row(&suspect, &[scenario("a", &[("d/also", 4), ("d/r", 5)])]);
        assert_eq!((row.caught_by.as_str(), row.line), ("d/r", 2));
        assert_eq!(row.also, ["d/also"]);
    }
}
