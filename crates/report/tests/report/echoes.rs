//! Tests of findings that follow from another one, and of findings that do not.

use conform_judge::finding::{
    Blame, Difference, Evidence, Expected, Finding, Level, Origin, Part, SliceValue,
};
use conform_report::causes::{attribute, roots_first};

/// The rule of steps that reports that the agent never asked its model.
const NEVER_ASKED: &str = "scenario.never_asked";

/// A finding from a line: `RULE FRAME KIND [NAME]`, then `/pointer` and `key=value` for the rest; a list is separated by commas.
fn finding(line: &str) -> Finding {
    let mut words = line.split(' ').map(str::to_owned);
    let mut next = || words.next().unwrap_or_default();
    let (rule, frame, kind) = (next(), next(), next());
    let mut finding = Finding {
        clauses: vec![format!("clause of {rule}")],
        rule,
        at: frame.parse().unwrap(),
        difference: Difference::of_kind(serde_json::from_value(kind.into()).unwrap()),
        ..Finding::default()
    };
    for word in words {
        let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        match word.split_once('=') {
            None if word.starts_with('/') => finding.pointer = word,
            None => finding.difference.name = word,
            Some(("expects", frames)) => {
                let frame = |name| Expected::Frame {
                    name,
                    with: Vec::new(),
                };
                finding.expected = list(frames).into_iter().map(frame).collect();
            }
            Some(("members", members)) => finding.facts.members = list(members),
            Some(("texts", texts)) => finding.facts.texts = list(texts),
            Some(("explains", names)) => finding.facts.explains = list(names),
            Some(("clauses", clauses)) => finding.clauses = list(clauses),
            Some(("session", session)) => finding.origin.session = session.parse().unwrap(),
            Some(("schema", name)) => finding.origin = Origin::of_part(Part::Schema(name.into())),
            Some(("level", "may")) => finding.level = Level::May,
            Some(("blame", "host")) => finding.blame = Blame::Host,
            Some(("here", dir)) => finding.evidence.push(Evidence {
                frame: finding.at,
                micros: 1,
                dir: dir.into(),
                text: String::new(),
                here: true,
            }),
            Some((name, value)) => {
                let (name, value) = (name.to_owned(), value.to_owned());
                let mut slice = finding.origin.slice().to_vec();
                slice.push(SliceValue { name, value });
                finding.origin = Origin::of_part(Part::Slice(slice));
            }
        }
    }
    finding
}

/// For each finding whether it is an echo.
fn echoes(findings: &[&str]) -> Vec<bool> {
    let mut findings: Vec<_> = findings.iter().map(|line| finding(line)).collect();
    attribute(&mut findings);
    for finding in findings.iter().filter(|finding| finding.is_echo()) {
        let root = &findings[finding.follows_from.unwrap() - 1];
        assert!(
            !root.is_echo() && root.cause == finding.cause,
            "{finding:?}"
        );
    }
    findings.iter().map(Finding::is_echo).collect()
}

/// Checks pairs of findings, in any order: the second one follows from the first (`=>`), or does not (`=/>`).
fn assert_follows(pairs: &str) {
    for pair in pairs.trim().lines().map(str::trim) {
        let follows = pair.split_once(" => ");
        let echo = follows.is_some();
        let (root, other) = follows.or_else(|| pair.split_once(" =/> ")).unwrap();
        assert_eq!(echoes(&[root, other]), [false, echo], "{pair}");
        assert_eq!(echoes(&[other, root]), [echo, false], "{pair}");
    }
}

