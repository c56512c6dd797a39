//! The ids of causes.

use conform_judge::finding::{Blame, Difference, DifferenceKind, Finding};
use conform_report::causes::{cause_id, is_cause_of};

fn finding() -> Finding {
    Finding {
        rule: "demo/schema/stream_end".into(),
        clauses: vec!["demo.usage".into()],
        pointer: "/usage/3/tokens".into(),
        difference: Difference::of_kind(DifferenceKind::Missing),
        message: "`tokens` is missing".into(),
        ..Finding::default()
    }
}

#[test]
fn the_id_is_the_same_for_other_values_and_on_every_machine() {
    let other = Finding {
        pointer: "/usage/12/tokens".into(),
        message: "x".into(),
        at: 7,
        ..finding()
    };
    assert_eq!(cause_id(&finding()), cause_id(&other));
    let keyed = |key: &str| Finding {
        pointer: format!("/files/{key}/size"),
        ..finding()
    };
    let (path, id) = ("~1tmp~1a.txt", "7c9e6679-7425-40de-944b-e07fc1f90ae7");
    assert_eq!(cause_id(&keyed(path)), cause_id(&keyed(id)));
    assert_ne!(cause_id(&keyed("first")), cause_id(&keyed("second")));
    assert_eq!(cause_id(&finding()), "schema-stream_end-3f79da20");
    assert!(is_cause_of("schema-stream_end-3f79da20", &finding().rule));
    assert!(!is_cause_of("schema-stream_end", &finding().rule));
}

#[test]
fn another_place_kind_frame_or_side_is_another_cause() {
    let kind = |difference| Finding {
        difference,
        ..finding()
    };
    let step = |clause: &str| Finding {
        rule: "scenario.expect".into(),
        clauses: vec![clause.into()],
        ..finding()
    };
    let all = [
        finding(),
        Finding {
            pointer: "/usage/3/cost".into(),
            ..finding()
        },
        Finding {
            blame: Blame::Host,
            ..finding()
        },
        kind(Difference::of_kind(DifferenceKind::WrongType)),
        kind(Difference::named(DifferenceKind::Unexpected, "a")),
        kind(Difference::named(DifferenceKind::Unexpected, "b")),
        step("a"),
        step("b"),
    ];
    let mut ids: Vec<_> = all.iter().map(cause_id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all.len());
}

#[test]
fn a_reworded_rule_keeps_the_ids_of_its_causes() {
    let other = Finding {
        clauses: vec!["demo.usage.whole".into()],
        ..finding()
    };
    assert_eq!(cause_id(&finding()), cause_id(&other));
}
