//! The steps of the scenario language, played against small agents.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::{Place, Ran};
use conform::report::Verdict;

/// A scenario of these steps, behind the agent's start.
fn scenario(steps: &str) -> String {
    format!(
        "name: x\nclauses: [aionrs.shutdown.eof]\nsteps:\n  - expect: {{ type: ready }}\n{steps}"
    )
}

fn info(text: &str) -> String {
    format!("echo '{{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"{text}\"}}'\n")
}

fn verdict(ran: &Ran) -> Verdict {
    ran.only().verdict
}

const WAIT: &str = "cat >/dev/null\n";

#[test]
fn a_wait_in_vain_says_what_came_and_what_was_nearest() {
    let place = Place::new();
    let steps = "  - expect: { type: info, message: five }\n";
    let ran = place.play_in_vain(
        &scenario(steps),
        &agent(&[READY, &info("one"), &info("four"), WAIT]),
    );
    assert_eq!(verdict(&ran), Verdict::Fail);
    let message = ran.message("scenario.expect");
    assert!(message.contains("did not come"), "{message}");
    assert!(message.contains("what came: info (2 times)"), "{message}");
    assert!(
        message.contains("closest is frame 3, /message: expected \"five\", got \"four\""),
        "{message}"
    );
    let finding = &ran.only().findings[0];
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

#[test]
fn the_next_event_is_the_next_one() {
    let place = Place::new();
    let steps = "  - expect_next: { type: info, message: two }\n";
    let ran = place.play(
        &scenario(steps),
        &agent(&[READY, &info("one"), &info("two"), WAIT]),
    );
    assert!(
        ran.message("scenario.expect_next")
            .contains("the next event is `info`"),
        "{ran:?}"
    );
    let ran = place.play(&scenario(steps), &agent(&[READY, &info("two"), WAIT]));
    assert_eq!(verdict(&ran), Verdict::Pass, "{ran:?}");
}

#[test]
fn unordered_events_come_in_any_order_and_each_counts_once() {
    let place = Place::new();
    let steps = "  - unordered: [{ type: info }, { message: two }, { message: one }]\n";
    let all = [READY, &info("one"), &info("two"), &info("three"), WAIT];
    assert_eq!(
        verdict(&place.play(&scenario(steps), &agent(&all))),
        Verdict::Pass
    );
    let ran = place.play_in_vain(
        &scenario(steps),
        &agent(&[READY, &info("two"), &info("one"), WAIT]),
    );
    assert_eq!(verdict(&ran), Verdict::Fail);
    assert_eq!(ran.only().findings[0].expected.len(), 1, "{ran:?}");
}

#[test]
fn what_must_not_come_is_proved_by_a_barrier() {
    let place = Place::new();
    let agent = agent(&[READY, &info("one"), &info("two"), "exec >&-\n", WAIT]);
    for (until, not, expected) in [
        ("{ message: two }", "three", Verdict::Pass),
        ("{ message: one }", "two", Verdict::Pass),
        ("{ message: two }", "one", Verdict::Fail),
        ("end", "three", Verdict::Pass),
        ("end", "two", Verdict::Fail),
        ("50ms", "three", Verdict::Pass),
    ] {
        let steps = format!("  - expect_none: {{ not: {{ message: {not} }}, until: {until} }}\n");
        let ran = place.play(&scenario(&steps), &agent);
        assert_eq!(verdict(&ran), expected, "{steps}{ran:?}");
    }
    let steps = "  - expect_none: { not: { message: three }, until: { message: four } }\n";
    let ran = place.play_in_vain(&scenario(steps), &agent);
    assert_eq!(ran.rules(), ["scenario.expect_none"], "{ran:?}");
}

#[test]
fn the_pieces_of_a_text_are_joined_until_every_barrier_has_come() {
    let place = Place::new();
    let said = [info("one"), info(" two"), info("three"), info("four")];
    let lines: Vec<&str> = said.iter().map(String::as_str).collect();
    let agent = agent(&[&[READY], lines.as_slice(), &[WAIT]].concat());
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
        let ran = place.play(&scenario(&steps), &agent);
        assert_eq!(verdict(&ran), expected, "{steps}{ran:?}");
    }
    let steps = "  - expect_text: { of: { type: info }, at: /message, is: x, until: [{ message: five }] }\n";
    let ran = place.play_in_vain(&scenario(steps), &agent);
    assert_eq!(ran.rules(), ["scenario.expect_text"], "{ran:?}");
}

