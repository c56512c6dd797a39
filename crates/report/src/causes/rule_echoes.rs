//! Findings of rules that only follow from another finding of a rule: a frame is missed because it came torn, without its id, or in another
//! slice. Pure.

use super::echoes::{expects, is_of_a_step, quotes};
use conform_judge::finding::{Difference, DifferenceKind, Finding};

/// The finding that the finding number `n`, of a rule, follows from.
pub(super) fn origin(findings: &[Finding], n: usize) -> Option<usize> {
    torn(findings, n)
        .or_else(|| misplaced(findings, n))
        .or_else(|| unreadable(findings, n))
        .or_else(|| without_id(findings, n))
}

/// Whether two findings are about the same side of the same session.
fn is_alike(one: &Finding, other: &Finding) -> bool {
    one.blame == other.blame && one.origin.session == other.origin.session
}

/// Whether a finding of a rule says that a frame did not come.
fn is_missing(finding: &Finding) -> bool {
    !is_of_a_step(finding) && finding.difference.kind == DifferenceKind::Absent
}

/// The finding that explains the missing frame number `n`, where each explains one.
fn explained_once(
    findings: &[Finding],
    n: usize,
    explains: impl Fn(&Finding, &Finding) -> bool,
) -> Option<usize> {
    if !is_missing(&findings[n]) {
        return None;
    }
    let mut used = vec![false; findings.len()];
    let mut own = None;
    for missing in (0..=n).filter(|missing| is_missing(&findings[*missing])) {
        own = (0..findings.len())
            .find(|other| !used[*other] && explains(&findings[*other], &findings[missing]));
        if let Some(other) = own {
            used[other] = true;
        }
    }
    own
}

/// For a line without its end: the finding that it is not JSON, because it is torn.
fn torn(findings: &[Finding], n: usize) -> Option<usize> {
    let is_defect = |finding: &Finding, name: &str| {
        finding.difference.kind == DifferenceKind::Malformed && finding.difference.name == name
    };
    let line = &findings[n];
    findings.iter().position(|other| {
        is_defect(line, "no-final-newline")
            && is_defect(other, "not-json")
            && other.at == line.at
            && is_alike(other, line)
    })
}

/// For a frame that a rule misses: the finding of the same rule that has this frame in the wrong place.
fn misplaced(findings: &[Finding], n: usize) -> Option<usize> {
    explained_once(findings, n, |misplaced, missing| {
        misplaced.rule == missing.rule
            && misplaced.difference.kind == DifferenceKind::Unexpected
            && misplaced.at < missing.at
            && is_alike(misplaced, missing)
            && expects(missing, &misplaced.difference.name)
    })
}

/// Whether the line that a finding accuses has the name of one of the frames that another one misses.
fn has_expected_name(line: &Finding, missing: &Finding) -> bool {
    missing.facts.frames.iter().any(|name| quotes(line, name))
}

/// For a frame that a rule misses: the finding that a line is not JSON, which has the name of the frame and the id of the slice in it.
fn unreadable(findings: &[Finding], n: usize) -> Option<usize> {
    let missing = &findings[n];
    let is_of_slice = |line: &Finding| {
        let mut values = missing.origin.slice().iter();
        values.all(|one| quotes(line, &one.value))
    };
    let explains = |line: &Finding| {
        line.difference == Difference::named(DifferenceKind::Malformed, "not-json")
            && line.at < missing.at
            && is_alike(line, missing)
            && has_expected_name(line, missing)
            && is_of_slice(line)
    };
    is_missing(missing).then(|| findings.iter().position(explains))?
}

/// For a frame that a rule misses in the slice of an id: the finding of a rule for one of its clauses, that such a frame came without the id.
fn without_id(findings: &[Finding], n: usize) -> Option<usize> {
    explained_once(findings, n, |other, missing| {
        let id = missing.origin.slice().last();
        let mut clauses = other.clauses.iter();
        !is_of_a_step(other)
            && other.difference.kind == DifferenceKind::Condition
            && clauses.any(|clause| missing.clauses.contains(clause))
            && other.at < missing.at
            && is_alike(other, missing)
            && has_expected_name(other, missing)
            && id.is_some_and(|id| !quotes(other, &id.value))
    })
}
