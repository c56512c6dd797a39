//! The built-in tools.

use crate::aionrs::harness::{Agent, Setup, kinds, tool_call};
use serde_json::{Value, json};

/// Runs one tool in a turn; returns the agent and the `tool_result`.
fn run_tool(setup: Setup, name: &str, args: Value) -> (Agent, Value) {
    let script = json!([tool_call("t1", name, args), { "text": "done" }]);
    let mut agent = setup.script(&script).args(&["--auto-approve"]).ready();
    agent.message("m1", "go");
    let result = agent.expect("tool_result");
    agent.expect("stream_end");
    (agent, result)
}

fn tool_output(setup: Setup, name: &str, args: Value) -> (String, String) {
    let (_agent, result) = run_tool(setup, name, args);
    let text = |key: &str| result[key].as_str().unwrap().to_owned();
    (text("status"), text("output"))
}

#[test]
fn read_returns_numbered_lines() {
    let setup = || Setup::new().file("a.txt", "one\ntwo\nthree\n");

    assert_eq!(
        tool_output(setup(), "Read", json!({ "file_path": "a.txt" })).1,
        "     1\tone\n     2\ttwo\n     3\tthree"
    );
    let part = json!({ "file_path": "a.txt", "offset": 2, "limit": 1 });
    assert_eq!(tool_output(setup(), "Read", part).1, "     2\ttwo");
    assert_eq!(
        tool_output(setup(), "Read", json!({ "file_path": "gone" })),
        ("error".into(), "gone: no such file".into())
    );
}

#[test]
fn an_image_is_returned_in_base64() {
    let setup = Setup::new().file("a.png", b"\x89PNG\r\n\x1a\n");

    let (_agent, result) = run_tool(setup, "Read", json!({ "file_path": "a.png" }));

    assert_eq!(result["output_type"], "image");
    assert_eq!(result["output"], "iVBORw0KGgo=");
}

#[test]
fn edit_returns_a_unified_diff_and_the_file_path() {
    let setup = Setup::new().file("a.txt", "one\ntwo\nthree\n");
    let path = setup.path().join("a.txt").to_string_lossy().into_owned();

    let args = json!({ "file_path": path, "old_string": "two", "new_string": "2" });
    let (agent, result) = run_tool(setup, "Edit", args);

    assert_eq!(result["output_type"], "diff");
    assert_eq!(result["metadata"]["file_path"], path);
    assert_eq!(
        result["output"],
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    );
    assert_eq!(agent.read("a.txt").as_deref(), Some("one\n2\nthree\n"));
}

#[test]
fn a_failed_edit_changes_nothing() {
    let setup = Setup::new().file("a.txt", "one\n");

    let args = json!({ "file_path": "a.txt", "old_string": "two", "new_string": "2" });
    let (agent, result) = run_tool(setup, "Edit", args);

    assert_eq!(
        (&result["status"], &result["output_type"]),
        (&json!("error"), &json!("text"))
    );
    assert_eq!(agent.read("a.txt").as_deref(), Some("one\n"));
}

#[test]
fn file_tools_do_not_leave_the_workspace() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "s").unwrap();
    let absolute = outside.path().join("secret").to_string_lossy().into_owned();
    let linked = || {
        let setup = Setup::new();
        std::os::unix::fs::symlink(outside.path(), setup.path().join("door")).unwrap();
        let new = outside.path().join("new");
        std::os::unix::fs::symlink(new, setup.path().join("dangling")).unwrap();
        setup
    };

    for path in [
        absolute.as_str(),
        "../x",
        "a/../../x",
        "door/secret",
        "door",
        "dangling",
    ] {
        let read = tool_output(linked(), "Read", json!({ "file_path": path }));
        assert_eq!(read.0, "error", "{path}");
        let write = json!({ "file_path": path, "content": "x" });
        assert_eq!(tool_output(linked(), "Write", write).0, "error", "{path}");
    }
    let grep = tool_output(linked(), "Grep", json!({ "pattern": "s", "path": "door" }));
    assert_eq!(grep.0, "error");
    assert_eq!(std::fs::read(outside.path().join("secret")).unwrap(), b"s");
    assert!(!outside.path().join("new").exists());
}

#[test]
fn every_path_in_the_workspace_is_one_of_its_files() {
    for path in [
        "a/b.txt",
        "./a/../a/b.txt",
        "inside/b.txt",
        "{workspace}/a/b.txt",
    ] {
        let setup = Setup::new();
        std::fs::create_dir(setup.path().join("a")).unwrap();
        std::os::unix::fs::symlink("a", setup.path().join("inside")).unwrap();
        let setup = setup.file("a/b.txt", "one");
        let workspace = setup.path().to_string_lossy().into_owned();

        let args = json!({ "file_path": path.replace("{workspace}", &workspace) });
        let expected = ("success".into(), "     1\tone".into());
        assert_eq!(tool_output(setup, "Read", args), expected, "{path}");
    }
}

