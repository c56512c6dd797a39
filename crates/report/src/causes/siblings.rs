//! Members that are missing together in the same frames are one thing to fix: their causes are joined into one that names them all. Pure.

use crate::Cause;
use conform_judge::finding::{Blame, DifferenceKind, Expected, Part, in_a_row};
use indexmap::IndexMap;
use std::cmp::Reverse;
use std::hash::Hash;

/// Where the findings of a cause are, echoes left out: scenario, try and frame of each one.
pub(super) type Frames<'a> = Vec<(&'a str, &'a str, u64)>;

/// Joins the causes that report the same about other members of the same objects. A member that is also missing alone keeps a cause of its
/// own.
pub(super) fn join<'a>(causes: Vec<(Cause, Frames<'a>)>) -> Vec<Cause> {
    let object = |(cause, frames): &(Cause, Frames<'a>)| {
        let (parent, _) = cause.pointer.rsplit_once('/')?;
        missing_member(cause)?;
        let is_of_host = cause.blame == Blame::Host;
        let (rule, clauses) = (cause.rule.clone(), cause.clauses.clone());
        let parent = parent.to_owned();
        Some((
            rule,
            clauses,
            parent,
            is_of_host,
            cause.flaky,
            frames.clone(),
        ))
    };
    let groups = grouped(causes, object).into_iter();
    groups.filter_map(joined).collect()
}

/// Items with the same key in one group, in the order of their first ones. An item without a key is a group of its own.
pub(super) fn grouped<T, K: Hash + Eq>(
    items: Vec<T>,
    key: impl Fn(&T) -> Option<K>,
) -> Vec<Vec<T>> {
    let mut groups: IndexMap<Result<K, usize>, Vec<T>> = IndexMap::new();
    for (n, item) in items.into_iter().enumerate() {
        groups.entry(key(&item).ok_or(n)).or_default().push(item);
    }
    groups.into_values().collect()
}

/// The frame that lacks a member, and the member.
fn missing_member(cause: &Cause) -> Option<(&str, &str)> {
    let Part::Schema(frame) = &cause.example.origin.part else {
        return None;
    };
    let (_, member) = cause.pointer.rsplit_once('/')?;
    // A baseline gives each member its own reason.
    let is_new = cause.difference.kind == DifferenceKind::Missing && cause.baseline.is_none();
    is_new.then_some((frame, member))
}

/// One cause of the causes of a group; the first by its place gives it the id and the example.
fn joined(group: Vec<(Cause, Frames<'_>)>) -> Option<Cause> {
    let mut group: Vec<Cause> = group.into_iter().map(|(cause, _)| cause).collect();
    group.sort_by(|a, b| a.pointer.cmp(&b.pointer));
    let members = group.iter().filter_map(missing_member);
    let (frames, names): (Vec<&str>, Vec<String>) = members
        .map(|(frame, name)| (frame, name.to_owned()))
        .unzip();
    let frame = frames.first().map(|one| (*one).to_owned());
    let mut causes = group.into_iter();
    let mut cause = causes.next()?;
    if let Some(frame) = frame.filter(|_| causes.len() > 0) {
        cause.message = format!("`{frame}`: {} are missing", in_a_row(&names, "and"));
        cause.example.expected = vec![Expected::Members(names)];
        causes.for_each(|other| absorb(&mut cause, other));
    }
    Some(cause)
}

/// One cause of several; the one with the most scenarios gives it the id, the message and the example.
pub(super) fn merged(mut causes: Vec<Cause>) -> Option<Cause> {
    causes.sort_by_cached_key(|cause| (Reverse(cause.scenarios.len()), cause.id.clone()));
    let mut causes = causes.into_iter();
    let mut first = causes.next()?;
    causes.for_each(|other| absorb(&mut first, other));
    Some(first)
}

/// Adds another cause to a cause, which keeps its id, its message and its example.
fn absorb(cause: &mut Cause, other: Cause) {
    cause.level = cause.level.max(other.level);
    for clause in other.clauses {
        if !cause.clauses.contains(&clause) {
            cause.clauses.push(clause);
        }
    }
    cause.scenarios.extend(other.scenarios);
    cause.scenarios.sort();
    cause.scenarios.dedup();
    cause.findings += other.findings;
    cause.echoes += other.echoes;
    cause.open += other.open;
    cause.joined.push(other.id);
    cause.joined.extend(other.joined);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CauseExample;
    use conform_judge::finding::{Baselined, BaselinedKind, Difference, Origin};

    fn missing(parent: &str, name: &str) -> Cause {
        Cause {
            id: format!("end-{name}"),
            rule: "p/schema/end".into(),
            message: format!("`end`: `{name}` is missing"),
            difference: Difference::of_kind(DifferenceKind::Missing),
            pointer: format!("{parent}/{name}"),
            findings: 2,
            open: 2,
            example: CauseExample {
                origin: Origin::of_part(Part::Schema("end".into())),
                expected: vec![Expected::Members(vec![name.to_owned()])],
                ..CauseExample::default()
            },
            ..Cause::default()
        }
    }

    fn at(frames: &[u64]) -> Frames<'static> {
        frames.iter().map(|at| ("d/a", "", *at)).collect()
    }

    #[test]
    fn members_that_are_missing_together_are_one_cause() {
        let causes = ["b", "c", "a"].map(|name| (missing("/usage", name), at(&[3, 9])));
        let all = join(causes.to_vec());
        assert_eq!(all.len(), 1);
        let cause = &all[0];
        assert_eq!(cause.message, "`end`: `a`, `b` and `c` are missing");
        assert_eq!(
            cause.example.expected[0].to_string(),
            "the members `a`, `b` and `c`"
        );
        assert_eq!((cause.findings, cause.open), (6, 6));
        assert_eq!(
            (cause.id.as_str(), &cause.joined[..]),
            ("end-a", &["end-b", "end-c"].map(String::from)[..])
        );
    }

    #[test]
    fn what_is_not_the_same_thing_stays_apart() {
        type Change = (&'static [u64], fn(&mut Cause));
        let changes: [Change; 7] = [
            (&[3, 9], |_| ()),
            (&[3], |one| one.pointer = "/b".into()),
            (&[3], |one| one.rule = "p/schema/start".into()),
            (&[3], |one| one.blame = Blame::Host),
            (&[3], |one| one.clauses = vec!["p.cost".into()]),
            (&[3], |one| one.difference.kind = DifferenceKind::WrongType),
            (&[3], |one| {
                let (kind, reason) = (BaselinedKind::Known, "x".into());
                one.baseline = Some(Baselined { kind, reason });
            }),
        ];
        for (n, (frames, change)) in changes.into_iter().enumerate() {
            let mut other = missing("/usage", "b");
            change(&mut other);
            let both = vec![(missing("/usage", "a"), at(&[3])), (other, at(frames))];
            assert_eq!(join(both).len(), 2, "change {n}");
        }
    }
}
