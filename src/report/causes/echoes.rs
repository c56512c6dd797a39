//! Echoes: the findings of a scenario that only follow from another one of the same scenario. Pure.
//!
//! A rule says what is wrong; a step of the scenario then often fails too, since it waits for what the rule misses. Only a step's finding
//! can be an echo, a missing frame that came in another slice of the same rule, or the missing end of a torn line. The tests for it are
//! narrow, because a fault of its own must never be folded under another cause.

use super::rule_echoes;
use super::shape::cause_id;
use super::wording::in_words;
use crate::finding::{DifferenceKind, Finding, Level};

/// The prefix of the rule ids of scenario steps.
pub(super) const STEPS: &str = "scenario.";

/// The rule of steps that says that the agent never asked its model.
const NEVER_ASKED: &str = "scenario.never_asked";

/// The rules of steps about the process itself, which needs no model.
const ABOUT_THE_PROCESS: [&str; 4] = [
    "scenario.expect_exit",
    "scenario.send",
    "scenario.output",
    NEVER_ASKED,
];

/// The rules of steps about the replies of the model, whatever the session.
const ABOUT_THE_MODEL: [&str; 2] = ["scenario.request", "scenario.script"];

/// A frame that is expected by so many alternatives says nothing about any one of them.
const FEW: usize = 3;

/// Whether a finding comes from a step of the scenario and not from a rule.
pub(super) fn is_of_a_step(finding: &Finding) -> bool {
    finding.rule.starts_with(STEPS)
}

/// Gives each finding of one scenario its cause, marks the echoes, and puts what was expected in words.
pub fn attribute(findings: &mut [Finding]) {
    let origins: Vec<Option<usize>> = (0..findings.len()).map(|n| origin(findings, n)).collect();
    for (finding, origin) in findings.iter_mut().zip(&origins) {
        finding.cause = cause_id(finding);
        finding.echo = origin.is_some();
    }
    for (n, origin) in origins.iter().enumerate() {
        if let Some(origin) = origin {
            findings[n].cause = findings[*origin].cause.clone();
        }
    }
    for finding in findings {
        finding.expected = in_words(&finding.expected);
    }
}

/// The finding that the finding number `n` follows from. Never an echo itself: echoes of steps follow from rules, and echoes of rules from
/// frames that came.
fn origin(findings: &[Finding], n: usize) -> Option<usize> {
    if !is_of_a_step(&findings[n]) {
        return rule_echoes::origin(findings, n);
    }
    let step = &findings[n];
    let explains = |(_, rule): &(usize, &Finding)| {
        !is_of_a_step(rule)
            && rule.level > Level::May
            && rule.blame == step.blame
            && session(rule) == session(step)
            && is_explained(step, rule)
    };
    match findings.iter().enumerate().find(explains) {
        Some((found, _)) => {
            let of_found = rule_echoes::origin(findings, found);
            Some(of_found.unwrap_or(found))
        }
        None => unasked(findings, step),
    }
}

/// For what a step missed after a prompt, in a scenario whose model was never asked: the finding that says so.
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
            && (is_about_the_model || session(root) == session(step) && root.at <= step.at)
    })
}

/// Whether the finding of a rule says why a step failed.
fn is_explained(step: &Finding, rule: &Finding) -> bool {
    let checks_the_same =
        !step.clauses.is_empty() && step.clauses.iter().all(|id| rule.clauses.contains(id));
    checks_the_same
        || accuses_the_same_place(step, rule)
        || misses_the_same_frame(step, rule)
        || says_how_it_ended(step, rule)
}

/// The step saw the frame that the rule accuses, and the same place of it is wrong.
fn accuses_the_same_place(step: &Finding, rule: &Finding) -> bool {
    use DifferenceKind::{Missing, Unexpected, WrongType, WrongValue};
    if !matches!(step.difference.kind, WrongValue | Unexpected) {
        return false;
    }
    let shares_a_clause = step.clauses.iter().any(|id| rule.clauses.contains(id));
    // Both say that the frame must not come here, not that a place of it is wrong.
    let is_forbidden = step.difference.kind == Unexpected && rule.difference.kind == Unexpected;
    let same_frame = rule.at == step.at
        && (shares_a_clause
            || is_forbidden
            || names_the_member(step, rule)
            || is_same_place(&rule.pointer, &step.pointer)
            || is_member_of_key(step, rule));
    // The frames of one kind often all have the same defect, and the nearest one need not be the first.
    let schema_of_event = rule.rule.split("/schema/").nth(1);
    let same_schema = schema_of_event == Some(step.difference.name.as_str())
        && matches!(rule.difference.kind, Missing | WrongType | WrongValue)
        && !step.pointer.is_empty()
        && is_same_place(&rule.pointer, &step.pointer);
    same_frame || same_schema
}

/// Whether one of two pointers is the other one or a place in it. The whole frame is no place.
fn is_same_place(one: &str, other: &str) -> bool {
    let contains = |outer: &str, inner: &str| {
        !outer.is_empty()
            && inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    contains(one, other) || contains(other, one)
}

/// Whether the message of the rule names the member that the step missed: "the response has no id".
fn names_the_member(step: &Finding, rule: &Finding) -> bool {
    let member = step.pointer.rsplit('/').next().unwrap_or_default();
    let mut words = rule
        .message
        .split(|c: char| !c.is_alphanumeric() && c != '_');
    !member.is_empty()
        && rule.difference.kind == DifferenceKind::Condition
        && words.any(|word| word == member)
}

/// Whether the rule accuses a frame of the wrong slice, and the step missed the value that names the slice, such as `msg_id`.
fn is_member_of_key(step: &Finding, rule: &Finding) -> bool {
    is_key_of(step, rule) && rule.difference.kind == DifferenceKind::Unexpected
}

/// Whether the step missed the value that names the slice of the rule, such as `msg_id`.
fn is_key_of(step: &Finding, rule: &Finding) -> bool {
    let member = step.pointer.rsplit('/').next().unwrap_or_default();
    let labels = rule
        .key
        .split(", ")
        .filter_map(|part| part.split(' ').next());
    !member.is_empty()
        && labels
            .into_iter()
            .any(|label| label.rsplit('/').next() == Some(member))
}

/// The step waited for an event, and the rule says that it did not come, or not where it belongs.
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
            is_same_frame(&rule.difference.name, name)
                || (rule.expected.len() <= FEW && expects(rule, name))
        }
        // A line that is torn or has other text around it.
        Malformed => quotes(rule, name),
        _ => false,
    }
}

