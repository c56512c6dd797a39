//! Every step of the scenario language, against small agents.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::{RunResult, TestDir};
use conform_report::Verdict;

/// A scenario that waits for `ready` and then runs these steps.
fn scenario(steps: &str) -> String {
    format!("name: x\nclauses: [aionrs.shutdown.eof]\nsteps:\n{steps}")
}

fn info(text: &str) -> String {
    format!("echo '{{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"{text}\"}}'\n")
}

fn verdict(result: &RunResult) -> Verdict {
    result.only_scenario().verdict
}

const WAIT_FOR_EOF: &str = "cat >/dev/null\n";

#[test]
fn the_nearest_event_to_alternatives_is_shown_and_a_line_that_is_not_an_event_is_not() {
    let steps =
        "  - expect: { $any: [{ type: info, message: five }, { type: info, message: six }] }\n";
    for (line, expected) in [
        (
            info("four"),
            "an event that fits did not come: the nearest event came as {",
        ),
        ("echo null\n".to_owned(), "an event that fits did not come"),
    ] {
        let dir = TestDir::new();
        let body = agent(&[READY, &line, WAIT_FOR_EOF]);
        let result = dir.run_with_short_budgets(&scenario(steps), &body);
        let message = result.message("scenario.expect");
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn a_timeout_lists_the_events_that_came_and_the_nearest_one() {
    let dir = TestDir::new();
    let steps = "  - expect: { type: info, message: five }\n";
    let result = dir.run_with_short_budgets(
        &scenario(steps),
        &agent(&[READY, &info("one"), &info("four"), WAIT_FOR_EOF]),
    );
    assert_eq!(verdict(&result), Verdict::Fail);
    let message = result.message("scenario.expect");
    assert!(message.contains("received: info (2 times)"), "{message}");
    assert!(
        message.contains("`info` came with /message = \"four\" in frame 3, where \"five\" is expected, and no other came"),
        "{message}"
    );
    let finding = &result.only_scenario().findings[0];
    assert_eq!((finding.at, finding.pointer.as_str()), (3, "/message"));
    assert!(
        finding
            .evidence
            .iter()
            .any(|quote| quote.here && quote.frame == 3)
    );
    assert!(
        finding.rerun.contains("--only aionrs@0.1/one"),
        "{}",
        finding.rerun
    );
}

/// What a step found wrong, and where.
fn places(result: &RunResult, rule: &str) -> Vec<(String, String)> {
    let findings = result.only_scenario().findings.iter();
    let of_step = findings.filter(|one| one.rule == rule);
    of_step
        .map(|one| (one.pointer.clone(), one.message.clone()))
        .collect()
}

/// An error that a step expects with another code, and not retryable.
const OVERLOADED: &str = r#"echo '{"type":"error","msg_id":"m1","error":{"code":"protocol_error","message":"x","retryable":false}}'
"#;
const RATE_LIMIT: &str =
    "{ type: error, msg_id: m1, error: { code: provider_error, retryable: true } }";

#[test]
fn every_member_that_a_step_requires_is_named() {
    let expect = format!(
        "{MESSAGE}  - expect: {RATE_LIMIT}
"
    );
    let next = format!(
        "{MESSAGE}  - expect_next: {RATE_LIMIT}
"
    );
    for (steps, rule) in [(expect, "scenario.expect"), (next, "scenario.expect_next")] {
        let dir = TestDir::new();
        let result = dir.run_with_short_budgets(&scenario(&steps), &turn_agent(OVERLOADED));
        let all = places(&result, rule);
        let wrong = ["/error/code", "/error/retryable"];
        let pointers: Vec<&str> = all.iter().map(|(pointer, _)| &**pointer).collect();
        assert_eq!(pointers, wrong, "{result:?}");
        assert!(
            all[1].1.starts_with(
                "`error` came with /error/retryable = false in frame 3, where true is expected"
            ),
            "{all:?}"
        );
    }
}

#[test]
fn for_an_event_of_another_kind_only_the_first_difference_is_reported() {
    let steps = format!(
        "{MESSAGE}{SECOND}  - expect: {}
",
        RATE_LIMIT.replace("m1", "m2")
    );
    let dir = TestDir::new();
    let result = dir.run_with_short_budgets(&scenario(&steps), &turn_agent(OVERLOADED));
    assert_eq!(places(&result, "scenario.expect").len(), 1, "{result:?}");
}

#[test]
fn an_end_after_the_wrong_error_is_reported_with_the_error() {
    let steps = format!(
        "{MESSAGE}  - expect_none: {{ not: {{ type: stream_end }}, until: {RATE_LIMIT} }}
"
    );
    let end = stream("stream_end", "m1");
    for (answer, place, message) in [
        (
            format!("{OVERLOADED}{end}"),
            "/error/code",
            "`error` came with /error/code = \"protocol_error\" in frame 3, where \"provider_error\" is expected, and then `stream_end`, which must not come before `error`",
        ),
        (
            end.clone(),
            "",
            "`stream_end` came, which must not come before `error`",
        ),
    ] {
        let dir = TestDir::new();
        let result = dir.run_with_short_budgets(&scenario(&steps), &turn_agent(&answer));
        let all = places(&result, "scenario.expect_none");
        assert_eq!(all[0], (place.to_owned(), message.to_owned()), "{result:?}");
    }
}

/// An agent that answers each `message` at once with these lines, and a scenario that sends messages.
fn turn_agent(answer: &str) -> String {
    let loop_of = format!("n=0\nwhile read -r line; do\nn=$((n+1))\n{answer}done\n");
    agent(&[READY, &loop_of])
}

const MESSAGE: &str = "  - send: { type: message, msg_id: m1, input: hi }\n";
const SECOND: &str = "  - send: { type: message, msg_id: m2, input: hi }\n";

fn stream(name: &str, id: &str) -> String {
    let usage = r#","usage":{"input_tokens":1,"output_tokens":1}"#;
    let usage = if name == "stream_end" { usage } else { "" };
    format!("echo '{{\"type\":\"{name}\",\"msg_id\":\"{id}\"{usage}}}'\n")
}

#[test]
fn a_step_takes_an_event_that_came_before_one_of_an_earlier_step() {
    let dir = TestDir::new();
    let turn = [
        stream("stream_start", "m1"),
        info("early"),
        info("late"),
        stream("stream_end", "m1"),
    ];
    let agent = turn_agent(&turn.concat());
    for (steps, fits) in [
        (
            "  - expect: { message: late }\n  - expect: { message: early }\n",
            true,
        ),
        (
            "  - expect: { type: stream_end }\n  - unordered: [{ message: late }, { message: early }]\n",
            true,
        ),
        (
            "  - expect: { message: late }\n  - expect: { type: info }\n",
            true,
        ),
        // Each event serves one step.
        (
            "  - expect: { message: early }\n  - expect: { message: early }\n",
            false,
        ),
        (
            "  - unordered: [{ type: info }, { type: info }]\n  - expect: { type: info }\n",
            false,
        ),
        // What must come in an order says so.
        (
            "  - expect: { message: late }\n  - expect_next: { message: early }\n",
            false,
        ),
        (
            "  - expect: { message: early }\n  - expect_next: { message: late }\n",
            true,
        ),
        // A negative is about what follows.
        (
            "  - expect: { message: late }\n  - expect_none: { not: { message: early }, until: { type: stream_end } }\n",
            true,
        ),
        // A barrier with the id of a command may have come already.
        (
            "  - expect: { message: early }\n  - expect_none: { not: { message: x }, until: { type: stream_start, msg_id: m1 } }\n",
            true,
        ),
    ] {
        let result = dir.run_with_short_budgets(&scenario(&[MESSAGE, steps].concat()), &agent);
        let has_failed = result
            .rules()
            .iter()
            .any(|rule| rule.starts_with("scenario."));
        assert_eq!(has_failed, !fits, "{steps}{result:?}");
    }
}

#[test]
fn an_event_of_an_earlier_turn_serves_no_later_one() {
    let dir = TestDir::new();
    let first = [
        stream("stream_start", "m1"),
        info("zero"),
        info("one"),
        stream("stream_end", "m1"),
    ];
    let second = [stream("stream_start", "m2"), info("two")];
    let answer = format!(
        "case $n in 1)\n{};; *)\n{};; esac\n",
        first.concat(),
        second.concat()
    );
    let agent = turn_agent(&answer);
    let rest = "  - expect: { message: one }\n  - pause_reading: 200ms\n";
    for (steps, fits) in [
        ("  - expect: { type: stream_end }\n", false),
        (
            "  - expect: { message: two }\n  - expect: { message: zero }\n",
            false,
        ),
        // Nor does one that no step has looked at, if it ends a turn.
        (
            "  - unordered: [{ message: two }, { type: stream_end }]\n",
            false,
        ),
        (
            "  - expect: { message: two }\n  - expect: { type: stream_end, msg_id: m1 }\n",
            true,
        ),
    ] {
        let steps = [MESSAGE, rest, SECOND, steps].concat();
        let result = dir.run_with_short_budgets(&scenario(&steps), &agent);
        let rules = result.rules();
        let has_failed = rules.iter().any(|rule| rule.starts_with("scenario."));
        assert_eq!(has_failed, !fits, "{steps}{result:?}");
    }
}

#[test]
fn a_missing_event_is_reported_with_one_that_came_too_early() {
    let dir = TestDir::new();
    let first = [
        stream("stream_start", "m1"),
        info("one"),
        stream("stream_end", "m1"),
    ];
    let agent = turn_agent(&format!("case $n in 1)\n{};; esac\n", first.concat()));
    let rest = "  - expect: { message: one }\n  - pause_reading: 200ms\n";
    for (steps, expected) in [
        (
            "  - expect: { type: stream_end }\n",
            "; one that fits came earlier, in frame 5, before the host sent `message`; it was expected behind that; ",
        ),
        (
            "  - expect: { type: info, message: one }\n",
            "; one that fits came earlier, in frame 4, and an earlier step had waited for it; ",
        ),
    ] {
        let steps = [MESSAGE, rest, SECOND, steps].concat();
        let result = dir.run_with_short_budgets(&scenario(&steps), &agent);
        let message = result.message("scenario.expect");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_query_is_sent_again_until_its_answer_matches() {
    let dir = TestDir::new();
    let answer = r#"echo "{\"type\":\"info\",\"msg_id\":\"m1\",\"message\":\"state $n\"}""#;
    let agent = turn_agent(&format!("{answer}\n"));
    for (again, fits) in [("    again: 10ms\n", true), ("", false)] {
        let expect = "  - expect: { type: info, msg_id: m1, message: state 3 }\n";
        let steps = [MESSAGE, expect, again].concat();
        let result = dir.run_with_short_budgets(&scenario(&steps), &agent);
        let rules = result.rules();
        let has_failed = rules.iter().any(|rule| rule.starts_with("scenario."));
        assert_eq!(has_failed, !fits, "{steps}{result:?}");
    }
}

#[test]
fn expect_next_accepts_only_the_very_next_event() {
    let dir = TestDir::new();
    let steps = "  - expect_next: { type: info, message: two }\n";
    let result = dir.run_scenario(
        &scenario(steps),
        &agent(&[READY, &info("one"), &info("two"), WAIT_FOR_EOF]),
    );
    assert!(
        result
            .message("scenario.expect_next")
            .contains("`info` came with"),
        "{result:?}"
    );
    let result = dir.run_scenario(
        &scenario(steps),
        &agent(&[READY, &info("two"), WAIT_FOR_EOF]),
    );
    assert_eq!(verdict(&result), Verdict::Pass, "{result:?}");
}

#[test]
fn unordered_events_may_come_in_any_order_and_each_counts_once() {
    let dir = TestDir::new();
    let steps = "  - unordered: [{ type: info }, { message: two }, { message: one }]\n";
    let all = [
        READY,
        &info("one"),
        &info("two"),
        &info("three"),
        WAIT_FOR_EOF,
    ];
    assert_eq!(
        verdict(&dir.run_scenario(&scenario(steps), &agent(&all))),
        Verdict::Pass
    );
    let result = dir.run_with_short_budgets(
        &scenario(steps),
        &agent(&[READY, &info("two"), &info("one"), WAIT_FOR_EOF]),
    );
    assert_eq!(verdict(&result), Verdict::Fail);
    assert_eq!(
        result.only_scenario().findings[0].expected.len(),
        1,
        "{result:?}"
    );
}

#[test]
fn expect_none_waits_for_its_barrier() {
    let dir = TestDir::new();
    let agent = agent(&[
        READY,
        &info("one"),
        &info("two"),
        "exec >&-\n",
        WAIT_FOR_EOF,
    ]);
    for (until, not, expected) in [
        ("{ message: two }", "three", Verdict::Pass),
        ("{ message: one }", "two", Verdict::Pass),
        ("{ message: two }", "one", Verdict::Fail),
        ("end", "three", Verdict::Pass),
        ("end", "two", Verdict::Fail),
        ("50ms", "three", Verdict::Pass),
    ] {
        let steps = format!("  - expect_none: {{ not: {{ message: {not} }}, until: {until} }}\n");
        let result = dir.run_scenario(&scenario(&steps), &agent);
        assert_eq!(verdict(&result), expected, "{steps}{result:?}");
    }
    let steps = "  - expect_none: { not: { message: three }, until: { message: four } }\n";
    let result = dir.run_with_short_budgets(&scenario(steps), &agent);
    assert_eq!(result.rules(), ["scenario.expect_none"], "{result:?}");
}

#[test]
fn expect_text_joins_the_pieces_until_every_barrier_has_come() {
    let dir = TestDir::new();
    let infos = [info("one"), info(" two"), info("three"), info("four")];
    let lines: Vec<&str> = infos.iter().map(String::as_str).collect();
    let agent = agent(&[&[READY], lines.as_slice(), &[WAIT_FOR_EOF]].concat());
    for (text, until, expected) in [
        ("one two", "[{ message: ' two' }]", Verdict::Pass),
        (
            "one twothree",
            "[{ message: three }, { message: one }]",
            Verdict::Pass,
        ),
        ("one", "[{ message: ' two' }]", Verdict::Fail),
        ("onetwo", "[{ message: ' two' }]", Verdict::Fail),
        ("one two three", "[{ message: three }]", Verdict::Fail),
    ] {
        let steps = format!(
            "  - expect_text: {{ of: {{ type: info }}, at: /message, is: {text}, until: {until} }}\n"
        );
        let result = dir.run_scenario(&scenario(&steps), &agent);
        assert_eq!(verdict(&result), expected, "{steps}{result:?}");
    }
    let steps = "  - expect_text: { of: { type: info }, at: /message, is: x, until: [{ message: five }] }\n";
    let result = dir.run_with_short_budgets(&scenario(steps), &agent);
    assert_eq!(result.rules(), ["scenario.expect_text"], "{result:?}");
}

#[test]
fn answers_are_sent_for_matching_events_during_any_step() {
    let dir = TestDir::new();
    let requests = r#"
ask() { echo "{\"type\":\"tool_request\",\"msg_id\":\"m1\",\"call_id\":\"$1\",\"tool\":{\"name\":\"Bash\",\"category\":\"exec\",\"args\":{},\"description\":\"\"}}"; }
read -r line
echo '{"type":"stream_start","msg_id":"m1"}'
for call in a b c; do
  ask $call
  read -r answer
  case "$answer" in *tool_deny*$call*) ;; *) exit 1 ;; esac
  echo "{\"type\":\"tool_cancelled\",\"msg_id\":\"m1\",\"call_id\":\"$call\",\"reason\":\"no\"}"
done
echo '{"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}'
cat >/dev/null
"#;
    let scenario = TURN.replace(
        "steps:",
        "answers:\n  - { on: { type: tool_request }, capture: { call: /call_id }, send: { type: tool_deny, call_id: \"{call}\", reason: \"no {call}\" } }\nsteps:",
    );
    let result = dir.run_scenario(&scenario, &agent(&[READY, requests]));
    assert!(
        !result
            .rules()
            .iter()
            .any(|rule| rule.starts_with("scenario.")),
        "{result:?}"
    );
    assert_eq!(result.only_scenario().reason, "");
}

#[test]
fn an_invalid_command_after_a_capture_is_an_error_of_the_scenario() {
    let dir = TestDir::new();
    let text = TURN.replace(
        "steps:\n",
        "prelude: false\nsteps:\n  - expect: { type: ready }\n    capture: { caps: /capabilities }\n",
    );
    let result = dir.run_scenario(
        &text.replace("msg_id: m1, input: hi", "msg_id: \"{caps}\", input: hi"),
        &agent(&[READY, TURNS]),
    );
    result.assert_exit(4, "one.yaml:8:5: the command is not a valid `message`");
    assert_eq!(verdict(&result), Verdict::Broken);
}

#[test]
fn a_scenario_is_skipped_if_there_is_nothing_to_capture_and_it_says_so() {
    let dir = TestDir::new();
    let text = TURN.replace(
        "steps:\n",
        "prelude: false\nsteps:\n  - expect: { type: ready }\n    capture: { none: /no/such/member }\n    else_skip: it has none\n",
    );
    let text = text.replace("input: hi", "input: \"{none}\"");
    let result = dir.run_scenario(&text, &agent(&[READY, TURNS]));
    assert_eq!(verdict(&result), Verdict::Skipped);
    assert_eq!(result.only_scenario().reason, "it has none");
}

#[test]
fn bytes_are_sent_unchanged() {
    let dir = TestDir::new();
    let copy = dir.path("copy");
    let steps = "  - send_raw: 'no { json'\n  - send_bytes: ['{\"ty', 'pe\":\"stop\"}', \"\\r\\n\", 'base64:/w==']\n  - close_stdin:\n  - expect_exit: { code: 0 }\n";
    let result = dir.run_with_transcripts(
        &scenario(steps),
        &agent(&[READY, &format!("cat >{}\n", copy.display())]),
    );
    assert_eq!(
        std::fs::read(copy).unwrap(),
        b"no { json\n{\"type\":\"stop\"}\r\n\xff"
    );
    let text = std::fs::read_to_string(&result.only_scenario().transcript).unwrap();
    let sent: Vec<_> = text
        .lines()
        .filter(|line| line.contains("to_agent"))
        .collect();
    assert_eq!(sent.len(), 3, "{text}");
    assert!(
        sent[1].contains("crlf") && sent[2].contains("/w==") && sent[2].contains("none"),
        "{text}"
    );
}

#[test]
fn pause_reading_loses_no_event() {
    let dir = TestDir::new();
    let many_lines = "i=0; while [ $i -lt 3000 ]; do echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"a line that fills the pipe\"}'; i=$((i+1)); done\n";
    let steps = "  - pause_reading: 500ms\n  - expect: { message: last }\n";
    let result = dir.run_scenario(
        &scenario(steps),
        &agent(&[READY, many_lines, &info("last"), WAIT_FOR_EOF]),
    );
    assert_eq!(verdict(&result), Verdict::Pass, "{result:?}");
    assert!(result.only_scenario().frames > 3000);
}

#[test]
fn files_are_written_before_and_checked_after_the_run() {
    let dir = TestDir::new();
    let text = format!(
        "files: {{ in/a.txt: \"in {{workspace}}\\n\" }}\n{}files_after: {{ in/a.txt: absent, b.txt: {{ contains: \"in /\" }}, c.txt: present }}\n",
        scenario("  - close_stdin:\n  - expect_exit: { code: 0 }\n")
    );
    let result = dir.run_scenario(
        &text,
        &agent(&["cp in/a.txt b.txt; rm in/a.txt\n", READY, "cat >c.txt\n"]),
    );
    assert_eq!(verdict(&result), Verdict::Pass, "{result:?}");
    let result = dir.run_scenario(
        &text,
        &agent(&["cp in/a.txt b.txt\n", READY, "cat >/dev/null\n"]),
    );
    assert_eq!(
        result.rules(),
        ["scenario.files_after", "scenario.files_after"],
        "{result:?}"
    );
}

#[test]
fn expect_file_waits_and_leaves_events_to_the_next_steps() {
    let dir = TestDir::new();
    let steps = "  - expect_file: { in/a.txt: { contains: two }, b.txt: absent }\n  - expect_next: { message: before }\n  - close_stdin:\n  - expect_exit: { code: 0 }\n";
    let text = format!("files: {{ b.txt: x }}\n{}", scenario(steps));
    let slow = "mkdir in; echo one >in/a.txt; sleep 0.2; rm b.txt; echo two >>in/a.txt\n";
    let result = dir.run_scenario(&text, &agent(&[READY, &info("before"), slow, WAIT_FOR_EOF]));
    assert_eq!(verdict(&result), Verdict::Pass, "{result:?}");
    let result = dir.run_with_short_budgets(
        &text,
        &agent(&[READY, &info("before"), "mkdir in; rm b.txt\n", WAIT_FOR_EOF]),
    );
    let message = result.message("scenario.expect_file");
    assert!(
        message.starts_with("in/a.txt is not in the workspace, and that did not change "),
        "{message}"
    );
    let result = dir.run_scenario(&text, &agent(&[READY, "rm b.txt\n"]));
    let message = result.message("scenario.expect_file");
    assert!(message.contains("exited with code 0"), "{message}");
}

/// An agent that exits this many seconds after a stop.
fn exits_after_a_stop(seconds: &str) -> String {
    let lines = format!(
        r#"while read -r line; do case "$line" in
*'"message"'*) echo '{{"type":"stream_start","msg_id":"m1"}}' ;;
*'"stop"'*) echo '{{"type":"stream_end","msg_id":"m1","usage":{{"input_tokens":1,"output_tokens":1}}}}'; sleep {seconds}; exit 0 ;;
esac; done
"#
    );
    agent(&[READY, &lines])
}

