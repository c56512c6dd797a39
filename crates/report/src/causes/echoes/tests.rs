//! Tests of what follows from another finding, and of what does not.

use super::*;
use DifferenceKind::{Absent, Condition, Ended, Malformed, Missing, Unexpected, WrongValue};
use conform_judge::finding::{Difference, Evidence, Facts, Origin, SliceValue};

fn of(rule: &str, at: u64, kind: DifferenceKind, name: &str) -> Finding {
    Finding {
        rule: rule.into(),
        at,
        difference: Difference::named(kind, name),
        clauses: vec![format!("clause of {rule}")],
        ..Finding::default()
    }
}

fn at(pointer: &str, finding: Finding) -> Finding {
    Finding {
        pointer: pointer.into(),
        ..finding
    }
}

fn expecting(expected: &[&str], finding: Finding) -> Finding {
    Finding {
        facts: Facts {
            frames: expected.iter().map(|one| (*one).to_owned()).collect(),
            ..finding.facts
        },
        ..finding
    }
}

fn in_slice(name: &str, value: &str, finding: Finding) -> Finding {
    let (name, value) = (name.to_owned(), value.to_owned());
    Finding {
        origin: Origin::of(Part::Slice(vec![SliceValue { name, value }])),
        ..finding
    }
}

fn here(dir: &str, text: &str, finding: Finding) -> Finding {
    Finding {
        evidence: vec![Evidence {
            frame: finding.at,
            micros: 1,
            dir: dir.into(),
            text: text.into(),
            here: true,
        }],
        facts: Facts {
            texts: text.split('"').map(str::to_owned).collect(),
            ..finding.facts
        },
        ..finding
    }
}

fn in_session(session: u32, finding: Finding) -> Finding {
    let part = Part::Whole;
    Finding {
        origin: Origin { session, part },
        ..finding
    }
}

fn echoes(findings: &[Finding]) -> Vec<bool> {
    let mut findings = findings.to_vec();
    attribute(&mut findings);
    for finding in findings.iter().filter(|finding| finding.echo) {
        let of = |other: &&Finding| !other.echo && other.cause == finding.cause;
        assert!(findings.iter().any(|other| of(&other)), "{finding:?}");
    }
    findings.iter().map(|finding| finding.echo).collect()
}

#[test]
fn a_step_follows_from_the_rule_that_accuses_the_same_place() {
    let step =
        |at_: u64, pointer: &str| at(pointer, of("scenario.expect", at_, WrongValue, "turn_end"));
    let rule = at("/usage/input", of("p/usage", 7, Condition, ""));
    let schema = Finding {
        origin: Origin::of(Part::Schema("turn_end".into())),
        ..at("/usage/input", of("p/schema/turn_end", 4, Missing, ""))
    };
    let slice = in_slice("msg_id", "m0", of("p/envelope", 7, Unexpected, "turn_end"));
    for (rule, step, echo) in [
        (&rule, step(7, "/usage/input"), true),
        (&rule, step(7, "/usage"), true),
        (&rule, step(7, "/usage/output"), false),
        (&rule, step(9, "/usage/input"), false),
        (&schema, step(9, "/usage/input"), true),
        (&schema, step(9, "/usage/output"), false),
        (&slice, step(7, "/msg_id"), true),
        (&slice, step(7, "/text"), false),
        (&slice, step(8, "/msg_id"), false),
    ] {
        assert_eq!(
            echoes(&[rule.clone(), step.clone()]),
            [false, echo],
            "{rule:?} {step:?}"
        );
    }
}

#[test]
fn a_forbidden_frame_is_one_mistake_for_the_rule_and_the_step() {
    let rule = of("p/envelope", 7, Unexpected, "turn_end");
    let step = |at_| of("scenario.expect_none", at_, Unexpected, "");
    assert_eq!(echoes(&[rule.clone(), step(7)]), [false, true]);
    assert_eq!(echoes(&[rule, step(8)]), [false, false]);
    let place = at("/usage", of("p/usage", 7, Condition, ""));
    assert_eq!(echoes(&[place, step(7)]), [false, false]);
}

#[test]
fn an_event_with_the_id_of_another_turn_is_missing_in_its_own() {
    let absent = expecting(&["turn_end"], of("p/envelope", 12, Absent, ""));
    let absent = in_slice("msg_id", "m2", absent);
    let step = |pointer: &str| at(pointer, of("scenario.expect", 9, WrongValue, "turn_end"));
    assert_eq!(echoes(&[step("/msg_id"), absent.clone()]), [true, false]);
    assert_eq!(echoes(&[step("/usage"), absent]), [false, false]);
}

