//! Files attached to a message.

use crate::pi::harness::{ended_messages, script_that_detects, start_with_script};
use serde_json::{Value, json};

const DOT: &str = "iVBORw0KGgo=";

fn attachment(kind: &str, content: &str) -> Value {
    json!({ "id": "a", "type": kind, "fileName": "f", "mimeType": "image/png", "size": 8, "content": content })
}

#[test]
fn an_image_goes_to_the_model_and_stays_with_the_user_message() {
    let mut agent = start_with_script(&script_that_detects(DOT));
    let image = attachment("image", DOT);
    agent.send(&json!({ "type": "prompt", "message": "look", "attachments": [image] }));

    let run = agent.until_match(|event| event["type"] == "agent_end");

    let user = ended_messages(&run)[0];
    assert_eq!(user["attachments"], json!([image]));
    assert_eq!(
        user["content"][1],
        json!({ "type": "image", "data": DOT, "mimeType": "image/png" })
    );
    assert_eq!(ended_messages(&run)[1]["content"][0]["text"], "seen");
}

#[test]
fn the_text_of_a_document_goes_to_the_model() {
    let mut agent = start_with_script(&script_that_detects("the word is tern"));
    let mut document = attachment("document", "AAAA");
    document["extractedText"] = json!("the word is tern");
    agent.send(&json!({ "type": "prompt", "message": "read", "attachments": [document] }));

    let run = agent.until_match(|event| event["type"] == "agent_end");

    assert_eq!(ended_messages(&run)[1]["content"][0]["text"], "seen");
}

#[test]
fn an_invalid_attachment_is_refused_and_starts_no_run() {
    let mut agent = start_with_script(&json!([{ "text": "a" }]));
    agent.send(
        &json!({ "type": "prompt", "message": "look", "attachments": [attachment("film", DOT)] }),
    );

    assert_eq!(agent.next()["type"], "error");
    assert_eq!(agent.ask("go"), "a");
}
