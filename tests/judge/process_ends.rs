//! Rules of every protocol about the end of the process: crashes, kills, closed stdin, failed starts.

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::finding::{Blame, Level};
use std::sync::{Arc, LazyLock};

static DIALECTS: LazyLock<Vec<Arc<Dialect>>> = LazyLock::new(|| {
    let load = |(dialect, _): &(&str, &str)| load(&DialectSource::default(), dialect).unwrap();
    PROTOCOLS.iter().map(load).collect()
});

/// The rules of the agent's findings, without the name of the dialect and without notes.
fn rules_found(dialect: &Arc<Dialect>, lines: &[&str]) -> Vec<String> {
    let mut checker = Checker::new(Arc::clone(dialect), CheckOptions::default());
    for frame in crate::history::frames(&lines.join("\n")) {
        checker.push(&frame);
    }
    let findings = checker.finish().findings;
    let of_agent = findings
        .iter()
        .filter(|f| f.level != Level::May && f.blame == Blame::Agent);
    let names = of_agent.map(|f| f.rule.rsplit('/').next().unwrap().to_owned());
    names.collect()
}

/// Every dialect, with the frame that it starts with.
const PROTOCOLS: &[(&str, &str)] = &[
    ("acp@1", ""),
    (
        "aionrs@0.1",
        r#"< {"type":"ready","version":"0.1.0","capabilities":{"tool_approval":true,"thinking":true,"mcp":true}}"#,
    ),
    (
        "aionrs@0.2",
        r#"< {"type":"ready","version":"0.2.0","capabilities":{"tool_approval":true,"thinking":true,"effort":false,"effort_levels":[],"modes":["default"],"current_mode":"default","mcp":true,"image_input":"unknown"}}"#,
    ),
    ("pi@0.14", ""),
    ("pi@0.73", ""),
    ("pi@0.87", ""),
    ("pi@1.6", ""),
    (
        "synaps@1",
        r#"< {"type":"ready","session_id":"s","model":"m","protocol_version":1}"#,
    ),
];

#[test]
fn every_dialect_has_a_start_here() {
    let listed: Vec<_> = PROTOCOLS.iter().map(|(id, _)| (*id).to_owned()).collect();
    let names = DialectSource::default().names().into_iter();
    let ids: Vec<_> = names
        .map(|(name, version)| format!("{name}@{version}"))
        .collect();
    assert_eq!(listed, ids);
}

/// The first protocol that says how a process ends, and its start.
fn aionrs_0_1() -> (&'static str, &'static Arc<Dialect>) {
    let at = PROTOCOLS.iter().position(|(id, _)| *id == "aionrs@0.1");
    let at = at.unwrap();
    (PROTOCOLS[at].1, &DIALECTS[at])
}

/// Whether a dialect has a rule about the end of the process. The pages of the Agent Client Protocol say nothing about it.
fn has_rule(dialect: &str, part: &str) -> bool {
    let at = PROTOCOLS.iter().position(|(id, _)| *id == dialect);
    let mut rules = DIALECTS[at.unwrap()].rules.iter();
    rules.any(|rule| rule.id.contains(part))
}

/// The findings of each protocol for these frames after the start.
fn after_start(last: &[&str]) -> Vec<(&'static str, Vec<String>)> {
    let protocols = PROTOCOLS.iter().zip(DIALECTS.iter());
    let findings = protocols.map(|((name, ready), dialect)| {
        let lines = [&[*ready], last].concat();
        (*name, rules_found(dialect, &lines))
    });
    findings.collect()
}

#[test]
fn a_kill_by_the_host_is_not_a_crash_and_no_excuse_for_ignoring_stdin() {
    for (dialect, found) in after_start(&["signal SIGKILL", "end signalled 9"]) {
        assert!(found.is_empty(), "{dialect}: {found:?}");
    }
    let ignored_stdin = [
        "stdin_closed",
        "60000000 signal SIGKILL",
        "60000100 end signalled 9",
    ];
    let found = after_start(&ignored_stdin).into_iter();
    for (dialect, found) in found.filter(|(dialect, _)| has_rule(dialect, "eof")) {
        assert!(
            found.iter().any(|rule| rule.contains("eof")),
            "{dialect}: {found:?}"
        );
    }
}

