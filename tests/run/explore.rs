//! `conform explore`: what the reference agent does in sessions that nobody wrote, and with a fault.

use crate::harness::{TestDir, finish};
use conform_judge::dialect::{DialectSource, load};
use conform_runner::explore::{MoveTable, Situations};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The status and the output of `conform explore` with these arguments.
fn explore(dir: &TestDir, args: &[&str]) -> (Option<i32>, String) {
    let output = finish(dir.command("explore").args(args).spawn().unwrap());
    let both = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&both).into_owned(),
    )
}

/// The files in the folder of a dialect below `reports/explore`.
fn written(dir: &TestDir) -> Vec<PathBuf> {
    let folder = dir.path("reports/explore/aionrs/0.1");
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn nothing_is_found_in_the_reference_agent() {
    for dialect in ["aionrs@0.1", "aionrs@0.2", "synaps@1", "pi@0.14"] {
        let dir = TestDir::new();
        let args = ["--dialect", dialect, "--sessions", "12", "--seed", "4"];
        let (status, output) = explore(&dir, &args);
        assert_eq!(status, Some(0), "{output}");
        assert!(output.contains("12 sessions; "), "{output}");
    }
}

#[test]
fn a_fault_becomes_a_small_scenario_that_fails_by_itself() {
    let dir = TestDir::new();
    let agent = env!("CARGO_BIN_EXE_mock-agent");
    let faulty = [agent, "--fault", "no-stream-end"];
    let args = [
        "--dialect",
        "aionrs@0.1",
        "--sessions",
        "6",
        "--time-scale",
        "0.3",
    ];
    let (status, output) = explore(&dir, &[&args[..], &faulty].concat());
    assert_eq!(status, Some(1), "{output}");

    let files = written(&dir);
    let file = files
        .iter()
        .find(|file| file.to_string_lossy().ends_with(".turn-envelope.yaml"));
    let file = file
        .unwrap_or_else(|| panic!("{files:?}: {output}"))
        .to_str()
        .unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    assert!(
        text.starts_with("# Found by conform explore --seed 0, session "),
        "{text}"
    );
    assert!(text.contains("\n# Expected: stream_end"), "{text}");
    assert!(text.lines().count() < 30, "{text}");
    let lint = finish(dir.command("lint").arg(file).spawn().unwrap());
    assert_eq!(lint.status.code(), Some(0), "{text}");
    let rerun = format!(
        "conform run --dialect aionrs@0.1 --time-scale 0.3 --scenarios {}",
        file.trim_start_matches(dir.path("").to_str().unwrap())
    );
    assert!(output.contains(&rerun), "{rerun}: {output}");

    let run = |agent: &[&str]| {
        dir.run(&[&["--dialect", "aionrs@0.1", "--scenarios", file][..], agent].concat())
    };
    let failed = run(&faulty);
    assert_eq!(failed.status, Some(1), "{failed:?}");
    let found = &failed.report.as_ref().unwrap().scenarios[0].findings;
    assert!(
        found.iter().any(|one| one.rule == "aionrs/turn-envelope"),
        "{failed:?}"
    );
    assert_eq!(run(&[agent]).status, Some(0));
}

#[test]
fn what_was_found_is_kept_when_it_is_interrupted() {
    let dir = TestDir::new();
    let mut command = dir.command("explore");
    command.args(["--dialect", "aionrs@0.1", "--time", "10m", "--jobs", "2"]);
    command.args([env!("CARGO_BIN_EXE_mock-agent"), "--fault", "no-stream-end"]);
    let mut child = command.spawn().unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("FAIL") {
        line.clear();
        assert_ne!(shown.read_line(&mut line).unwrap(), 0, "no session failed");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        shown.read_to_string(&mut rest).map(|_| rest)
    });
    let output = finish(child);
    let stdout = rest.join().unwrap().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}: {stdout}");
    assert!(stdout.contains("as it was found)"), "{stdout}");
    let files = written(&dir);
    assert!(!files.is_empty(), "{stdout}");
    let lint = dir.command("lint").args(&files).spawn().unwrap();
    assert_eq!(finish(lint).status.code(), Some(0), "{files:?}");
    assert_eq!(dir.left_folders(), Vec::<String>::new());
}

