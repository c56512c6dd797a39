//! The rules of aionrs@0.1 and 0.2: for each, a history that breaks it and a similar one that does not.

mod settings;

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::frame::Frame;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

static DIALECT: LazyLock<Arc<Dialect>> =
    LazyLock::new(|| load(&DialectSource::default(), "aionrs@0.1").unwrap());

/// Expands the shorthand of these tests into a frame: `start m1`, `text m1 hi`, `ask m1 t1 Write edit`, `run m1 t1 Write`, `> msg m1 hi`, …
fn frame(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let word = |n: usize| words.get(n).copied().unwrap_or_default();
    let rest = |n: usize| words.get(n..).unwrap_or_default().join(" ");
    let event = match word(0) {
        "ready" => {
            json!({"type": "ready", "version": "0.1.0", "session_id": "s1", "capabilities": {"tool_approval": true, "thinking": true, "mcp": true}})
        }
        "start" => json!({"type": "stream_start", "msg_id": word(1)}),
        "text" => json!({"type": "text_delta", "msg_id": word(1), "text": rest(2)}),
        "ask" => {
            json!({"type": "tool_request", "msg_id": word(1), "call_id": word(2), "tool": {"name": word(3), "category": word(4), "args": {}, "description": "d"}})
        }
        "run" => {
            json!({"type": "tool_running", "msg_id": word(1), "call_id": word(2), "tool_name": word(3)})
        }
        "result" => {
            json!({"type": "tool_result", "msg_id": word(1), "call_id": word(2), "tool_name": word(3), "status": "success", "output": "o", "output_type": "text"})
        }
        "cancel" => {
            json!({"type": "tool_cancelled", "msg_id": word(1), "call_id": word(2), "reason": "r"})
        }
        "end" if word(1).starts_with('m') => {
            json!({"type": "stream_end", "msg_id": word(1), "usage": {"input_tokens": 1, "output_tokens": 1}})
        }
        "error" => {
            json!({"type": "error", "msg_id": match word(1) { "-" => Value::Null, id => json!(id) }, "error": {"code": word(2), "message": "x", "retryable": false}})
        }
        "info" => json!({"type": "info", "msg_id": "", "message": "i"}),
        ">" => {
            let command = match word(1) {
                "msg" => json!({"type": "message", "msg_id": word(2), "input": rest(3)}),
                "approve" => json!({"type": "tool_approve", "call_id": word(2), "scope": word(3)}),
                "deny" => json!({"type": "tool_deny", "call_id": word(2), "reason": rest(3)}),
                "mode" => json!({"type": "set_mode", "mode": word(2)}),
                "stop" => json!({"type": "stop"}),
                "history" => json!({"type": "init_history", "text": rest(2)}),
                _ => return line.to_owned(),
            };
            return format!("> {command}");
        }
        _ => return line.to_owned(),
    };
    format!("< {event}")
}

fn frames(script: &str) -> Vec<Frame> {
    let lines: Vec<_> = script
        .split(';')
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(frame)
        .collect();
    crate::history::frames(&lines.join("\n"))
}

fn check(script: &str, flags: &[&str]) -> Vec<String> {
    check_with(&DIALECT, script, flags)
}

fn check_with(dialect: &Arc<Dialect>, script: &str, flags: &[&str]) -> Vec<String> {
    let argv = std::iter::once("agent").chain(flags.iter().copied());
    let context = CheckOptions {
        argv: Some(argv.map(str::to_owned).collect()),
        ..CheckOptions::default()
    };
    let mut checker = Checker::new(Arc::clone(dialect), context);
    frames(script).iter().for_each(|frame| checker.push(frame));
    let findings = checker.finish().findings;
    findings
        .iter()
        .map(|f| format!("{}@{}", f.rule.trim_start_matches("aionrs/"), f.at))
        .collect()
}

fn assert_findings(script: &str, expected: &[&str]) {
    assert_eq!(check(script, &[]), expected, "{script}");
}

fn assert_clean(script: &str) {
    assert_findings(script, &[]);
}

static DIALECT_0_2: LazyLock<Arc<Dialect>> =
    LazyLock::new(|| load(&DialectSource::default(), "aionrs@0.2").unwrap());

