//! Agents that do not start, hang, flood or crash: one clear message, the right exit status, within a time limit.

use crate::agents::{READY, START_AND_EXIT, TURN, TURNS, agent};
use crate::harness::TestDir;
use conform_report::Verdict;
use std::os::unix::fs::PermissionsExt;

#[test]
fn an_agent_that_cannot_be_started_is_one_line_of_error() {
    let dir = TestDir::new();
    let plain = dir.file("plain.sh", "#!/bin/sh\n");
    let chmod =
        format!("it is not executable: `chmod +x {plain}`, or name what runs it: `sh {plain}`");
    let module = dir.file("agent.py", "");
    let python = format!("or name what runs it: `python3 {module}`");
    let bad = dir.file("bad", "#!/no/such/interpreter\n");
    let garbled = dir.file("garbled", "\u{7f}ELF?");
    for path in [&bad, &garbled] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    for (program, why) in [
        ("./no/such/agent", "there is no such file"),
        ("no-such-agent", "there is no such program on the PATH"),
        (plain.as_str(), &chmod),
        (module.as_str(), &python),
        ("/", "it is a directory"),
        (
            bad.as_str(),
            "the interpreter that its first line names is not there",
        ),
        (garbled.as_str(), "not a program that this system can run"),
    ] {
        let result = dir.run(&["--dialect", "aionrs", program]);
        result.assert_exit(2, why);
        assert_eq!(result.stderr.lines().count(), 1, "{result:?}");
        assert_eq!(result.stdout, "");
    }
}

/// An agent that answers `initialize` with this version, and creates no session without a login.
fn agent_of_version(version: u32) -> String {
    format!(
        r#"
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {{"jsonrpc": "2.0", "id": request.get("id")}}
    if request["method"] == "initialize":
        logins = [{{"id": "web", "name": "Log in by the browser"}}]
        answer["result"] = {{"protocolVersion": {version}, "agentCapabilities": {{}}, "authMethods": logins, "agentInfo": {{"name": "a", "version": "1"}}}}
    else:
        answer["error"] = {{"code": -32000, "message": "Authentication required"}}
    print(json.dumps(answer), flush=True)
"#
    )
}

#[test]
fn another_version_of_the_protocol_is_told_in_one_line() {
    let dir = TestDir::new();
    for version in [0, 2] {
        let agent = dir.file("agent.py", &agent_of_version(version));
        for named in [&[][..], &["--dialect", "acp@1"]] {
            let result = dir.run(&[named, &["python3", &agent]].concat());
            let text = format!("the agent speaks version {version} of acp, which cannot be judged");
            result.assert_exit(2, &text);
            assert_eq!(result.stderr.lines().count(), 1, "{result:?}");
        }
    }
}

#[test]
fn a_scenario_is_skipped_if_the_agent_wants_a_login_first() {
    let dir = TestDir::new();
    let agent = dir.file("agent.py", &agent_of_version(1));
    let only = ["--dialect", "acp@1", "--only", "acp@1/prompt/plain"];
    let result = dir.run(&[&only[..], &["python3", &agent]].concat());
    result.assert_exit(
        3,
        "the agent creates no session without a login (Log in by the browser)",
    );
    assert_eq!(result.only_scenario().verdict, Verdict::Skipped);
}

#[test]
fn an_agent_that_exits_at_once_is_incomplete() {
    let dir = TestDir::new();
    for args in [
        ["--dialect", "aionrs", "true"].as_slice(),
        &["true"],
        &["--", "true"],
    ] {
        dir.run(args)
            .assert_exit(3, "it wrote nothing before it exited with code 0");
    }
    dir.run_scenario(TURN, "echo cannot read the settings >&2; exit 7")
        .assert_exit(
            3,
            "exited with code 7; the last line of its stderr: \"cannot read the settings\"",
        );
    dir.run_scenario(
        TURN,
        "printf 'TypeError: no such thing\\n    at main\\n\\nRuntime v1\\n' >&2; exit 1",
    )
    .assert_exit(
        3,
        "exited with code 1; on its stderr: \"TypeError: no such thing\"",
    );
}

