//! `conform check`.

use crate::{conform, outcome, snapshot, transcript};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use regex::Regex;
use serde_json::json;
use snapbox::assert_data_eq;
use std::fs;

/// The text with the duration and the counts of the dialect replaced.
fn normalize(text: &str) -> String {
    let text = Regex::new(r"Summary \[ *\d+\.\d+s\]")
        .unwrap()
        .replace(text, "Summary [time]");
    Regex::new(r"(Clauses|Rules) \d+ of \d+")
        .unwrap()
        .replace_all(&text, "$1 N of N")
        .into_owned()
}

#[test]
fn a_conformant_session_passes() {
    let (status, stdout, stderr) = outcome(&mut conform(&["check", &transcript("good.jsonl")]));
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    assert_data_eq!(normalize(&stdout), snapshot("good.txt"));
}

#[test]
fn a_violation_is_shown_in_full_and_fails() {
    let (status, stdout, stderr) = outcome(&mut conform(&["check", &transcript("wrong-id.jsonl")]));
    assert_eq!((status, stderr.as_str()), (Some(1), ""));
    assert_data_eq!(normalize(&stdout), snapshot("wrong-id.txt"));
}

#[test]
fn findings_about_the_host_are_shown_and_do_not_fail_the_agent() {
    let path = transcript("bad-host.jsonl");
    conform(&["check", &path])
        .assert()
        .code(0)
        .stdout(contains("(the host's, not counted)"));
    conform(&["check", "--side", "host", &path])
        .assert()
        .code(1)
        .stdout(contains(">message").and(contains("not counted").not()));
}

#[test]
fn a_truncated_file_is_an_error_with_its_location_and_the_findings_so_far() {
    let (status, stdout, stderr) = outcome(&mut conform(&["check", &transcript("cut.jsonl")]));
    assert_eq!(status, Some(2));
    assert_eq!(
        stderr,
        "error: tests/cli/transcripts/cut.jsonl:9:21: the file is cut in the middle of this record\n"
    );
    assert!(
        stdout.contains("must aionrs/turn-envelope") && stdout.contains("cut.jsonl at frame 7"),
        "{stdout}"
    );
}

#[test]
fn each_unreadable_file_is_one_error_with_its_location() {
    let cases = [
        (
            "none.jsonl",
            "none.jsonl: cannot be read: No such file or directory (os error 2)",
        ),
        (
            "../transcripts",
            "../transcripts:1: cannot be read: Is a directory (os error 21)",
        ),
        (
            "version-2.jsonl",
            "version-2.jsonl:1: a transcript of version 2; this program reads version 1",
        ),
        (
            "unknown-dir.jsonl",
            "unknown-dir.jsonl:6: unknown dir \"sideways\"; known are to_agent, from_agent, stderr, llm_request, lane_request, llm_reply, mcp_request, stdin_closed, stdout_closed, signal, end",
        ),
    ];
    for (name, message) in cases {
        let expected = format!("error: {}\n", transcript(message));
        conform(&["check", &transcript(name)])
            .assert()
            .code(2)
            .stderr(expected);
    }
}

/// A transcript whose header says `dialect`, in a folder of its own.
fn recorded(dialect: &str, frames: &[serde_json::Value]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let header = json!({ "conform_transcript": 1, "dialect": dialect, "agent": ["agent"] });
    let lines: Vec<String> = [&header]
        .into_iter()
        .chain(frames)
        .map(ToString::to_string)
        .collect();
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    (folder, path.to_string_lossy().into_owned())
}

fn line(dir: &str, line: &str) -> serde_json::Value {
    json!({ "at": 1, "dir": dir, "line": line })
}

