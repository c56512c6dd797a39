//! `conform init` in an empty folder, and how the command line of an agent is completed.

use crate::agents::{READY, TURNS, agent};
use crate::harness::{TestDir, finish};
use std::fs;

/// Ends a turn of synaps after one word.
const SYNAPS: &str = r#"
echo '{"type":"ready","session_id":"s1","model":"m","protocol_version":1}'
while read -r line; do
  case "$line" in *shutdown*) exit 0 ;; esac
done
"#;

/// Answers the probe of pi, and nothing else.
const PI: &str = r#"
while read -r line; do
  case "$line" in
    *get_state*) echo '{"id":"conform","type":"response","command":"get_state","success":true,"data":{"steeringMode":"all","followUpMode":"all"}}' ;;
  esac
done
"#;

/// The exit status of a command, and what it wrote.
fn conform(dir: &TestDir, name: &str, args: &[&str]) -> (Option<i32>, String) {
    let mut command = dir.command(name);
    command.env("HOME", dir.path("home"));
    let output = finish(command.args(args).spawn().unwrap());
    let text = [output.stdout, output.stderr].concat();
    let left = fs::read_dir(dir.path("tmp")).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert!(name != "init" || left.is_empty(), "{left:?}");
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// The names in the folder, without those that the test itself has made.
fn written(dir: &TestDir) -> Vec<String> {
    let names = fs::read_dir(dir.path(".")).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<_> = names
        .filter(|name| !["tmp", "state", "home", "agent.sh"].contains(&name.as_str()))
        .collect();
    names.sort();
    names
}

#[test]
fn an_unknown_agent_of_each_protocol_gets_a_configuration_and_a_first_scenario() {
    let aionrs = agent(&[READY, TURNS]);
    for (script, dialect) in [
        (aionrs.as_str(), "aionrs@0.1"),
        (SYNAPS, "synaps@1"),
        (PI, "pi@0.73"),
    ] {
        let dir = TestDir::new();
        dir.file("agent.sh", script);
        let (status, text) = conform(&dir, "init", &["sh", "agent.sh"]);
        assert_eq!(status, Some(0), "{text}");
        assert!(
            text.contains(&format!("the agent speaks {dialect}: ")),
            "{text}"
        );
        let started = text.lines().find(|line| line.contains("is started as "));
        let started = started.unwrap_or_else(|| panic!("{text}"));
        assert!(started.contains("/agent.sh "), "{started}");
        assert_eq!(written(&dir), ["conform.yaml", "scenarios"]);
        let config = fs::read_to_string(dir.path("conform.yaml")).unwrap();
        assert!(
            config.contains(&format!("\ndialect: {dialect}\n")),
            "{config}"
        );
        assert!(config.contains("\nagent: [sh, agent.sh]\n"), "{config}");
        let (status, text) = conform(&dir, "lint", &["scenarios"]);
        assert_eq!(status, Some(0), "{text}");
    }
}

#[test]
fn the_first_scenario_runs_with_the_agent_of_the_configuration() {
    let dir = TestDir::new();
    dir.file("agent.sh", &agent(&[READY, TURNS]));
    let (status, text) = conform(&dir, "init", &["sh", "agent.sh"]);
    assert_eq!(status, Some(0), "{text}");
    let (status, text) = conform(&dir, "run", &["--scenarios", "scenarios"]);
    assert!(text.contains("aionrs@0.1/first-turn"), "{text}");
    assert!(text.contains("1 scenario: 1 "), "{text}");
    assert!(matches!(status, Some(0 | 1)), "{text}");
}

#[test]
fn files_that_are_there_are_kept_unless_they_are_to_be_overwritten() {
    let dir = TestDir::new();
    dir.file("agent.sh", &agent(&[READY]));
    dir.file("conform.yaml", "dialect: synaps@1\n");
    let (status, text) = conform(&dir, "init", &["sh", "agent.sh"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(
        text.contains("conform.yaml exists already; --force overwrites it"),
        "{text}"
    );
    let kept = fs::read_to_string(dir.path("conform.yaml")).unwrap();
    assert_eq!(kept, "dialect: synaps@1\n");
    let (status, text) = conform(&dir, "init", &["--force", "sh", "agent.sh"]);
    assert_eq!(status, Some(0), "{text}");
    let new = fs::read_to_string(dir.path("conform.yaml")).unwrap();
    assert!(new.contains("aionrs@0.1"), "{new}");
}

#[test]
fn an_agent_that_shows_nothing_gets_no_files_and_the_command_lines_are_shown() {
    for (script, status, why) in [
        ("exec sleep 60", 3, "it wrote nothing within"),
        (
            "echo boom >&2; exit 3",
            3,
            "before it exited with code 3; the last line of its stderr: \"boom\"",
        ),
        (
            "while read -r line; do echo hello; done",
            2,
            "its first line is \"hello\"",
        ),
    ] {
        let dir = TestDir::new();
        dir.file("agent.sh", script);
        let args = ["--time-scale", "0.08", "sh", "agent.sh"];
        let (found, text) = conform(&dir, "init", &args);
        assert_eq!(found, Some(status), "{text}");
        assert!(text.contains(why), "{text}");
        assert!(text.contains("/agent.sh --json-stream "), "{text}");
        assert!(text.contains("/agent.sh rpc\n"), "{text}");
        assert!(text.contains("/agent.sh --mode rpc "), "{text}");
        assert!(text.contains("/agent.sh\n"), "as it is given: {text}");
        assert!(
            text.contains("known dialects are acp@1, aionrs@0.1, aionrs@0.2, "),
            "{text}"
        );
        assert_eq!(written(&dir), Vec::<String>::new());
    }
}

#[test]
fn the_message_for_a_launcher_that_does_not_find_its_files_says_where_it_runs() {
    let dir = TestDir::new();
    dir.file("agent.sh", &agent(&[READY]));
    let launcher = "exec sh agent.sh \"$@\"";
    let (status, text) = conform(&dir, "init", &["sh", "-c", launcher, "x"]);
    assert_eq!(status, Some(3), "{text}");
    assert!(
        text.contains("a launcher must name its files by absolute paths"),
        "{text}"
    );
}

#[test]
fn arguments_are_completed_unless_one_has_a_placeholder() {
    let dir = TestDir::new();
    dir.file("agent.sh", &agent(&[READY]));
    let url = "--url={llm_url}";
    for (given, shown) in [
        (&["agent.sh", "-v"][..], "/agent.sh -v --json-stream "),
        (&["agent.sh", url], "/agent.sh --url={llm_url}\n"),
        (&["agent.sh", "{args}", "-v"], "--model mock-model -v\n"),
        (
            &["-c", "exec sh \"$0\" {args}", "./agent.sh"],
            "--model mock-model' ",
        ),
    ] {
        let args = [&["--force", "sh"], given].concat();
        let (status, text) = conform(&dir, "init", &args);
        assert_eq!(status, Some(0), "{text}");
        let started = text.split_inclusive('\n');
        let mut started = started.filter(|line| line.contains("is started as "));
        assert!(
            started.next().is_some_and(|line| line.contains(shown)),
            "{text}"
        );
    }
    let args = ["--force", "sh", "agent.sh", "--url={llm_ur}"];
    let (_, text) = conform(&dir, "init", &args);
    assert!(text.contains("{llm_ur} is passed on as it is: "), "{text}");
}

#[test]
fn a_dialect_without_scenarios_gets_one_that_is_played() {
    let dir = TestDir::new();
    for (file, text) in [
        (
            "dialect.yaml",
            "name: tiny\nversion: \"1\"\ntitle: t\ndiscriminator: { events: /head/t, commands: /t }\n\
             events: { hello: }\ncommands: { bye: }\nsession: { ready: hello }\n\
             budgets: { start: 5s, response: 5s, idle: 5s, total: 20s, exit: 5s }\n",
        ),
        ("clauses.yaml", "\"1\": { tiny.hello: It greets. }\n"),
        (
            "ordering.yaml",
            "rules:\n  once: { clauses: [tiny.hello], doc: It says hello once., order: hello }\n",
        ),
        (
            "events.json",
            r#"{"$defs": {"hello": {"type": "object", "required": ["n"]}}}"#,
        ),
        ("commands.json", r#"{"$defs": {"bye": {"type": "object"}}}"#),
    ] {
        dir.file(&format!("own dialects/tiny/1/{file}"), text);
    }
    dir.file(
        "agent.sh",
        "echo '{\"head\":{\"t\":\"hello\"}}'\nwhile read -r line; do :; done\n",
    );
    let own = ["--dialect", "tiny@1", "--dialect-dir", "own dialects"];
    let (status, text) = conform(&dir, "init", &[&own[..], &["sh", "agent.sh"]].concat());
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.contains("plays the scenarios of the folder `scenarios`"),
        "{text}"
    );
    let (status, text) = conform(&dir, "lint", &[&["scenarios"], &own[..]].concat());
    assert_eq!(status, Some(0), "{text}");
    let (status, text) = conform(&dir, "run", &[]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("1 scenario: 1 "), "{text}");
    let rule = "--dialect-dir 'own dialects' --dialect tiny@1 tiny/schema/hello";
    assert!(
        text.contains(&format!("conform explain {rule}\n")),
        "{text}"
    );
}

#[test]
fn an_agent_that_is_not_known_gets_a_file_for_the_names_of_its_tools() {
    let dir = TestDir::new();
    let two_way = |name: &str| format!("{}/tests/two-way/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(two_way("asker.py")).unwrap();
    let program = dir.file("other.py", &text.replace("\"asker\"", "\"other\""));
    let folder = two_way("dialects");
    let args = ["--dialect-dir", &folder, "--dialect", "bench"];
    let (status, text) = conform(&dir, "init", &[&args[..], &["python3", &program]].concat());
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.contains("Wrote conform.yaml, agent.yaml and "),
        "{text}"
    );
    let file = fs::read_to_string(dir.path("agent.yaml")).unwrap();
    dir.file(
        "agent.yaml",
        &file
            .replace("\n# tools:", "\ntools:")
            .replace("\n#   ", "\n  "),
    );
    let scenario = "name: x\nmodel: [{ text: hi }]\nsteps: [{ send: { message: ask, params: { text: now } } }, { expect: { message: ask.result } }]\n";
    let scenario = dir.file("x.yaml", scenario);
    let (status, text) = conform(&dir, "run", &["--scenarios", &scenario]);
    assert_eq!(status, Some(0), "{text}");
    let (_, known) = conform(
        &dir,
        "init",
        &[&args[..], &["--force", "python3", &two_way("asker.py")]].concat(),
    );
    assert!(known.contains("Wrote conform.yaml and "), "{known}");
}