#[test]
fn situations_are_counted_in_scenarios_and_in_sessions() {
    let dir = TestDir::new();
    let situations = |args: &[&str]| {
        let mut command = dir.command("coverage");
        let output = finish(command.arg("--situations").args(args).spawn().unwrap());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = situations(&["--dialect", "aionrs@0.1", "--sessions", "40"]);
    let row = |situation: [&str; 3]| {
        let mut rows = shown
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let row = rows.find(|row| row.starts_with(&situation));
        row.unwrap_or_else(|| panic!("{situation:?}: {shown}"))[3..].join(" ")
    };
    for times in row(["rest", "message", "taken"]).split(' ') {
        assert!(times.parse::<u32>().unwrap() > 9, "{shown}");
    }
    assert!(row(["tool", "init_history", "taken"]).starts_with("0 0 impossible: "));
    let left_out = row(["message", "x-trace", "tags"]);
    assert!(
        !left_out.contains("astral"),
        "what is left out is no gap: {left_out}"
    );
    assert!(shown.contains("members that nobody knows are ignored"));
    let gaps = situations(&["--dialect", "aionrs@0.1", "--sessions", "1", "--gaps"]);
    assert!(
        gaps.lines()
            .nth(1)
            .unwrap()
            .ends_with("0          0         NEITHER"),
        "{gaps}"
    );
    assert!(!gaps.contains("impossible: "), "{gaps}");
}

/// Moments that are known by the requests of both sides that are open.
const OPEN: &str = r#"
moments:
  rest: {}
  asked: { open: ">ask" }
  waiting: { open: [">ask", confirm] }
starts: { plain: {} }
moves:
  ask: { from: rest, to: asked, steps: [{ send: { message: ask, params: {} } }] }
  wait: { from: asked, to: waiting, steps: [{ expect: { message: confirm } }] }
  answer: { from: [asked, waiting], to: rest, steps: [{ expect: { message: ask.result } }] }
"#;

#[test]
fn what_is_open_is_a_request_that_a_side_has_not_answered() {
    let dir = TestDir::new();
    let duo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way/dialects/duo/1");
    for file in std::fs::read_dir(duo).unwrap() {
        let file = file.unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let name = format!("duo/1/{}", file.file_name().to_string_lossy());
        dir.file(&name, &text);
    }
    dir.file("duo/1/explore.yaml", OPEN);
    let source = DialectSource::new(Some(dir.path("")));
    let duo = load(&source, "duo@1").unwrap();
    let table = MoveTable::load(&source, &duo, None).unwrap().unwrap();
    let stop = || json!({ "send": { "message": "stop" } });
    let steps = json!({ "steps": [
        stop(),
        { "send": { "message": "ask", "params": {} } },
        stop(),
        { "expect": { "message": "confirm" } },
        { "send": { "message": "hello", "params": {} } },
        { "send": { "message": "confirm.result", "result": { "choice": "q7" } } },
        stop(),
        { "expect": { "message": "ask.result" } },
        stop(),
    ] });
    let mut found = Situations::default();
    table.note_scenario(&duo, &steps, &mut found);
    let found = found.commands.iter();
    let found = found.map(|(one, count)| format!("{} at {}: {count}", one.command, one.moment));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "stop at asked: 2",
            "ask at rest: 1",
            "stop at rest: 2",
            "confirm.result at waiting: 1",
            "hello at waiting: 1",
        ]
    );
}

#[test]
fn a_fault_is_played_in_the_sessions_in_which_it_can_take_effect() {
    let dir = TestDir::new();
    let mut command = dir.command("mutants");
    command.args(["--dialect", "aionrs@0.1", "--explore", "2"]);
    command.args(["--only", "no-stream-end", "--only", "resumes-nothing"]);
    let output = finish(command.spawn().unwrap());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = String::from_utf8(output.stdout).unwrap();
    let fate = |fault: &str| {
        let mut lines = shown.lines();
        lines
            .find(|line| line.starts_with(fault))
            .unwrap_or_default()
    };
    assert!(fate("no-stream-end").contains("found"), "{shown}");
    assert!(fate("resumes-nothing").contains("NOT ACTIVE"), "{shown}");
}
