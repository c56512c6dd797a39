//! The rules of acp@1 that no fault of the reference agent shows: sessions that break one, and similar ones that the pages allow.

use crate::pairs::{assert_pairs, musts};

/// A session with one whole turn.
const TURN: &str = r#"
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"subagents":{}},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"close":{},"resume":{}}},"agentInfo":{"name":"a","version":"1"},"authMethods":[]}}
> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
< {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"which birds"}]}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"look","status":"completed"}}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two herons"}}}}
< {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
"#;

/// A prompt that is open.
const ASKED: &str = r#"> {"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"count"}]}}
"#;
const CANCEL: &str =
    r#"1000000 > {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
const CLOSE: &str =
    r#"1000000 > {"jsonrpc":"2.0","id":4,"method":"session/close","params":{"sessionId":"s"}}"#;
const CLOSED: &str = r#"1100000 < {"jsonrpc":"2.0","id":4,"result":{}}"#;
const ENDED: &str = r#"< {"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#;

fn failed(message: &str) -> String {
    format!(r#"< {{"jsonrpc":"2.0","id":3,"error":{{"code":-32603,"message":"{message}"}}}}"#)
}

fn said(text: &str) -> String {
    format!(
        r#"< {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
    )
}

/// The rules that the frames after a turn break as a must.
fn check(after: &str) -> Vec<String> {
    judge(&format!("{TURN}{after}"))
}

/// The rules that the frames break as a must.
fn judge(session: &str) -> Vec<String> {
    musts("acp@1", session)
}

#[test]
fn what_the_pages_allow_is_not_accused_and_a_similar_breach_is() {
    assert_pairs("acp@1", include_str!("acp_rules/pairs.txt"));
}

#[test]
fn a_cancelled_turn_may_only_end_otherwise_if_the_two_cross() {
    for (answer, expected) in [
        (format!("1001000 {ENDED}"), &[][..]),
        (format!("4000000 {ENDED}"), &[]),
        (format!("6000000 {ENDED}"), &["cancel-answered"]),
        (format!("1001000 {}", failed("connection reset")), &[]),
        (
            format!("4000000 {}", failed("connection reset")),
            &["cancel-no-error"],
        ),
        (
            format!(
                "1001000 {}",
                failed("AbortError: This operation was aborted")
            ),
            &["cancel-no-error"],
        ),
    ] {
        assert_eq!(
            check(&format!("{ASKED}{CANCEL}\n{answer}")),
            expected,
            "{answer}"
        );
    }
}

#[test]
fn the_prompt_of_a_closed_session_is_answered() {
    let end = "stdin_closed\nend 0";
    for (rest, expected) in [
        (
            format!("{CLOSED}\n9000000 {end}"),
            &["closed-is-answered"][..],
        ),
        // There was no time, or the answer comes after all.
        (format!("{CLOSED}\n1200000 {end}"), &[]),
        (
            format!(
                "{CLOSED}\n9000000 stdin_closed\n{}\nend 0",
                ENDED.replace("end_turn", "cancelled")
            ),
            &[],
        ),
        (
            format!("1050000 {}\n{CLOSED}", failed("Session was closed")),
            &["closing-is-cancelled"],
        ),
        (format!("1050000 {}\n{CLOSED}", failed("no credit")), &[]),
    ] {
        assert_eq!(
            check(&format!("{ASKED}{CLOSE}\n{rest}")),
            expected,
            "{rest}"
        );
    }
}

#[test]
fn a_resume_says_nothing_again_and_a_load_everything() {
    let resume = r#"> {"jsonrpc":"2.0","id":5,"method":"session/resume","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}"#;
    let resumed = r#"< {"jsonrpc":"2.0","id":5,"result":{}}"#;
    let call = r#"< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"look","status":"completed"}}}"#;
    let close = r#"> {"jsonrpc":"2.0","id":4,"method":"session/close","params":{"sessionId":"s"}}
< {"jsonrpc":"2.0","id":4,"result":{}}"#;
    let again = said("two herons");
    let own = said("The index is built.");
    for (during, expected) in [
        (call, &["resume-silent"][..]),
        (&again, &["resume-silent"]),
        (&own, &[]),
    ] {
        let session = format!("{close}\n{resume}\n{during}\n{resumed}");
        assert_eq!(check(&session), expected, "{during}");
    }
    let load = resume.replace("session/resume", "session/load");
    let user = r#"< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"which birds"}}}}"#;
    let whole = format!("{close}\n{load}\n{user}\n{call}\n{again}\n{resumed}");
    assert_eq!(check(&whole), Vec::<String>::new());
    let silent = whole.replace(&format!("{again}\n"), "");
    assert!(check(&silent).contains(&"load-replays-turns".to_owned()));
}

#[test]
fn a_permission_names_the_session_of_its_call() {
    let other = r#"> {"jsonrpc":"2.0","id":6,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
< {"jsonrpc":"2.0","id":6,"result":{"sessionId":"o"}}"#;
    let child = r#"< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"o"}}}"#;
    let call = r#"< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"o","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"look"}}}"#;
    let asked = r#"< {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"o","toolCall":{"toolCallId":"t","title":"look"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}"#;
    for (before, expected) in [
        (other.to_owned(), &["permission-of-idle-session"][..]),
        (format!("{other}\n{call}"), &[]),
        (child.to_owned(), &[]),
    ] {
        assert_eq!(
            check(&format!("{before}\n{ASKED}{asked}")),
            expected,
            "{before}"
        );
    }
}

#[test]
fn the_ids_of_calls_are_those_of_their_session() {
    let other = r#"
> {"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/v","mcpServers":[]}}
< {"jsonrpc":"2.0","id":3,"result":{"sessionId":"s2"}}
"#;
    let prompt = |id: u32, session: &str| {
        format!(
            r#"> {{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{{"sessionId":"{session}","prompt":[{{"type":"text","text":"count"}}]}}}}
< {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"tool_call","toolCallId":"c1","title":"count"}}}}}}
< {{"jsonrpc":"2.0","id":{id},"method":"session/request_permission","params":{{"sessionId":"{session}","toolCall":{{"toolCallId":"c1"}},"options":[{{"optionId":"y","name":"Yes","kind":"allow_once"}},{{"optionId":"n","name":"No","kind":"reject_once"}}]}}}}
"#
        )
    };
    let answer = |id: u32, option: &str| {
        format!(
            r#"> {{"jsonrpc":"2.0","id":{id},"result":{{"outcome":{{"outcome":"selected","optionId":"{option}"}}}}}}"#
        )
    };
    let completed = |session: &str| {
        format!(
            r#"< {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}}}}"#
        )
    };
    let asked = format!("{other}{}{}", prompt(5, "s"), prompt(6, "s2"));
    for (answers, completes, expected) in [
        (vec![answer(6, "n"), answer(5, "y")], "s", &[][..]),
        (vec![answer(5, "n"), answer(6, "y")], "s2", &[]),
        (
            vec![answer(5, "y"), answer(6, "n")],
            "s2",
            &["rejected-not-run"],
        ),
    ] {
        let session = format!("{asked}{}\n{}", answers.join("\n"), completed(completes));
        assert_eq!(check(&session), expected, "{session}");
    }
}

