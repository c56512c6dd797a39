//! The content of earlier requests that a request must have when the session continues with another model.

use conform_judge::conversation::{Check, Conversation};
use serde_json::{Value, json};

const HELLO: &str = "what do you see in here";
const MORE: &str = "and what else is in here";

fn request(model: &str, said: &Value, more: &[&str]) -> Value {
    let mut messages = vec![
        json!({ "role": "user", "content": HELLO }),
        json!({ "role": "assistant", "content": said }),
    ];
    messages.extend(
        more.iter()
            .map(|text| json!({ "role": "user", "content": text })),
    );
    json!({ "model": model, "tools": [{ "name": "bash" }], "messages": messages })
}

#[test]
fn the_thinking_of_one_model_is_text_for_another_one_only() {
    let thinking = json!({ "type": "thinking", "thinking": "Let me see.", "signature": "s" });
    let as_thinking = json!([thinking, { "type": "text", "text": "I look into it." }]);
    let as_text = json!("Let me see. I look into it.");
    for (model, is_legal) in [("thinker", true), ("other", false)] {
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        conversation.on_request(&[Check::Kept], 0, &request("other", &as_text, &[HELLO]));
        conversation.note_said(MORE);
        let next = request(model, &as_thinking, &[HELLO, MORE]);
        let found = conversation.on_request(&[Check::Kept], 1, &next);
        assert_eq!(found[0].departure.is_none(), is_legal, "{model}: {found:?}");
        assert_eq!(found[0].times, 1);
    }
}

#[test]
fn what_was_thought_between_two_texts_may_be_told_to_another_model() {
    for (told, is_legal) in [
        ("I look into it. It is locked.", true),
        ("I look into it. Hm. It is locked.", true),
        ("It is locked.", false),
    ] {
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        let first = json!({ "tools": [], "messages": [{ "role": "user", "content": HELLO }] });
        conversation.on_request(&[Check::Answered], 0, &first);
        let parts = json!([{ "text": "I look into it." }, { "text": "It is locked." }]);
        conversation.note_answer(0, &parts);
        conversation.note_said(MORE);
        let mut next = request("other", &json!(told), &[MORE]);
        next["tools"] = json!([]);
        let found = conversation.on_request(&[Check::Answered], 1, &next);
        assert_eq!(found[0].departure.is_none(), is_legal, "{told}: {found:?}");
    }
}

#[test]
fn a_call_may_have_its_numbers_in_another_form() {
    for (sent, is_legal) in [
        (json!({ "odd": 0, "list": [1.0] }), true),
        (json!({ "odd": 2, "list": [1] }), false),
    ] {
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        let first = json!({ "tools": [], "messages": [{ "role": "user", "content": HELLO }] });
        conversation.on_request(&[Check::Answered], 0, &first);
        let call = json!({ "name": "levitate", "arguments": { "odd": -0.0, "list": [1] } });
        conversation.note_answer(0, &json!([{ "call": call }]));
        let call = json!({ "type": "tool_use", "id": "t1", "name": "levitate", "input": sent });
        let next = json!({ "tools": [], "messages": [
            { "role": "user", "content": HELLO },
            { "role": "assistant", "content": [call] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": "cannot" }] },
        ] });
        let found = conversation.on_request(&[Check::Answered], 1, &next);
        assert_eq!(found[0].departure.is_none(), is_legal, "{sent}: {found:?}");
    }
}

#[test]
fn the_output_of_a_shell_command_in_front_of_an_image_may_come_again() {
    let (ran, image) = (
        json!({ "type": "text", "text": "Ran `ls -l page.html`\n```\n1\n```" }),
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } }),
    );
    for (again, is_legal) in [(&ran, true), (&image, false)] {
        let text = |text: &str| json!({ "type": "text", "text": text });
        let mut messages = vec![json!({ "role": "user", "content": HELLO })];
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        let request = |messages: &[Value]| json!({ "tools": [], "messages": messages });
        conversation.on_request(&[Check::Once], 0, &request(&messages));
        conversation.note_said(MORE);
        conversation.note_attachments();
        messages.push(json!({ "role": "user", "content": [ran, text(MORE), image] }));
        conversation.on_request(&[Check::Once], 1, &request(&messages));
        conversation.note_said("and once more, please");
        messages.push(json!({ "role": "user", "content": [again, text("and once more, please")] }));
        let found = conversation.on_request(&[Check::Once], 2, &request(&messages));
        assert_eq!(found[0].departure.is_none(), is_legal, "{again}: {found:?}");
    }
}
