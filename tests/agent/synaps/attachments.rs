//! Files attached to a message.

use crate::synaps::harness::{Setup, kinds};
use serde_json::{Value, json};

fn prompt_with(setup: Setup, attachments: &Value) -> Vec<Value> {
    let mut agent = setup.ready();
    agent.send(
        &json!({ "type": "prompt", "id": "p", "message": "look", "attachments": attachments }),
    );
    let mut events = vec![agent.next()];
    while !["response", "error"].contains(&events.last().unwrap()["type"].as_str().unwrap()) {
        events.push(agent.next());
    }
    let mut messages = agent.ask("get_messages");
    events.push(messages["messages"].take());
    events
}

#[test]
fn the_content_of_attached_files_reaches_the_model() {
    let setup = Setup::new().script(&json!([{ "text": "seen" }]));
    let text = setup.write("notes.txt", "quagga");
    let picture = setup.write("a.png", b"\x89PNG\r\n\x1a\n");
    let paper = setup.write("b.pdf", b"%PDF-1.7");
    let web = setup.write("c.webp", b"RIFF\0\0\0\0WEBPVP8 ");

    let events = prompt_with(
        setup,
        &json!([{ "path": text }, { "path": picture, "mime": "image/png" }, { "path": paper, "name": "Paper" }, { "path": web }]),
    );

    let content = &events.last().unwrap()[0]["content"];
    assert!(content.to_string().contains("quagga"));
    assert_eq!(content[2]["type"], "image");
    assert_eq!(content[3]["title"], "Paper");
    assert_eq!(content[4]["source"]["media_type"], "image/webp");
}

#[test]
fn invalid_paths_are_refused_and_start_no_turn() {
    for path in ["notes.txt", "/etc/../etc/hostname", "/nowhere/at/all", "/"] {
        let events = prompt_with(Setup::new(), &json!([{ "path": path }]));

        assert_eq!(kinds(&events[..1]), ["error"], "{path}");
        assert_eq!(events[0]["id"], "p");
        assert_eq!(events.last().unwrap(), &json!([]), "{path}");
    }
}

#[test]
fn a_file_that_the_model_cannot_be_shown_is_refused_and_starts_no_turn() {
    let setup = Setup::new();
    let blob = setup.write("blob", [0, 159, 146, 150]);

    let events = prompt_with(setup, &json!([{ "path": blob }]));

    assert_eq!(kinds(&events[..1]), ["error"]);
    assert!(events[0].to_string().contains("neither text nor an image"));
    assert_eq!(events.last().unwrap(), &json!([]));
}

#[test]
fn an_empty_attachment_list_is_ignored() {
    let events = prompt_with(Setup::new(), &json!([]));

    assert_eq!(events.last().unwrap()[0]["content"], "look");
}
