//! Agent files: tools by purpose, modes that ask, and the agent's own requests to its model.

use crate::harness::{RunResult, TestDir};
use conform_report::Verdict;
use std::path::{Path, PathBuf};

fn two_way(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/two-way")
        .join(name)
}

/// Runs a scenario of these keys with these arguments after the dialect's folder.
fn play_with(dir: &TestDir, scenario: &str, args: &[&str]) -> RunResult {
    let scenario = format!(
        "name: x\nclauses: [bench.answer]\n{}",
        scenario.trim_start()
    );
    let scenario = dir.file("scenarios/one.yaml", &scenario);
    let (dialects, transcripts) = (two_way("dialects"), dir.path("transcripts"));
    let folder = dialects.to_str().unwrap();
    let usual = [
        "--dialect-dir",
        folder,
        "--scenarios",
        &scenario,
        "--transcripts",
        transcripts.to_str().unwrap(),
    ];
    dir.run(&[&usual, args].concat())
}

fn play(dir: &TestDir, scenario: &str) -> RunResult {
    play_with(
        dir,
        scenario,
        &["python3", two_way("asker.py").to_str().unwrap()],
    )
}

fn passes(scenario: &str) -> RunResult {
    let result = play(&TestDir::new(), scenario);
    assert!(result.report.is_some(), "{}", result.stdout);
    assert_eq!(
        result.only_scenario().verdict,
        Verdict::Pass,
        "{}",
        result.stdout
    );
    result
}

fn lanes(result: &RunResult) -> Vec<(&str, u64)> {
    let lanes = &result.only_scenario().lanes;
    lanes
        .iter()
        .map(|(lane, count)| (lane.as_str(), *count))
        .collect()
}

const ASKED: &str = "
asks: true
files: { a.txt: one }
model:
  - tool_calls: [{ id: t1, use: shell, args: { command: echo hi > done } }, { id: t2, use: read, args: { path: a.txt } }]
  - expect_request: { tool_result: [{ call: t1, contains: denied }, { call: t2, contains: one }] }
    text: ready
