//! Echoes: the findings of a scenario that only follow from another one of the same scenario. Pure.
//!
//! A rule reports what is wrong; a step of the scenario then often fails too, because it waits for the missing frame. Only three kinds of
//! findings can be echoes: those of steps, those about a missing frame that came in another slice of the same rule, and those about the
//! missing newline of a cut line. The conditions are narrow, because a separate fault must never be grouped under another cause.

use super::rule_echoes;
use super::shape::cause_id;
use crate::verdict_rules::is_of_a_step;
use conform_judge::finding::{DifferenceKind, Expected, Finding, Level, Part};
use spanned_yaml::last_step;

/// The rule of steps that reports that the agent never asked its model.
pub(super) const NEVER_ASKED: &str = "scenario.never_asked";

/// The rules of steps about the process itself, which needs no model.
const ABOUT_THE_PROCESS: [&str; 4] = [
    "scenario.expect_exit",
    "scenario.send",
    "scenario.output",
    NEVER_ASKED,
];

/// The rules of steps about the replies of the model, in any session.
const ABOUT_THE_MODEL: [&str; 2] = ["scenario.request", "scenario.script"];

/// A finding with this many alternatives is not evidence about any one of them.
const FEW: usize = 3;

/// Gives each finding of one scenario its cause, and the finding that it follows from. The latter never follows from another one: steps
/// follow from rules, and rules from frames that came.
pub fn attribute(findings: &mut [Finding]) {
    let mut roots = rule_echoes::roots(findings);
    for (n, step) in findings.iter().enumerate() {
        if is_of_a_step(&step.rule) {
            roots[n] = root(findings, &roots, step);
        }
    }
    let ids: Vec<String> = findings.iter().map(cause_id).collect();
    for (n, finding) in findings.iter_mut().enumerate() {
        finding.cause.clone_from(&ids[roots[n].unwrap_or(n)]);
        finding.follows_from = roots[n].map(|root| root + 1);
    }
}

/// Puts each finding that follows from another one after it, and keeps the order of the frames otherwise.
pub fn roots_first(findings: &mut Vec<Finding>) {
    let root = |finding: &Finding| finding.follows_from.map(|root| root - 1);
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|n| match root(&findings[*n]) {
        Some(root) if root > *n => (root, true),
        _ => (*n, false),
    });
    let mut moved: Vec<Finding> = order.iter().map(|n| findings[*n].clone()).collect();
    for finding in &mut moved {
        let now = root(finding).and_then(|old| order.iter().position(|n| *n == old));
        finding.follows_from = now.map(|now| now + 1);
    }
    *findings = moved;
}

/// The finding that the finding of a step follows from. `roots` has those of the rules.
fn root(findings: &[Finding], roots: &[Option<usize>], step: &Finding) -> Option<usize> {
    let explains = |rule: &Finding| {
        !is_of_a_step(&rule.rule)
            && rule.level > Level::May
            && rule.blame == step.blame
            && rule.origin.session == step.origin.session
            && is_explained(step, rule)
    };
    let is_named = |rule: &Finding| rule_echoes::explains(rule, step);
    let named = findings.iter().position(is_named);
    match named.or_else(|| findings.iter().position(explains)) {
        Some(found) => roots[found].or(Some(found)),
        None => unasked(findings, step),
    }
}

/// For an event that a step missed after a prompt, in a scenario whose model was never asked: the finding that reports this.
fn unasked(findings: &[Finding], step: &Finding) -> Option<usize> {
    if ABOUT_THE_PROCESS.contains(&step.rule.as_str())
        || step.difference.kind == DifferenceKind::Ended
    {
        return None;
    }
    let is_about_the_model = ABOUT_THE_MODEL.contains(&step.rule.as_str());
    findings.iter().position(|root| {
        root.rule == NEVER_ASKED
            && root.blame == step.blame
            && (is_about_the_model
                || root.origin.session == step.origin.session && root.at <= step.at)
    })
}

/// Whether the finding of a rule explains why a step failed.
fn is_explained(step: &Finding, rule: &Finding) -> bool {
    let checks_the_same = !step.clauses.is_empty()
        && step.clauses.iter().all(|id| rule.clauses.contains(id))
        && !accuses_another_place(step, rule);
    checks_the_same
        || accuses_the_same_place(step, rule)
        || misses_the_same_frame(step, rule)
        || says_how_it_ended(step, rule)
}

