//! Hosts that start a path: the reference agent finds its protocol by its name, a variable or a settings file, and writes nothing outside.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

/// A folder with installed programs, a HOME and a workspace.
struct Host {
    folder: TempDir,
}

impl Host {
    fn new() -> Self {
        let host = Host {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["home", "workspace"] {
            std::fs::create_dir(host.path(name)).unwrap();
        }
        let mut install = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        install.arg("install").arg(host.path("bin"));
        install.assert().success();
        host
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An installed program, started in the workspace without the variables of this test.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.path("bin").join(name));
        command.current_dir(self.path("workspace"));
        command.env_clear().env("HOME", self.path("home"));
        command
    }
}

/// What the agent writes for these commands.
fn played(command: &mut Command, commands: &[&str]) -> Vec<Value> {
    let input: String = commands.iter().map(|line| format!("{line}\n")).collect();
    let run = command.write_stdin(input).assert().success();
    let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let lines = output.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn printed(command: &mut Command) -> String {
    let run = command.assert().success();
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files_below(&path)),
            false => found.push(path.to_string_lossy().into_owned()),
        }
    }
    found
}

const STATE: &str = r#"{"id":"1","type":"get_state"}"#;

#[test]
fn an_installed_program_speaks_the_protocol_of_its_name_without_arguments() {
    let host = Host::new();
    let state = played(&mut host.program("pi"), &[STATE]);
    assert_eq!(state[0]["command"], "get_state", "{state:?}");
    assert_eq!(
        played(&mut host.program("aionrs"), &[])[0]["version"],
        "0.1.0"
    );
    assert_eq!(
        played(&mut host.program("synaps"), &[])[0]["protocol_version"],
        1
    );
    let copy = host.path("workspace").join("pi");
    // Another test that starts a process would inherit a file that is open for writing here, which then cannot be executed.
    let mut copying = Command::new("cp");
    copying.arg(env!("CARGO_BIN_EXE_mock-agent")).arg(&copy);
    copying.assert().success();
    let state = played(&mut Command::new(copy), &[STATE]);
    assert_eq!(state[0]["success"], true, "{state:?}");
}

#[test]
fn install_asks_for_a_folder_and_takes_no_flag_for_one() {
    let folder = tempfile::tempdir().unwrap();
    for (flag, code) in [("--help", 0), ("-h", 0), ("--no-such-flag", 2)] {
        let mut install = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        install.args(["install", flag]).current_dir(folder.path());
        install.assert().code(code);
        assert!(!folder.path().join(flag).exists(), "{flag}");
    }
}

#[test]
fn a_second_installation_replaces_the_first_and_nothing_else() {
    let host = Host::new();
    let install = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        command.arg("install").arg(host.path("bin"));
        command.assert()
    };
    install().success();
    std::fs::remove_file(host.path("bin/pi")).unwrap();
    std::fs::write(host.path("bin/pi"), "the real agent").unwrap();
    let refused = install().code(2);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(message.contains("bin/pi is there already"), "{message}");
    let kept = std::fs::read_to_string(host.path("bin/pi")).unwrap();
    assert_eq!(kept, "the real agent");
}

#[test]
fn the_model_of_the_flags_is_shown_and_flags_of_the_real_agent_are_accepted() {
    let host = Host::new();
    let mut pi = host.program("pi");
    pi.args(["--mode", "rpc", "--provider", "acme", "--model", "big-1"]);
    pi.args([
        "--append-system-prompt",
        "terse",
        "--no-extensions",
        "--offline",
    ]);
    let state = played(&mut pi, &[STATE]);
    assert_eq!(state[0]["data"]["model"]["id"], "big-1");
    assert_eq!(state[0]["data"]["model"]["provider"], "acme");
}

#[test]
fn version_help_and_models_are_answered_as_by_the_real_agent() {
    let host = Host::new();
    let with = |name: &str, flag: &str| printed(host.program(name).arg(flag));
    assert_eq!(with("pi", "--version"), "1.6.0\n");
    assert_eq!(with("synaps", "--version"), "synaps 0.11.1\n");
    assert_eq!(with("aionrs", "--version"), "aionrs 0.1.0\n");
    assert!(with("pi", "--help").contains("--mode"));
    assert!(with("pi", "--list-models").contains("mock-model"));
    let mut older = host.program("pi");
    older.args(["--protocol", "0.73", "--version"]);
    assert_eq!(printed(&mut older), "0.73.1\n");
}

