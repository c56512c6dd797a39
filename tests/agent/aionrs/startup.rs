//! Startup: flags, environment, settings.

use crate::aionrs::harness::Setup;
use serde_json::json;

#[test]
fn ready_comes_first_and_says_what_the_agent_can_do() {
    let mut agent = Setup::new().start();

    let ready = agent.next();

    assert_eq!(
        ready,
        json!({
            "type": "ready",
            "version": "0.1.0",
            "session_id": ready["session_id"],
            "capabilities": { "tool_approval": true, "thinking": true, "mcp": true },
        })
    );
    assert!(!ready["session_id"].as_str().unwrap().is_empty());
    assert_eq!(agent.finish(), (vec![], Some(0)));
}

#[test]
fn the_flags_of_the_specification_are_accepted() {
    let agent = Setup::new()
        .env("ANTHROPIC_API_KEY", "k")
        .args(&[
            "--provider",
            "anthropic",
            "--model",
            "claude-sonnet-4-20250514",
        ])
        .args(&[
            "--max-tokens",
            "8192",
            "--max-turns",
            "30",
            "--system-prompt",
            "x",
        ])
        .args(&["--auto-approve", "--workspace", "."]);

    assert_eq!(agent.ready().finish(), (vec![], Some(0)));
}

#[test]
fn without_mcp_tools_and_sessions_ready_says_so() {
    let mut agent = Setup::new()
        .args(&["--mcp", "none"])
        .env("MOCK_AGENT_SESSIONS", "off")
        .start();

    let ready = agent.next();

    assert_eq!(ready["capabilities"]["mcp"], false);
    assert!(ready.get("session_id").is_none());
}

#[test]
fn a_failed_start_is_reported_as_a_config_error() {
    let cases: [(&[&str], &str, i32); 11] = [
        (&["--provider", "anthropic"], "ANTHROPIC_API_KEY not set", 1),
        (&["--provider", "openai"], "OPENAI_API_KEY not set", 1),
        (&["--provider", "bedrock"], "AWS_REGION not set", 1),
        (
            &["--provider", "vertex"],
            "GOOGLE_APPLICATION_CREDENTIALS not set",
            1,
        ),
        (&["--provider", "acme"], "Unknown provider: acme", 2),
        (
            &["--session-id", "a", "--resume", "b"],
            "--session-id and --resume exclude each other",
            2,
        ),
        (&["--resume", "latest"], "There is no session to resume", 1),
        (&["--resume", "b"], "There is no session b", 1),
        (&["--fly"], "Unknown argument: --fly", 2),
        (
            &["--max-turns", "x"],
            "--max-turns: \"x\" is not a number from 1",
            2,
        ),
        (
            &["--script", "gone.yaml"],
            "gone.yaml: cannot be read: No such file or directory (os error 2)",
            2,
        ),
    ];
    for (args, message, status) in cases {
        let mut agent = Setup::new().args(args).start();

        let error = agent.next();

        let expected = json!({
            "type": "error",
            "msg_id": null,
            "error": { "code": "config_error", "message": message, "retryable": false },
        });
        assert_eq!(error, expected, "{args:?}");
        assert_eq!(agent.try_next(), None, "{args:?}");
        assert_eq!(agent.wait_for_exit().code(), Some(status), "{args:?}");
    }
}

#[test]
fn a_mistake_in_a_model_script_is_on_stderr_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.yaml"), "- text: Hi\n- txt: Ho\n").unwrap();
    let run = |args: &[&str], script: Option<&str>| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        command.current_dir(folder.path()).args(args);
        command.envs(script.map(|path| ("MOCK_AGENT_SCRIPT", path)));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };

    let flag = run(&["--json-stream", "--script", "s.yaml"], None);

    assert!(flag.starts_with("mock-agent: s.yaml:2:3: "), "{flag}");
    assert_eq!(flag.lines().count(), 1, "{flag}");
    assert_eq!(run(&["--mode", "rpc"], Some("s.yaml")), flag);
    assert_eq!(run(&["rpc"], Some("s.yaml")), flag);
    assert_eq!(run(&["--json-stream"], Some("s.yaml")), flag);
}

#[test]
fn bedrock_and_vertex_work_if_their_variables_are_set() {
    let bedrock = Setup::new()
        .args(&["--provider", "bedrock"])
        .env("AWS_REGION", "eu-central-1")
        .env("AWS_PROFILE", "p");
    let vertex = Setup::new()
        .args(&["--provider", "vertex"])
        .env("GOOGLE_APPLICATION_CREDENTIALS", "c.json")
        .env("VERTEX_PROJECT_ID", "p")
        .env("VERTEX_REGION", "r");
    for setup in [bedrock, vertex] {
        let mut agent = setup.ready();

        agent.message("m1", "hello");

        assert_eq!(agent.expect("stream_end")["msg_id"], "m1");
    }
}

#[test]
fn without_a_dialect_the_arguments_are_explained() {
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        command.args(args).output().unwrap()
    };

    assert_eq!(run(&[]).status.code(), Some(2));
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8(help.stdout).unwrap().contains("--resume"));
    assert!(run(&["--version"]).stdout.starts_with(b"mock-agent "));
}
