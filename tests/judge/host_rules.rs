//! The rules about hosts: legal sessions that look like mistakes, each beside a similar one that is a mistake. (`hosts.yaml` of each dialect
//! has more mistakes, and `conform mutants --side host` plays them.)

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::finding::{Blame, Level};
use conform_runner::mutation::bad_hosts::{self, BadHost};
use std::sync::Arc;

/// The findings on the host, as `rule@frame`, without notes.
fn found(dialect: &Arc<Dialect>, session: &str) -> Vec<String> {
    let mut checker = Checker::new(Arc::clone(dialect), CheckOptions::default());
    let lines = session.replace("; ", "\n");
    for frame in crate::history::frames(&lines) {
        checker.push(&frame);
    }
    let findings = checker.finish().findings;
    let of_host = findings
        .iter()
        .filter(|finding| finding.blame == Blame::Host && finding.level > Level::May);
    let short = |rule: &str| rule.split_once('/').unwrap().1.to_owned();
    of_host
        .map(|finding| format!("{}@{}", short(&finding.rule), finding.at))
        .collect()
}

/// Plays sessions of a dialect, each behind the same beginning.
fn assert_all(dialect: &str, start: &str, sessions: &[(&str, &[&str])]) {
    let loaded = load(&DialectSource::default(), dialect).unwrap();
    for (session, expected) in sessions {
        let whole = format!("{start}; {session}");
        assert_eq!(found(&loaded, &whole), *expected, "{dialect}: {session}");
    }
}

const AIONRS: &str = r#"< {"type":"ready","version":"0.1.0","session_id":"s1","capabilities":{"tool_approval":true,"thinking":true,"mcp":true}}"#;
const SYNAPS: &str =
    r#"< {"type":"ready","session_id":"s1","model":"local/m","protocol_version":1}"#;

/// A turn of aionrs that waits for the approval of the call t1.
const REQUEST: &str = r#"> {"type":"message","msg_id":"m1","input":"hi"}; < {"type":"stream_start","msg_id":"m1"}; < {"type":"tool_request","msg_id":"m1","call_id":"t1","tool":{"name":"Write","category":"edit","args":{},"description":"d"}}"#;

#[test]
fn nothing_accuses_a_legal_host() {
    let source = DialectSource::new(Some("schemas".into()));
    let mut accused = Vec::new();
    for (name, version) in source.names() {
        let dialect = load(&source, &format!("{name}@{version}")).unwrap();
        let mut hosts = bad_hosts::load(&source, &dialect).unwrap();
        hosts.retain(BadHost::is_legal);
        assert!(hosts.len() > 5, "{name}@{version}");
        for host in hosts {
            let each = host.accusations(&dialect).into_iter();
            accused.extend(each.map(|f| {
                format!(
                    "{}: {}: {}@{} {}",
                    dialect.id(),
                    host.id,
                    f.rule,
                    f.at,
                    f.message
                )
            }));
        }
    }
    assert!(accused.is_empty(), "{accused:#?}");
}

