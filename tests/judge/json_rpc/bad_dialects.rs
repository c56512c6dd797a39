//! Mistakes in a dialect that names messages by their structure: one error each, with its place, that says what to write.

use super::copied;
use conform_judge::dialect::{DialectSource, load};

/// The mistakes of the toy dialect with other lines in its `dialect.yaml`, as `LINE:MESSAGE`.
fn mistakes(change: impl Fn(String) -> String) -> Vec<String> {
    let (folder, at) = copied();
    let file = at.join("dialect.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, change(text)).unwrap();
    let loaded = load(&DialectSource::new(Some(folder.path().to_owned())), "duo@1");
    let errors = loaded.err().unwrap_or_default();
    let shown = errors
        .iter()
        .map(|one| format!("{}:{}", one.span.line, one.message));
    shown.collect()
}

#[test]
fn mistakes_in_a_dialect_are_told_with_their_place_and_what_to_write() {
    let replaced =
        |from: &'static str, to: &'static str| move |text: String| text.replacen(from, to, 1);
    for (change, expected) in [
        (
            replaced(
                "naming: json-rpc",
                "naming: json-rpc\ndiscriminator: { events: /a, commands: /b }",
            ),
            "5:frames are named by `naming: json-rpc` or by `discriminator`: remove one of the two",
        ),
        (
            replaced("naming: json-rpc", "naming: jsonrpc"),
            "4:unknown word `jsonrpc`; did you mean `json-rpc`?",
        ),
        (
            replaced("both_sides: true", "both_sides: false"),
            "12:`$/cancel` is a method of both sides: remove it from `events` or from `commands`, or write `$/cancel: { both_sides: true }`",
        ),
        (
            replaced("at_once: [hello]", "at_once: [hallo]"),
            "7:`hallo` is a request of neither side: name one of `events` or `commands`",
        ),
        (
            replaced("at_once: [hello]", "at_once: [note]"),
            "7:`note` is a request of neither side: name one of `events` or `commands`",
        ),
        (
            replaced("second-answer:", "second-answers:"),
            "8:unknown word `second-answers`; did you mean `second-answer`?",
        ),
        (
            replaced("[duo.once], answer", "[duo.twice], answer"),
            "8:the clause `duo.twice` is not in clauses.yaml",
        ),
        (replaced("  note: { notification: true, ", "  note: { "), ""),
    ] {
        let all = mistakes(change);
        match expected {
            "" => assert_eq!(all, Vec::<String>::new()),
            expected => {
                assert_eq!(all.len(), 1, "{all:?}");
                assert!(all[0].starts_with(expected), "{all:?}");
            }
        }
    }
    let without = mistakes(|text| {
        let named = "discriminator: { events: /type, commands: /type }\nbudgets: {}\n";
        let head = text.split("naming").next().unwrap().to_owned();
        format!(
            "{head}{named}json_rpc: {{ version_optional: true }}\nevents: {{ note: {{ notification: true }} }}\n"
        )
    });
    // The rules of the copy need the names that it has no more.
    assert_eq!(
        without[..2],
        [
            "6:`json_rpc` goes with `naming: json-rpc`: write that too, or remove it",
            "7:`notification` and `both_sides` go with `naming: json-rpc`: write that too, or remove them",
        ]
    );
}

#[test]
fn a_mistake_in_the_client_of_a_dialect_is_told_once_with_its_place() {
    let choose = "choose: { from: /params/options, kind: /kind, id: /id }, kinds: [yes]";
    for (answers, expected) in [
        (
            "note: { result: {} }",
            "`note` is a notification, and nobody answers one: remove it",
        ),
        ("ask: { result: {} }", "unknown request of the agent `ask`"),
        (
            "confirm: { needs: [red], result: {} }",
            "unknown ability `red`; did you mean `read`?",
        ),
        (
            "confirm: { result: { x: \"{text}\" } }",
            "unknown value `text` (there are none)",
        ),
        (
            "confirm: { read_file: { path: params }, result: {} }",
            "a JSON Pointer starts with `/`: write `/params`",
        ),
        (
            "confirm: { reed_file: { path: /p }, result: {} }",
            "unknown key `reed_file`",
        ),
        (
            "confirm: { read_file: { path: /p } }",
            "the key `result` is missing",
        ),
        (
            "confirm: { kill_terminal: { terminal: /p }, exited: { x: \"{code}\" }, result: {} }",
            "unknown value `code` (there are none)",
        ),
        (
            "confirm: { CHOOSE, result: {} }",
            "`choose` needs a `reply`, the standing policy: one of yes",
        ),
        (
            "confirm: { choose: { from: /a, kind: /b }, kinds: [yes], reply: yes, result: {} }",
            "the JSON Pointer `id` is missing",
        ),
        (
            "confirm: { kill_terminal: { terminal: /p, at: /x }, result: {} }",
            "unknown member `at`",
        ),
        (
            "confirm: { CHOOSE, reply: yess, result: {} }",
            "unknown reply `yess`; did you mean `yes`?",
        ),
        (
            "confirm: { CHOOSE, policies: { some: [now] }, reply: yes, result: {} }",
            "unknown kind of option `now`",
        ),
        (
            "confirm: { after: { stopp: none }, replies: { none: 1 }, result: {} }",
            "unknown command `stopp`; did you mean `stop`?",
        ),
    ] {
        let answers = answers.replace("CHOOSE", choose);
        let section =
            format!("client:\n  abilities: {{ read: {{}} }}\n  answers:\n    {answers}\n");
        let all = mistakes(|text| text + &section);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].contains(expected), "{answers}: {all:?}");
    }
    let all = mistakes(|text| text + "client: { cancel: { notification: confirm, id: /id } }\n");
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(
        all[0].contains("unknown notification of the agent `confirm`"),
        "{all:?}"
    );
}
