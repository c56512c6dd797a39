//! How a process ended, judged by the rules of each protocol: what asked it to end excuses no crash.

mod history;

use conform::check::{CheckOptions, Checker};
use conform::dialect::{Dialect, DialectSource, load};
use conform::finding::{Blame, Level};
use std::sync::{Arc, LazyLock};

static DIALECTS: LazyLock<Vec<Arc<Dialect>>> = LazyLock::new(|| {
    let load = |(dialect, _): &(&str, &str)| load(&DialectSource::default(), dialect).unwrap();
    PROTOCOLS.iter().map(load).collect()
});

/// The rules that find the agent at fault, without their dialect.
fn found(dialect: &Arc<Dialect>, lines: &[&str]) -> Vec<String> {
    let mut checker = Checker::new(Arc::clone(dialect), CheckOptions::default());
    for frame in history::frames(&lines.join("\n")) {
        checker.push(&frame);
    }
    let findings = checker.finish().findings;
    let hard = findings
        .iter()
        .filter(|f| f.level != Level::May && f.blame == Blame::Agent);
    let names = hard.map(|f| f.rule.rsplit('/').next().unwrap().to_owned());
    names.collect()
}

const PROTOCOLS: &[(&str, &str)] = &[
    (
        "aionrs@0.1",
        r#"< {"type":"ready","version":"0.1.0","capabilities":{"tool_approval":true,"thinking":true,"mcp":true}}"#,
    ),
    (
        "synaps@1",
        r#"< {"type":"ready","session_id":"s","model":"m","protocol_version":1}"#,
    ),
    ("pi@0.14", ""),
    ("pi@0.73", ""),
    ("pi@0.87", ""),
];

/// What is found where the agent has started and this follows.
fn after_start(last: &[&str]) -> Vec<(&'static str, Vec<String>)> {
    let protocols = PROTOCOLS.iter().zip(DIALECTS.iter());
    let judged = protocols.map(|((name, ready), dialect)| {
        let lines = [&[*ready], last].concat();
        (*name, found(dialect, &lines))
    });
    judged.collect()
}

#[test]
fn a_kill_by_the_host_is_no_crash_and_excuses_no_agent_that_stayed() {
    for (dialect, found) in after_start(&["signal SIGKILL", "end signalled 9"]) {
        assert!(found.is_empty(), "{dialect}: {found:?}");
    }
    let stayed = [
        "stdin_closed",
        "60000000 signal SIGKILL",
        "60000100 end signalled 9",
    ];
    for (dialect, found) in after_start(&stayed) {
        assert!(
            found.iter().any(|rule| rule.contains("eof")),
            "{dialect}: {found:?}"
        );
    }
}

#[test]
fn a_crash_is_one_whoever_asked_for_the_end() {
    let orderly: [(&str, &[&str]); 2] = [
        ("stdin_closed", &["exited 0"]),
        (
            "signal SIGTERM",
            &["exited 0", "exited 143", "signalled 15"],
        ),
    ];
    for (asked, ends) in orderly {
        for end in ends {
            for (dialect, found) in after_start(&[asked, &format!("end {end}")]) {
                assert!(found.is_empty(), "{dialect}, {asked}, {end}: {found:?}");
            }
        }
        for end in ["exited 101", "exited 134", "signalled 6", "signalled 11"] {
            for (dialect, found) in after_start(&[asked, &format!("end {end}")]) {
                assert_eq!(found, ["no-crash"], "{dialect}, {asked}, {end}");
            }
        }
    }
}

#[test]
fn a_start_that_fails_is_told_whether_stdin_was_closed_or_not() {
    let told = r#"< {"type":"error","msg_id":null,"error":{"code":"config_error","message":"no key","retryable":false}}"#;
    for closed in ["", "10 stdin_closed"] {
        let untold = found(&DIALECTS[0], &[closed, "40 end exited 1"]);
        assert!(!untold.is_empty(), "{closed}");
        assert!(found(&DIALECTS[0], &[closed, told, "40 end exited 1"]).is_empty());
    }
}

#[test]
fn a_last_line_without_its_newline_may_be_taken_or_left() {
    let message = r#"cut> {"type":"message","msg_id":"m1","input":"a"}"#;
    let start = r#"< {"type":"stream_start","msg_id":"m1"}"#;
    let text = r#"< {"type":"text_delta","msg_id":"m1","text":"x"}"#;
    let end =
        r#"< {"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let (ready, exit) = (PROTOCOLS[0].1, "end exited 0");
    let aionrs = |last: &[&str]| {
        found(
            &DIALECTS[0],
            &[&[ready, message, "stdin_closed"], last].concat(),
        )
    };
    assert!(aionrs(&[exit]).is_empty());
    assert!(aionrs(&[start, text, end, exit]).is_empty());
    assert_eq!(aionrs(&[start, text, end, end, exit]), ["turn-envelope"]);
    assert!(!aionrs(&[text, exit]).is_empty());

    let torn = ["cut> {\"ty", "stdin_closed", exit];
    for (dialect, found) in after_start(&torn) {
        assert!(found.is_empty(), "{dialect}: {found:?}");
    }
    let query = [
        r#"cut> {"type":"get_state","id":"a"}"#,
        "stdin_closed",
        exit,
    ];
    for (dialect, found) in &after_start(&query)[1..] {
        assert!(found.is_empty(), "{dialect}: {found:?}");
    }
    let query = [r#"> {"type":"get_state","id":"a"}"#, "stdin_closed", exit];
    for (dialect, found) in &after_start(&query)[3..] {
        assert!(!found.is_empty(), "{dialect}");
    }
}