steps:
  - send: { message: ask, params: { text: now } }
  - expect: { message: call, params: { call: t1, tool: { $tool: shell }, args: { $args: { shell: { command: echo hi > done } } } } }
  - expect: { message: may, params: { call: t1 } }
  - send: { message: may.result, result: { yes: false } }
  - expect: { message: call, params: { call: t2, args: { cmd: \"cat 'a.txt'\" } } }
  - expect: { message: may, params: { call: t2 } }
  - send: { message: may.result, result: { yes: true } }
  - expect: { message: ask.result, result: { text: ready } }
files_after: { done: absent }
";

#[test]
fn tools_by_purpose_have_the_names_and_the_mode_of_the_agent() {
    let result = passes(ASKED);
    let note = "the agent file of the agent of the tests is used: it is called asker.py";
    assert!(result.stderr.contains(note), "{}", result.stderr);
}

#[test]
fn an_agent_is_known_by_what_it_says_and_needs_no_file() {
    let dir = TestDir::new();
    let text = std::fs::read_to_string(two_way("asker.py")).unwrap();
    let other = dir.file("other.py", &text);
    let result = play_with(&dir, ASKED, &["python3", &other]);
    assert_eq!(
        result.only_scenario().verdict,
        Verdict::Pass,
        "{}",
        result.stdout
    );
    assert!(
        result.stderr.contains("its first answer says so"),
        "{}",
        result.stderr
    );

    let plain = "model: [{ text: hello }]\nsteps:\n  - send: { message: ask, params: { text: hi } }\n  - expect: { message: ask.result, result: { text: hello } }\n";
    for (scenario, verdict, why) in [
        (plain, Verdict::Pass, ""),
        (
            ASKED,
            Verdict::Skipped,
            "no agent file says which tool is for shell",
        ),
    ] {
        let result = play_with(
            &dir,
            scenario,
            &["--env", "BENCH_NAME=nobody", "python3", &other],
        );
        let found = result.only_scenario();
        assert_eq!(found.verdict, verdict, "{}", result.stdout);
        assert!(found.reason.contains(why), "{}", found.reason);
    }
}

#[test]
fn what_an_agent_lacks_is_skipped_with_its_reason() {
    let steps = "steps:\n  - send: { message: ask, params: { text: hi } }\n  - expect: { message: ask.result }\n";
    for (keys, why) in [
        (
            "model: [{ tool_calls: [{ use: form }] }]",
            "the agent lacks form: ",
        ),
        ("needs: [notes]", "the agent lacks notes: it takes no notes"),
        ("wire: anthropic", "the agent lacks anthropic: "),
    ] {
        let result = play(&TestDir::new(), &format!("{keys}\n{steps}"));
        let found = result.only_scenario();
        assert_eq!(found.verdict, Verdict::Skipped, "{}", result.stdout);
        assert!(found.reason.starts_with(why), "{}", found.reason);
    }
}

/// A scenario of two turns, of which the first asks the model for more.
fn two_turns(when: &str, between: &str) -> String {
    format!(
        "
model:
  - expect_request: {{ last_contains: {when} it }}
    text: first
  - expect_request: {{ contains: [{when} it, first], not_contains: [You name, NEXT] }}
    text: second
steps:
  - send: {{ message: ask, params: {{ text: {when} it }} }}
  - expect: {{ message: ask.result, result: {{ text: first }} }}
{between}
  - send: {{ message: ask, params: {{ text: again }} }}
  - expect: {{ message: ask.result, result: {{ text: second }} }}
"
    )
}

#[test]
fn requests_of_a_lane_take_no_reply_whenever_they_come() {
    for when in ["before", "beside", "behind"] {
        let step = "  - expect_request: { lane: title, contains: You name sessions }";
        let result = passes(&two_turns(when, step));
        assert_eq!(lanes(&result), [("title", 1)], "{when}: {}", result.stdout);
        assert!(
            result.stdout.contains("Own requests title 1"),
            "{}",
            result.stdout
        );
    }
    let result = passes(&two_turns(
        "next",
        "  - expect_request: { lane: next, contains: seen }",
    ));
    assert_eq!(lanes(&result), [("next", 2)], "{}", result.stdout);
}

#[test]
fn a_lane_is_recognized_by_the_name_of_its_model_or_by_the_absence_of_tools() {
    let agent = two_way("asker.py");
    for condition in ["model: small", "no_tools: true"] {
        let dir = TestDir::new();
        let file = format!("dialect: bench\nlanes: {{ title: {{ {condition} }} }}\n");
        let file = dir.file("own.yaml", &file);
        let step = "  - expect_request: { lane: title, contains: You name sessions }";
        let result = play_with(
            &dir,
            &two_turns("before", step),
            &["--agent-file", &file, "python3", agent.to_str().unwrap()],
        );
        assert_eq!(
            result.only_scenario().verdict,
            Verdict::Pass,
            "{}",
            result.stdout
        );
        assert_eq!(lanes(&result), [("title", 1)], "{condition}");
    }
}

#[test]
fn a_lane_is_in_the_transcript_and_no_part_of_the_judgement() {
    let dir = TestDir::new();
    let result = play(&dir, &two_turns("before", ""));
    assert_eq!(
        result.only_scenario().verdict,
        Verdict::Pass,
        "{}",
        result.stdout
    );
    let mut found = Vec::new();
    for file in walk(&dir.path("transcripts")) {
        found.push(std::fs::read_to_string(&file).unwrap());
    }
    let text = found.concat();
    assert!(
        text.contains(r#""dir":"lane_request""#) && text.contains(r#""lane":"title""#),
        "{text}"
    );
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The message of `conform run` with an agent file of these lines.
fn error(file: &str, args: &[&str]) -> String {
    let dir = TestDir::new();
    let file = dir.file("asker.yaml", file);
    let result = play_with(
        &dir,
        "model: [{ text: a }]\nsteps:\n  - expect: { message: text }\n",
        &[&["--agent-file", &file][..], args].concat(),
    );
    assert_eq!(result.status, Some(2), "{}", result.stdout);
    result.stderr
}

#[test]
fn a_mistake_in_an_agent_file_has_its_place() {
    let agent = two_way("asker.py");
    let program = ["python3", agent.to_str().unwrap()];
    for (file, place, what) in [
        ("title: x", "asker.yaml:1:1", "`dialect` is missing"),
        (
            "dialect: bench\ntools: { shell: { name: run }, shell: { name: go } }",
            "asker.yaml:2:32",
            "shell",
        ),
        (
            "dialect: bench\ntools: { shell: { name: run }, read: { name: run } }",
            "asker.yaml:2:46",
            "is the tool for `shell` already",
        ),
        (
            "dialect: bench\ntools: { write: { name: w } }",
            "asker.yaml:2:10",
            "unknown purpose `write`",
        ),
        (
            "dialect: bench\ntools: { shell: { name: run, args: { path: p } } }",
            "asker.yaml:2:38",
            "unknown argument of `shell`",
        ),
        (
            "dialect: bench\nlanes: { all: { reply: { text: x } } }",
            "asker.yaml:2:10",
            "matches every request",
        ),
        (
            "dialect: bench\nlanes: { a: { last: x }, b: { last: xy } }",
            "asker.yaml:2:26",
            "match the same requests",
        ),
        (
            "dialect: bench\nlanes: { a: { last: x, reply: { txt: y } } }",
            "asker.yaml:2:33",
            "unknown key `txt`",
        ),
        (
            "dialect: bench\nlacks: { notse: never }",
            "asker.yaml:2:10",
            "did you mean `notes`",
        ),
    ] {
        let found = error(file, &program);
        assert!(
            found.contains(place) && found.contains(what),
            "{file}: {found}"
        );
    }
    let other = error(
        "dialect: duo\ntitle: x",
        &[&["--dialect", "bench"][..], &program].concat(),
    );
    assert!(
        other.contains("asker.yaml:1:10") && other.contains("is for `duo`"),
        "{other}"
    );
    let missing = error("dialect: bench\nprograms: [no-such-agent]", &[]);
    assert!(
        missing.contains("asker.yaml:2:11")
            && missing.contains("`no-such-agent` is not on the PATH"),
        "{missing}"
    );
}