#[test]
fn a_request_that_is_never_answered_is_a_mistake_unless_something_else_ended_it() {
    let cancelled =
        r#"< {"type":"tool_cancelled","msg_id":"m1","call_id":"t1","reason":"too late"}"#;
    let end =
        r#"< {"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}"#;
    assert_all(
        "aionrs@0.1",
        &format!("{AIONRS}; {REQUEST}"),
        &[
            ("stdin_closed; end 0", &["request-answered@5"]),
            // The agent cancels it because stdin is closed.
            (
                &format!("stdin_closed; {cancelled}; {end}; end 0"),
                &["request-answered@5"],
            ),
            (
                &format!(r#"> {{"type":"stop"}}; stdin_closed; {cancelled}; {end}"#),
                &[],
            ),
            (&format!("{cancelled}; {end}; stdin_closed"), &[]),
            (&format!("{end}; stdin_closed"), &[]),
            (r#"> {"type":"set_mode","mode":"yolo"}; stdin_closed"#, &[]),
            ("signal SIGTERM; end 0", &[]),
            ("end 1", &[]),
            ("end killed the host has ended", &[]),
            (
                r#"> {"type":"tool_deny","call_id":"t1","reason":"no"}; stdin_closed"#,
                &[],
            ),
            // The answer under another id is one mistake, the missing answer another.
            (
                r#"> {"type":"tool_deny","call_id":"t2","reason":"no"}; stdin_closed"#,
                &["answers-match@5", "request-answered@6"],
            ),
        ],
    );
}

#[test]
fn a_request_is_answered_by_no_mode_that_leaves_it_open_and_by_no_refused_command() {
    let error = |code: &str| {
        format!(
            r#"< {{"type":"error","msg_id":"m1","error":{{"code":"{code}","message":"x","retryable":false}}}}; stdin_closed"#
        )
    };
    let mode = |mode: &str| format!(r#"> {{"type":"set_mode","mode":"{mode}"}}; stdin_closed"#);
    assert_all(
        "aionrs@0.1",
        &format!("{AIONRS}; {REQUEST}"),
        &[
            (&mode("default"), &["request-answered@6"]),
            (&mode("auto_edit"), &[]),
            (&error("protocol_error"), &["request-answered@6"]),
            (&error("engine_error"), &[]),
        ],
    );
    let shell = REQUEST.replace("Write", "Bash").replace("edit", "exec");
    assert_all(
        "aionrs@0.1",
        &format!("{AIONRS}; {shell}"),
        &[
            (&mode("auto_edit"), &["request-answered-in-any-mode@6"]),
            (&mode("yolo"), &[]),
        ],
    );
}

#[test]
fn a_number_and_a_text_are_two_ids() {
    let both = r#"> {"type":"get_state","id":1}; > {"type":"get_commands","id":"1"}"#;
    let same = r#"> {"type":"get_state","id":1}; > {"type":"get_commands","id":1}"#;
    let sessions: [(&str, &[&str]); 2] = [(both, &[]), (same, &["id-in-use@3"])];
    assert_all("pi@0.73", r#"> {"type":"abort","id":"a"}"#, &sessions);
}

#[test]
fn a_dialog_of_pi_stays_open_beyond_a_run_that_does_not_wait_for_it() {
    let dialog = r#"< {"type":"extension_ui_request","id":"d","method":"confirm","title":"Sure?","message":"Yes?"}"#;
    let answer = r#"> {"type":"extension_ui_response","id":"d","confirmed":true}"#;
    let prompt = r#"> {"type":"prompt","id":"p","message":"hi"}; < {"type":"response","id":"p","command":"prompt","success":true}; < {"type":"agent_start"}"#;
    let end = r#"< {"type":"agent_end","messages":[]}; stdin_closed"#;
    let command = r#"> {"type":"prompt","id":"c","message":"/ask"}; < {"type":"response","id":"c","command":"prompt","success":true}"#;
    let beside: &[&str] = &["dialog-not-overlooked@7"];
    assert_all(
        "pi@0.73",
        r#"> {"type":"abort","id":"a"}"#,
        &[
            (&format!("{dialog}; {prompt}; {end}"), beside),
            (&format!("{dialog}; {prompt}; {answer}; {end}"), &[]),
            (&format!("{prompt}; {dialog}; {end}"), &[]),
            (
                &format!("{prompt}; {command}; {dialog}; {end}"),
                &["dialog-not-overlooked@9"],
            ),
            (
                &format!("{prompt}; {command}; {dialog}; {answer}; {end}"),
                &[],
            ),
        ],
    );
}

#[test]
fn a_text_with_a_slash_is_a_command_of_pi_until_the_agent_says_otherwise() {
    let prompt = r#"> {"type":"prompt","id":"p","message":"hi"}; < {"type":"response","id":"p","command":"prompt","success":true}; < {"type":"agent_start"}"#;
    let slash = r#"> {"type":"prompt","id":"q","message":"/etc is full"}; < {"type":"response","id":"q","command":"prompt""#;
    let busy = r#""success":false,"error":"Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message."}"#;
    let broken = r#""success":false,"error":"the command failed"}"#;
    let steer = |text: &str, error: &str| {
        format!(
            r#"> {{"type":"steer","message":"{text}"}}; < {{"type":"response","command":"steer","success":false,"error":"{error}"}}"#
        )
    };
    let command = r#"Extension command \"/a\" cannot be queued."#;
    assert_all(
        "pi@0.73",
        prompt,
        &[
            (&format!("{slash},{busy}"), &["busy-slash-text@5"]),
            (&format!("{slash},{broken}"), &[]),
            (&format!(r#"{slash},"success":true}}"#), &[]),
            (&steer("/a", command), &["steer-no-command@5"]),
            (&steer("a", command), &[]),
            (&steer("/a", "no model"), &[]),
        ],
    );
}

#[test]
fn a_late_answer_crosses_the_cancellation_of_its_call() {
    let cancelled =
        r#"< {"type":"tool_cancelled","msg_id":"m1","call_id":"t1","reason":"stopped"}"#;
    let approve = r#"> {"type":"tool_approve","call_id":"t1","scope":"once"}"#;
    assert_all(
        "aionrs@0.1",
        &format!("{AIONRS}; {REQUEST}"),
        &[
            (&format!("{cancelled}; {approve}"), &[]),
            (
                &format!("{approve}; {cancelled}; {approve}"),
                &["answered-once@7"],
            ),
        ],
    );
}

#[test]
fn an_unusual_form_of_a_command_is_not_a_mistake() {
    assert_all(
        "aionrs@0.1",
        AIONRS,
        &[
            (
                r#">  { "msg_id" : "m1" ,  "input":"hi", "type"  :"message", "trace": {"a":[1]} }  "#,
                &[],
            ),
            (r#"> ; > {"type":"message","msg_id":"m1","input":""}"#, &[]),
            (
                r#">crlf {"type":"message","msg_id":"m1","input":"hi"}"#,
                &[],
            ),
            (
                r#">torn {"type":"message","msg_id":"m1","input":"hi"}"#,
                &["line-ends-in@2"],
            ),
            (
                r#">torn {"type":"message","msg_id":"m1","inp"#,
                &["json-lines-in@2", "line-ends-in@2"],
            ),
        ],
    );
    // The page of synaps asks for a single line feed.
    assert_all(
        "synaps@1",
        SYNAPS,
        &[(
            r#">crlf {"type":"get_state","id":"a"}"#,
            &["command-line-ends@2"],
        )],
    );
    assert_all(
        "pi@0.87",
        r#"> {"type":"get_state","id":"a"}"#,
        &[(r#">crlf {"type":"get_state","id":"b","extra":1}"#, &[])],
    );
}

#[test]
fn an_id_may_come_again_when_its_command_is_answered() {
    let state = r#"< {"type":"response","id":"a","command":"get_state","streaming":false,"model":"local/m","session_id":"s1"}"#;
    let ask = r#"> {"type":"get_state","id":"a"}"#;
    assert_all(
        "synaps@1",
        SYNAPS,
        &[
            (&format!("{ask}; {state}; {ask}; {state}"), &[]),
            (&format!("{ask}; {ask}; {state}; {state}"), &["id-in-use@3"]),
            (
                r#"> {"type":"prompt","id":"a","message":"hi"}; < {"type":"error","id":"a","message":"no"}; > {"type":"prompt","id":"a","message":"hi"}"#,
                &[],
            ),
        ],
    );
    let done = r#"< {"type":"response","id":"a","command":"abort_bash","success":true}"#;
    let abort = r#"> {"type":"abort_bash","id":"a"}"#;
    for dialect in ["pi@0.73", "pi@0.87"] {
        assert_all(
            dialect,
            abort,
            &[
                (&format!("{done}; {abort}; {done}"), &[]),
                (&format!("{abort}; {done}; {done}"), &["id-in-use@2"]),
            ],
        );
        let bare = r#"> {"type":"abort_bash"}"#;
        assert_all(dialect, bare, &[(bare, &[])]);
    }
}

#[test]
fn a_parent_goes_no_further_with_a_child_of_another_version() {
    let other = SYNAPS.replace(r#""protocol_version":1"#, r#""protocol_version":2"#);
    assert_all(
        "synaps@1",
        &other,
        &[
            (r#"> {"type":"shutdown"}; end 0"#, &[]),
            ("stdin_closed; end 0", &[]),
            (
                r#"> {"type":"get_state","id":"a"}"#,
                &["host-refuses-version@2"],
            ),
        ],
    );
    let minor = AIONRS.replace("0.1.0", "0.9.2");
    let message = r#"> {"type":"message","msg_id":"m1","input":"hi"}"#;
    assert_all("aionrs@0.1", &minor, &[(message, &[])]);
    let major = AIONRS.replace("0.1.0", "2.0.0");
    assert_all(
        "aionrs@0.1",
        &major,
        &[(message, &["host-checks-version@2"])],
    );
}

#[test]
fn a_dialog_is_answered_by_what_it_offers() {
    let select = r#"< {"type":"extension_ui_request","id":"d","method":"select","title":"Which?","options":["left","right"]}"#;
    for dialect in ["pi@0.73", "pi@0.87"] {
        assert_all(
            dialect,
            select,
            &[
                (
                    r#"> {"type":"extension_ui_response","id":"d","value":"left"}; stdin_closed"#,
                    &[],
                ),
                (
                    r#"> {"type":"extension_ui_response","id":"d","cancelled":true}; stdin_closed"#,
                    &[],
                ),
                (
                    r#"> {"type":"extension_ui_response","id":"d","value":"up"}"#,
                    &["select-answered-by-option@2"],
                ),
                (
                    r#"> {"type":"extension_ui_response","id":"e","value":"left"}; stdin_closed"#,
                    &["dialog-answered@2", "dialog-not-overlooked@3"],
                ),
                ("stdin_closed", &["dialog-not-overlooked@2"]),
                (r#"> {"type":"abort"}; stdin_closed"#, &[]),
                ("signal SIGTERM", &[]),
            ],
        );
        let timed = select.replace(r#""title""#, r#""timeout":5000,"title""#);
        assert_all(dialect, &timed, &[("stdin_closed", &[])]);
    }
}

#[test]
fn a_host_may_stop_reading_when_no_turn_runs() {
    let turn = r#"> {"type":"message","msg_id":"m1","input":"hi"}; < {"type":"stream_start","msg_id":"m1"}"#;
    let end =
        r#"< {"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}"#;
    assert_all(
        "aionrs@0.1",
        &format!("{AIONRS}; {turn}"),
        &[
            ("stdout_closed", &["reads-to-the-end@4"]),
            (&format!("{end}; stdout_closed; stdin_closed"), &[]),
        ],
    );
}

/// The rules and frames, as [`found`], and the notes among them.
fn noted(dialect: &str, session: &str) -> Vec<String> {
    let loaded = load(&DialectSource::default(), dialect).unwrap();
    let mut checker = Checker::new(loaded, CheckOptions::default());
    for frame in crate::history::frames(&session.replace("; ", "\n")) {
        checker.push(&frame);
    }
    let findings = checker.finish().findings.into_iter();
    let of_host = findings.filter(|finding| finding.blame == Blame::Host);
    of_host.map(|finding| finding.message).collect()
}

#[test]
fn a_call_is_answered_while_its_turn_is_open_and_by_an_answer_that_the_agent_takes() {
    let approve = r#"> {"type":"tool_approve","call_id":"t1","scope":"once"}"#;
    let wrong = r#"> {"type":"tool_approve","call_id":"t1","scope":"ever"}"#;
    let refused = r#"< {"type":"error","msg_id":null,"error":{"code":"protocol_error","message":"no","retryable":false}}"#;
    let end =
        r#"< {"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let next = r#"> {"type":"message","msg_id":"m2","input":"hi"}; < {"type":"stream_start","msg_id":"m2"}"#;
    let stop = r#"> {"type":"stop"}"#;
    assert_all(
        "aionrs@0.1",
        &format!("{AIONRS}; {REQUEST}"),
        &[
            (&format!("{stop}; {approve}; {end}"), &[]),
            (&format!("{stop}; {end}; {approve}"), &[]),
            (
                &format!("{stop}; {end}; 6000000 {approve}"),
                &["answered-before-the-end@7"],
            ),
            (
                &format!("{end}; {next}; {approve}"),
                &["answered-in-turn@8"],
            ),
            (
                &format!("{wrong}; {refused}; {approve}"),
                &["schema/>tool_approve@5"],
            ),
            (&format!("{approve}; {approve}"), &["answered-once@6"]),
        ],
    );
    let again = REQUEST.rsplit("; ").next().unwrap();
    assert_all(
        "aionrs@0.1",
        &format!("{AIONRS}; {REQUEST}; {again}"),
        &[
            (&format!("{approve}; {approve}"), &[]),
            (
                &format!("{approve}; {approve}; {approve}"),
                &["answered-once@8"],
            ),
        ],
    );
    let empty = |text: &str| text.replace(r#""t1""#, r#""""#);
    let start = format!("{AIONRS}; {}", empty(REQUEST));
    assert_all("aionrs@0.1", &start, &[(&empty(approve), &[])]);
}

#[test]
fn a_host_waits_for_ready_and_for_its_version() {
    let mode = r#"> {"type":"set_mode","mode":"yolo"}"#;
    let stop = r#"> {"type":"stop"}"#;
    assert_all(
        "aionrs@0.1",
        mode,
        &[(AIONRS, &["commands-wait-for-ready@1"])],
    );
    assert_all("aionrs@0.1", AIONRS, &[(mode, &[]), (stop, &[])]);
    assert_all(
        "synaps@1",
        &SYNAPS.replace(r#","protocol_version":1"#, ""),
        &[
            (
                r#"> {"type":"get_state","id":"a"}"#,
                &["host-refuses-version@2"],
            ),
            (r#"> {"type":"shutdown"}; end 0"#, &[]),
        ],
    );
}

#[test]
fn of_two_prompts_the_second_says_how_it_is_queued() {
    let prompt = r#"1000 > {"type":"prompt","id":"p","message":"hi"}"#;
    let second = r#"2000 > {"type":"prompt","id":"q","message":"and"}"#;
    let queued = r#"2000 > {"type":"prompt","id":"q","message":"and","streamingBehavior":"steer"}"#;
    let accepted = r#"< {"type":"response","id":"p","command":"prompt","success":true}"#;
    let refused =
        r#"< {"type":"response","id":"p","command":"prompt","success":false,"error":"no"}"#;
    let start = r#"< {"type":"agent_start"}"#;
    let dialog = r#"< {"type":"extension_ui_request","id":"d","method":"input","title":"A line"}"#;
    for dialect in ["pi@0.73", "pi@0.87"] {
        assert_all(
            dialect,
            prompt,
            &[
                (second, &["prompt-before-run@2"]),
                (&format!("{accepted}; {second}"), &["prompt-before-run@3"]),
                (&format!("{accepted}; {queued}"), &[]),
                (&format!("{refused}; {second}"), &[]),
                (
                    &format!("{accepted}; {start}; {dialog}; {second}"),
                    &["busy-prompt@5"],
                ),
                (&format!("{accepted}; {start}; {dialog}; {queued}"), &[]),
                (
                    &format!(r#"{accepted}; {start}; > {{"type":"abort","id":"a"}}; {second}"#),
                    &[],
                ),
            ],
        );
    }
}

#[test]
fn a_prompt_that_an_extension_took_has_no_run_to_wait_for() {
    let prompt = r#"1000 > {"type":"prompt","id":"p","message":"hi"}"#;
    let accepted = |data: &str| {
        format!(r#"< {{"type":"response","id":"p","command":"prompt","success":true{data}}}"#)
    };
    let second = |at: u64| format!(r#"{at} > {{"type":"prompt","id":"q","message":"and"}}"#);
    // It is not said, and no run begins: then an extension may have taken it.
    for (dialect, data) in [
        ("pi@0.73", ""),
        ("pi@0.87", ""),
        ("pi@1.6", r#","data":{"disposition":"started"}"#),
    ] {
        let accepted = accepted(data);
        assert_all(
            dialect,
            prompt,
            &[
                (&format!("{accepted}; {}", second(2_500_000)), &[]),
                (
                    &format!("{accepted}; {}", second(1_500_000)),
                    &["prompt-before-run@3"],
                ),
            ],
        );
    }
    let handled = accepted(r#","data":{"disposition":"handled"}"#);
    assert_all(
        "pi@1.6",
        prompt,
        &[(&format!("{handled}; {}", second(2000)), &[])],
    );
}

#[test]
fn an_extension_command_is_not_queued() {
    let steer = r#"> {"type":"steer","id":"s","message":"/deploy"}"#;
    let answer =
        |rest: &str| format!(r#"< {{"type":"response","id":"s","command":"steer",{rest}}}"#);
    for dialect in ["pi@0.73", "pi@0.87"] {
        assert_all(
            dialect,
            steer,
            &[
                (&answer(r#""success":true"#), &[]),
                (
                    &answer(r#""success":false,"error":"The queue is full""#),
                    &[],
                ),
                (
                    &answer(r#""success":false,"error":"An extension command cannot be queued""#),
                    &["steer-no-command@2"],
                ),
            ],
        );
    }
}

#[test]
fn a_member_that_is_nearly_a_known_one_is_noted() {
    let prompt = |members: &str| {
        noted(
            "synaps@1",
            &format!(r#"{SYNAPS}; > {{"type":"prompt","id":"a","message":"hi",{members}}}"#),
        )
    };
    let why = "`>prompt`: there is no member `attachements` here; did you mean `attachments`?";
    assert_eq!(prompt(r#""attachements":[]"#), [why]);
    assert_eq!(
        prompt(r#""attachments":[],"attachment":1,"trace":2"#),
        [] as [&str; 0]
    );
}

#[test]
fn blanks_at_the_end_of_stdin_are_not_a_line() {
    for (dialect, start) in [("aionrs@0.1", AIONRS), ("synaps@1", SYNAPS)] {
        let session = |end: &str| noted(dialect, &format!("{start}; {end}"));
        assert_eq!(session(">torn   "), [] as [&str; 0]);
        assert_eq!(session(">crlf  "), [] as [&str; 0]);
        assert_ne!(session(">torn x"), [] as [&str; 0]);
    }
}