#[test]
fn a_step_follows_from_the_rule_that_accuses_the_same_place() {
    assert_follows(
        "
        p/usage 7 condition /usage/input => scenario.expect 7 wrong_value turn_end /usage/input
        p/usage 7 condition /usage/input => scenario.expect 7 wrong_value turn_end /usage
        p/usage 7 condition /usage/input =/> scenario.expect 7 wrong_value turn_end /usage/output
        p/usage 7 condition /usage/input =/> scenario.expect 9 wrong_value turn_end /usage/input
        p/error 7 wrong_value /error/code clauses=a => scenario.expect 7 wrong_value error /error/code clauses=a
        p/error 7 wrong_value /error/code clauses=a =/> scenario.expect 7 wrong_value error /error/retryable clauses=a
        p/error 7 wrong_value /error/code clauses=a,b =/> scenario.expect 7 wrong_value error /error/retryable clauses=a,c
        p/schema/turn_end 4 missing /usage/input schema=turn_end => scenario.expect 9 wrong_value turn_end /usage/input
        p/schema/turn_end 4 missing /usage/input schema=turn_end =/> scenario.expect 9 wrong_value turn_end /usage/output
        p/envelope 7 unexpected turn_end msg_id=m0 => scenario.expect 7 wrong_value turn_end /msg_id
        p/envelope 7 unexpected turn_end msg_id=m0 =/> scenario.expect 7 wrong_value turn_end /text
        p/envelope 7 unexpected turn_end msg_id=m0 =/> scenario.expect 8 wrong_value turn_end /msg_id
        ",
    );
}

#[test]
fn a_forbidden_frame_is_one_mistake_for_the_rule_and_the_step() {
    assert_follows(
        "
        p/envelope 7 unexpected turn_end => scenario.expect_none 7 unexpected
        p/envelope 7 unexpected turn_end =/> scenario.expect_none 8 unexpected
        p/usage 7 condition /usage =/> scenario.expect_none 7 unexpected
        ",
    );
}

#[test]
fn a_rule_explains_what_it_names() {
    assert_follows(
        "
        p/ran 15 condition id=t1 explains=p/cancels => p/cancels 20 absent id=t1
        p/ran 15 condition id=t1 explains=p/cancels => p/cancels 20 absent
        p/ran 15 condition id=t1 explains=p/cancels =/> p/cancels 20 absent id=t2
        p/ran 15 condition id=t1 explains=p/cancels =/> p/other 20 absent id=t1
        p/ran 15 condition explains=p/cancels =/> p/cancels 14 absent
        p/ran 15 condition explains=p/cancels =/> p/cancels 20 absent session=2
        p/ran 15 condition explains=p/cancels =/> p/cancels 20 absent blame=host
        p/ran 15 condition explains=p/cancels level=may =/> p/cancels 20 absent
        p/ran 15 condition explains=@files => scenario.files_after 30 unexpected
        p/ran 15 condition explains=@files => scenario.expect_file 15 missing
        p/ran 15 condition explains=@files => scenario.files_after 3 unexpected session=2
        p/ran 15 condition explains=@files =/> scenario.files_after 14 unexpected
        p/ran 15 condition explains=@files =/> scenario.request 30 missing
        p/ran 15 condition explains=@request => scenario.request 30 missing
        p/ran 15 condition explains=@request => scenario.script 30 unexpected
        p/ran 15 condition explains=cancelled => scenario.expect 30 absent cancelled
        p/ran 15 condition explains=cancelled =/> scenario.expect 30 wrong_value cancelled
        p/ran 15 condition explains=p/ran,@request =/> scenario.expect_exit 30 absent
        ",
    );
    let row = [
        "p/a 1 condition explains=p/b",
        "p/b 2 condition explains=p/c",
        "p/c 3 condition explains=@files",
        "scenario.files_after 4 unexpected",
    ];
    assert_eq!(echoes(&row), [false, true, true, true]);
    let round = [
        "p/a 1 condition explains=p/b",
        "p/b 1 condition explains=p/a",
    ];
    assert_eq!(echoes(&round), [false, false]);
}

#[test]
fn an_event_with_the_id_of_another_turn_is_missing_in_its_own() {
    assert_follows(
        "
        p/envelope 12 absent expects=turn_end msg_id=m2 => scenario.expect 9 wrong_value turn_end /msg_id
        p/envelope 12 absent expects=turn_end msg_id=m2 =/> scenario.expect 9 wrong_value turn_end /usage
        ",
    );
}

