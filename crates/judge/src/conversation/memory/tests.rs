//! What the memory of a conversation finds in requests, and what it must not find.

use super::*;
use serde_json::json;

const HELLO: &str = "what do you see here";
const MORE: &str = "and what is behind it";

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
}

fn request(messages: &[Value]) -> Value {
    json!({ "messages": messages, "tools": [{ "name": "bash" }] })
}

fn call(text: &str, command: &str) -> Value {
    json!({ "role": "assistant", "content": [
        { "type": "text", "text": text },
        { "type": "tool_use", "id": "t1", "name": "bash", "input": { "command": command } },
    ] })
}

fn result(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": text }] })
}

/// A conversation after one request and its answer: a text and a call.
fn after_a_call() -> Conversation {
    let mut conversation = Conversation::default();
    conversation.note_said(HELLO);
    conversation.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
    let answer = json!([{ "text": "I look." }, { "call": { "name": "bash", "arguments": { "command": "ls" } } }]);
    conversation.note_answer(0, &answer);
    conversation
}

const CHECKS: [Check; 4] = [Check::Kept, Check::Answered, Check::Once, Check::Shown];

fn broken(conversation: &Conversation, messages: &[Value]) -> Vec<Check> {
    let mut conversation = conversation.clone();
    let compared = conversation.on_request(&CHECKS, 1, &request(messages));
    let broken = compared.iter().filter(|one| one.departure.is_some());
    broken.map(|one| one.check).collect()
}

/// How a request departs from a conversation by one check.
fn departure(
    conversation: &mut Conversation,
    check: Check,
    n: u64,
    body: &Value,
) -> Option<String> {
    let compared = conversation.on_request(&[check], n, body);
    compared.into_iter().find_map(|one| one.departure)
}

#[test]
fn another_model_gets_an_image_of_a_result_in_its_place() {
    let image = |model: &str, text: &str, file: Value| {
        json!({ "model": model, "messages": [
            user(HELLO), call("", "show"), result(text), { "role": "user", "content": [file] }, user(MORE),
        ] })
    };
    let aside = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgo=" } });
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" });
    let inside = json!({ "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "image", "source": source }] });
    let next = |model: &str| {
        let messages = [
            user(HELLO),
            call("", "show"),
            json!({ "role": "user", "content": [inside] }),
            user(MORE),
        ];
        json!({ "model": model, "messages": messages })
    };
    for (model, is_found) in [("b", false), ("a", true)] {
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        conversation.note_said(MORE);
        conversation.on_request(&CHECKS, 0, &image("a", "The image follows.", aside.clone()));
        let found = departure(&mut conversation, Check::Kept, 1, &next(model));
        assert_eq!(found.is_some(), is_found, "{model}: {found:?}");
    }
}

#[test]
fn a_text_of_a_resumed_conversation_may_come_again_in_the_middle_of_a_turn() {
    let resumed = [
        user(MORE),
        call("I look.", "ls"),
        result("a.txt"),
        user(HELLO),
    ];
    let mut conversation = Conversation::default();
    conversation.note_said(HELLO);
    conversation.on_request(&CHECKS, 0, &request(&resumed));
    let answer = json!([{ "call": { "name": "bash", "arguments": { "command": "ls" } } }]);
    conversation.note_answer(0, &answer);
    conversation.note_said(MORE);
    let in_turn = [&resumed[..], &[call("", "ls"), result("b.txt")]].concat();
    assert_eq!(
        conversation
            .on_request(&CHECKS, 1, &request(&in_turn))
            .iter()
            .find_map(|one| one.departure.clone()),
        None
    );
    let next = [&in_turn[..], &[user(MORE)]].concat();
    let once = |messages: &[Value]| {
        departure(
            &mut conversation.clone(),
            Check::Once,
            2,
            &request(messages),
        )
    };
    assert_eq!(once(&next), None);
    assert!(once(&[&next[..], &[user(MORE)]].concat()).is_some());
}

#[test]
fn what_was_said_and_answered_is_in_the_next_request_on_every_api() {
    let conversation = after_a_call();
    let whole = [user(HELLO), call("I look.", "ls"), result("a.txt")];
    assert_eq!(broken(&conversation, &whole), []);
    let reminded = json!({ "role": "user", "content": [
        { "type": "text", "text": "<reminder>be brief</reminder>" },
        { "type": "text", "text": format!("{HELLO}\n") },
    ] });
    assert_eq!(
        broken(
            &conversation,
            &[reminded, call("I look.", "ls"), result("a")]
        ),
        []
    );
    for (messages, check) in [
        (vec![call("I look.", "ls"), result("a.txt")], Check::Kept),
        (
            vec![user("what do you see"), call("I look.", "ls")],
            Check::Kept,
        ),
        (
            vec![user(HELLO), call("", "ls"), result("a.txt")],
            Check::Answered,
        ),
        (
            vec![user(HELLO), call("I look.", "ls -a"), result("a")],
            Check::Answered,
        ),
        (vec![call("I look.", "ls"), user(HELLO)], Check::Answered),
        (
            vec![user(HELLO), call("I look.", "ls"), user(HELLO)],
            Check::Once,
        ),
        (
            vec![user(HELLO), call("I look.", "ls"), call("", "ls")],
            Check::Once,
        ),
        (
            vec![user(HELLO), call("I look.", "ls"), result("a"), result("a")],
            Check::Once,
        ),
    ] {
        assert_eq!(broken(&conversation, &messages), [check], "{messages:?}");
    }
    let chat = json!({ "tools": [{ "function": { "name": "bash" } }], "messages": [
        { "role": "system", "content": "be brief" },
        { "role": "user", "content": HELLO },
        { "role": "assistant", "content": "I look.", "tool_calls": [
            { "id": "t1", "function": { "name": "bash", "arguments": "{\"command\": \"ls\"}" } }] },
        { "role": "tool", "tool_call_id": "t1", "content": "a.txt" },
    ] });
    let responses = json!({ "tools": [{ "name": "bash" }], "input": [
        { "role": "user", "content": [{ "type": "input_text", "text": HELLO }] },
        { "type": "reasoning", "summary": [] },
        { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "I look." }] },
        { "type": "function_call", "call_id": "t1", "name": "bash", "arguments": "{\"command\": \"ls\"}" },
        { "type": "function_call_output", "call_id": "t1", "output": "a.txt" },
    ] });
    for body in [chat, responses] {
        let mut conversation = after_a_call();
        let compared = conversation.on_request(&[Check::Kept], 1, &body);
        assert_eq!((compared[0].times, &compared[0].departure), (1, &None));
        conversation.note_said(MORE);
        let lacks_result = request(&[user(HELLO), call("I look.", "ls"), user(MORE)]);
        let found = departure(&mut conversation, Check::Kept, 2, &lacks_result);
        assert_eq!(
            found.as_deref(),
            Some(
                "the request does not hold the tool result \"a.txt\", which request 1 held, at its place"
            )
        );
    }
}

