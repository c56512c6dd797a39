//! Kill analysis: from the findings of the scenarios that ran with a fault, decides whether the fault was killed: reported by a rule or a
//! step that must catch it, and at the right place.

use super::fault_trace::{FaultTrace, TracePosition};
use super::matrix::{Fate, Row};
use conform_judge::finding::{Blame, Finding};
use conform_report::verdict_rules::{UNFORESEEN, is_of_a_step};
use std::collections::HashSet;

/// A rule or a scenario that can catch a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Catcher {
    /// A rule, by its id.
    Rule(String),
    /// A step of a scenario, by the scenario's id.
    Scenario(String),
}

/// A fault, as far as the kill analysis needs it.
#[derive(Debug, Clone)]
pub struct TestedFault {
    /// Its id.
    pub id: String,
    /// What goes wrong, in one line.
    pub summary: String,
    /// The rules and scenarios that must catch it: one of these, and no other rule. If the list is empty, anything may catch it.
    pub caught_by: Vec<Catcher>,
    /// Who is to blame: the agent or the host.
    pub side: Blame,
    /// Whether a rule must report it at the very line that it affects.
    pub at_fault: bool,
}

/// A scenario that was run with a fault.
#[derive(Debug, Clone, Default)]
pub struct PlayedScenario {
    /// Its id.
    pub id: String,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The sessions.
    pub traces: Vec<FaultTrace>,
}

/// A finding against the side that is to blame, and how it relates to the fault.
struct Detection<'a> {
    scenario: &'a PlayedScenario,
    finding: &'a Finding,
    /// Whether the fault had been injected by then.
    after_fault: bool,
    /// Whether it is at the line that the fault affects.
    at_fault: bool,
}

impl TestedFault {
    /// The position of the finding's rule or scenario in the list of those that must catch the fault. Where anything may catch it, rules come
    /// before steps.
    fn rank(&self, detection: &Detection<'_>) -> Option<usize> {
        if self.caught_by.is_empty() {
            return Some(usize::from(detection.is_step()));
        }
        let (rule, id) = (&detection.finding.rule, &detection.scenario.id);
        self.caught_by.iter().position(|c| c.caught(id, rule))
    }
}

impl Catcher {
    fn caught(&self, scenario: &str, rule: &str) -> bool {
        match self {
            Catcher::Rule(id) => id == rule,
            Catcher::Scenario(id) => id == scenario && is_of_a_step(rule),
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
        let mut traces = self.traces.iter();
        let first = traces.position(|trace| trace.first_in_vain().is_some());
        // That a scenario is inconclusive catches nothing.
        let is_detection = move |f: &&Finding| f.blame == side && f.rule != UNFORESEEN;
        let theirs = self.findings.iter().filter(is_detection);
        theirs.map(move |finding| {
            let session = finding.origin.session_index();
            let trace = self.traces.get(session);
            let from = trace.and_then(FaultTrace::first_in_vain);
            Detection {
                scenario: self,
                finding,
                after_fault: match from {
                    // The finding of a step is at the frame that came closest to what it waited for, which may be an old one.
                    Some(from) => finding.at >= from || is_of_a_step(&finding.rule),
                    None => first.is_some_and(|first| first < session),
                },
                at_fault: trace.and_then(FaultTrace::affected_frame) == Some(finding.at),
            }
        })
    }

    /// A finding that the fault cannot have caused, because it had not begun: the agent failed by itself.
    #[must_use]
    pub fn own_failure(&self, side: Blame) -> Option<String> {
        let Finding { rule, message, .. } =
            self.detections(side).find(|one| !one.after_fault)?.finding;
        Some(format!("{rule} in {}: {message}", self.id))
    }

    fn reached(&self) -> bool {
        let mut traces = self.traces.iter();
        traces.any(|trace| trace.first_affected().is_some())
    }
}

impl Detection<'_> {
    fn position(&self) -> TracePosition {
        let trace = self
            .scenario
            .traces
            .get(self.finding.origin.session_index());
        trace.map_or_else(Default::default, |trace| trace.position(self.finding.at))
    }