/// The host sends a command that only 0.87 has. The agent says that it speaks 0.73, or its events do.
#[test]
fn the_version_of_a_recording_is_the_agents_and_not_the_one_that_allows_the_hosts_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let judged = |agent: &[&str]| {
        let header = json!({ "conform_transcript": 1, "agent": agent });
        let lines = [
            header,
            line("to_agent", r#"{"type":"clear_queue","id":"c"}"#),
            line("to_agent", r#"{"type":"get_state","id":"s"}"#),
        ];
        let lines = lines.map(|line| line.to_string()).join("\n");
        fs::write(&path, lines + "\n").unwrap();
        let path = path.to_str().unwrap();
        let (_, stdout, _) = outcome(&mut conform(&["check", "--side", "host", path]));
        stdout
    };
    let mistake = "pi/commands-only";
    let of_073 = judged(&["pi", "--mode", "rpc", "--protocol", "0.73"]);
    assert!(of_073.contains(mistake), "{of_073}");
    let of_087 = judged(&["pi", "--mode", "rpc", "--protocol=pi@0.87"]);
    assert!(!of_087.contains(mistake), "{of_087}");
}

#[test]
fn a_recording_of_another_version_is_judged_by_it_only_if_it_knows_all_frames() {
    let run = [
        line("to_agent", r#"{"type":"prompt","id":"p","message":"hi"}"#),
        line("from_agent", r#"{"type":"agent_start"}"#),
    ];
    let answered = [
        line("to_agent", r#"{"type":"prompt","id":"p","message":"hi"}"#),
        line(
            "from_agent",
            r#"{"type":"response","id":"p","command":"prompt","success":true}"#,
        ),
        line("from_agent", r#"{"type":"agent_start"}"#),
    ];
    let said = "judged as pi@0.14; its header says pi@0.73";
    let why = "1 of its 3 frames are not of pi@0.14; its header says pi@0.73";
    let (_folder, path) = recorded("pi@0.73", &answered);
    conform(&["check", "--dialect", "pi@0.14", &path])
        .assert()
        .code(3)
        .stderr(contains(said))
        .stdout(contains(why));
    conform(&["check", "--dialect", "pi@0.73", &path])
        .assert()
        .code(0)
        .stderr(is_empty());
    let (_folder, path) = recorded("pi@0.73", &run);
    conform(&["check", "--dialect", "pi@0.14", &path])
        .assert()
        .code(0)
        .stderr(contains(said));
    // A session of another protocol that has a name in common.
    let foreign = ["ready", "stream_start", "text_delta", "tool_request"];
    let foreign = foreign.map(|name| line("from_agent", &json!({ "type": name }).to_string()));
    let (_folder, path) = recorded("pi@0.14", &[&run[..], &foreign].concat());
    conform(&["check", &path])
        .assert()
        .code(3)
        .stdout(contains("4 of its 6 frames are not of pi@0.14"));
}

#[test]
fn a_command_that_is_too_deep_is_named_and_one_that_is_too_long_is_not_judged() {
    let deep = format!(
        r#"{{"type":"abort","a":{}{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let long = format!(r#"{{"type":"abort","a":"{}"}}"#, "x".repeat(17 << 20));
    for (command, named) in [(deep, true), (long, false)] {
        let (_folder, path) = recorded("pi@0.73", &[line("to_agent", &command)]);
        conform(&["check", "--side", "host", &path])
            .assert()
            .code(0)
            .stdout(contains("should pi/command-length").count(usize::from(named)));
    }
}

#[test]
fn a_session_that_begins_with_a_very_long_command_is_judged() {
    let long = json!({ "type": "prompt", "id": "p", "message": "x".repeat(15 << 20) });
    let short = json!({ "type": "get_state", "id": "p" });
    let refused = r#"{"type":"response","id":"p","command":"get_state","success":7}"#;
    for command in [long, short] {
        let frames = [
            line("to_agent", &command.to_string()),
            line("from_agent", refused),
        ];
        let (_folder, path) = recorded("pi@0.73", &frames);
        conform(&["check", &path])
            .assert()
            .code(1)
            .stdout(contains("/success"));
    }
}

#[test]
fn an_unknown_dialect_is_an_error_that_lists_the_known_ones() {
    let unknown = contains("unknown-dialect.jsonl:1: unknown dialect `aionrs@0.0`")
        .and(contains("aionrs@0.1"));
    conform(&["check", &transcript("unknown-dialect.jsonl")])
        .assert()
        .code(2)
        .stdout(contains("1 transcript: 1 broken"))
        .stderr(unknown);
    conform(&["check", "--dialect", "nonsense", &transcript("good.jsonl")])
        .assert()
        .code(2)
        .stderr(contains("error: unknown dialect `nonsense`"));
}

#[test]
fn a_version_that_is_newer_than_every_known_one_is_judged_by_the_nearest() {
    conform(&["check", &transcript("newer-dialect.jsonl")])
        .assert()
        .code(1)
        .stdout(contains("aionrs/schema/ready"))
        .stderr(contains(
            "judged as aionrs@0.2; its header says aionrs@9.9, which is newer",
        ));
}

#[test]
fn an_unreadable_file_does_not_hide_the_results_of_the_others() {
    conform(&[
        "check",
        &transcript("none.jsonl"),
        &transcript("wrong-id.jsonl"),
        &transcript("good.jsonl"),
    ])
    .assert()
    .code(2)
    .stdout(contains("3 transcripts: 1 passed, 1 failed, 1 broken"))
    .stderr(contains("none.jsonl"));
}

#[test]
fn the_dialect_of_a_plain_capture_is_detected_by_its_frames() {
    let path = transcript("capture.txt");
    conform(&["check", &path])
        .assert()
        .code(0)
        .stderr(contains("capture.txt: aionrs@0.1, by its frames"));
    conform(&["check", "--dialect", "aionrs@0.1", &path])
        .assert()
        .code(0)
        .stderr("");
}

#[test]
fn the_version_is_detected_by_the_frames() {
    let assert_detected = |text: &str, id: &str| {
        for args in [&["check", "-"][..], &["check", "--dialect", "aionrs", "-"]] {
            conform(args)
                .write_stdin(text)
                .assert()
                .stderr(contains(format!("standard input: {id}, by its frames")));
        }
    };
    let start = r#"{"type":"stream_start","msg_id":"m1"}"#;
    assert_detected(start, "aionrs@0.1");
    assert_detected(&format!("{start}\n{}", r#"{"type":"pong"}"#), "aionrs@0.2");
    assert_detected(
        r#"{"type":"ready","version":"0.2.3","capabilities":{}}"#,
        "aionrs@0.2",
    );
    let sent = |member: &str| {
        format!(
            "{}\n{}",
            r#"{"conform_transcript":1,"agent":["aionrs"]}"#,
            json!({ "at": 1, "dir": "to_agent", "line": json!({ "type": "message", "msg_id": "m", member: "x" }).to_string() })
        )
    };
    assert_detected(&sent("input"), "aionrs@0.1");
    assert_detected(&sent("content"), "aionrs@0.2");
}

#[test]
fn a_capture_of_an_unknown_dialect_is_a_usage_error() {
    conform(&["check", "-"])
        .write_stdin("{\"kind\":\"x\"}\n")
        .assert()
        .code(2)
        .stderr(contains(
            "the frames do not show one; name the dialect with --dialect",
        ));
}

#[test]
fn a_transcript_can_come_from_stdin() {
    let text = fs::read(transcript("wrong-id.jsonl")).unwrap();
    conform(&["check", "-"])
        .write_stdin(text)
        .assert()
        .code(1)
        .stdout(contains("Example  standard input at frame 7"));
}

#[test]
fn a_session_without_checks_is_incomplete() {
    conform(&["check", &transcript("empty.jsonl")])
        .assert()
        .code(3)
        .stdout(contains("1 not exercised"));
    conform(&["check", "--dialect", "aionrs", "-"])
        .write_stdin("")
        .assert()
        .code(3);
}

#[test]
fn a_report_on_stdout_is_the_only_text_there() {
    let (status, stdout, stderr) = outcome(&mut conform(&[
        "check",
        "--report",
        "json=-",
        &transcript("wrong-id.jsonl"),
    ]));
    let report: conform_report::Report = serde_json::from_str(&stdout).unwrap();
    assert_eq!((status, report.summary.failed), (Some(1), 1));
    assert_eq!(
        report.scenarios[0].findings[0].rerun,
        "conform check tests/cli/transcripts/wrong-id.jsonl"
    );
    assert!(report.clauses.contains_key("aionrs.turn.ends"), "{stdout}");
    assert!(stderr.contains("Summary"), "{stderr}");
}

#[test]
fn reports_are_written_to_the_given_paths() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join("new").join(name);
    let (json, junit) = (
        format!("json={}", path("r.json").display()),
        format!("junit={}", path("r.xml").display()),
    );
    conform(&[
        "check",
        "--report",
        &json,
        "--report",
        &junit,
        &transcript("good.jsonl"),
    ])
    .assert()
    .code(0);
    assert!(
        fs::read_to_string(path("r.json"))
            .unwrap()
            .contains("\"good.jsonl\"")
    );
    assert!(
        fs::read_to_string(path("r.xml")).unwrap().contains(
            "<testcase name=\"good.jsonl\" classname=\"aionrs@0.1/tests/cli/transcripts\""
        )
    );
    conform(&[
        "check",
        "--report",
        "json=/proc/none/r.json",
        &transcript("good.jsonl"),
    ])
    .assert()
    .code(2)
    .stderr(contains("error: cannot write /proc/none/r.json"));
}

#[test]
fn the_profile_changes_the_severity() {
    let text = fs::read_to_string(transcript("good.jsonl")).unwrap();
    let crlf = text.replacen("}}\"}\n", "}}\",\"eol\":\"crlf\"}\n", 1);
    for (profile, status, word) in [
        ("strict", 1, "FAIL"),
        ("spec", 0, "WARN"),
        ("lenient", 0, "PASS"),
    ] {
        conform(&["check", "--profile", profile, "-"])
            .write_stdin(crlf.clone())
            .assert()
            .code(status)
            .stdout(contains(word));
    }
}