#[test]
fn answers_are_sent_as_events_come_whatever_the_step() {
    let place = Place::new();
    let asking = r#"
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
    let ran = place.play(&scenario, &agent(&[READY, asking]));
    assert!(
        !ran.rules().iter().any(|rule| rule.starts_with("scenario.")),
        "{ran:?}"
    );
    assert_eq!(ran.only().reason, "");
}

#[test]
fn a_command_that_turns_out_wrong_is_nobody_s_fault_but_the_scenario_s() {
    let place = Place::new();
    let text = TURN.replace(
        "- expect: { type: ready }",
        "- expect: { type: ready }\n    capture: { caps: /capabilities }",
    );
    let ran = place.play(
        &text.replace("msg_id: m1, input: hi", "msg_id: \"{caps}\", input: hi"),
        &agent(&[READY, TURNS]),
    );
    ran.ends_with(4, "one.yaml:7:5: what is sent is no right `message`");
    assert_eq!(verdict(&ran), Verdict::Broken);
}

#[test]
fn bytes_are_sent_as_they_are() {
    let place = Place::new();
    let copy = place.path("copy");
    let steps = "  - send_raw: 'no { json'\n  - send_bytes: ['{\"ty', 'pe\":\"stop\"}', \"\\r\\n\", 'base64:/w==']\n  - close_stdin:\n  - expect_exit: { code: 0 }\n";
    let ran = place.play_and_keep(
        &scenario(steps),
        &agent(&[READY, &format!("cat >{}\n", copy.display())]),
    );
    assert_eq!(
        std::fs::read(copy).unwrap(),
        b"no { json\n{\"type\":\"stop\"}\r\n\xff"
    );
    let text = std::fs::read_to_string(&ran.only().transcript).unwrap();
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
fn a_reader_that_pauses_loses_nothing() {
    let place = Place::new();
    let much = "i=0; while [ $i -lt 3000 ]; do echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"a line that fills the pipe\"}'; i=$((i+1)); done\n";
    let steps = "  - pause_reading: 500ms\n  - expect: { message: last }\n";
    let ran = place.play(
        &scenario(steps),
        &agent(&[READY, much, &info("last"), WAIT]),
    );
    assert_eq!(verdict(&ran), Verdict::Pass, "{ran:?}");
    assert!(ran.only().frames > 3000);
}

#[test]
fn files_are_there_before_and_looked_at_after() {
    let place = Place::new();
    let text = format!(
        "files: {{ in/a.txt: \"in {{workspace}}\\n\" }}\n{}files_after: {{ in/a.txt: absent, b.txt: {{ contains: \"in /\" }}, c.txt: present }}\n",
        scenario("  - close_stdin:\n  - expect_exit: { code: 0 }\n")
    );
    let ran = place.play(
        &text,
        &agent(&["cp in/a.txt b.txt; rm in/a.txt\n", READY, "cat >c.txt\n"]),
    );
    assert_eq!(verdict(&ran), Verdict::Pass, "{ran:?}");
    let ran = place.play(
        &text,
        &agent(&["cp in/a.txt b.txt\n", READY, "cat >/dev/null\n"]),
    );
    assert_eq!(
        ran.rules(),
        ["scenario.files_after", "scenario.files_after"],
        "{ran:?}"
    );
}

#[test]
fn a_file_is_waited_for_and_events_that_come_meanwhile_are_left_to_the_next_steps() {
    let place = Place::new();
    let steps = "  - expect_file: { in/a.txt: { contains: two }, b.txt: absent }\n  - expect_next: { message: before }\n  - close_stdin:\n  - expect_exit: { code: 0 }\n";
    let text = format!("files: {{ b.txt: x }}\n{}", scenario(steps));
    let slow = "mkdir in; echo one >in/a.txt; sleep 0.2; rm b.txt; echo two >>in/a.txt\n";
    let ran = place.play(&text, &agent(&[READY, &info("before"), slow, WAIT]));
    assert_eq!(verdict(&ran), Verdict::Pass, "{ran:?}");
    let ran = place.play_in_vain(
        &text,
        &agent(&[READY, &info("before"), "mkdir in; rm b.txt\n", WAIT]),
    );
    let message = ran.message("scenario.expect_file");
    assert!(
        message.contains("what came: info; in/a.txt is not there"),
        "{message}"
    );
    let ran = place.play(&text, &agent(&[READY, "rm b.txt\n"]));
    let message = ran.message("scenario.expect_file");
    assert!(message.contains("exited with code 0"), "{message}");
}

/// An agent that ends so many seconds after it was stopped.
fn ends_after_a_stop(seconds: &str) -> String {
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
fn an_agent_that_ends_soon_after_a_stop_is_seen_in_every_play() {
    let place = Place::new();
    let turn = "  - send: { type: message, msg_id: m1, input: hi }\n  - expect: { type: stream_start }\n  - send: { type: stop }\n  - expect: { type: stream_end }\n";
    for seconds in ["0", "0.05", "0.1"] {
        for rest in ["", "  - close_stdin:\n  - expect_exit: { code: 0 }\n"] {
            let ran = place.play(
                &scenario(&format!("{turn}{rest}")),
                &ends_after_a_stop(seconds),
            );
            assert_eq!(ran.rules(), ["aionrs/stays-alive"], "{seconds} {ran:?}");
        }
    }
    let lives = TURNS.replace(
        "esac",
        "*'\"stop\"'*) echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"no\"}' ;;\n  esac",
    );
    let steps = "  - send: { type: stop }\n  - expect: { type: info }\n";
    let ran = place.play(&scenario(steps), &agent(&[READY, &lives]));
    assert_eq!(verdict(&ran), Verdict::Pass, "{ran:?}");
}

#[test]
fn a_restart_keeps_home_and_workspace_and_is_a_session_of_its_own() {
    let place = Place::new();
    let steps = "  - restart: { args: [again] }\n  - expect: { type: ready }\n  - expect: { message: again-1-1 }\n";
    let counting = "echo x >>$HOME/h; echo x >>w\n";
    let tell = "[ \"$1\" = again ] && echo \"{\\\"type\\\":\\\"info\\\",\\\"msg_id\\\":\\\"\\\",\\\"message\\\":\\\"again-$(($(wc -l <w)-1))-$(($(wc -l <$HOME/h)-1))\\\"}\"\n";
    let ran = place.play_and_keep(&scenario(steps), &agent(&[counting, READY, tell, WAIT]));
    assert_eq!(verdict(&ran), Verdict::Pass, "{ran:?}");
    let folder = place.path("transcripts");
    assert!(folder.join("aionrs@0.1/one.jsonl").exists());
    assert!(folder.join("aionrs@0.1/one.2.jsonl").exists());
}

#[test]
fn the_whole_budget_ends_an_agent_that_never_stops_talking() {
    let place = Place::new();
    let text = format!(
        "budgets: {{ total: 3s }}\n{}",
        scenario("  - expect: { message: never }\n")
    );
    let chatty = "while :; do echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"still here\"}'; sleep 0.05; done\n";
    let ran = place.play(&text, &agent(&[READY, chatty]));
    assert!(
        ran.message("scenario.expect")
            .contains("before the whole scenario's 3 s were over"),
        "{ran:?}"
    );
}

#[test]
fn a_chatty_agent_is_waited_for_and_a_silent_one_is_not() {
    let place = Place::new();
    let text = format!(
        "budgets: {{ response: 1s, idle: 5s }}\n{}",
        scenario("  - expect: { message: last }\n")
    );
    let slow = "for i in 1 2 3 4 5 6; do sleep 0.1; echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"working\"}'; done\n";
    let ran = place.play(&text, &agent(&[READY, slow, &info("last"), WAIT]));
    assert_eq!(verdict(&ran), Verdict::Pass, "{ran:?}");
}
