//! Invalid and unusual command lines.

use crate::aionrs::harness::{Setup, kinds, text, tool_call};
use serde_json::json;

#[test]
fn an_invalid_command_is_answered_and_the_session_continues() {
    let mut agent = Setup::new().ready();
    for (line, message) in [
        ("{\"type\":\"foo\"}", "Unknown command type: foo"),
        ("[1]", "The command is not a JSON object"),
        ("{\"msg_id\":\"m\"}", "The command has no type"),
        (
            "{\"type\":\"message\",\"input\":\"x\"}",
            "Invalid message: missing field `msg_id`",
        ),
        (
            "{\"type\":\"set_mode\",\"mode\":\"fast\"}",
            "Invalid set_mode: unknown variant `fast`, expected one of `default`, `auto_edit`, `yolo`",
        ),
        (
            "{\"type\":\"tool_approve\",\"call_id\":\"t\",\"scope\":\"never\"}",
            "Invalid tool_approve: unknown variant `never`, expected `once` or `always`",
        ),
        (
            "{\"type\":\"tool_deny\",\"call_id\":7}",
            "Invalid tool_deny: invalid type: integer `7`, expected a string",
        ),
        (
            "{\"type\":\"init_history\"}",
            "Invalid init_history: missing field `text`",
        ),
    ] {
        agent.send_raw(format!("{line}\n"));
        let expected = json!({
            "type": "error",
            "msg_id": null,
            "error": { "code": "protocol_error", "message": message, "retryable": false },
        });
        assert_eq!(agent.next(), expected);
    }
    agent.send_raw("{\"type\":\n");
    assert_eq!(agent.next()["error"]["code"], "protocol_error");
    agent.send_raw(b"{\"type\":\"stop\xff\"}\n");
    assert_eq!(agent.next()["error"]["message"], "The command is not UTF-8");

    agent.message("m1", "hi");
    assert_eq!(text(&agent.until("stream_end")), "You said: hi");
}

#[test]
fn lines_are_accepted_with_blanks_crlf_a_bom_and_split_writes() {
    let mut agent = Setup::new().ready();
    let message =
        |id: &str| format!("{{\"type\":\"message\",\"msg_id\":\"{id}\",\"input\":\"ö\",\"x\":1}}");

    agent.send_raw("\n\r\n  \n");
    agent.send_raw(format!("{}\r\n", message("crlf")));
    agent.send_raw(format!("\u{feff}{}\n", message("bom")));
    for byte in format!("  {} \n", message("split")).as_bytes() {
        agent.send_raw([*byte]);
    }

    for id in ["crlf", "bom", "split"] {
        let events = agent.until("stream_end");
        assert_eq!(events[0]["msg_id"], id);
        assert_eq!(text(&events), "You said: ö");
    }
}

#[test]
fn an_endless_line_is_refused_before_it_ends() {
    let mut agent = Setup::new().ready();
    let chunk = vec![b'x'; 1 << 20];

    for _ in 0..17 {
        agent.send_raw(&chunk);
    }

    assert_eq!(agent.next()["error"]["code"], "protocol_error");
    agent.send_raw("\n");
    agent.message("m1", "hi");
    assert_eq!(kinds(&agent.until("stream_end"))[0], "stream_start");
}

#[test]
fn history_is_part_of_the_model_request_and_must_come_first() {
    let script = json!([
        { "when": { "contains": ["the word is quokka", "which"] }, "text": "quokka" },
        { "when": { "contains": "the word is quokka" }, "text": "still quokka" },
    ]);
    let mut agent = Setup::new().script(&script).ready();

    agent.send(&json!({ "type": "init_history", "text": "the word is quokka" }));
    agent.message("m1", "which?");
    assert_eq!(text(&agent.until("stream_end")), "quokka");
    agent.message("m2", "again");
    assert_eq!(text(&agent.until("stream_end")), "still quokka");

    agent.send(&json!({ "type": "init_history", "text": "too late" }));
    assert_eq!(agent.next()["error"]["code"], "protocol_error");
}

#[test]
fn a_bad_command_in_a_turn_does_not_disturb_it() {
    let script =
        json!([tool_call("t1", "Bash", json!({ "command": "echo hi" })), { "text": "done" }]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "go");
    agent.expect("tool_request");

    agent.send_raw("nonsense\n");
    assert_eq!(agent.next()["msg_id"], json!(null));
    agent.approve("t1", "once");

    let events = agent.until("stream_end");
    assert_eq!(events[1]["output"], "hi\n");
}