/// A request to the model that ends in a text of the user, and its answer.
fn asked(before: &str, text: &str, answer: &str) -> String {
    format!(
        r#"request {{"messages":[{before}{{"role":"user","content":"{text}"}}],"tools":[{{"name":"look"}}]}}
reply 200 [{{"text":"{answer}"}}]"#
    )
}

#[test]
fn a_replayed_text_is_none_of_the_next_turn() {
    let next_turn = |told: &str| {
        format!(
            r#"> {{"jsonrpc":"2.0","id":8,"method":"session/load","params":{{"sessionId":"s","cwd":"/w","mcpServers":[]}}}}
< {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"user_message_chunk","content":{{"type":"text","text":"which birds"}}}}}}}}
< {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call","toolCallId":"t","title":"look","status":"completed"}}}}}}
{}
< {{"jsonrpc":"2.0","id":8,"result":{{}}}}
{ASKED}{}
{told}
{ENDED}"#,
            said("two herons in the reeds"),
            asked("", "count", "two herons in the reeds"),
        )
    };
    let text = said("two herons in the reeds");
    assert_eq!(check(&next_turn(&text)), Vec::<String>::new());
    assert_eq!(check(&next_turn("")), ["answer-told"]);
    assert_eq!(
        check(&next_turn(&format!("{text}\n{text}"))),
        ["answer-told"]
    );
}

#[test]
fn a_text_of_one_session_is_in_no_request_of_another() {
    const FIRST: &str = "count the herons in the reeds";
    const LEAKED: &str = r#"{"role":"user","content":"count the herons in the reeds"},"#;
    const LINK: &str = r#",{"type":"resource_link","uri":"file:///w/a.txt","name":"a.txt"}"#;
    let second = |more: &str, before: &str| {
        format!(
            r#"> {{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{{"sessionId":"s","prompt":[{{"type":"text","text":"{FIRST}"}}]}}}}
{}
{}
{ENDED}
> {{"jsonrpc":"2.0","id":5,"method":"session/new","params":{{"cwd":"/w","mcpServers":[]}}}}
< {{"jsonrpc":"2.0","id":5,"result":{{"sessionId":"s2"}}}}
> {{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{{"sessionId":"s2","prompt":[{{"type":"text","text":"what is in it"}}{more}]}}}}
{}
{}
< {{"jsonrpc":"2.0","id":6,"result":{{"stopReason":"end_turn"}}}}"#,
            asked("", FIRST, "There are seven."),
            said("There are seven."),
            asked(before, "what is in it", "Nothing at all."),
            said("Nothing at all.").replace(r#""sessionId":"s""#, r#""sessionId":"s2""#),
        )
    };
    assert_eq!(check(&second("", "")), Vec::<String>::new());
    assert_eq!(check(&second("", LEAKED)), ["sessions-apart"]);
    // The file may have the same text.
    assert_eq!(check(&second(LINK, LEAKED)), Vec::<String>::new());
}
