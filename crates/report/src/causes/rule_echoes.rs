//! Findings of rules that only follow from another finding of a rule: its rule says so, or a frame is missed because it came cut off, without
//! its id, or in another slice. Pure.

use super::echoes::{expects, quotes};
use crate::verdict_rules::is_of_a_step;
use conform_judge::finding::{Difference, DifferenceKind, Expected, Finding, Level, SliceValue};
use conform_judge::rules::rule::{FILES, REQUESTS};

/// For each finding the index of the finding that it follows from; none for the findings of steps.
pub(super) fn roots(findings: &[Finding]) -> Vec<Option<usize>> {
    let (mut misplaced, mut nameless) = (vec![false; findings.len()], vec![false; findings.len()]);
    let mut by_kind = |finding: &Finding| match finding.difference.kind {
        _ if is_of_a_step(&finding.rule) => None,
        DifferenceKind::Malformed => position(findings, |other| is_torn(other, finding)),
        DifferenceKind::Absent => {
            let elsewhere = once(findings, &mut misplaced, |one| is_misplaced(one, finding));
            let without_id = once(findings, &mut nameless, |one| lacks_id(one, finding));
            let unreadable = || position(findings, |line| is_unreadable(line, finding));
            elsewhere.or_else(unreadable).or(without_id)
        }
        DifferenceKind::Unexpected => position(findings, |line| is_unreadable(line, finding)),
        _ => None,
    };
    let roots = findings.iter().map(|finding| {
        let named = position(findings, |other| explains(other, finding));
        named.or_else(|| by_kind(finding))
    });
    let roots: Vec<Option<usize>> = roots.collect();
    (0..roots.len()).map(|n| first_root(&roots, n)).collect()
}

/// The finding at the beginning of a row of findings that follow from each other; `None` for one that follows from none, or from itself.
fn first_root(roots: &[Option<usize>], of: usize) -> Option<usize> {
    let row = std::iter::successors(roots[of], |n| roots[*n]).take(roots.len());
    let row: Vec<usize> = row.collect();
    row.last().copied().filter(|_| !row.contains(&of))
}

/// Whether the rule of a finding says that the other one follows from it.
pub(super) fn explains(one: &Finding, other: &Finding) -> bool {
    let names = &one.facts.explains;
    let name = match other.rule.as_str() {
        "scenario.files_after" | "scenario.expect_file" => FILES,
        "scenario.request" | "scenario.expect_request" | "scenario.script" => REQUESTS,
        step if is_of_a_step(step) && other.difference.kind == DifferenceKind::Absent => {
            &other.difference.name
        }
        rule => rule,
    };
    let place = |finding: &Finding| (finding.origin.session, finding.at);
    one.level > Level::May
        && one.blame == other.blame
        && names.iter().any(|known| known == name)
        && place(one) <= place(other)
        && !std::ptr::eq(one, other)
        && (is_of_a_step(&other.rule) || is_alike(one, other) && shares_slice(one, other))
}

/// Whether no value that both slices have differs.
fn shares_slice(one: &Finding, other: &Finding) -> bool {
    let mut values = one.origin.slice().iter();
    values.all(|value| {
        let mut others = other.origin.slice().iter();
        others.all(|other| other.name != value.name || other.value == value.value)
    })
}

fn position(findings: &[Finding], explains: impl Fn(&Finding) -> bool) -> Option<usize> {
    findings.iter().position(explains)
}

/// The finding that explains a missing frame, where each explains one.
fn once(
    findings: &[Finding],
    used: &mut [bool],
    explains: impl Fn(&Finding) -> bool,
) -> Option<usize> {
    let mut unused = (0..findings.len()).filter(|other| !used[*other]);
    let found = unused.find(|other| explains(&findings[*other]))?;
    used[found] = true;
    Some(found)
}

/// Whether two findings are about the same side of the same session.
fn is_alike(one: &Finding, other: &Finding) -> bool {
    one.blame == other.blame && one.origin.session == other.origin.session
}

/// Whether a line has no newline because it is cut off, which is also why it is not JSON.
fn is_torn(not_json: &Finding, line: &Finding) -> bool {
    line.difference.name == "no-final-newline"
        && not_json.difference == Difference::named(DifferenceKind::Malformed, "not-json")
        && not_json.at == line.at
        && is_alike(not_json, line)
}

/// Whether the frame that a rule misses came in the wrong place, by the same rule.
fn is_misplaced(misplaced: &Finding, missing: &Finding) -> bool {
    misplaced.rule == missing.rule
        && misplaced.difference.kind == DifferenceKind::Unexpected
        && misplaced.at < missing.at
        && is_alike(misplaced, missing)
        && expects(missing, &misplaced.difference.name)
}

/// Whether the line of a finding has the name of one of the frames that another finding misses.
fn has_expected_name(line: &Finding, missing: &Finding) -> bool {
    let mut frames = missing.expected.iter().filter_map(Expected::frame);
    frames.any(|name| quotes(line, name))
}

/// Whether the frame that a rule misses, or misses before another one, is a line that is not JSON, which has the name of the frame and the ids
/// of the slice in it. The number of a scope is not an id.
fn is_unreadable(line: &Finding, missing: &Finding) -> bool {
    let slice = missing.origin.slice();
    let is_id = |one: &&SliceValue| one.value.parse::<u64>().is_err();
    let mut ids = slice.iter().filter(is_id).peekable();
    line.difference == Difference::named(DifferenceKind::Malformed, "not-json")
        && line.at < missing.at
        && is_alike(line, missing)
        && has_expected_name(line, missing)
        && (slice.is_empty() || ids.peek().is_some())
        && ids.all(|one| quotes(line, &one.value))
}

/// Whether the frame that a rule misses in the slice of an id came without the id, by a rule for one of the same clauses.
fn lacks_id(other: &Finding, missing: &Finding) -> bool {
    let id = missing.origin.slice().last();
    let mut clauses = other.clauses.iter();
    !is_of_a_step(&other.rule)
        && other.difference.kind == DifferenceKind::Condition
        && clauses.any(|clause| missing.clauses.contains(clause))
        && other.at < missing.at
        && is_alike(other, missing)
        && has_expected_name(other, missing)
        && id.is_some_and(|id| !quotes(other, &id.value))
}
