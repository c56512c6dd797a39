//! Errors of commands, of the model and of the session store.

use crate::pi::harness::Setup;
use serde_json::json;

#[test]
fn an_invalid_command_is_an_error_and_the_session_continues() {
    let mut agent = Setup::new().start();

    for (line, message) in [
        ("{oops", "The command is not JSON"),
        ("[1]", "The command is not a JSON object"),
        ("{}", "The command has no type"),
        (r#"{"type":"levitate"}"#, "Unknown command type: levitate"),
        (
            r#"{"type":"prompt"}"#,
            "Invalid prompt: missing field `message`",
        ),
        (r#"{"type":"bash","command":7}"#, "Invalid bash"),
    ] {
        agent.send_raw(format!("{line}\n"));
        let event = agent.next();
        assert_eq!(event["type"], "error", "{line}");
        let error = event["error"].as_str().unwrap();
        assert!(error.starts_with(message), "{line}: {error}");
    }
    agent.send_raw(b"\xff\n");
    assert_eq!(
        agent.next(),
        json!({ "type": "error", "error": "The command is not UTF-8" })
    );
    assert_eq!(agent.bash("echo alive")["output"], "alive\n");
}

#[test]
fn blank_lines_and_carriage_returns_are_ignored() {
    let mut agent = Setup::new().start();

    agent.send_raw("\n  \r\n{\"type\":\"bash\",\"command\":\"echo a\"}\r\n");

    assert_eq!(agent.next()["message"]["output"], "a\n");
    assert_eq!(agent.finish(), (vec![], Some(0)));
}