#[test]
fn a_variable_or_a_settings_file_chooses_the_protocol_and_the_script() {
    let host = Host::new();
    let mock = || {
        let mut command = host.program("pi");
        command.env("MOCK_AGENT_PROTOCOL", "synaps");
        command
    };
    assert_eq!(played(&mut mock(), &[])[0]["type"], "ready");
    std::fs::write(host.path("bin/turns.yaml"), "- text: From the file.\n").unwrap();
    let settings = "protocol: aionrs@0.2\nscript: turns.yaml\n";
    std::fs::write(host.path("bin/mock-agent.yaml"), settings).unwrap();
    let mut beside = Command::new(host.path("bin/synaps"));
    beside.env_clear().current_dir(host.path("workspace"));
    let message = r#"{"type":"message","msg_id":"m","content":"hi"}"#;
    let events = played(&mut beside, &[message]);
    assert_eq!(events[0]["version"], "0.2.0", "{events:?}");
    let texts = events.iter().filter_map(|event| event["text"].as_str());
    assert_eq!(texts.collect::<String>(), "From the file.");

    std::fs::write(host.path("workspace/mock-agent.yaml"), "protcol: pi\n").unwrap();
    let refused = host.program("pi").assert().code(2).stdout("");
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(message.contains("did you mean `protocol`?"), "{message}");
    assert!(message.contains("mock-agent.yaml:1:1"), "{message}");
}