/// Whether the line that a finding accuses has this text as a JSON string. A dot ends the name of an event.
pub(super) fn quotes(finding: &Finding, name: &str) -> bool {
    let quoted = format!("\"{}\"", name.split('.').next().unwrap_or_default());
    let line = finding.evidence.iter().find(|frame| frame.here);
    line.is_some_and(|frame| frame.text.contains(&quoted))
}

/// The agent ended while the step waited, or in a way that it does not allow, and the rule says so.
fn says_how_it_ended(step: &Finding, rule: &Finding) -> bool {
    let is_about_an_end =
        step.difference.kind == DifferenceKind::Ended || step.rule == "scenario.expect_exit";
    let here = rule.evidence.iter().find(|frame| frame.here);
    is_about_an_end
        && rule.difference.kind == DifferenceKind::Condition
        && here.is_some_and(|frame| frame.dir == "end")
        // Processes that are left behind say nothing about the end.
        && rule.pointer != "/orphans"
}

/// Whether a finding lists a frame of this name among those that it expects.
pub(super) fn expects(finding: &Finding, name: &str) -> bool {
    let mut expected = finding.expected.iter();
    expected.any(|one| {
        let plain = one.split('{').next().unwrap_or_default();
        plain
            .split(['|', ' '])
            .any(|one| is_same_frame(one.trim(), name))
    })
}

/// Whether two names mean the same frame: `response` means every kind of it, such as `response.fork`.
fn is_same_frame(one: &str, other: &str) -> bool {
    let contains = |outer: &str, inner: &str| {
        !outer.is_empty()
            && inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    contains(one, other) || contains(other, one)
}

/// The session of a finding, in a scenario that restarts the agent.
pub(super) fn session(finding: &Finding) -> &str {
    let first = finding.key.split(", ").next().unwrap_or_default();
    if first.starts_with("session ") {
        first
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Difference, Evidence};
    use DifferenceKind::{Absent, Condition, Ended, Malformed, Missing, Unexpected, WrongValue};

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
            expected: expected.iter().map(|one| (*one).to_owned()).collect(),
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
        let step = |at_: u64, pointer: &str| {
            at(pointer, of("scenario.expect", at_, WrongValue, "turn_end"))
        };
        let rule = at("/usage/input", of("p/usage", 7, Condition, ""));
        let schema = at("/usage/input", of("p/schema/turn_end", 4, Missing, ""));
        let slice = Finding {
            key: "msg_id m0".into(),
            ..of("p/envelope", 7, Unexpected, "turn_end")
        };
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
        let absent = Finding {
            key: "msg_id m2".into(),
            ..expecting(&["turn_end"], of("p/envelope", 12, Absent, ""))
        };
        let step = |pointer: &str| at(pointer, of("scenario.expect", 9, WrongValue, "turn_end"));
        assert_eq!(echoes(&[step("/msg_id"), absent.clone()]), [true, false]);
        assert_eq!(echoes(&[step("/usage"), absent]), [false, false]);
    }

    #[test]
    fn a_response_without_its_id_explains_the_response_that_is_missing() {
        let nameless = |at_| {
            let finding = Finding {
                message: "the response has no id".into(),
                clauses: vec!["p.echo".into()],
                ..of("p/id-echoed", at_, Condition, "")
            };
            here("from_agent", r#"{"type":"response"}"#, finding)
        };
        let absent = |id: &str| Finding {
            key: format!("id {id}"),
            clauses: vec!["p.answered".into(), "p.echo".into()],
            ..expecting(&["response"], of("p/answered", 9, Absent, ""))
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
        let absent = |key: &str, event: &str| Finding {
            key: key.into(),
            ..expecting(&[event], of("p/envelope", 9, Absent, ""))
        };
        let step = of("scenario.expect", 7, Absent, "turn_end");
        assert_eq!(
            echoes(&[line.clone(), step, absent("msg_id m1", "turn_end")]),
            [false, true, true]
        );
        for other in [absent("msg_id m2", "turn_end"), absent("msg_id m1", "text")] {
            assert_eq!(echoes(&[line.clone(), other]), [false, false]);
        }
    }

    #[test]
    fn a_step_follows_from_the_rule_that_misses_the_same_frame() {
        let step = of("scenario.expect", 9, Absent, "turn_end");
        let many = ["a", "b", "c", "turn_end"];
        for (rule, echo) in [
            (
                expecting(&["turn_end{/x = 1}"], of("p/envelope", 12, Absent, "")),
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
        let session = Finding {
            key: "session 2, msg_id m1".into(),
            ..rule.clone()
        };
        let host = Finding {
            blame: crate::finding::Blame::Host,
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
        let (first, second) = ("session 1".to_owned(), "session 2".to_owned());
        let root = Finding { key: first, ..root };
        let step = Finding {
            key: second,
            ..of("scenario.expect", 7, WrongValue, "ready")
        };
        assert_eq!(echoes(&[root, step]), [false, false]);
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
}