#[test]
fn an_agent_that_got_no_cpu_or_no_time_to_end_did_not_ignore_the_end_of_stdin() {
    for killed in [
        "60000000 end killed starved",
        "60000000 end killed interrupted",
    ] {
        for (dialect, found) in after_start(&["stdin_closed", killed]) {
            assert!(found.is_empty(), "{dialect}: {found:?}");
        }
    }
    let out_of_time = after_start(&["stdin_closed", "60000000 end killed budget:exit"]);
    for (dialect, found) in out_of_time.iter().filter(|(one, _)| has_rule(one, "eof")) {
        assert!(!found.is_empty(), "{dialect}");
    }
}

#[test]
fn a_kill_by_the_host_does_not_excuse_ignoring_shutdown() {
    let (_, ready) = PROTOCOLS.last().unwrap();
    let dialect = DIALECTS.last().unwrap();
    for (killed_at, found) in [(900_000, &[][..]), (60_000_000, &["shutdown-exits"])] {
        let killed = format!("{killed_at} signal SIGKILL");
        let ended = format!("{} end signalled 9", killed_at + 100);
        let lines = [ready, r#"> {"type":"shutdown"}"#, &killed, &ended];
        assert_eq!(rules_found(dialect, &lines), found, "{killed_at}");
    }
}

#[test]
fn a_requested_end_does_not_excuse_a_crash() {
    let orderly: [(&str, &[&str]); 2] = [
        ("stdin_closed", &["0"]),
        ("signal SIGTERM", &["0", "143", "signalled 15"]),
    ];
    for (request, ends) in orderly {
        for end in ends {
            for (dialect, found) in after_start(&[request, &format!("end {end}")]) {
                assert!(found.is_empty(), "{dialect}, {request}, {end}: {found:?}");
            }
        }
        for end in ["101", "134", "signalled 6", "signalled 11"] {
            let found = after_start(&[request, &format!("end {end}")]).into_iter();
            for (dialect, found) in found.filter(|(dialect, _)| has_rule(dialect, "no-crash")) {
                assert_eq!(found, ["no-crash"], "{dialect}, {request}, {end}");
            }
        }
    }
}

#[test]
fn a_failed_start_must_be_reported_even_if_stdin_is_closed() {
    let report = r#"< {"type":"error","msg_id":null,"error":{"code":"config_error","message":"no key","retryable":false}}"#;
    let (_, dialect) = aionrs_0_1();
    for closed in ["", "10 stdin_closed"] {
        let unreported = rules_found(dialect, &[closed, "40 end 1"]);
        assert!(!unreported.is_empty(), "{closed}");
        assert!(rules_found(dialect, &[closed, report, "40 end 1"]).is_empty());
    }
}

#[test]
fn a_last_line_without_its_newline_may_be_processed_or_ignored() {
    let message = r#">torn {"type":"message","msg_id":"m1","input":"a"}"#;
    let start = r#"< {"type":"stream_start","msg_id":"m1"}"#;
    let text = r#"< {"type":"text_delta","msg_id":"m1","text":"x"}"#;
    let end =
        r#"< {"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let ((ready, dialect), exit) = (aionrs_0_1(), "end 0");
    let aionrs =
        |last: &[&str]| rules_found(dialect, &[&[ready, message, "stdin_closed"], last].concat());
    assert!(aionrs(&[exit]).is_empty());
    assert!(aionrs(&[start, text, end, exit]).is_empty());
    assert_eq!(aionrs(&[start, text, end, end, exit]), ["turn-envelope"]);
    assert!(!aionrs(&[text, exit]).is_empty());

    let torn = [">torn {\"ty", "stdin_closed", exit];
    for (dialect, found) in after_start(&torn) {
        assert!(found.is_empty(), "{dialect}: {found:?}");
    }
    let query = [
        r#">torn {"type":"get_state","id":"a"}"#,
        "stdin_closed",
        exit,
    ];
    for (dialect, found) in after_start(&query) {
        let has_query = !dialect.starts_with("aionrs");
        assert!(!has_query || found.is_empty(), "{dialect}: {found:?}");
    }
    let query = [r#"> {"type":"get_state","id":"a"}"#, "stdin_closed", exit];
    for (dialect, found) in after_start(&query) {
        let has_query = matches!(dialect, "pi@0.73" | "pi@0.87" | "pi@1.6");
        assert!(!has_query || !found.is_empty(), "{dialect}");
    }
}

#[test]
fn a_failed_start_and_the_death_of_a_child_are_not_bad_exit_codes_at_the_end_of_stdin() {
    let is_told = |found: &[String]| found.iter().any(|rule| rule == "eof-exit-code");
    for code in ["end 129", "end 141", "end 143"] {
        for (dialect, found) in after_start(&["stdin_closed", code]) {
            assert!(!is_told(&found), "{dialect}, {code}: {found:?}");
        }
    }
    let answers = [
        ("pi@0.14", r#"< {"type":"agent_start"}"#),
        (
            "pi@0.73",
            r#"< {"type":"response","command":"parse","success":false,"error":"x"}"#,
        ),
    ];
    for (dialect, answer) in answers {
        let n = PROTOCOLS.iter().position(|(id, _)| *id == dialect).unwrap();
        let silent = rules_found(&DIALECTS[n], &["stdin_closed", "end 1"]);
        assert!(silent.is_empty(), "{dialect}: {silent:?}");
        let found = rules_found(&DIALECTS[n], &["> {}", answer, "stdin_closed", "end 1"]);
        assert!(is_told(&found), "{dialect}: {found:?}");
    }
}

/// The pieces in which a host wrote a line, as others record them.
#[test]
fn the_pieces_of_a_command_are_one_line() {
    let answer = r#"< {"type":"response","command":"abort","success":true}"#;
    let n = PROTOCOLS
        .iter()
        .position(|(id, _)| *id == "pi@0.73")
        .unwrap();
    let all = |lines: &[&str]| {
        let mut checker = Checker::new(Arc::clone(&DIALECTS[n]), CheckOptions::default());
        for frame in crate::history::frames(&lines.join("\n")) {
            checker.push(&frame);
        }
        let findings = checker.finish().findings.into_iter();
        findings
            .map(|one| one.rule.rsplit('/').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let pieces = [r#">torn {"type":"#, r#">torn "ab"#, r#"> ort"}"#];
    let ends = ["stdin_closed", "end 0"];
    assert_eq!(all(&[&pieces[..], &[answer], &ends].concat()), [""; 0]);
    assert_eq!(
        all(&[&pieces[..2], &[answer], &[pieces[2]], &ends].concat()),
        ["id-echoed"]
    );
    let glued = [r#">torn {"type":"abort"}"#, r#"> {"type":"abort"}"#];
    assert_eq!(
        all(&[&glued[..], &[answer], &ends].concat()),
        ["command-lines", "id-echoed", "malformed-answered"]
    );
    assert_eq!(
        all(&[&pieces[..1], &ends].concat()),
        ["command-line-ends", "command-lines"]
    );
}

#[test]
fn an_error_for_a_blank_line_has_a_cause() {
    let error = r#"< {"type":"error","error":"not JSON"}"#;
    let n = PROTOCOLS
        .iter()
        .position(|(id, _)| *id == "pi@0.14")
        .unwrap();
    assert_eq!(rules_found(&DIALECTS[n], &["> ", error]), [""; 0]);
    assert_eq!(rules_found(&DIALECTS[n], &[error]), ["error-has-cause"]);
}