#[test]
fn a_response_without_its_id_explains_the_response_that_is_missing() {
    let nameless =
        "p/id-echoed 2 condition members=id clauses=p.echo here=from_agent texts=type,response";
    let a = "p/answered 9 absent expects=response clauses=p.answered,p.echo id=a";
    let b = "p/answered 9 absent expects=response clauses=p.answered,p.echo id=b";
    let steps = [
        "scenario.unordered 2 wrong_value /id",
        "scenario.unordered 2 wrong_value /data",
    ];
    assert_eq!(
        echoes(&[nameless, steps[0], steps[1], a]),
        [false, true, false, true]
    );
    // One frame explains one missing frame.
    assert_eq!(echoes(&[nameless, a, b]), [false, true, false]);
}

#[test]
fn a_line_that_is_not_json_explains_the_event_that_a_rule_misses() {
    let line = "p/json-lines 5 malformed not-json here=from_agent texts=type,turn_end,msg_id,m1";
    let step = "scenario.expect 7 absent turn_end";
    let absent = "p/envelope 9 absent expects=turn_end msg_id=m1";
    assert_eq!(echoes(&[line, step, absent]), [false, true, true]);
    assert_follows(
        "
        p/json-lines 5 malformed not-json here=from_agent texts=type,turn_end,msg_id,m1 =/> p/envelope 9 absent expects=turn_end msg_id=m2
        p/json-lines 5 malformed not-json here=from_agent texts=type,turn_end,msg_id,m1 =/> p/envelope 9 absent expects=text msg_id=m1
        p/json-lines 5 malformed not-json here=from_agent texts=type,run,call_id,t1 => p/calls 9 unexpected done expects=run turn=1 call_id=t1
        p/json-lines 5 malformed not-json here=from_agent texts=type,run,call_id,t1 =/> p/calls 9 unexpected done expects=run turn=1 call_id=t2
        p/json-lines 5 malformed not-json here=from_agent texts=type,run,call_id,t1 =/> p/calls 9 unexpected done expects=ask turn=1 call_id=t1
        p/json-lines 5 malformed not-json here=from_agent texts=type,run =/> p/calls 9 unexpected done expects=run turn=1
        ",
    );
}

#[test]
fn a_step_follows_from_the_rule_that_misses_the_same_frame() {
    assert_follows(
        "
        p/envelope 12 absent expects=turn_end => scenario.expect 9 absent turn_end
        p/envelope 12 absent expects=turn_start =/> scenario.expect 9 absent turn_end
        p/envelope 12 absent expects=a,b,c,turn_end => scenario.expect 9 absent turn_end
        p/order 5 unexpected text expects=turn_end => scenario.expect 9 absent turn_end
        p/order 5 unexpected text expects=a,b,c,turn_end =/> scenario.expect 9 absent turn_end
        p/order 5 unexpected turn_end => scenario.expect 9 absent turn_end
        p/lines 5 malformed not-json here=from_agent texts=log,type,turn_end => scenario.expect 9 absent turn_end
        p/lines 1 malformed not-json here=from_agent texts=starting =/> scenario.expect 9 absent turn_end
        p/usage 5 condition =/> scenario.expect 9 absent turn_end
        ",
    );
}

#[test]
fn a_step_follows_from_the_rule_that_says_how_the_agent_ended() {
    assert_follows(
        "
        p/stays-alive 9 condition /by_itself here=end => scenario.expect 9 ended x
        p/stays-alive 9 condition /by_itself here=end => scenario.send 9 ended
        p/stays-alive 9 condition /code here=end => scenario.expect_exit 9 wrong_value
        p/stays-alive 9 condition /by_itself here=end =/> scenario.expect 9 absent x
        p/stays-alive 9 condition /orphans here=end =/> scenario.expect_exit 9 wrong_value
        ",
    );
}

#[test]
fn a_step_that_checks_only_what_a_rule_found_broken_is_its_echo() {
    assert_follows(
        "
        p/deny 4 condition clauses=a,b => scenario.request 8 wrong_value clauses=a
        p/deny 4 condition clauses=a,b =/> scenario.request 8 wrong_value clauses=a,c
        p/deny 4 condition clauses=a,b =/> scenario.request 8 wrong_value
        ",
    );
}