#[test]
fn an_exit_soon_after_a_stop_is_always_found() {
    let dir = TestDir::new();
    let turn = "  - send: { type: message, msg_id: m1, input: hi }\n  - expect: { type: stream_start }\n  - send: { type: stop }\n  - expect: { type: stream_end }\n";
    for seconds in ["0", "0.05", "0.1"] {
        for rest in ["", "  - close_stdin:\n  - expect_exit: { code: 0 }\n"] {
            let result = dir.run_scenario(
                &scenario(&format!("{turn}{rest}")),
                &exits_after_a_stop(seconds),
            );
            assert_eq!(
                result.rules(),
                ["aionrs/stays-alive"],
                "{seconds} {result:?}"
            );
        }
    }
    let stays_alive = TURNS.replace(
        "esac",
        "*'\"stop\"'*) echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"no\"}' ;;\n  esac",
    );
    let steps = "  - send: { type: stop }\n  - expect: { type: info }\n";
    let result = dir.run_scenario(&scenario(steps), &agent(&[READY, &stays_alive]));
    assert_eq!(verdict(&result), Verdict::Pass, "{result:?}");
}

#[test]
fn a_restart_keeps_home_and_workspace_and_starts_a_new_session() {
    let dir = TestDir::new();
    let steps = "  - restart: { args: [again] }\n  - expect: { type: ready }\n  - expect: { message: again-1-1 }\n";
    let counting = "echo x >>$HOME/h; echo x >>w\n";
    let report = "case \" $* \" in *\" again \"*) echo \"{\\\"type\\\":\\\"info\\\",\\\"msg_id\\\":\\\"\\\",\\\"message\\\":\\\"again-$(($(wc -l <w)-1))-$(($(wc -l <$HOME/h)-1))\\\"}\";; esac\n";
    let result = dir.run_with_transcripts(
        &scenario(steps),
        &agent(&[counting, READY, report, WAIT_FOR_EOF]),
    );
    assert_eq!(verdict(&result), Verdict::Pass, "{result:?}");
    let folder = dir.path("transcripts");
    assert!(folder.join("aionrs@0.1/one.jsonl").exists());
    assert!(folder.join("aionrs@0.1/one.2.jsonl").exists());
}