/// An event of 0.2 with capabilities: this mode and this image input.
fn capabilities_event(event: &str, mode: &str, images: &str) -> String {
    let capabilities = json!({
        "tool_approval": true, "thinking": true, "mcp": false, "effort": false, "effort_levels": [],
        "modes": ["default", "auto_edit", "yolo"], "current_mode": mode, "image_input": images,
    });
    let mut frame = json!({ "type": event, "capabilities": capabilities });
    if event == "ready" {
        frame["version"] = json!("0.2.0");
    }
    format!("< {frame}")
}

fn assert_findings_0_2(script: &str, expected: &[&str]) {
    let script = format!(
        "{}; {script}",
        capabilities_event("ready", "default", "unknown")
    );
    assert_eq!(check_with(&DIALECT_0_2, &script, &[]), expected, "{script}");
}

const CALL: &str = "ready; > msg m1 hi; start m1; request {\"m\":\"hi\"}; ask m1 t1 Write edit";

#[test]
fn a_complete_session_has_no_finding() {
    assert_clean(
        "ready; > msg m1 hi; start m1; text m1 yo; end m1; > msg m2 b; start m2; info; end m2; stdin_closed; end 0",
    );
    assert_clean(&format!(
        "{CALL}; > approve t1 once; run m1 t1 Write; result m1 t1 Write; request {{}}; text m1 ok; end m1"
    ));
}

#[test]
fn ready_comes_first_and_once() {
    assert_findings("ready; ready", &["ready-once@2"]);
    assert_findings("info; ready", &["ready-first@1"]);
    assert_findings(
        "> msg m1 a; start m1; ready",
        &["host-waits-for-ready@1", "ready-before-turns@2"],
    );
    assert_findings("end 1", &["startup-failure-told@1"]);
    assert_findings("error - config_error; end 0", &["startup-failure-told@2"]);
    assert_clean("error - config_error; end 1");
    assert_clean("stdin_closed; end 0");
}

#[test]
fn flags_set_the_session_and_the_mode() {
    assert_eq!(
        check("ready", &["--session-id", "other"]),
        ["session-id-flag@1"]
    );
    assert_eq!(check("ready", &["--resume=other"]), ["resume-id@1"]);
    assert!(check("ready", &["--session-id", "s1"]).is_empty());
    assert!(check("ready", &["--resume", "latest"]).is_empty());
    let both = ["--session-id", "other", "--resume", "another"];
    assert!(check("ready", &both).is_empty());
    let yolo = format!("{CALL}; > approve t1 once");
    assert_eq!(check(&yolo, &["--auto-approve"]), ["yolo-asks-nothing@5"]);
}