#[test]
fn a_request_of_a_stopped_turn_may_come_after_the_next_one() {
    const STOPPED: &str = "look into every folder";
    let mut conversation = Conversation::default();
    conversation.note_said(HELLO);
    conversation.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
    conversation.note_answer(0, &json!([{ "text": "Hi." }]));
    conversation.note_said(STOPPED);
    conversation.undo_turn();
    conversation.note_said(MORE);
    let answered = [
        user(HELLO),
        json!({ "role": "assistant", "content": "Hi." }),
    ];
    let next = [&answered[..], &[user(MORE)]].concat();
    let late = [&answered[..], &[user(STOPPED)]].concat();
    let ran = [&late[..], &[call("", "ls"), result("a.txt")]].concat();
    let after_it = [&ran[..], &[user(MORE)]].concat();
    for requests in [[&next, &late], [&late, &next], [&after_it, &ran]] {
        let mut conversation = conversation.clone();
        for (n, messages) in (1..).zip(requests) {
            let compared = conversation.on_request(&CHECKS, n, &request(messages));
            assert!(
                compared.iter().all(|one| one.departure.is_none()),
                "{requests:?}"
            );
        }
        let lost = [user(MORE), call("", "ls")];
        assert!(!broken(&conversation, &lost).is_empty());
    }
    conversation.on_request(&CHECKS, 1, &request(&next));
    assert_eq!(broken(&conversation, &late), []);
    conversation.end_turn();
    assert!(!broken(&conversation, &late).is_empty());
}

#[test]
fn the_parts_of_an_answer_are_joined_in_any_way_and_keep_their_blanks() {
    let said = |parts: &[&str], own: &str| {
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        conversation.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
        let answer = parts.iter().map(|part| json!({ "text": part }));
        conversation.note_answer(0, &answer.collect());
        conversation.note_said(MORE);
        let own = json!({ "role": "assistant", "content": own });
        broken(&conversation, &[user(HELLO), own, user(MORE)]).is_empty()
    };
    let one = ["if x:\n  go\n"];
    assert!(said(&one, "if x:\n  go"));
    assert!(!said(&one, "if x: go"));
    let two = ["if x:\n  go", "now"];
    assert!(said(&two, "if x:\n  gonow"));
    assert!(said(&two, "if x:\n  go\n\nnow"));
    assert!(!said(&two, "if x:\n  go"));
    let long = ["a text of some length"];
    assert!(said(&long, "a text of some length."));
    assert!(!said(&long, "a text of some length, a text of some length"));
}

#[test]
fn a_turn_that_was_undone_may_be_missing_and_what_was_before_it_may_not() {
    let mut conversation = after_a_call();
    conversation.undo_turn();
    conversation.note_said(MORE);
    assert_eq!(broken(&conversation, &[user(MORE)]), []);

    let mut conversation = after_a_call();
    let answered =
        json!({ "role": "assistant", "content": [{ "type": "text", "text": "A file." }] });
    let first = [
        user(HELLO),
        call("I look.", "ls"),
        result("a.txt"),
        answered,
    ];
    conversation.on_request(&CHECKS, 1, &request(&first[..3]));
    conversation.note_answer(1, &json!([{ "text": "A file." }]));
    conversation.note_said(MORE);
    let second: Vec<Value> = first.iter().cloned().chain([user(MORE)]).collect();
    let found = departure(&mut conversation, Check::Kept, 2, &request(&second));
    assert_eq!(found, None);
    conversation.undo_turn();
    assert_eq!(broken(&conversation, &first), []);
    assert_eq!(broken(&conversation, &first[1..]), [Check::Kept]);
}