#[test]
fn bash_returns_the_output_and_the_exit_status() {
    let bash = |command: &str| tool_output(Setup::new(), "Bash", json!({ "command": command }));

    assert_eq!(
        bash("echo out; echo err >&2"),
        ("success".into(), "out\nerr\n".into())
    );
    assert_eq!(
        bash("echo no; exit 3"),
        ("error".into(), "no\n[exit status 3]".into())
    );
    assert_eq!(
        bash("kill -9 $$"),
        ("error".into(), "[killed by signal 9]".into())
    );
    assert_eq!(bash("cat").0, "success", "its standard input is empty");
    assert_eq!(
        bash("printf 'a\\377z'"),
        ("success".into(), "a\u{fffd}z".into())
    );
}

#[test]
fn a_command_is_killed_after_its_timeout() {
    let args = json!({ "command": "echo a; sleep 1000", "timeout": 50 });

    let (status, output) = tool_output(Setup::new(), "Bash", args);

    assert_eq!(status, "error");
    assert!(output.ends_with("[killed after 0.05 s]"), "{output}");
}

#[test]
fn long_output_is_truncated_and_marked() {
    let args = json!({ "command": "head -c 400000 /dev/zero | tr '\\0' x" });

    let (_, output) = tool_output(Setup::new(), "Bash", args);

    assert!(output.ends_with("x\n[output truncated: 370000 bytes more]"));
    assert!(output.len() < 31_000);
}

#[test]
fn glob_and_grep_find_files_and_lines() {
    let setup = || {
        let setup = Setup::new()
            .file("b.rs", "fn b() {}\n")
            .file("a.md", "fn\n");
        std::fs::create_dir(setup.path().join("src")).unwrap();
        setup.file("src/c.rs", "struct C;\nfn c() {}\n")
    };

    assert_eq!(
        tool_output(setup(), "Glob", json!({ "pattern": "**/*.rs" })).1,
        "b.rs\nsrc/c.rs"
    );
    assert_eq!(
        tool_output(
            setup(),
            "Grep",
            json!({ "pattern": "^fn .", "glob": "*.rs" })
        )
        .1,
        "b.rs:1:fn b() {}\nsrc/c.rs:2:fn c() {}"
    );
}

#[test]
fn spawn_sends_a_request_of_its_own_to_the_model() {
    let script = json!([
        { "when": { "last_contains": "say hi" }, "text": "hi from below" },
        tool_call("t1", "Spawn", json!({ "prompt": "say hi" })),
        { "text": "done" },
    ]);
    let mut agent = Setup::new()
        .script(&script)
        .args(&["--auto-approve"])
        .ready();

    agent.message("m1", "go");

    assert_eq!(agent.expect("tool_result")["output"], "hi from below");
}

#[test]
fn an_mcp_tool_returns_its_scripted_output() {
    let setup = Setup::new().args(&["--mcp", "[{name: mcp__docs__search, output: found}]"]);

    let (_agent, result) = run_tool(setup, "mcp__docs__search", json!({ "q": "x" }));

    assert_eq!(
        (&result["status"], &result["output"]),
        (&json!("success"), &json!("found"))
    );
}

#[test]
fn an_invalid_call_is_an_error_for_the_model_and_needs_no_approval() {
    let script = json!([
        { "tool_calls": [
            { "id": "t1", "name": "Fly", "args": {} },
            { "id": "t2", "name": "Bash", "args_raw": "{\"command\": \"echo" },
            { "id": "t3", "name": "Read", "args": { "path": "a" } },
        ] },
        { "when": { "tool_result": [
            { "call": "t1", "is_error": true, "contains": "no tool" },
            { "call": "t2", "is_error": true, "contains": "not a JSON object" },
            { "call": "t3", "is_error": true, "contains": "file_path" },
        ] }, "text": "I see." },
    ]);
    let mut agent = Setup::new().script(&script).ready();

    agent.message("m1", "go");

    let events = agent.until("stream_end");
    assert_eq!(
        kinds(&events),
        [
            "stream_start",
            "error",
            "error",
            "error",
            "text_delta",
            "stream_end"
        ]
    );
    assert!(
        events[1..4]
            .iter()
            .all(|event| event["error"]["code"] == "tool_error")
    );
}

#[test]
fn tools_of_a_reply_run_in_parallel() {
    let one = |id, mine, other| {
        let command =
            format!("touch {mine}; while [ ! -e {other} ]; do sleep 0.01; done; echo {mine}");
        json!({ "id": id, "name": "Bash", "args": { "command": command } })
    };
    let script =
        json!([{ "tool_calls": [one("t1", "a", "b"), one("t2", "b", "a")] }, { "text": "done" }]);
    let mut agent = Setup::new()
        .script(&script)
        .args(&["--auto-approve"])
        .ready();

    agent.message("m1", "go");

    let events = agent.until("stream_end");
    assert_eq!(
        kinds(&events)[..5],
        [
            "stream_start",
            "tool_running",
            "tool_running",
            "tool_result",
            "tool_result"
        ]
    );
}