#[test]
fn the_total_budget_ends_an_agent_that_never_stops_writing() {
    let dir = TestDir::new();
    let text = format!(
        "budgets: {{ total: 3s }}\n{}",
        scenario("  - expect: { message: never }\n")
    );
    let chatty = "while :; do echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"still here\"}'; sleep 0.05; done\n";
    let result = dir.run_scenario(&text, &agent(&[READY, chatty]));
    assert!(
        result
            .message("scenario.expect")
            .contains("within the 3 s of the whole scenario"),
        "{result:?}"
    );
}

#[test]
fn the_idle_budget_restarts_with_every_event() {
    let dir = TestDir::new();
    let text = format!(
        "budgets: {{ response: 1s, idle: 5s }}\n{}",
        scenario("  - expect: { message: last }\n")
    );
    let slow = "for i in 1 2 3 4 5 6; do sleep 0.1; echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"working\"}'; done\n";
    let result = dir.run_scenario(&text, &agent(&[READY, slow, &info("last"), WAIT_FOR_EOF]));
    assert_eq!(verdict(&result), Verdict::Pass, "{result:?}");
}

#[test]
fn a_gate_of_a_later_answer_holds_an_agent_that_was_started_again() {
    let dir = TestDir::new();
    let scenario = dir.file(
        "one.yaml",
        "name: a stop after a restart ends a turn whose model has not answered yet
agent: { args: [--session-id, one] }
model:
  - gate: later
    text: too late
steps:
  - restart: { args: [--session-id, two] }
  - expect: { type: ready }
  - send: { type: message, msg_id: m1, input: hello }
  - expect_request: { last_contains: hello }
  - send: { type: stop }
  - expect_none: { not: { type: text_delta }, until: { type: stream_end, msg_id: m1 } }
  - release: later
",
    );
    let agent = env!("CARGO_BIN_EXE_mock-agent");
    let result = dir.run(&["--dialect", "aionrs@0.1", "--scenarios", &scenario, agent]);
    assert_eq!(result.status, Some(0), "{result:?}");
}
