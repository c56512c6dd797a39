//! Faults of messages that are named by their structure.

use frame_faults::{FaultPlayer, FaultTable, FrameNaming, NestedKinds, Output};
use frame_language::Pointer;
use serde_json::{Value, json};

/// A player of a fault with these keys.
fn player(keys: &str) -> FaultPlayer {
    let text = format!("faults:\n  f: {{ summary: s, from: start, {keys} }}\n");
    let kind = Pointer::parse("/params/kind").unwrap();
    let nested = NestedKinds::from([("note".to_owned(), kind)]);
    let table = FaultTable::load(&[("faults.yaml".into(), text)], nested);
    let fault = table.expect("no mistake").find("f").unwrap().clone();
    let naming = FrameNaming::JsonRpc {
        is_version_optional: false,
    };
    FaultPlayer::new(fault, naming, None)
}

fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

fn read(outputs: Vec<Output>) -> Vec<Value> {
    let lines = outputs.into_iter().map(|output| match output {
        Output::Bytes(bytes) => serde_json::from_slice(&bytes).unwrap(),
        other => panic!("{other:?}"),
    });
    lines.collect()
}

fn asks(id: u64, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": { "n": id } })
}

fn answers(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": {} })
}

impl Session {
    fn host(&mut self, message: &Value) -> (Option<Value>, Vec<Value>) {
        let (passed, replies) = self.0.command_line(&line(message));
        let passed = passed.map(|line| serde_json::from_slice(&line).unwrap());
        (passed, read(replies))
    }

    fn agent(&mut self, message: &Value) -> Vec<Value> {
        read(self.0.event_line(&line(message)))
    }
}

struct Session(FaultPlayer);

fn session(keys: &str) -> Session {
    Session(player(keys))
}

#[test]
fn a_response_has_the_name_of_the_request_that_it_answers() {
    let mut session = session("on: ask.result, set: { /result/of: $request/params/n }");
    // The ids of both sides have nothing to do with each other.
    session.host(&asks(1, "hello"));
    session.host(&asks(2, "ask"));
    let asked = asks(2, "confirm");
    assert_eq!(session.agent(&asked), [asked]);
    assert_eq!(session.agent(&answers(&json!(1))), [answers(&json!(1))]);
    assert_eq!(session.agent(&answers(&json!("2"))), [answers(&json!("2"))]);
    assert_eq!(session.agent(&answers(&json!(2)))[0]["result"]["of"], 2);
}

#[test]
fn the_agent_gets_one_answer_to_a_request_that_is_sent_twice() {
    let mut session = session("on: confirm, twice: ");
    let asked = asks(1, "confirm");
    assert_eq!(session.agent(&asked), [asked.clone(), asked]);
    let answer = answers(&json!(1));
    assert_eq!(session.host(&answer).0.as_ref(), Some(&answer));
    assert_eq!(session.host(&answer).0, None);
}

#[test]
fn an_inserted_request_has_an_id_of_its_own_and_its_answer_goes_nowhere() {
    let mut session = session("on: note, before: { id: $new, method: sing, params: $/params }");
    let note = json!({ "jsonrpc": "2.0", "method": "note", "params": { "kind": "word" } });
    let sent = session.agent(&note);
    let id = 1_000_000_000_000_001_u64;
    let song =
        json!({ "jsonrpc": "2.0", "id": id, "method": "sing", "params": { "kind": "word" } });
    assert_eq!(sent, [song, note]);
    assert_eq!(session.host(&answers(&json!(id))), (None, Vec::new()));
    let own = answers(&json!(1));
    assert_eq!(session.host(&own).0, Some(own));
}

#[test]
fn the_agent_gets_its_own_id_back() {
    let mut session = session("on: confirm, retype: { /id: number_to_text }");
    assert_eq!(session.agent(&asks(1, "confirm"))[0]["id"], "1");
    let passed = session.host(&answers(&json!("1"))).0;
    assert_eq!(passed, Some(answers(&json!(1))));
}

#[test]
fn frames_come_in_place_of_a_frame_also_as_a_batch() {
    let mut session =
        session("on: note.word, instead: [[$, { method: note }], { id: 1, result: {} }]");
    let cost = json!({ "method": "note", "params": { "kind": "cost" } });
    assert_eq!(session.agent(&cost), [cost]);
    let word = json!({ "jsonrpc": "2.0", "method": "note", "params": { "kind": "word" } });
    let batch = json!([word, { "jsonrpc": "2.0", "method": "note" }]);
    assert_eq!(session.agent(&word), [batch, answers(&json!(1))]);
}

#[test]
fn a_fault_waits_for_the_frame_that_a_reference_names() {
    let keys = r#"on: note, before: { id: "$[>ask]/id", result: {} }"#;
    let mut session = session(keys);
    let note = json!({ "jsonrpc": "2.0", "method": "note" });
    assert_eq!(session.agent(&note), std::slice::from_ref(&note));
    session.host(&asks(3, "ask"));
    assert_eq!(session.agent(&note), [answers(&json!(3)), note]);
}

#[test]
fn a_message_of_the_host_is_lost_or_answered() {
    let stop = json!({ "jsonrpc": "2.0", "method": "stop" });
    let mut lost = session("on: '>stop', drop: ");
    assert_eq!(lost.host(&stop), (None, Vec::new()));
    assert_eq!(lost.host(&stop).0.as_ref(), Some(&stop), "only the first");

    let mut answered = session("on: '>stop', every: true, reply: { result: {} }");
    let reply = json!({ "jsonrpc": "2.0", "result": {} });
    for _ in 0..2 {
        let (passed, replies) = answered.host(&stop);
        assert_eq!(
            (passed.as_ref(), replies.as_slice()),
            (Some(&stop), [reply.clone()].as_slice())
        );
    }

    let mut refused = session("on: '>ask', instead: { id: $/id, error: { code: 1, message: no } }");
    let (passed, replies) = refused.host(&asks(4, "ask"));
    assert_eq!((passed, &replies[0]["id"]), (None, &json!(4)));
    assert!(refused.0.has_played());
}

#[test]
fn a_frame_is_held_until_the_host_goes_on() {
    let mut session = session("on: confirm, late: '>stop'");
    assert_eq!(session.agent(&asks(1, "confirm")), Vec::<Value>::new());
    let (_, replies) = session.host(&json!({ "jsonrpc": "2.0", "method": "stop" }));
    assert_eq!(replies, [asks(1, "confirm")]);
    let answer = answers(&json!(1));
    assert_eq!(session.host(&answer).0, Some(answer));
}
