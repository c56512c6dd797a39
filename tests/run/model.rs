//! The scripted model: checks of requests during a run, and `conform provider`.

use crate::agents::TURN;
use crate::harness::{TestDir, finish};
use conform_report::Verdict;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};

/// Runs one scenario with the bundled agent.
fn run_bundled(dir: &TestDir, scenario: &str) -> crate::harness::RunResult {
    let scenario = dir.file("one.yaml", scenario);
    dir.run(&[
        "--dialect",
        "aionrs@0.1",
        "--scenarios",
        &scenario,
        "--time-scale",
        "0.5",
    ])
}

fn turn(model: &str) -> String {
    TURN.replace("steps:", &format!("model:\n{model}steps:"))
}

#[test]
fn a_request_is_compared_with_the_expectation_of_the_script() {
    let dir = TestDir::new();
    let good = run_bundled(
        &dir,
        &turn("  - expect_request: { contains: hi }\n    text: ho\n"),
    );
    assert_eq!(good.only_scenario().verdict, Verdict::Pass, "{good:?}");
    let wrong = run_bundled(
        &dir,
        &turn("  - expect_request: { contains: never said }\n    text: ho\n"),
    );
    assert_eq!(wrong.rules(), ["scenario.request"], "{wrong:?}");
    assert_eq!(wrong.status, Some(1));
}