#[test]
fn an_agent_that_only_echoes_is_incomplete() {
    let dir = TestDir::new();
    let undetected = dir.run(&["--", "cat"]);
    undetected.assert_exit(2, "name it with --dialect");
    let args = ["--time-scale", "0.05", "--dialect", "aionrs"];
    let echo = ["sh", "-c", "cat", "{llm_url}"];
    dir.run(&[&args[..], &echo].concat()).assert_exit(
        3,
        "the agent did not start up: it wrote nothing within 500 ms",
    );
}

#[test]
fn an_agent_that_writes_nothing_is_incomplete() {
    let dir = TestDir::new();
    let args = ["--time-scale", "0.02", "--", "sleep", "1000"];
    dir.run(&args).assert_exit(3, "name it with --dialect");
}

#[test]
#[cfg(target_os = "linux")]
fn an_agent_that_sleeps_in_silence_does_not_get_the_whole_budget() {
    let dir = TestDir::new();
    // The budget of the patient run is shorter, so that it does not last long.
    for (args, when) in [
        (&[][..], "and did nothing for 4 s"),
        (
            &["--no-settle", "--time-scale", "0.1"],
            "within 4 s (`start` budget)",
        ),
    ] {
        let result = dir.run(&[args, &["sleep", "1000"]].concat());
        result.assert_exit(3, &format!("it wrote nothing {when}"));
        result.assert_exit(3, "it must flush each line");
    }
}

#[test]
fn the_message_for_an_agent_that_ends_before_its_first_line_does_not_mention_flushing() {
    let dir = TestDir::new();
    for dialect in [&[][..], &["--dialect", "aionrs"]] {
        let result = dir.run(&[dialect, &["sh", "nosuch.sh"]].concat());
        result.assert_exit(3, "nosuch.sh is not in the current folder");
        assert!(!result.stderr.contains("flush"), "{}", result.stderr);
    }
}