    /// Whether it is a failed step. Steps fail as a consequence of anything that broke the session, so they are never unrelated.
    fn is_step(&self) -> bool {
        is_of_a_step(&self.finding.rule)
    }

    /// Its rule and its scenario, with a remark if it came before the fault.
    fn name(&self) -> String {
        let early = if self.after_fault {
            ""
        } else {
            " (before the fault was injected)"
        };
        format!("{} in {}{early}", self.finding.rule, self.scenario.id)
    }
}

/// The row of the kill matrix for a fault, from the scenarios that were run with it. Findings from before it was active show nothing about
/// a fault without a rule or scenario that must catch it.
#[must_use]
pub fn matrix_row(fault: &TestedFault, scenarios: &[PlayedScenario]) -> Row {
    let detections = scenarios.iter().flat_map(|one| one.detections(fault.side));
    let all: Vec<Detection<'_>> = detections.collect();
    let named = |d: &Detection<'_>| fault.rank(d).is_some();
    let caught = |d: &Detection<'_>| named(d) && d.after_fault;
    let right = |d: &Detection<'_>| caught(d) && (d.at_fault || !fault.at_fault || d.is_step());

    let unrelated = |d: &&Detection<'_>| !d.after_fault || !(named(d) || d.is_step());
    let others = all.iter().filter(unrelated);
    // Each rule once, a step in each scenario.
    let mut told = HashSet::new();
    let firsts =
        others.filter(|d| told.insert((&d.finding.rule, d.is_step().then_some(&d.scenario.id))));
    let mut others: Vec<String> = firsts.map(Detection::name).collect();
    dedup(&mut others);
    let mut row = Row {
        fault: fault.id.clone(),
        summary: fault.summary.clone(),
        must: fault.caught_by.iter().map(Catcher::name).collect(),
        ..Row::default()
    };
    let at_place = all.iter().filter(|d| right(d));
    let Some(best) = at_place.min_by_key(|d| fault.rank(d)) else {
        row.fate = match all.iter().find(|d| caught(d)) {
            Some(elsewhere) => {
                let TracePosition { line, frame } = elsewhere.position();
                let (rule, id) = (&elsewhere.finding.rule, &elsewhere.scenario.id);
                Fate::Misplaced(format!(
                    "{rule} in {id} at line {line} ({frame}), which is not the line that the fault affects"
                ))
            }
            None => {
                let steps = all.iter().filter(|d| d.after_fault && d.is_step());
                others.extend(steps.map(Detection::name).take(1));
                match others.is_empty() || fault.caught_by.is_empty() {
                    false => Fate::WrongReason(others),
                    true if scenarios.iter().any(PlayedScenario::reached) => Fate::Survived,
                    true => Fate::NotReached,
                }
            }
        };
        return row;
    };
    let TracePosition { line, frame } = best.position();
    row.caught_by.clone_from(&best.finding.rule);
    row.scenario.clone_from(&best.scenario.id);
    row.line = line;
    row.frame = frame;
    for detection in all.iter().filter(|d| caught(d)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::Level;

    /// A scenario with findings, each a rule and a frame; the fault affects the second line, which is frame 4.
    fn scenario(id: &str, findings: &[(&str, u64)]) -> PlayedScenario {
        let finding = |(rule, at): &(&str, u64)| Finding {
            rule: (*rule).into(),
            level: Level::Must,
            clauses: vec!["c".into()],
            at: *at,
            ..Finding::default()
        };
        PlayedScenario {
            id: id.into(),
            findings: findings.iter().map(finding).collect(),
            traces: vec![FaultTrace::sample(&[2, 4, 6], Some(2))],
        }
    }

    fn row(at_fault: bool, caught_by: &[Catcher], scenarios: &[PlayedScenario]) -> Row {
        let fault = TestedFault {
            id: "f".into(),
            summary: "s".into(),
            caught_by: caught_by.to_vec(),
            side: Blame::Agent,
            at_fault,
        };
        matrix_row(&fault, scenarios)
    }

    fn fate(at_fault: bool, caught_by: &[Catcher], scenarios: &[PlayedScenario]) -> Fate {
        row(at_fault, caught_by, scenarios).fate
    }

    fn by_rule() -> [Catcher; 2] {
        [Catcher::Rule("d/r".into()), Catcher::Rule("d/also".into())]
    }

    #[test]
    fn a_fault_is_killed_only_by_a_rule_or_scenario_that_must_catch_it() {
        let by_rule = by_rule();
        assert_eq!(fate(true, &by_rule, &[scenario("a", &[])]), Fate::Survived);
        let named = [("d/r", 4), ("d/also", 6), ("scenario.expect", 7)];
        assert_eq!(fate(true, &by_rule, &[scenario("a", &named)]), Fate::Killed);
        assert_eq!(
            fate(true, &by_rule, &[scenario("a", &[("d/x", 4)])]),
            Fate::WrongReason(vec!["d/x in a".into()])
        );
        assert_eq!(
            fate(true, &by_rule, &[scenario("a", &[("d/r", 4), ("d/x", 5)])]),
            Fate::Collateral(vec!["d/x in a".into()])
        );
        let by_step = [Catcher::Scenario("a".into())];
        let step = [("scenario.expect", 9)];
        assert_eq!(fate(true, &by_step, &[scenario("a", &step)]), Fate::Killed);
        let elsewhere = Fate::WrongReason(vec!["scenario.expect in b".into()]);
        assert_eq!(fate(true, &by_step, &[scenario("b", &step)]), elsewhere);
    }

    #[test]
    fn a_fault_is_killed_only_at_the_place_where_it_happened() {
        let late = [scenario("a", &[("d/r", 6)])];
        let message = "d/r in a at line 3 (), which is not the line that the fault affects";
        assert_eq!(
            fate(true, &by_rule(), &late),
            Fate::Misplaced(message.into())
        );
        assert_eq!(fate(false, &by_rule(), &late), Fate::Killed);
        let early = Fate::WrongReason(vec!["d/r in a (before the fault was injected)".into()]);
        assert_eq!(
            fate(false, &by_rule(), &[scenario("a", &[("d/r", 2)])]),
            early
        );
    }

    #[test]
    fn a_fault_that_was_never_injected_is_not_reached() {
        let unplayed = PlayedScenario {
            traces: vec![FaultTrace::sample(&[2, 4], None)],
            ..scenario("a", &[])
        };
        let fate = fate(true, &by_rule(), &[unplayed]);
        assert_eq!(fate, Fate::NotReached);
    }

    #[test]
    fn anything_catches_a_fault_that_names_nothing() {
        let steps = [("scenario.expect", 4), ("d/r", 6)];
        assert_eq!(fate(false, &[], &[scenario("a", &steps)]), Fate::Killed);
        assert_eq!(fate(false, &[], &[scenario("a", &[])]), Fate::Survived);
        let never = || PlayedScenario {
            traces: vec![FaultTrace::sample(&[2, 4], None)],
            ..scenario("a", &[("scenario.expect", 4)])
        };
        assert_eq!(fate(false, &[], &[never()]), Fate::NotReached);
        let early = scenario("b", &[("d/r", 2)]);
        assert_eq!(fate(false, &[], &[never(), early]), Fate::Survived);
        let elsewhere = "scenario.expect in a (before the fault was injected)";
        assert_eq!(
            fate(false, &[], &[never(), scenario("c", &[("d/r", 4)])]),
            Fate::Collateral(vec![elsewhere.into()])
        );
    }

    #[test]
    fn the_first_listed_catcher_counts() {
        let both = [("d/also", 4), ("d/r", 5)];
        let row = row(false, &by_rule(), &[scenario("a", &both)]);
        assert_eq!((row.caught_by.as_str(), row.line), ("d/r", 2));
        assert_eq!(row.also, ["d/also"]);
    }
}