/// A scenario with two turns.
const TWO_TURNS: &str = "
name: two turns
clauses: [aionrs.stream-end.closes-turn]
model:
  - tool_calls: [{ id: t1, name: Glob, args: { pattern: \"*\" } }]
  - expect_request: { tool_result: { call: t1 } }
    text: one
  - text: two
answers: [{ on: { type: tool_request }, capture: { call: /call_id }, send: { type: tool_approve, call_id: \"{call}\", scope: once } }]
steps:
  - send: { type: message, msg_id: m1, input: first }
  - expect_text: { of: { type: text_delta, msg_id: m1 }, at: /text, is: one, until: [{ type: stream_end, msg_id: m1 }] }
  - send: { type: message, msg_id: m2, input: second }
  - expect_text: { of: { type: text_delta, msg_id: m2 }, at: /text, is: two, until: [{ type: stream_end, msg_id: m2 }] }
  - close_stdin:
  - expect_exit: { code: 0 }
";

/// Runs one scenario with the bundled agent and a fault.
fn run_bundled_with_fault(dir: &TestDir, fault: &str, scenario: &str) -> crate::harness::RunResult {
    let scenario = dir.file("one.yaml", scenario);
    let fault = format!("MOCK_AGENT_FAULT={fault}");
    let dialect = ["--dialect", "aionrs@0.1", "--scenarios", &scenario];
    dir.run(&[&dialect[..], &["--env", &fault]].concat())
}

#[test]
fn a_request_for_a_title_or_a_summary_is_not_a_finding() {
    let dir = TestDir::new();
    for fault in ["asks-for-a-title", "asks-for-a-summary"] {
        let result = run_bundled_with_fault(&dir, fault, TWO_TURNS);
        assert!(result.rules().is_empty(), "{result:?}");
        assert_eq!(
            (result.only_scenario().verdict, result.status),
            (Verdict::Pass, Some(0)),
            "{result:?}"
        );
    }
}

#[test]
fn a_scenario_over_a_wire_that_the_agent_may_lack_is_skipped_if_it_asks_nothing_over_it() {
    const TOKENS: &str = include_str!("../../scenarios/synaps/1/usage/tokens-over-anthropic.yaml");
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", TOKENS);
    let mock_agent = env!("CARGO_BIN_EXE_mock-agent");
    let asks_elsewhere =
        format!("SYNAPS_ANTHROPIC_BASE_URL=http://127.0.0.1:9 exec {mock_agent} rpc");
    let agent = dir.file("agent.sh", &asks_elsewhere);
    let dialect = ["--dialect", "synaps@1", "--scenarios", &scenario];
    let skipped = dir.run(&[&dialect[..], &["sh", &agent]].concat());
    assert_eq!(skipped.only_scenario().verdict, Verdict::Skipped);
    assert_eq!(
        skipped.only_scenario().reason,
        "the agent does not ask its model over anthropic"
    );
    let asks = dir.run(&[&dialect[..], &[mock_agent]].concat());
    assert_eq!(asks.only_scenario().verdict, Verdict::Pass);
}

#[test]
fn a_request_that_repeats_an_answered_one_is_a_violation() {
    let dir = TestDir::new();
    let result = run_bundled_with_fault(&dir, "asks-twice", TWO_TURNS);
    assert!(
        result
            .message("scenario.script")
            .contains("repeats request"),
        "{result:?}"
    );
    assert_eq!(result.only_scenario().verdict, Verdict::Fail);
    assert_eq!(result.status, Some(1));
}

#[test]
fn findings_before_an_unexpected_request_are_kept() {
    let dir = TestDir::new();
    let wrong = TWO_TURNS.replace("call: t1 } }", "call: t1, contains: no such thing } }");
    let result = run_bundled(&dir, &wrong.replace("  - text: two\n", ""));
    assert_eq!(
        result.rules(),
        ["scenario.request", "scenario.unforeseen"],
        "{result:?}"
    );
    assert_eq!(result.only_scenario().verdict, Verdict::Fail);
}

#[test]
fn a_script_that_is_too_short_or_too_long_is_reported() {
    let dir = TestDir::new();
    let short = run_bundled(&dir, &TWO_TURNS.replace("  - text: two\n", ""));
    assert_eq!(
        short.only_scenario().verdict,
        Verdict::Inconclusive,
        "{short:?}"
    );
    assert!(
        short
            .only_scenario()
            .reason
            .contains("had no reply left (2 in all)"),
        "{short:?}"
    );
    let unused = run_bundled(&dir, &turn("  - text: one\n  - text: two\n"));
    assert!(
        unused
            .message("scenario.script")
            .contains("did not ask the model for reply 1"),
        "{unused:?}"
    );
    assert_eq!(unused.only_scenario().verdict, Verdict::Warn);
}

#[test]
fn an_expectation_without_a_request_fails() {
    let dir = TestDir::new();
    let result = run_bundled(
        &dir,
        &turn("  - text: one\n  - expect_request: { contains: x }\n    text: two\n"),
    );
    assert_eq!(result.rules(), ["scenario.request"], "{result:?}");
    assert_eq!(result.only_scenario().verdict, Verdict::Fail);
}

#[test]
fn the_provider_prints_its_address_and_its_journal() {
    let dir = TestDir::new();
    let script = dir.file("script.yaml", "- text: [Hello, \" from {workspace}\"]\n");
    let mut child = dir
        .command("provider")
        .args(["--script", &script])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let url = lines.next().unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    let agent = dir
        .command("agent")
        .args([
            "--json-stream",
            "--provider",
            "anthropic",
            "--base-url",
            &url,
            "--model",
            "m",
        ])
        .env("ANTHROPIC_API_KEY", "k")
        .env("HOME", dir.path("tmp"))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    agent
        .stdin
        .as_ref()
        .unwrap()
        .write_all(b"{\"type\":\"message\",\"msg_id\":\"m1\",\"input\":\"hi\"}\n")
        .unwrap();
    let request: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(
        (&request["dir"], &request["path"]),
        (&"llm_request".into(), &"/v1/messages".into())
    );
    let reply: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(
        (&reply["dir"], &reply["end"]),
        (&"llm_reply".into(), &"complete".into())
    );
    let output = finish(agent);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        stdout.contains(&format!(
            " from {}",
            dir.path("").display().to_string().trim_end_matches('/')
        )),
        "{stdout}"
    );
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = finish(child);
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let openai = format!("OpenAI Responses: base URL {url}/v1 (");
    assert!(stderr.contains(&openai), "{stderr}");
    assert!(
        stderr.contains(&format!("Gemini: base URL {url} (")),
        "{stderr}"
    );
    assert!(stderr.contains(&format!("base URL {url} (")), "{stderr}");
}

#[test]
fn a_request_that_the_provider_does_not_serve_is_no_failure_of_the_session() {
    use std::io::{Read, Write};
    let dir = TestDir::new();
    let script = dir.file("script.yaml", "- text: hi\n");
    for (requests, status) in [
        (
            &["HEAD / HTTP/1.1", "POST /api/event_logging/batch HTTP/1.1"][..],
            0,
        ),
        (
            &["HEAD / HTTP/1.1", "POST /v1/chat/completions HTTP/1.1"][..],
            1,
        ),
    ] {
        let mut child = dir
            .command("provider")
            .args(["--script", &script])
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut url = String::new();
        stdout.read_line(&mut url).unwrap();
        for request in requests {
            let address = url.trim().trim_start_matches("http://");
            let mut connection = std::net::TcpStream::connect(address).unwrap();
            let head =
                format!("{request}\r\nhost: h\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            connection.write_all(head.as_bytes()).unwrap();
            connection.read_to_end(&mut Vec::new()).unwrap();
        }
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let mut journal = String::new();
        stdout.read_to_string(&mut journal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status), "{journal}");
        assert!(journal.contains(r#""failure":"not served""#), "{journal}");
        assert!(
            journal.contains("conform does not serve HEAD /"),
            "{journal}"
        );
    }
}

#[test]
fn the_provider_reports_mistakes_in_its_script() {
    let dir = TestDir::new();
    for (text, why) in [
        ("- txt: Hi\n", "did you mean `text`?"),
        ("name: x\n", "a map without `model`"),
        ("- text: \"{call}\"\n", "unknown name `call`"),
    ] {
        let script = dir.file("script.yaml", text);
        let output = finish(
            dir.command("provider")
                .args(["--script", &script])
                .spawn()
                .unwrap(),
        );
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(
            stderr.contains(why) && stderr.contains("script.yaml:1"),
            "{stderr}"
        );
    }
}

#[test]
fn the_provider_plays_a_built_in_script_by_its_name() {
    let dir = TestDir::new();
    let mut child = dir
        .command("provider")
        .args(["--script", "tools", "--dialect", "pi@0.87"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut url).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    for (args, message) in [
        (
            &["--script", "tools"][..],
            "choose it with --dialect, one of acp@1, aionrs@0.1, ",
        ),
        (&["--script", "markdwn"], "did you mean `markdown`?"),
        (
            &["--script", "markdown", "--dialect", "pi"],
            "unknown dialect `pi`",
        ),
    ] {
        let refused = dir.command("provider").args(args).output().unwrap();
        let why = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{why}");
        assert!(why.contains(message), "{why}");
    }
}

/// Plays one embedded scenario with the bundled agent and a fault.
fn run_embedded_with_fault(
    dir: &TestDir,
    dialect: &str,
    only: &str,
    fault: &str,
    more: &[&str],
) -> crate::harness::RunResult {
    let fault = format!("MOCK_AGENT_FAULT={fault}");
    let args = ["--dialect", dialect, "--only", only, "--env", &fault];
    dir.run(&[&args[..], more].concat())
}

#[test]
fn a_request_after_a_stop_or_for_a_refused_command_breaks_its_clause() {
    let dir = TestDir::new();
    for (dialect, scenario, fault, clause) in [
        (
            "synaps@1",
            "errors/wrong-type-of-field",
            "refused-prompt-runs",
            "synaps.error.malformed",
        ),
        (
            "pi@0.73",
            "errors/not-json",
            "refused-command-runs",
            "pi.error.failed",
        ),
        (
            "synaps@1",
            "abort/while-a-tool-runs",
            "abort-asks-again",
            "synaps.abort.stops",
        ),
        (
            "pi@0.14",
            "abort/while-a-tool-runs",
            "abort-asks-again",
            "pi.abort.stops",
        ),
        (
            "pi@0.73",
            "abort/parallel-tools",
            "abort-asks-again",
            "pi.abort.stops",
        ),
        (
            "aionrs@0.1",
            "stop/reports-the-open-request",
            "stop-asks-again",
            "aionrs.stop.aborts",
        ),
    ] {
        let result = run_embedded_with_fault(&dir, dialect, scenario, fault, &[]);
        let scenario = result.only_scenario();
        let mut findings = scenario.findings.iter();
        let found = findings.find(|one| one.rule == "scenario.unasked");
        let clauses = found.map(|one| one.clauses.clone()).unwrap_or_default();
        assert_eq!(clauses, [clause], "{result:?}");
        assert_eq!(
            (scenario.verdict, result.status),
            (Verdict::Fail, Some(1)),
            "{result:?}"
        );
    }
}

#[test]
fn a_baseline_accepts_requests_that_no_scenario_foresees() {
    let dir = TestDir::new();
    let known = dir.file("known.yaml", "causes: []\n");
    let run = |more: &[&str]| {
        let args = [&["--baseline", known.as_str()], more].concat();
        let (only, fault) = ("errors/tools-after-a-failure", "asks-for-a-summary");
        run_embedded_with_fault(&dir, "aionrs@0.1", only, fault, &args)
    };
    let open = run(&[]);
    assert_eq!(
        open.only_scenario().verdict,
        Verdict::Inconclusive,
        "{open:?}"
    );
    let notes = open
        .only_scenario()
        .findings
        .iter()
        .filter(|one| one.rule == "scenario.unforeseen");
    let advice: Vec<_> = notes.map(|one| one.expected[0].to_string()).collect();
    assert_eq!((advice.len(), open.status), (1, Some(3)), "{open:?}");
    assert!(
        advice[0].contains("switch off titles, summaries"),
        "{advice:?}"
    );
    let again = run(&["--failed"]);
    assert!(
        !again.all_output().contains("no scenario failed"),
        "{again:?}"
    );
    run(&["--update-baseline"]);
    let accepted = run(&[]);
    assert_eq!(
        (accepted.only_scenario().verdict, accepted.status),
        (Verdict::Pass, Some(0)),
        "{accepted:?}"
    );
}

#[test]
fn a_failure_after_a_tool_may_have_another_code() {
    let dir = TestDir::new();
    let (only, fault) = ("errors/after-a-tool", "provider-error-is-internal");
    let result = run_embedded_with_fault(&dir, "aionrs@0.1", only, fault, &[]);
    let findings = &result.only_scenario().findings;
    let of_steps = findings
        .iter()
        .find(|one| one.rule.starts_with("scenario."));
    assert!(of_steps.is_none(), "{of_steps:?}");
}