#[test]
fn the_message_for_an_agent_without_its_packages_says_how_to_start_with_them() {
    let dir = TestDir::new();
    let unknown = "echo \"ModuleNotFoundError: No module named 'mcp'\" >&2; exit 1";
    dir.run(&["sh", "-c", unknown])
        .assert_exit(3, "and name the Python of that environment");
    let npx = dir.file("npx", "#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(&npx, PermissionsExt::from_mode(0o755)).unwrap();
    let why = "npx loads packages, but the agent has no network";
    dir.run(&["--dialect", "aionrs", &npx, "my-agent"])
        .assert_exit(3, why);
}

#[test]
fn an_agent_that_writes_bytes_that_are_not_text_is_given_up_in_seconds() {
    let dir = TestDir::new();
    let script = dir.file(
        "binary.sh",
        r"printf '\377\0\n'; while :; do echo; sleep 0.1; done",
    );
    dir.run(&["sh", &script]).assert_exit(
        2,
        r#"is ready in the next 2 s; its first line is not text: "\xff\x00""#,
    );
}

#[test]
fn an_agent_that_prints_garbage_is_incomplete() {
    let dir = TestDir::new();
    let script = dir.file("garbage.sh", "echo garbage; sleep 1000");
    let args = ["--time-scale", "0.05", "--dialect", "aionrs", "sh", &script];
    dir.run(&args)
        .assert_exit(3, "its first line is \"garbage\"");
    let args = ["--time-scale", "0.02", "sh", &script];
    dir.run(&args)
        .assert_exit(2, "cannot detect the agent's protocol");
}

#[test]
fn an_argument_that_may_be_a_folder_here_is_an_error_with_advice() {
    let dir = TestDir::new();
    dir.file("tool/agent.sh", READY);
    dir.run(&["--dialect", "aionrs", "sh", "-c", "exit 1", "tool"])
        .assert_exit(3, "write ./tool");
}

#[test]
fn an_endless_line_at_the_start_is_reported() {
    let dir = TestDir::new();
    let script = dir.file("endless.sh", "printf 'x%.0s' 1 2 3 4 5 6 7; sleep 1000");
    let args = ["--time-scale", "0.05", "--dialect", "aionrs", "sh", &script];
    dir.run(&args)
        .assert_exit(3, "it wrote 7 bytes without an end of a line");
}

#[test]
fn an_endless_line_later_is_reported() {
    let dir = TestDir::new();
    let result =
        dir.run_with_short_budgets(TURN, &agent(&[READY, "printf 'x%.0s' 1 2 3; sleep 1000"]));
    result.assert_exit(1, "3 bytes of an unfinished line");
    assert_eq!(result.only_scenario().verdict, Verdict::Fail);
}

#[test]
fn a_flood_is_stopped() {
    let dir = TestDir::new();
    for flood in ["yes | tr -d '\\n'", "yes x"] {
        let result = dir.run_scenario(TURN, &agent(&[READY, flood]));
        result.assert_exit(1, "and did not stop; it was killed");
        assert!(result.rules().contains(&"scenario.output"), "{result:?}");
    }
}

#[test]
fn a_flood_on_stderr_is_harmless() {
    let dir = TestDir::new();
    let flood = "yes 'a line for the log' | head -c 20000000 >&2\n";
    let result = dir.run_scenario(TURN, &agent(&[flood, READY, TURNS]));
    assert_eq!(result.only_scenario().verdict, Verdict::Pass, "{result:?}");
}

#[test]
fn an_agent_that_never_reads_does_not_block_the_run() {
    let dir = TestDir::new();
    let long = "x".repeat(300_000);
    let scenario = TURN.replace("input: hi", &format!("input: \"{long}\""));
    let result = dir.run_with_short_budgets(&scenario, &agent(&[READY, "sleep 1000"]));
    let message = result.message("scenario.expect");
    assert!(message.contains("did not come within 500 ms"), "{message}");
    assert!(
        result.rules().contains(&"aionrs/message-answered"),
        "{result:?}"
    );
}

#[test]
fn a_turn_that_never_ends_is_a_finding_of_the_rule_about_turns() {
    let dir = TestDir::new();
    let turn = "read -r line; echo '{\"type\":\"stream_start\",\"msg_id\":\"m1\"}'; sleep 1000";
    let result = dir.run_with_short_budgets(TURN, &agent(&[READY, turn]));
    result.assert_exit(1, "before `stream_end`");
    assert_eq!(result.rules(), ["aionrs/turn-envelope", "scenario.expect"]);
}

#[test]
fn an_agent_that_closes_its_stdout_is_not_waited_for() {
    let dir = TestDir::new();
    let result = dir.run_scenario(TURN, &agent(&[READY, "exec >&-; cat >/dev/null; exit 0"]));
    result.assert_exit(1, "the agent closed its stdout before `stream_end` came");
}

#[test]
fn a_crash_during_a_turn_is_reported_with_the_signal() {
    let dir = TestDir::new();
    let result = dir.run_scenario(
        TURN,
        &agent(&[READY, "read -r line; kill -SEGV $$; sleep 1000"]),
    );
    result.assert_exit(1, "the agent ended by itself");
    let message = result.message("scenario.expect");
    assert!(
        message.starts_with("the agent was ended by SIGSEGV before `stream_"),
        "{message}"
    );
}

#[test]
fn an_agent_that_ignores_the_end_of_stdin_is_killed() {
    let dir = TestDir::new();
    for wait in ["sleep 1000", "while :; do :; done"] {
        let result = dir.run_with_short_budgets(START_AND_EXIT, &agent(&[READY, wait]));
        let message = result.message("scenario.expect_exit");
        assert!(
            message.starts_with("the agent did not end within 500 ms"),
            "{message}"
        );
        assert_eq!(
            result.rules(),
            ["aionrs/eof-exits", "scenario.expect_exit"],
            "{result:?}"
        );
    }
}

#[test]
fn an_agent_that_ignores_sigterm_is_killed() {
    let dir = TestDir::new();
    let scenario = START_AND_EXIT.replace("close_stdin:", "signal: SIGTERM");
    let result = dir.run_with_short_budgets(
        &scenario,
        &agent(&["trap '' TERM\n", READY, "while :; do :; done"]),
    );
    let message = result.message("scenario.expect_exit");
    assert!(
        message.starts_with("the agent did not end within 500 ms"),
        "{message}"
    );
    assert!(
        result.rules().contains(&"aionrs/sigterm-exits"),
        "{result:?}"
    );
}
