//! One defect often fails steps of many scenarios that check different clauses: where several of them miss the same event after the same
//! command, or see the same forbidden one, their causes are joined. Pure.

use super::last_words;
use super::siblings::{grouped, merged};
use crate::Cause;
use crate::verdict_rules::is_of_a_step;

/// This many causes of one shape are one defect. Fewer may be several.
const SEVERAL: usize = 3;

/// Joins the causes of steps that report the same difference of the same event. A baseline gives each of them its own reason.
pub(super) fn join(causes: Vec<Cause>) -> Vec<Cause> {
    let shape = |cause: &Cause| {
        let is_of_step = is_of_a_step(&cause.rule) && cause.baseline.is_none();
        let (rule, pointer) = (cause.rule.clone(), cause.pointer.clone());
        let difference = cause.difference.clone();
        let words = last_words::words(&cause.example.stderr);
        let is_named = is_of_step && !difference.name.is_empty();
        is_named.then_some((rule, cause.level, difference, pointer, words))
    };
    let groups = grouped(causes, shape).into_iter();
    let joined = |group: Vec<Cause>| match group.len() {
        0..SEVERAL => group,
        _ => merged(group).into_iter().collect(),
    };
    groups.flat_map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::{Baselined, BaselinedKind, Difference, DifferenceKind, Level};

    fn missing(clause: &str, event: &str) -> Cause {
        Cause {
            id: format!("expect-{clause}-{event}"),
            rule: "scenario.expect".into(),
            clauses: vec![clause.into()],
            difference: Difference::named(DifferenceKind::Absent, event),
            scenarios: vec![format!("d/{clause}")],
            findings: 1,
            open: 1,
            ..Cause::default()
        }
    }

    #[test]
    fn steps_that_miss_the_same_event_are_one_cause() {
        let mut often = missing("b", "tool_request");
        often.scenarios.push("d/z".into());
        let other = missing("a", "ready");
        let causes = join(vec![
            missing("a", "tool_request"),
            often,
            other.clone(),
            missing("c", "tool_request"),
        ]);
        assert_eq!(causes.len(), 2);
        assert_eq!(causes[1], other);
        let cause = &causes[0];
        assert_eq!(cause.id, "expect-b-tool_request");
        assert_eq!(cause.scenarios, ["d/a", "d/b", "d/c", "d/z"]);
        assert_eq!(cause.clauses, ["b", "a", "c"]);
        assert_eq!((cause.findings, cause.joined.len()), (3, 2));
    }

    #[test]
    fn few_causes_other_events_and_known_causes_stay_apart() {
        let known = Cause {
            baseline: Some(Baselined {
                kind: BaselinedKind::Known,
                reason: String::new(),
            }),
            ..missing("c", "x")
        };
        let weak = Cause {
            level: Level::Should,
            ..missing("c", "x")
        };
        let (mut after, mut panicked) = (missing("c", "x"), missing("c", "x"));
        after.difference.after = "set_mode".into();
        panicked.example.stderr = vec!["error: no key".into()];
        let nameless = |clause| missing(clause, "");
        for causes in [
            vec![missing("a", "x"), missing("b", "x")],
            vec![missing("a", "x"), missing("b", "x"), missing("c", "y")],
            vec![missing("a", "x"), missing("b", "x"), known],
            vec![missing("a", "x"), missing("b", "x"), weak],
            vec![missing("a", "x"), missing("b", "x"), after],
            vec![missing("a", "x"), missing("b", "x"), panicked],
            vec![nameless("a"), nameless("b"), nameless("c")],
        ] {
            assert_eq!(join(causes.clone()), causes);
        }
    }
}