#[test]
fn a_note_the_other_side_and_another_session_explain_nothing() {
    assert_follows(
        "
        p/envelope 12 absent expects=turn_end level=may =/> scenario.expect 9 absent turn_end
        p/envelope 12 absent expects=turn_end session=2 =/> scenario.expect 9 absent turn_end
        p/envelope 12 absent expects=turn_end blame=host =/> scenario.expect 9 absent turn_end
        ",
    );
}

#[test]
fn a_torn_line_is_one_mistake() {
    let end = "p/line-ends 5 malformed no-final-newline";
    assert_follows(
        "
        p/json-lines 5 malformed not-json => p/line-ends 5 malformed no-final-newline
        p/json-lines 4 malformed not-json =/> p/line-ends 5 malformed no-final-newline
        p/json-lines 5 malformed not-json =/> p/line-ends 5 malformed crlf
        ",
    );
    assert_eq!(echoes(&[end]), [false]);
}

#[test]
fn what_is_missing_after_a_prompt_follows_from_a_model_that_was_never_asked() {
    let root = format!("{NEVER_ASKED} 3 absent");
    for (step, echo) in [
        ("scenario.expect 7 absent tool_request", true),
        ("scenario.expect_text 5 wrong_value text", true),
        ("scenario.expect_none 5 unexpected turn_end", true),
        ("scenario.files_after 9 missing", true),
        ("scenario.request 9 wrong_value", true),
        // Before the prompt, and about the process.
        ("scenario.expect 1 wrong_value ready", false),
        ("scenario.expect 7 ended tool_request", false),
        ("scenario.expect_exit 9 wrong_value", false),
        // What a rule finds wrong in the frames that came is a cause of its own.
        ("p/schema/turn_end 6 missing /usage", false),
        ("p/order 6 unexpected text", false),
    ] {
        assert_eq!(echoes(&[&root, step]), [false, echo], "{step}");
    }
    let (first, second) = (
        format!("{root} session=1"),
        "scenario.expect 7 wrong_value ready session=2",
    );
    assert_eq!(echoes(&[&first, second]), [false, false]);
}

#[test]
fn a_rule_explains_a_step_before_the_model_does() {
    let lines = [
        &format!("{NEVER_ASKED} 3 absent"),
        "scenario.expect 9 absent turn_end",
        "p/envelope 12 absent expects=turn_end",
    ];
    let mut findings = lines.map(finding);
    attribute(&mut findings);
    assert_eq!(findings[1].cause, findings[2].cause);
}

#[test]
fn a_finding_that_follows_from_a_later_one_is_put_behind_it() {
    let lines = [
        "p/other 1 condition",
        "scenario.expect 3 absent stream_end",
        "p/late 4 condition",
        "p/turn 5 absent expects=stream_end",
        "p/end 6 condition",
    ];
    let mut findings: Vec<Finding> = lines.into_iter().map(finding).collect();
    attribute(&mut findings);
    roots_first(&mut findings);
    let order: Vec<_> = findings
        .iter()
        .map(|one| (one.rule.as_str(), one.follows_from))
        .collect();
    let expected = [
        ("p/other", None),
        ("p/late", None),
        ("p/turn", None),
        ("scenario.expect", Some(3)),
        ("p/end", None),
    ];
    assert_eq!(order, expected);
}

#[test]
fn two_faults_in_one_scenario_are_two_causes() {
    let usage = "p/schema/turn_end 4 missing /usage";
    let step = "scenario.expect 9 absent tool_result";
    assert_eq!(echoes(&[usage, step, step]), [false, false, false]);
}

#[test]
fn a_frame_that_came_in_another_slice_explains_one_missing_frame() {
    let wrong = "p/envelope 5 unexpected turn_end";
    let open = "p/envelope 9 absent expects=text,turn_end";
    let step = "scenario.expect 8 absent turn_end";
    assert_eq!(
        echoes(&[wrong, open, open, step]),
        [false, true, false, true]
    );
    let missing = "p/envelope 9 absent expects=turn_end";
    assert_eq!(
        echoes(&["p/envelope 5 unexpected text", missing]),
        [false, false]
    );
}