#[test]
fn a_response_without_its_id_explains_the_response_that_is_missing() {
    let nameless = |at_| {
        let finding = Finding {
            facts: Facts {
                members: vec!["id".into()],
                ..Facts::default()
            },
            clauses: vec!["p.echo".into()],
            ..of("p/id-echoed", at_, Condition, "")
        };
        here("from_agent", r#"{"type":"response"}"#, finding)
    };
    let absent = |id: &str| Finding {
        clauses: vec!["p.answered".into(), "p.echo".into()],
        ..in_slice(
            "id",
            id,
            expecting(&["response"], of("p/answered", 9, Absent, "")),
        )
    };
    let step = |pointer: &str| at(pointer, of("scenario.unordered", 2, WrongValue, ""));
    assert_eq!(
        echoes(&[nameless(2), step("/id"), step("/data"), absent("a")]),
        [false, true, false, true]
    );
    assert_eq!(
        echoes(&[nameless(2), absent("a"), absent("b")]),
        [false, true, false],
        "one frame explains one missing frame"
    );
}

#[test]
fn a_line_that_is_no_json_explains_the_event_that_a_rule_misses() {
    let text = r#"{"type":"turn_end","msg_id":"m1","cost":NaN}"#;
    let line = here(
        "from_agent",
        text,
        of("p/json-lines", 5, Malformed, "not-json"),
    );
    let absent = |id: &str, event: &str| {
        let absent = expecting(&[event], of("p/envelope", 9, Absent, ""));
        in_slice("msg_id", id, absent)
    };
    let step = of("scenario.expect", 7, Absent, "turn_end");
    assert_eq!(
        echoes(&[line.clone(), step, absent("m1", "turn_end")]),
        [false, true, true]
    );
    for other in [absent("m2", "turn_end"), absent("m1", "text")] {
        assert_eq!(echoes(&[line.clone(), other]), [false, false]);
    }
}

#[test]
fn a_step_follows_from_the_rule_that_misses_the_same_frame() {
    let step = of("scenario.expect", 9, Absent, "turn_end");
    let many = ["a", "b", "c", "turn_end"];
    for (rule, echo) in [
        (
            expecting(&["turn_end"], of("p/envelope", 12, Absent, "")),
            true,
        ),
        (
            expecting(&["turn_start"], of("p/envelope", 12, Absent, "")),
            false,
        ),
        (expecting(&many, of("p/envelope", 12, Absent, "")), true),
        (
            expecting(&["turn_end"], of("p/order", 5, Unexpected, "text")),
            true,
        ),
        (
            expecting(&many, of("p/order", 5, Unexpected, "text")),
            false,
        ),
        (of("p/order", 5, Unexpected, "turn_end"), true),
        (
            here(
                "from_agent",
                r#"log {"type":"turn_end"}"#,
                of("p/lines", 5, Malformed, "not-json"),
            ),
            true,
        ),
        (
            here(
                "from_agent",
                "starting up",
                of("p/lines", 1, Malformed, "not-json"),
            ),
            false,
        ),
        (of("p/usage", 5, Condition, ""), false),
    ] {
        assert_eq!(
            echoes(&[rule.clone(), step.clone()]),
            [false, echo],
            "{rule:?}"
        );
        assert_eq!(
            echoes(&[step.clone(), rule.clone()]),
            [echo, false],
            "{rule:?}"
        );
    }
}

#[test]
fn a_step_follows_from_the_rule_that_says_how_the_agent_ended() {
    let crash = |pointer| {
        here(
            "end",
            "exited with code 1",
            at(pointer, of("p/stays-alive", 9, Condition, "")),
        )
    };
    for (step, rule, echo) in [
        (
            of("scenario.expect", 9, Ended, "x"),
            crash("/by_itself"),
            true,
        ),
        (of("scenario.send", 9, Ended, ""), crash("/by_itself"), true),
        (
            of("scenario.expect_exit", 9, WrongValue, ""),
            crash("/code"),
            true,
        ),
        (
            of("scenario.expect", 9, Absent, "x"),
            crash("/by_itself"),
            false,
        ),
        (
            of("scenario.expect_exit", 9, WrongValue, ""),
            crash("/orphans"),
            false,
        ),
    ] {
        assert_eq!(echoes(&[step.clone(), rule]), [echo, false], "{step:?}");
    }
}

#[test]
fn a_step_that_checks_only_what_a_rule_found_broken_is_its_echo() {
    let rule = Finding {
        clauses: vec!["a".into(), "b".into()],
        ..of("p/deny", 4, Condition, "")
    };
    let step = |clauses: &[&str]| Finding {
        clauses: clauses.iter().map(|id| (*id).to_owned()).collect(),
        ..of("scenario.request", 8, WrongValue, "")
    };
    assert_eq!(echoes(&[rule.clone(), step(&["a"])]), [false, true]);
    assert_eq!(echoes(&[rule.clone(), step(&["a", "c"])]), [false, false]);
    assert_eq!(echoes(&[rule, step(&[])]), [false, false]);
}

#[test]
fn a_note_the_other_side_and_another_session_explain_nothing() {
    let step = of("scenario.expect", 9, Absent, "turn_end");
    let rule = expecting(&["turn_end"], of("p/envelope", 12, Absent, ""));
    let note = Finding {
        level: Level::May,
        ..rule.clone()
    };
    let session = in_session(2, rule.clone());
    let host = Finding {
        blame: conform_judge::finding::Blame::Host,
        ..rule
    };
    for other in [note, session, host] {
        assert_eq!(
            echoes(&[step.clone(), other.clone()]),
            [false, false],
            "{other:?}"
        );
    }
}

#[test]
fn a_torn_line_is_one_mistake() {
    let torn = of("p/json-lines", 5, Malformed, "not-json");
    let end = of("p/line-ends", 5, Malformed, "no-final-newline");
    assert_eq!(echoes(&[torn.clone(), end.clone()]), [false, true]);
    let whole = of("p/json-lines", 4, Malformed, "not-json");
    assert_eq!(echoes(&[whole, end.clone()]), [false, false]);
    assert_eq!(echoes(&[end]), [false]);
    let crlf = of("p/line-ends", 5, Malformed, "crlf");
    assert_eq!(echoes(&[torn, crlf]), [false, false]);
}

#[test]
fn what_is_missing_after_a_prompt_follows_from_a_model_that_was_never_asked() {
    let root = of(NEVER_ASKED, 3, Absent, "");
    for (step, echo) in [
        (of("scenario.expect", 7, Absent, "tool_request"), true),
        (of("scenario.expect_text", 5, WrongValue, "text"), true),
        (of("scenario.expect_none", 5, Unexpected, "turn_end"), true),
        (of("scenario.files_after", 9, Missing, ""), true),
        (of("scenario.request", 9, WrongValue, ""), true),
        // Before the prompt, and about the process.
        (of("scenario.expect", 1, WrongValue, "ready"), false),
        (of("scenario.expect", 7, Ended, "tool_request"), false),
        (of("scenario.expect_exit", 9, WrongValue, ""), false),
        // What a rule finds wrong in the frames that came is a cause of its own.
        (at("/usage", of("p/schema/turn_end", 6, Missing, "")), false),
        (of("p/order", 6, Unexpected, "text"), false),
    ] {
        assert_eq!(
            echoes(&[root.clone(), step.clone()]),
            [false, echo],
            "{step:?}"
        );
    }
    let step = in_session(2, of("scenario.expect", 7, WrongValue, "ready"));
    assert_eq!(echoes(&[in_session(1, root), step]), [false, false]);
}

#[test]
fn a_rule_explains_a_step_before_the_model_does() {
    let root = of(NEVER_ASKED, 3, Absent, "");
    let rule = expecting(&["turn_end"], of("p/envelope", 12, Absent, ""));
    let step = of("scenario.expect", 9, Absent, "turn_end");
    let mut findings = [root, step, rule];
    attribute(&mut findings);
    assert_eq!(findings[1].cause, findings[2].cause);
}

#[test]
fn two_faults_in_one_scenario_are_two_causes() {
    let usage = at("/usage", of("p/schema/turn_end", 4, Missing, ""));
    let step = of("scenario.expect", 9, Absent, "tool_result");
    let twice = of("scenario.expect", 9, Absent, "tool_result");
    assert_eq!(echoes(&[usage, step, twice]), [false, false, false]);
}

#[test]
fn a_frame_that_came_in_another_slice_explains_one_missing_frame() {
    let wrong = of("p/envelope", 5, Unexpected, "turn_end");
    let open = |at| expecting(&["text", "turn_end"], of("p/envelope", at, Absent, ""));
    let step = of("scenario.expect", 8, Absent, "turn_end");
    assert_eq!(
        echoes(&[wrong.clone(), open(9), open(9), step]),
        [false, true, false, true]
    );
    let other = of("p/envelope", 5, Unexpected, "text");
    let missing = expecting(&["turn_end"], of("p/envelope", 9, Absent, ""));
    assert_eq!(echoes(&[other, missing]), [false, false]);
}