#[test]
fn turns_are_complete_and_sequential() {
    assert_findings(
        "ready; > msg m1 a; start m1; text m1 x; text m2 y; end m1",
        &["turn-envelope@5"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; end m1; text m1 y",
        &["turn-envelope@5"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; end m1; end m1",
        &["turn-envelope@5"],
    );
    assert_findings(
        "ready; > msg m1 a; text m1 x; start m1; end m1",
        &["turn-envelope@3"],
    );
    assert_findings("ready; start m9; end m9", &["turn-has-message@2"]);
    assert_findings(
        "ready; > msg m1 a; start m1; end m1; > msg m1 b",
        &["message-id-unique@5"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; > msg m2 b; start m2; end m2",
        &["one-turn-at-a-time@5"],
    );
    assert_findings(
        "ready; > msg m1 a; end killed budget:response",
        &["message-answered@3"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; end killed budget:response",
        &["turn-envelope@4"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; stdin_closed; end 0",
        &["turn-open-at-end@5"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; error m7 provider_error; end m1",
        &["error-msg-id@4"],
    );
    assert_clean(
        "ready; > msg m1 a; start m1; error m1 provider_error; > msg m2 b; start m2; end m2",
    );
    assert_findings(
        "ready; > msg m1 a; start m1; error - provider_error; end m1",
        &["turn-error-msg-id@4"],
    );
    assert_clean("ready; > msg m1 a; start m1; error - internal_error; end m1");
}

#[test]
fn tool_calls_follow_their_lifecycle() {
    assert_findings(
        &format!("{CALL}; run m1 t1 Write"),
        &["approval-before-run@6"],
    );
    assert_findings(
        &format!("{CALL}; > deny t1 no; run m1 t1 Write"),
        &["approval-before-run@7"],
    );
    assert_findings(
        &format!("{CALL}; > approve t1 once; run m1 t1 Write; end m1"),
        &["tool-lifecycle@8"],
    );
    assert_findings(
        &format!("{CALL}; > approve t1 once; result m1 t1 Write"),
        &["tool-lifecycle@7"],
    );
    assert_findings(
        &format!("{CALL}; > approve t1 once; end m1"),
        &["approval-runs@7", "tool-lifecycle@7"],
    );
    assert_findings(
        &format!("{CALL}; > approve t1 once; run m1 t1 Edit; result m1 t1 Edit"),
        &["tool-name-agrees@7", "edit-gives-diff@8"],
    );
    assert_findings(
        &format!(
            "{CALL}; > approve t1 once; run m1 t1 Write; result m1 t1 Write; ask m1 t1 Write edit"
        ),
        &["call-id-unique@9"],
    );
    assert_findings(&format!("{CALL}; > approve t7 once"), &["answers-match@6"]);
    assert_findings(
        "ready; > msg m1 a; start m1; ask m1 t1 Bash info",
        &["category-of-builtin@4"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; run m1 t1 Bash; result m1 t1 Bash; end m1",
        &["asks-before-change@4"],
    );
    assert_clean("ready; > msg m1 a; start m1; run m1 t1 Read; result m1 t1 Read; end m1");
    assert_clean(&format!("{CALL}; > stop; end m1"));
}

#[test]
fn a_resumed_session_may_have_a_mode_and_allowed_categories_from_before() {
    let unasked = "ready; > msg m1 a; start m1; run m1 t1 Write; result m1 t1 Write; end m1";
    let rules = |flags: &[&str]| {
        let mut found = check(unasked, flags);
        found.retain(|rule| rule.starts_with("asks-"));
        found
    };
    assert_eq!(rules(&["--resume", "s1"]), Vec::<String>::new());
    assert_eq!(rules(&[]), ["asks-before-change@4"]);
}

#[test]
fn a_denial_cancels_the_call_and_reaches_the_model() {
    assert_findings(
        &format!("{CALL}; > deny t1 no; end m1"),
        &["deny-cancels@7", "deny-continues@7", "tool-lifecycle@7"],
    );
    assert_findings(
        &format!("{CALL}; > deny t1 NO; cancel m1 t1; end m1"),
        &["deny-continues@8"],
    );
    assert_findings(
        &format!("{CALL}; > deny t1 NO; cancel m1 t1; request {{\"a\":\"b\"}}; end m1"),
        &["deny-reason-fed-back@9"],
    );
    assert_clean(&format!(
        "{CALL}; > deny t1 NO; cancel m1 t1; request {{\"a\":\"no: NO!\"}}; end m1"
    ));
}

#[test]
fn modes_decide_which_calls_need_approval() {
    let yolo = "ready; > mode yolo; > msg m1 a; start m1";
    assert_findings(
        &format!("{yolo}; ask m1 t1 Bash exec"),
        &["yolo-asks-nothing@5"],
    );
    assert_clean(&format!(
        "{yolo}; run m1 t1 Bash; result m1 t1 Bash; end m1"
    ));
    assert_clean("ready; > msg m1 a; > mode yolo; start m1; ask m1 t1 Bash exec");
    let denied = format!("{CALL}; > mode yolo; > deny t1 no");
    assert_findings(
        &format!("{denied}; run m1 t1 Write"),
        &["mode-answers-nothing@8"],
    );
    assert_findings(
        &format!("{denied}; cancel m1 t1; run m1 t1 Write"),
        &["approval-before-run@9"],
    );
    let auto = "ready; > mode auto_edit; > msg m1 a; start m1";
    assert_findings(
        &format!("{auto}; ask m1 t1 Write edit"),
        &["auto-edit-asks-less@5"],
    );
    assert_clean(&format!("{auto}; ask m1 t1 Bash exec"));
}

#[test]
fn scope_always_allows_the_category() {
    let done = "> approve t1 always; run m1 t1 Write; result m1 t1 Write";
    assert_findings(
        &format!("{CALL}; {done}; request {{}}; ask m1 t2 Write edit"),
        &["always-allows@10"],
    );
    assert_findings(
        &format!("{CALL}; {done}; request {{}}; ask m1 t2 Edit edit"),
        &["always-allows-category@10"],
    );
    // The agent has shown that it processed the permission, so the permission applies at once.
    assert_findings(
        &format!("{CALL}; {done}; ask m1 t2 Write edit"),
        &["always-allows@9"],
    );
    // The request for the next call of the same reply may already be in the pipe.
    assert_clean(&format!(
        "{CALL}; > approve t1 always; run m1 t1 Write; ask m1 t2 Write edit; result m1 t1 Write; > approve t2 once; run m1 t2 Write; result m1 t2 Write"
    ));
    // A call that ran without a request shows that the permission is known.
    assert_findings(
        &format!(
            "{CALL}; > approve t1 always; run m1 t1 Write; run m1 t2 Write; ask m1 t3 Write edit"
        ),
        &["always-allows@9"],
    );
    // A call with an open request is not requested again, and may run by the permission for the other call.
    let both = "ask m1 t2 Write edit; > approve t1 always; run m1 t1 Write; run m1 t2 Write";
    assert_clean(&format!(
        "{CALL}; {both}; result m1 t1 Write; result m1 t2 Write"
    ));
    // A denial may come too late for a call that is already allowed.
    let crossed = "ask m1 t2 Write edit; > approve t1 always; > deny t2 no; run m1 t1 Write; run m1 t2 Write; result m1 t1 Write; result m1 t2 Write; request {}; end m1";
    assert_clean(&format!("{CALL}; {crossed}"));
    assert_clean(&format!(
        "{CALL}; {done}; request {{}}; ask m1 t2 Bash exec"
    ));
    // The agent refuses an approval of a call that was answered before, or whose turn was stopped.
    for late in ["approve t1 once", "deny t1 no"] {
        let late =
            format!("{CALL}; > {late}; > approve t1 always; run m1 t1 Write; result m1 t1 Write");
        let found = check(&format!("{late}; request {{}}; ask m1 t2 Write edit"), &[]);
        assert!(
            !found.iter().any(|one| one.starts_with("always-allows")),
            "{found:?}"
        );
    }
    assert_clean(&format!(
        "{CALL}; > stop; > approve t1 always; cancel m1 t1; end m1; > msg m2 b; start m2; request {{}}; ask m2 t2 Write edit"
    ));
    // The result of another call does not show that the agent has read the approval.
    assert_clean(
        "ready; > msg m1 hi; start m1; request {\"m\":\"hi\"}; run m1 t0 Read; ask m1 t1 Write edit; > approve t1 always; result m1 t0 Read; ask m1 t2 Write edit",
    );
    let once = "> approve t1 once; run m1 t1 Write; result m1 t1 Write";
    assert_findings(
        &format!("{CALL}; {once}; request {{}}; run m1 t2 Write; result m1 t2 Write"),
        &["asks-again@10"],
    );
}

#[test]
fn a_stop_ends_the_turn_and_not_the_process() {
    let streaming = "ready; > msg m1 a; start m1; text m1 x; > stop";
    assert_clean(&format!("{streaming}; text m1 y; end m1"));
    assert_findings(
        &format!("{streaming}; stdin_closed; end 0"),
        &["stop-ends-turn@7"],
    );
    assert_findings(
        &format!("{streaming}; end 0"),
        &["stays-alive@6", "stop-ends-turn@6"],
    );
    assert_findings(
        &format!("{streaming}; > msg m2 b; start m2; end m2"),
        &["one-turn-at-a-time@7", "stop-ends-turn@7"],
    );
}

#[test]
fn a_skill_can_allow_tools() {
    let asked = "ready; > msg m1 a; start m1; ask m1 t1 Write edit; > approve t1 once; run m1 t1 Write; result m1 t1 Write; request {\"a\":\"a\"}";
    assert_findings(
        &format!("{asked}; run m1 t2 Write; result m1 t2 Write; end m1"),
        &["asks-again@9"],
    );
    assert_clean(&format!(
        "{asked}; run m1 t2 Skill; result m1 t2 Skill; request {{}}; run m1 t3 Write; result m1 t3 Write; end m1"
    ));
}

#[test]
fn a_kill_counts_if_the_agent_had_enough_time() {
    let waiting = "ready; > msg m1 a; start m1; ask m1 t1 Write edit; 1000000 stdin_closed";
    assert_findings(
        &format!("{waiting}; 3000000 end killed patience"),
        &["request-answered@5", "eof-exits@6"],
    );
    assert_findings(
        &format!("{waiting}; 1000100 end killed patience"),
        &["request-answered@5"],
    );
}

#[test]
fn messages_and_history_reach_the_model() {
    assert_findings(
        "ready; > msg m1 LOOK; start m1; request {\"a\":\"b\"}; end m1",
        &["input-reaches-model@5"],
    );
    assert_findings(
        "ready; > history OLD; > msg m1 x; start m1; request {\"a\":\"x\"}; end m1",
        &["history-reaches-model@6"],
    );
    assert_clean(
        "ready; > msg m1 LOOK; stdin_closed; start m1; request {\"a\":\"b\"}; end m1; end 0",
    );
    assert_findings(
        "ready; > msg m1 LOOK; stdin_closed; start m1; end 0",
        &["turn-open-at-end@5"],
    );
    assert_findings("ready; > msg m1 x; > history OLD", &["history-first@3"]);
    assert_clean("ready; > history OLD; > msg m1 x; start m1; request {\"a\":\"OLD x\"}; end m1");
}

#[test]
fn a_turn_asks_the_model() {
    let first = "ready; > msg m1 one; start m1; request {\"a\":\"one\"}; reply 200; end m1";
    let second = |turn: &str| format!("{first}; > msg m2 two; start m2; {turn}");
    assert_findings(&second("text m2 Hi; end m2"), &["input-reaches-model@10"]);
    // A stop may come before the model was asked.
    assert_clean(&format!("{first}; > msg m2 two; > stop; start m2; end m2"));
    assert_findings(
        &format!("{first}; > stop; > msg m2 two; start m2; end m2"),
        &["input-reaches-model@10"],
    );
    assert_findings(
        &second("error m2 provider_error; end m2"),
        &["failure-asked@9"],
    );
    assert_clean(&second(
        "request {\"a\":\"two\"}; reply 500; error m2 provider_error",
    ));
    assert_clean(&second("error m2 internal_error; end m2"));
    // The requests are not recorded, one came before the turn, or the model has just failed.
    assert_clean("ready; > msg m1 one; start m1; text m1 Hi; end m1");
    assert_clean(&format!(
        "{first}; > msg m2 two; request {{\"a\":\"two\"}}; start m2; end m2"
    ));
    let unwell = format!(
        "{first}; > msg m2 two; start m2; request {{\"a\":\"two\"}}; reply 429; error m2 provider_error; end m2"
    );
    assert_findings(
        &format!("{unwell}; > msg m3 three; start m3; error m3 provider_error; end m3"),
        &["failure-asked-again@15"],
    );
}

#[test]
fn the_error_of_a_bad_command_may_name_the_turn_that_still_runs() {
    let bad = "> {nonsense; error - protocol_error; > {nonsense; error m1 protocol_error";
    assert_findings(
        &format!("ready; > msg m1 a; start m1; {bad}; end m1"),
        &["json-lines-in@4", "json-lines-in@6"],
    );
    assert_findings(
        &format!("ready; > msg m1 a; start m1; end m1; {bad}"),
        &[
            "json-lines-in@5",
            "json-lines-in@7",
            "protocol-error-no-message@8",
        ],
    );
}

#[test]
fn each_line_that_is_not_a_command_has_its_own_error() {
    let lines = "ready; > {nonsense; > {\"type\":\"nonsense\"}; error - protocol_error";
    assert_findings(
        &format!("{lines}; stdin_closed; end 0"),
        &[
            "json-lines-in@2",
            "commands-only@3",
            "bad-command-answered@6",
        ],
    );
    assert_findings(
        &format!("{lines}; error - protocol_error; stdin_closed; end 0"),
        &["json-lines-in@2", "commands-only@3"],
    );
}

#[test]
fn errors_have_the_right_code_and_message_id() {
    assert_findings(
        "ready; > {nonsense; stdin_closed; end 0",
        &["json-lines-in@2", "bad-command-answered@4"],
    );
    assert_findings(
        "ready; > {\"type\":\"nonsense\"}; error - internal_error; end 1",
        &["commands-only@2", "bad-command-answered@4"],
    );
    assert_findings(
        "ready; > {nonsense; error - protocol_error; stdin_closed; end 0",
        &["json-lines-in@2"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; error m1 engine_error; end m1",
        &["schema/error@4"],
    );
    assert_findings(
        "ready; > msg m1 a; start m1; reply 500; end m1",
        &["provider-failure-told@5"],
    );
    assert_clean("ready; > msg m1 a; start m1; reply 500; error m1 provider_error; end m1");
}

#[test]
fn the_process_exits_on_request_only() {
    assert_findings("ready; end 0", &["stays-alive@2"]);
    assert_findings("ready; end signalled 11", &["stays-alive@2"]);
    assert_findings(
        "ready; stdin_closed; end killed budget:exit",
        &["eof-exits@3"],
    );
    assert_findings(
        "ready; signal SIGTERM; end killed budget:exit",
        &["sigterm-exits@3"],
    );
    assert_findings("ready; stdin_closed; end 7", &["eof-exit-code@3"]);
    assert_clean("ready; signal SIGTERM; end signalled 15");
    assert_clean("ready; end killed interrupted");
}

#[test]
fn lines_are_clean_json_objects() {
    assert_findings("ready; < noise", &["json-lines@2"]);
    assert_findings("ready; < {\"a\":1}", &["discriminator@2"]);
    assert_findings("ready; < ", &["clean-lines@2"]);
    assert_findings("ready; < {\"type\":\"pong\"}", &["unknown-event@2"]);
    assert_findings(
        "ready; < {\"type\":\"info\",\"msg_id\":\"\",\"message\":\"a\",\"message\":\"b\"}",
        &["clean-lines@2"],
    );
}

#[test]
fn a_command_that_is_not_utf8_may_be_accepted_or_refused() {
    let odd = "ready; >b64 eyJ0eXBlIjoibWVzc2FnZSIsIm1zZ19pZCI6Im0xIiwiaW5wdXQiOiLkIn0=";
    for answer in ["start m1; text m1 x; end m1", "error m1 protocol_error", ""] {
        assert_findings(&format!("{odd}; {answer}"), &["utf8-in@2"]);
    }
    assert_findings(
        "ready; > msg m1 a; start m1; end m1; start m2; end m2",
        &["turn-has-message@5"],
    );
}

#[test]
fn a_stop_may_cross_a_provider_error() {
    let failing = "ready; > msg m1 a; start m1; request {\"m\":\"a\"}; reply 529; > stop";
    assert_clean(&format!(
        "{failing}; error m1 provider_error; stdin_closed; end 0"
    ));
    let whole = "ready; > msg m1 a; start m1; request {\"m\":\"a\"}; text m1 x; > stop";
    assert_findings(
        &format!("{whole}; error m1 provider_error; stdin_closed; end 0"),
        &["stop-ends-turn@9"],
    );
}

#[test]
fn a_provider_failure_is_reported() {
    let failing = "ready; > msg m1 a; start m1; request {\"m\":\"a\"}; reply 400";
    assert_clean(&format!("{failing}; error m1 provider_error; end m1"));
    assert_findings(&format!("{failing}; end m1"), &["provider-failure-told@6"]);
}

#[test]
fn what_the_changes_of_0_2_allow_is_not_accused_and_a_similar_breach_is() {
    crate::pairs::assert_pairs("aionrs@0.2", include_str!("aionrs_rules/pairs_0.2.txt"));
}

#[test]
fn what_the_page_allows_is_not_accused_and_a_similar_breach_is() {
    crate::pairs::assert_pairs("aionrs@0.1", include_str!("aionrs_rules/pairs_0.1.txt"));
}