#[test]
fn sessions_are_saved_in_the_workspace_and_never_in_home() {
    let host = Host::new();
    let prompt = r#"{"id":"1","type":"prompt","message":"hello"}"#;
    for (program, command) in [
        ("pi", prompt),
        ("synaps", prompt),
        ("aionrs", r#"{"type":"message","msg_id":"m","input":"hi"}"#),
    ] {
        played(&mut host.program(program), &[command]);
    }
    assert_eq!(files_below(&host.path("home")), Vec::<String>::new());
    let saved = files_below(&host.path("workspace/.mock-agent/sessions"));
    assert!(saved.len() >= 3, "{saved:?}");
}

#[test]
fn agents_that_start_together_in_one_workspace_have_sessions_of_their_own() {
    const AGENTS: usize = 20;
    let prompt = r#"{"id":"1","type":"prompt","message":"hello"}"#;
    let message = r#"{"type":"message","msg_id":"m","input":"hi"}"#;
    for (program, commands, pointer) in [
        ("pi", [STATE, prompt], "/data/sessionId"),
        ("synaps", [STATE, prompt], "/session_id"),
        ("aionrs", ["", message], "/session_id"),
    ] {
        let host = Host::new();
        let start = || {
            let mut process = std::process::Command::new(host.path("bin").join(program));
            process.current_dir(host.path("workspace"));
            process.env_clear().env("HOME", host.path("home"));
            process.stdin(Stdio::piped()).stdout(Stdio::piped());
            process.spawn().unwrap()
        };
        let mut agents: Vec<_> = (0..AGENTS).map(|_| start()).collect();
        let mut ids = BTreeSet::new();
        for agent in &mut agents {
            let stdin = agent.stdin.as_mut().unwrap();
            writeln!(stdin, "{}", commands.join("\n").trim()).unwrap();
        }
        // Every agent runs until the last one has shown its session.
        for agent in &mut agents {
            let mut lines = BufReader::new(agent.stdout.as_mut().unwrap()).lines();
            let id = lines.find_map(|line| {
                let frame: Value = serde_json::from_str(&line.unwrap()).unwrap();
                Some(frame.pointer(pointer)?.as_str()?.to_owned())
            });
            ids.insert(id.unwrap());
        }
        for agent in agents {
            let ended = agent.wait_with_output().unwrap();
            let output = String::from_utf8(ended.stdout).unwrap();
            assert!(
                !output.contains("could not be saved"),
                "{program}: {output}"
            );
        }
        assert_eq!(ids.len(), AGENTS, "{program}: {ids:?}");
        let saved = files_below(&host.path("workspace/.mock-agent/sessions"));
        let saved = saved.iter().filter(|file| file.contains(".json"));
        assert_eq!(saved.count(), AGENTS, "{program}");
    }
}

#[test]
fn a_failure_of_the_echo_ends_with_its_prompt() {
    let host = Host::new();
    let message =
        |id: &str, text: &str| format!(r#"{{"type":"message","msg_id":"{id}","input":"{text}"}}"#);
    let (first, second) = (message("a", "fail 429"), message("b", "and now"));
    let events = played(&mut host.program("aionrs"), &[&first, &second]);
    let errors = events.iter().filter(|event| event["type"] == "error");
    assert_eq!(errors.count(), 1, "{events:?}");
    let texts = events.iter().filter_map(|event| event["text"].as_str());
    assert_eq!(texts.collect::<String>(), "You said: and now");
}

#[test]
fn a_record_of_pi_is_torn_by_readers_that_split_at_u_2028() {
    let host = Host::new();
    std::fs::write(host.path("turns.yaml"), "- text: [\"one\\u2028two\"]\n").unwrap();
    let mut pi = host.program("pi");
    pi.arg("--script").arg(host.path("turns.yaml"));
    pi.write_stdin("{\"id\":\"1\",\"type\":\"prompt\",\"message\":\"hello\"}\n");
    let run = pi.assert().success();
    let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let is_json = |line: &&str| serde_json::from_str::<Value>(line).is_ok();

    assert!(output.lines().all(|line| is_json(&line)), "{output}");
    let torn = output.split(['\n', '\u{2028}']);
    let torn: Vec<_> = torn.filter(|part| !is_json(part)).collect();
    assert!(torn.iter().any(|part| part.ends_with("one")), "{torn:?}");
}

#[test]
fn the_flags_of_pi_resume_and_fork_a_saved_session() {
    let host = Host::new();
    let state_with = |args: &[&str]| {
        let state = played(host.program("pi").args(args), &[STATE]);
        let data = &state[0]["data"];
        let id = data["sessionId"].as_str().unwrap().to_owned();
        (id, data["messageCount"].as_u64().unwrap())
    };
    let prompt = r#"{"id":"p","type":"prompt","message":"hello"}"#;
    assert_eq!(state_with(&["--continue"]).1, 0, "there is none yet");
    played(&mut host.program("pi"), &[prompt]);
    let sessions = host.path("workspace/.mock-agent/sessions");
    let saved = files_below(&sessions).remove(0);
    let folder = Path::new(&saved).parent().unwrap();
    std::fs::write(folder.join("notes.txt"), "x").unwrap();
    std::fs::write(folder.join("unsaved.jsonl"), "").unwrap();
    let (id, count) = state_with(&["--continue"]);

    assert_eq!(
        count, 3,
        "the messages of the system, the user and the model"
    );
    assert_eq!(state_with(&["--session", &id]), (id.clone(), 3));
    assert_eq!(state_with(&["--session", &saved]), (id.clone(), 3));
    let (fork, copied) = state_with(&["--fork", &id]);
    assert_eq!(copied, 3);
    assert_ne!(fork, id);
    assert_eq!(
        state_with(&["--session-id", "mine"]),
        ("mine".to_owned(), 0)
    );
    assert_eq!(
        state_with(&["-e", "x.ts", "--thinking", "max", "-xt", "bash"]).1,
        0
    );
    let unknown = host.program("pi").args(["--session", "ffff"]).assert();
    let unknown = unknown.code(1);
    let message = String::from_utf8(unknown.get_output().stderr.clone()).unwrap();
    assert!(
        message.contains("No session found matching 'ffff'"),
        "{message}"
    );
}

/// Arguments of the real pi beside `--mode rpc`, in every form that its parser takes.
const PI_ARGUMENTS: &[&[&str]] = &[
    &["--provider", "acme", "--model", "big", "--api-key", "k"],
    &["--model", "acme/big:high", "--models", "acme/*,sonnet:low"],
    &[
        "--system-prompt",
        "a",
        "--append-system-prompt",
        "b",
        "--append-system-prompt",
        "c",
    ],
    &["--thinking", "high", "--no-session"],
    &["--continue"],
    &["-c"],
    &["--resume"],
    &["-r"],
    &[
        "--session-dir",
        "kept",
        "--session-id",
        "mine",
        "--name",
        "Mine",
    ],
    &["-n", "Mine"],
    &["--no-tools"],
    &["-nt", "-nbt", "--no-builtin-tools"],
    &[
        "--tools",
        "read,bash",
        "-t",
        "read",
        "--exclude-tools",
        "bash",
        "-xt",
        "edit",
    ],
    &[
        "--extension",
        "a.ts",
        "-e",
        "b.ts",
        "--no-extensions",
        "-ne",
    ],
    &["--skill", "s", "--skill", "t", "--no-skills", "-ns"],
    &["--prompt-template", "p.md", "--no-prompt-templates", "-np"],
    &[
        "--theme",
        "t.json",
        "--use-theme",
        "dark",
        "--no-themes",
        "--tui-mode",
        "regular",
    ],
    &["--no-context-files", "-nc", "--verbose", "--offline"],
    &["--approve", "-a", "--no-approve", "-na"],
    &["--print", "-p", "What is here?"],
    &["A prompt", "Another prompt"],
    &["--plan", "--flag-of-an-extension", "value", "--other=value"],
    &["--", "-a prompt"],
];

#[test]
fn pi_takes_every_argument_of_the_real_agent_and_logs_what_has_no_effect() {
    let host = Host::new();
    for version in ["0.14", "0.73", "0.87", "1.6"] {
        for args in PI_ARGUMENTS {
            let mut pi = host.program("pi");
            pi.args(["--mode", "rpc", "--protocol", version])
                .args(*args);
            let is_later = ["--session-id", "-n", "-e"]
                .iter()
                .any(|flag| args.contains(flag));
            if version == "0.14" && is_later {
                continue;
            }
            played(&mut pi, &[STATE]);
        }
    }
    let mut pi = host.program("pi");
    pi.args(["--mode", "rpc", "--plan", "strict", "--scirpt", "markdown"]);
    let run = pi.env("MOCK_AGENT_LOG", "info").write_stdin("").assert();
    let log = String::from_utf8(run.success().get_output().stderr.clone()).unwrap();
    assert!(log.contains("the argument --plan is ignored"), "{log}");
    assert!(
        log.contains("--scirpt is ignored; did you mean --script?"),
        "{log}"
    );
}

#[test]
fn synaps_and_aionrs_take_the_arguments_of_the_real_agents() {
    let host = Host::new();
    let synaps: &[&[&str]] = &[
        &["rpc", "-s", "text", "-m", "claude", "--profile", "work"],
        &["rpc", "--system=text", "--model=claude", "--no-extensions"],
        &["--profile", "work", "--no-extensions", "rpc"],
        &["rpc", "--attach", "--new", "--as", "me", "--keep-warm"],
        &["rpc", "--attach", "some-id", "--observe", "--takeover"],
        &["rpc", "--prompt-manifest", "p.yaml"],
    ];
    for args in synaps {
        played(host.program("synaps").args(*args), &[]);
    }
    let aionrs = [
        "--json-stream",
        "--max-tokens",
        "9",
        "--max-turns=3",
        "--auto-approve",
        "--verbose",
    ];
    played(host.program("aionrs").args(aionrs), &[]);
    let unknown = host
        .program("synaps")
        .args(["rpc", "--modle", "m"])
        .assert();
    let unknown = unknown.code(2);
    let why = String::from_utf8(unknown.get_output().stderr.clone()).unwrap();
    assert_eq!(
        why,
        "mock-agent: Unknown argument: --modle; did you mean --model?\n"
    );
}

#[test]
fn arguments_that_select_no_protocol_are_named() {
    for (word, near) in [
        ("--json-strem", "; did you mean `--json-stream`?"),
        ("rpcc", "; did you mean `rpc`?"),
        ("xyzzy", ""),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        let refused = program.arg(word).assert().code(2).stdout("");
        let why = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        let expected = format!(
            "mock-agent: the arguments select no protocol: `{word}` does not{near}; `mock-agent --help` lists what does\n"
        );
        assert_eq!(why, expected);
    }
}

#[test]
fn what_real_agents_do_besides_their_protocol_is_answered_or_refused() {
    let host = Host::new();
    let pi = |args: &[&str]| printed(host.program("pi").args(args));
    assert_eq!(pi(&["install", "npm:pi-plan"]), "Installed npm:pi-plan\n");
    assert_eq!(pi(&["list"]), "No packages installed.\n");
    assert!(pi(&["--list-models", "mock"]).contains("mock-model"));
    assert_eq!(
        printed(
            host.program("synaps")
                .args(["login", "--provider", "claude"])
        ),
        ""
    );
    for args in [
        &["-p", "hello"][..],
        &["--mode", "json", "hello"],
        &["--export", "s.jsonl"],
    ] {
        let refused = host.program("pi").args(args).assert().code(2).stdout("");
        let why = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(why.contains("rpc"), "{args:?}: {why}");
        assert_eq!(why.lines().count(), 1, "{why}");
    }
    let attached = host
        .program("pi")
        .args(["--mode", "rpc", "@notes.md"])
        .assert();
    let attached = attached.code(2);
    let why = String::from_utf8(attached.get_output().stderr.clone()).unwrap();
    assert!(why.contains("@notes.md: no file can be attached"), "{why}");
    let mut install = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
    install.env("MOCK_AGENT_PROTOCOL", "pi");
    install
        .arg("install")
        .arg(host.path("more"))
        .assert()
        .success();
    assert!(host.path("more/synaps.mjs").is_file());
}