#[test]
fn what_cannot_be_known_is_not_judged() {
    let mut forgotten = after_a_call();
    forgotten.forget();
    assert_eq!(broken(&forgotten, &[user(HELLO)]), []);

    // A call of a tool that the agent does not have.
    let mut unknown = Conversation::default();
    unknown.note_said(HELLO);
    unknown.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
    let call = json!({ "call": { "name": "fly", "arguments": {} } });
    unknown.note_answer(0, &json!([{ "text": "I look." }, call]));
    assert_eq!(
        broken(&unknown, &[user(HELLO), self::call("I look.", "ls")]),
        []
    );
    assert_eq!(
        broken(&unknown, &[user(HELLO), self::call("", "ls")]),
        [Check::Answered]
    );

    // A title, with no tools, and the request after it.
    let mut titled = after_a_call();
    let title = json!({ "messages": [user(HELLO)] });
    assert_eq!(titled.on_request(&CHECKS, 1, &title), []);
    assert_eq!(broken(&titled, &[user(HELLO)]), []);

    // A request for a summary, and the request after it.
    let mut summed_up = after_a_call();
    let asked = [user(HELLO), user("Sum it up.")];
    assert_eq!(summed_up.on_request(&CHECKS, 1, &request(&asked)), []);
    assert_eq!(broken(&summed_up, &[user(HELLO)]), []);

    // An answer that was not recorded, and more texts than are remembered.
    let mut unrecorded = Conversation::default();
    unrecorded.note_said(HELLO);
    let answered = [Check::Answered];
    for (n, messages) in [vec![user(HELLO)], vec![user(HELLO), user(HELLO)]]
        .iter()
        .enumerate()
    {
        let compared = unrecorded.on_request(&answered, n as u64, &request(messages));
        assert!(compared.iter().all(|one| one.times == 0));
    }
    let mut long = after_a_call();
    long.note_said(&"x".repeat(MOST_BYTES));
    assert_eq!(broken(&long, &[user(MORE)]), []);

    let mut part = after_a_call();
    let rest = json!({ "previous_response_id": "r", "input": MORE });
    assert_eq!(part.on_request(&CHECKS, 1, &rest), []);
}

#[test]
fn the_model_gets_what_the_host_was_shown() {
    let shown = "error: cannot read a.txt\nno such file";
    let given = |text: &str| [user(HELLO), call("I look.", "ls"), result(text)];
    for (text, is_given) in [
        (shown, true),
        ("error: cannot read a.txt", true),
        (
            "{\"output\":\"error: cannot read a.txt\\nno such file\"}",
            true,
        ),
        ("", true),
        ("(no output)", false),
    ] {
        let mut conversation = after_a_call();
        conversation.note_shown("t1", shown.to_owned());
        let expected: &[Check] = if is_given { &[] } else { &[Check::Shown] };
        assert_eq!(broken(&conversation, &given(text)), expected, "{text:?}");
    }
    let mut conversation = after_a_call();
    conversation.note_shown("t1", "ok".to_owned());
    conversation.note_shown("an id of the agent", shown.to_owned());
    assert_eq!(broken(&conversation, &given("a.txt")), []);
}

#[test]
fn an_attachment_comes_with_its_message_only() {
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
    let notes = json!({ "type": "text", "text": "<notes>\nthe word is heron\n</notes>" });
    for file in [image, notes] {
        let with_file = |text: &str| json!({ "role": "user", "content": [file.clone(), { "type": "text", "text": text }] });
        let mut conversation = Conversation::default();
        conversation.note_said("first of all");
        let first = user("first of all");
        conversation.on_request(&CHECKS, 0, &request(std::slice::from_ref(&first)));
        conversation.note_said(HELLO);
        conversation.note_attachments();
        let second = [first, with_file(HELLO)];
        let found = departure(&mut conversation, Check::Kept, 1, &request(&second));
        assert_eq!(found, None);
        conversation.note_said(MORE);
        let third = |last: Value| second.iter().cloned().chain([last]).collect::<Vec<_>>();
        assert_eq!(broken(&conversation, &third(user(MORE))), []);
        assert_eq!(
            broken(&conversation, &third(with_file(MORE))),
            [Check::Once]
        );
        let read = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": [file.clone()] }] });
        let mut reading = second.to_vec();
        reading.extend([call("", "cat it"), read]);
        assert_eq!(broken(&conversation, &reading), []);
        conversation.note_attachments();
        assert_eq!(broken(&conversation, &third(with_file(MORE))), []);
    }
}
