//! Messages that are no request of the protocol, and what comes before a session.

use super::harness::Setup;
use serde_json::json;

#[test]
fn a_bad_message_is_answered_with_the_error_of_json_rpc() {
    let mut client = Setup::new().client(json!({}));
    for (line, id, code) in [
        ("{", "null", -32700),
        ("[]", "null", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, "null", -32600),
        (r#"{"id":3,"method":"x"}"#, "3", -32600),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"no/such"}"#,
            "\"a\"",
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"_x"}"#,
            "null",
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":12345678901234567890123,"method":"session/close","params":{"sessionId":"x"}}"#,
            "12345678901234567890123",
            -32002,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1e3,"method":"session/new","params":{}}"#,
            "1e3",
            -32602,
        ),
    ] {
        client.agent.send_raw(format!("{line}\n"));
        let answer = client.agent.next_line().unwrap();
        assert!(answer.contains(&format!("\"id\":{id},")), "{answer}");
        assert!(answer.contains(&format!("\"code\":{code}")), "{answer}");
    }
    for line in [
        r#"{"jsonrpc":"2.0","method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        "",
    ] {
        client.agent.send_raw(format!("{line}\n"));
    }
    assert_eq!(
        client.result("_mock/echo", json!({ "a": 1 })),
        json!({ "a": 1 })
    );
}

#[test]
fn initialize_comes_first_and_once_and_negotiates_the_version() {
    let mut client = Setup::new().silent();
    let folder = client.folder();
    assert_eq!(client.error_code("session/new", folder), -32600);
    assert_eq!(
        client.error_code("initialize", json!({ "protocolVersion": "1" })),
        -32602
    );
    let result = client.result("initialize", json!({ "protocolVersion": 7 }));
    assert_eq!(result["protocolVersion"], 1);
    assert_eq!(
        client.error_code("initialize", json!({ "protocolVersion": 1 })),
        -32600
    );
}

#[test]
fn a_login_comes_before_a_session_where_the_agent_requires_one() {
    let mut client = Setup::new().args(&["--login"]).client(json!({}));
    let folder = client.folder();
    assert_eq!(client.error_code("session/new", folder.clone()), -32000);
    assert_eq!(
        client.error_code("authenticate", json!({ "methodId": "other" })),
        -32602
    );
    client.result("authenticate", json!({ "methodId": "mock-login" }));
    client.result("session/new", folder.clone());
    client.result("logout", json!({}));
    assert_eq!(client.error_code("session/new", folder), -32000);
}