/// Whether another place of the same frame is wrong, which is a separate fact.
fn accuses_another_place(step: &Finding, rule: &Finding) -> bool {
    let are_places = !step.pointer.is_empty() && !rule.pointer.is_empty();
    rule.at == step.at && are_places && !is_same(&rule.pointer, &step.pointer, '/')
}

/// The step and the rule report the same place of the same frame.
fn accuses_the_same_place(step: &Finding, rule: &Finding) -> bool {
    use DifferenceKind::{Missing, Unexpected, WrongType, WrongValue};
    if !matches!(step.difference.kind, WrongValue | Unexpected) {
        return false;
    }
    let shares_a_clause = step.clauses.iter().any(|id| rule.clauses.contains(id));
    // Both say that the frame must not come here, not that a place of it is wrong.
    let is_forbidden = step.difference.kind == Unexpected && rule.difference.kind == Unexpected;
    let same_frame = rule.at == step.at
        && (shares_a_clause && !accuses_another_place(step, rule)
            || is_forbidden
            || looks_at_the_member(step, rule)
            || is_same(&rule.pointer, &step.pointer, '/')
            || rule.difference.kind == Unexpected && is_key_of(step, rule));
    // The frames of one kind often all have the same defect, and the nearest one need not be the first.
    let same_schema = matches!(&rule.origin.part, Part::Schema(frame) if *frame == step.difference.name)
        && matches!(rule.difference.kind, Missing | WrongType | WrongValue)
        && !step.pointer.is_empty()
        && is_same(&rule.pointer, &step.pointer, '/');
    same_frame || same_schema
}

/// Whether one of two names or pointers is the other one or a part of it: `response` means every kind of it, such as `response.fork`. An
/// empty one is the whole frame, or no frame.
fn is_same(one: &str, other: &str, separator: char) -> bool {
    let contains = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer).filter(|_| !outer.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
    };
    contains(one, other) || contains(other, one)
}

/// Whether the rule looks at the member that the step missed.
fn looks_at_the_member(step: &Finding, rule: &Finding) -> bool {
    let missed = last_step(&step.pointer);
    !missed.is_empty()
        && rule.difference.kind == DifferenceKind::Condition
        && rule.facts.members.contains(&missed)
}

/// Whether the step missed the value that names the slice of the rule, such as `msg_id`.
fn is_key_of(step: &Finding, rule: &Finding) -> bool {
    let mut names = rule.origin.slice().iter().map(|value| &value.name);
    names.any(|name| *name == last_step(&step.pointer))
}

/// The step waited for an event, and the rule reports that it did not come, or not where it belongs.
fn misses_the_same_frame(step: &Finding, rule: &Finding) -> bool {
    use DifferenceKind::{Absent, Ended, Malformed, Unexpected, WrongValue};
    let is_exit = step.rule == "scenario.expect_exit";
    let name = if is_exit {
        "#end"
    } else {
        step.difference.name.as_str()
    };
    // It came in another slice than the step waits for.
    let is_elsewhere = step.difference.kind == WrongValue
        && rule.difference.kind == Absent
        && is_key_of(step, rule);
    if name.is_empty() || !(matches!(step.difference.kind, Absent | Ended) || is_elsewhere) {
        return false;
    }
    match rule.difference.kind {
        Absent => expects(rule, name),
        Unexpected => {
            is_same(&rule.difference.name, name, '.')
                || (rule.expected.len() <= FEW && expects(rule, name))
        }
        // A line that is torn or has other text around it.
        Malformed => quotes(rule, name),
        _ => false,
    }
}

/// Whether the line of a finding has this text as a JSON string. A dot ends the name of an event.
pub(super) fn quotes(finding: &Finding, name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default();
    finding.facts.texts.iter().any(|text| text == name)
}

/// The agent ended while the step waited, or in a way that it does not allow, and the rule reports that.
fn says_how_it_ended(step: &Finding, rule: &Finding) -> bool {
    let is_about_an_end =
        step.difference.kind == DifferenceKind::Ended || step.rule == "scenario.expect_exit";
    let here = rule.evidence.iter().find(|frame| frame.here);
    is_about_an_end
        && rule.difference.kind == DifferenceKind::Condition
        && here.is_some_and(|frame| frame.dir == "end")
        // Processes that are left running say nothing about the end.
        && rule.pointer != "/orphans"
}

/// Whether a frame of this name is among those that a finding expects.
pub(super) fn expects(finding: &Finding, name: &str) -> bool {
    let mut frames = finding.expected.iter().filter_map(Expected::frame);
    frames.any(|frame| is_same(frame, name, '.'))
}
