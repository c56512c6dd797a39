//! Schemas that a protocol publishes, used by reference: what they reject, what they accept, and how a dialect must refer to them.

use crate::history::frames;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::finding::Finding;
use conform_judge::frame::{Body, Frame};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A session without a mistake.
const GOOD: &str = r#"
> {"jsonrpc":"2.0","id":0,"method":"order","params":{"item":"tea"}}
< {"jsonrpc":"2.0","method":"note","params":{"update":{"kind":"word","text":"so"}}}
< {"jsonrpc":"2.0","id":0,"method":"confirm","params":{"options":["yes"]}}
> {"jsonrpc":"2.0","id":0,"result":{"outcome":{"is":"chosen","option":"yes"}}}
< {"jsonrpc":"2.0","id":0,"result":{"price":3}}
stdin_closed
end 0
"#;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn findings(dialect: &Arc<Dialect>, frames: &[Frame]) -> Vec<Finding> {
    let mut checker = Checker::new(Arc::clone(dialect), CheckOptions::default());
    frames.iter().for_each(|frame| checker.push(frame));
    checker.finish().findings
}

/// `RULE POINTER: MESSAGE` and what was expected, of each finding.
fn text_of(finding: &Finding) -> String {
    let expected: Vec<_> = finding.expected.iter().map(ToString::to_string).collect();
    let expected = match expected.join(" or ") {
        none if none.is_empty() => none,
        some => format!(" (expected {some})"),
    };
    let (rule, at) = (&finding.rule, &finding.pointer);
    format!("{rule} {at}: {}{expected}", finding.message)
}

/// The findings of the good session of the kiosk with other text.
fn check(old: &str, new: &str) -> Vec<String> {
    let kiosk = load(
        &DialectSource::new(Some(tests().join("two-way/dialects"))),
        "kiosk@1",
    );
    assert!(GOOD.contains(old), "{old}");
    let session = GOOD.replace(old, new);
    findings(&kiosk.unwrap(), &frames(&session))
        .iter()
        .map(text_of)
        .collect()
}

#[test]
fn a_message_that_breaks_the_published_schema_is_found_at_its_place() {
    for (old, new, expected) in [
        (
            r#"{"item":"tea"}"#,
            "{}",
            r#">order /params/item: `>order`: `item` is missing (expected a member `item`)"#,
        ),
        (
            r#","params":{"item":"tea"}"#,
            "",
            r#">order /params: `>order`: `params` is missing (expected a member `params`)"#,
        ),
        (
            r#""item":"tea""#,
            r#""item":7"#,
            r#">order /params/item: `>order`: `/params/item` is a number (expected a value of type "string")"#,
        ),
        (
            r#""tea""#,
            r#""tea","tip":"much""#,
            r#">order /params/tip: `>order`: `/params/tip` is a string (expected a value of type "integer", "null")"#,
        ),
        (
            r#""tea""#,
            r#""tea","size":"huge""#,
            r#">order /params/size: `>order`: `/params/size` is "huge" (expected one of "small", "large")"#,
        ),
        (
            r#""tea""#,
            r#""tea","payment":{"type":"card","number":5}"#,
            r#">order /params/payment/number: `>order`: `/params/payment/number` is a number (expected a value of type "string")"#,
        ),
        (
            r#""tea""#,
            r#""tea","payment":{"coins":5}"#,
            r#">order /params/payment/type: `>order`: `type` is missing (expected a member `type`)"#,
        ),
        (
            r#""tea""#,
            r#""tea","cup":{"type":"own"}"#,
            r#">order /params/cup/glass: `>order`: `glass` is missing (expected a member `glass`)"#,
        ),
        (
            r#"{"price":3}"#,
            "{}",
            r#"order.result /result/price: `order.result`: `price` is missing (expected a member `price`)"#,
        ),
        (
            r#""options":["yes"]"#,
            r#""options":["yes",1]"#,
            r#"confirm /params/options/1: `confirm`: `/params/options/1` is a number (expected a value of type "string")"#,
        ),
        (
            r#","option":"yes""#,
            "",
            r#">confirm.result /result/outcome/option: `>confirm.result`: `option` is missing (expected a member `option`)"#,
        ),
        (
            r#""is":"chosen""#,
            r#""is":"lost""#,
            r#">confirm.result /result/outcome/is: `>confirm.result`: `/result/outcome/is` is "lost" (expected one of "cancelled", "chosen")"#,
        ),
        (
            r#""update":{"kind":"word","text":"so"}"#,
            "",
            r#"note /params/update: `note`: `update` is missing (expected a member `update`)"#,
        ),
        (
            r#""text":"so""#,
            r#""text":5"#,
            r#"note.word /params/update/text: `note.word`: `/params/update/text` is a number (expected a value of type "string")"#,
        ),
        (
            r#""text":"so""#,
            r#""text":"""#,
            r#"note.word /params/update/text: `note.word`: "" is shorter than 1 character"#,
        ),
        (
            r#""text":"so""#,
            r#""text":"so","tone":"loud""#,
            r#"note.word /params/update: `note.word`: Unevaluated properties are not allowed ('tone' was unexpected)"#,
        ),
        (
            r#""kind":"word""#,
            r#""kind":"cost""#,
            r#"note.cost /params/update/tokens: `note.cost`: `tokens` is missing (expected a member `tokens`)"#,
        ),
        (
            r#""result":{"price":3}"#,
            r#""error":{"code":100,"message":"no"}"#,
            r#"order.error /error/code: `order.error`: 100 is greater than the maximum of 99"#,
        ),
        (
            "stdin_closed",
            "< {\"jsonrpc\":\"2.0\",\"method\":\"$/cancel\"}\nstdin_closed",
            r#"$/cancel /params: `$/cancel`: `params` is missing (expected a member `params`)"#,
        ),
        (
            "stdin_closed",
            "> {\"jsonrpc\":\"2.0\",\"method\":\"$/cancel\",\"params\":{}}\nstdin_closed",
            r#">$/cancel /params/id: `>$/cancel`: `id` is missing (expected a member `id`)"#,
        ),
    ] {
        let expected = format!("kiosk/schema/{expected}");
        assert_eq!(check(old, new), [expected], "{new}");
    }
}

#[test]
fn legal_neighbors_are_not_accused() {
    assert_eq!(check("", ""), Vec::<String>::new());
    for (old, new) in [
        (r#""tea""#, r#""tea","tip":null,"size":null"#),
        (r#""tea""#, r#""tea","size":"large","extra":1"#),
        (r#""tea""#, r#""tea","payment":{"type":"cash","coins":5}"#),
        // The union of payments is open.
        (r#""tea""#, r#""tea","payment":{"type":"_barter"}"#),
        // An alternative without a kind accepts what the one with the kind does not.
        (r#""tea""#, r#""tea","cup":{"type":"own","brand":"none"}"#),
        (r#"{"is":"chosen","option":"yes"}"#, r#"{"is":"cancelled"}"#),
        (
            r#"{"kind":"word","text":"so"}"#,
            r#"{"kind":"cost","tokens":5}"#,
        ),
        (
            r#""result":{"price":3}"#,
            r#""error":{"code":99,"message":"no"}"#,
        ),
        (
            "stdin_closed",
            "< {\"jsonrpc\":\"2.0\",\"method\":\"$/cancel\",\"params\":{\"id\":7}}\nstdin_closed",
        ),
    ] {
        assert_eq!(check(old, new), Vec::<String>::new(), "{new}");
    }
}

/// Copies the kiosk with other text in some of its files.
fn copy_of_kiosk(copy: &Path, changes: &[(&str, &str, &str)]) {
    std::fs::create_dir_all(copy).unwrap();
    for entry in std::fs::read_dir(tests().join("two-way/dialects/kiosk/1")).unwrap() {
        let entry = entry.unwrap();
        let mut text = std::fs::read_to_string(entry.path()).unwrap();
        for (file, old, new) in changes {
            if entry.file_name() == *file {
                assert!(text.contains(old), "{old}");
                text = text.replacen(old, new, 1);
            }
        }
        std::fs::write(copy.join(entry.file_name()), text).unwrap();
    }
}

/// Loads a copy of the kiosk with other text, and returns its mistakes as `FILE:LINE: MESSAGE`.
fn mistakes(changes: &[(&str, &str, &str)]) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    copy_of_kiosk(&folder.path().join("kiosk/1"), changes);
    let loaded = load(
        &DialectSource::new(Some(folder.path().to_owned())),
        "kiosk@1",
    );
    let errors = loaded.err().unwrap_or_default().into_iter();
    errors
        .map(|error| {
            let file = error.file.file_name().unwrap_or_default().to_string_lossy();
            format!("{file}:{}: {}", error.span.line, error.message)
        })
        .collect()
}

#[test]
fn each_mistake_is_one_error_with_its_place_that_says_what_to_write() {
    assert_eq!(mistakes(&[]), Vec::<String>::new());
    let definitions =
        r##"definitions: { order.error: "#/$defs/Failure", note.cost: "#/$defs/Cost" }"##;
    for (file, old, new, expected) in [
        // Of the references of the dialect.
        (
            "dialect.yaml",
            "schema.json",
            "scheme.json",
            "dialect.yaml:6: there is no `scheme.json` next to this file: put the protocol's schema file there, unchanged, with its license",
        ),
        (
            "dialect.yaml",
            "#/$defs/Failure",
            "#/$defs/Failures",
            "dialect.yaml:10: `#/$defs/Failures` is not in the published file; did you mean `#/$defs/Failure`?",
        ),
        (
            "dialect.yaml",
            definitions,
            r##"definitions: { odrer.error: "#/$defs/Failure" }"##,
            "dialect.yaml:10: unknown message `odrer.error`; did you mean `order.error`? (one of confirm, note, note.word, note.cost, $/cancel, order.result, order.error, #answer, #unknown.result, #unknown.error)",
        ),
        (
            "events.json",
            "#/published/$defs/Word",
            "#/published/$defs/Wrd",
            "events.json:0: Pointer '/published/$defs/Wrd' does not exist (at /$defs/note.word)",
        ),
        // Of its keywords.
        (
            "dialect.yaml",
            "[x-lenient, discriminator]",
            "[discriminator]",
            "dialect.yaml:6: /$defs/OrderRequest/properties/tip has the keyword `x-lenient`, which is not one of JSON Schema: if it requires nothing of messages, write it under `published: { ignore }`",
        ),
        (
            "dialect.yaml",
            "[x-lenient, discriminator]",
            "[x-lenint, x-lenient, discriminator]",
            "dialect.yaml:11: unknown keyword `x-lenint`; did you mean `x-lenient`? (one of discriminator, x-call, x-lenient, x-on)",
        ),
        (
            "dialect.yaml",
            "[x-lenient, discriminator]",
            "[required, x-lenient, discriminator]",
            "dialect.yaml:11: `required` is a keyword of JSON Schema, which messages must obey: remove it from `ignore`",
        ),
        // Of its methods.
        (
            "dialect.yaml",
            "  order:\n  $/cancel: { notification: true, both_sides: true }\n",
            "  order:\n",
            "dialect.yaml:6: `$/cancel`, the method of `#/$defs/Cancel`, is not in `commands`: write it there",
        ),
        (
            "dialect.yaml",
            "confirm:",
            "confirm: { notification: true }",
            "dialect.yaml:6: `#/$defs/ConfirmResponse` is the result of `confirm`, which is a notification in `events`: remove `notification` there",
        ),
        (
            "schema.json",
            r#""x-on": "customer", "x-call": "note""#,
            r#""x-on": "guest", "x-call": "note""#,
            "dialect.yaml:6: no side receives `note`, the method of `#/$defs/Note`: write it in `events` or `commands`, and the word for its side under `published: { side }`",
        ),
        (
            "schema.json",
            r#""x-call": "confirm""#,
            r#""x-call": "affirm""#,
            "dialect.yaml:6: `affirm`, the method of `#/$defs/ConfirmRequest`, is not in `events`: write it there",
        ),
        (
            "schema.json",
            r#""Failure""#,
            r#""OtherOrder": { "x-on": "kiosk", "x-call": "order" }, "Failure""#,
            "dialect.yaml:6: `>order` has the definitions `#/$defs/OrderRequest` and `#/$defs/OtherOrder`: write one of them under `published`, such as `definitions: { \">order\": \"#/$defs/OtherOrder\" }`",
        ),
        // Of the file.
        (
            "schema.json",
            "#/$defs/Word",
            "#/$defs/Words",
            "schema.json:0: `$ref: #/$defs/Words` leads to nothing in this file",
        ),
        (
            "schema.json",
            "2020-12",
            "2019-09",
            "schema.json:0: `$schema` is \"https://json-schema.org/draft/2019-09/schema\": only \"https://json-schema.org/draft/2020-12/schema\" is supported",
        ),
        (
            "schema.json",
            r#""maximum": 99"#,
            r#""pattern": "(""#,
            "schema.json:0: \"(\" is not a \"regex\"",
        ),
        (
            "schema.json",
            r#""maximum": 99"#,
            r#""maximum": "99""#,
            "schema.json:0: \"99\" is not of type \"number\" (at /$defs/Failure/properties/code/maximum)",
        ),
    ] {
        assert_eq!(mistakes(&[(file, old, new)]), [expected], "{new}");
    }
    let by_name = "discriminator: { events: /method, commands: /method }";
    let found = mistakes(&[("dialect.yaml", "naming: json-rpc", by_name)]);
    let expected =
        "dialect.yaml:6: `published` goes with `naming: json-rpc`: write that too, or remove it";
    assert!(found.iter().any(|found| found == expected), "{found:#?}");
}

#[test]
fn another_version_of_the_file_is_one_line() {
    let folder = TempDir::new().unwrap();
    let kiosk = folder.path().join("kiosk");
    copy_of_kiosk(&kiosk.join("1"), &[]);
    let schema = std::fs::read_to_string(kiosk.join("1/schema.json")).unwrap();
    std::fs::create_dir(kiosk.join("2")).unwrap();
    let newer = "name: kiosk\nversion: '2'\nextends: kiosk@1\npublished: { file: schema-2.json }\n";
    std::fs::write(kiosk.join("2/dialect.yaml"), newer).unwrap();
    let schema = schema.replace(
        r#""required": ["price"]"#,
        r#""required": ["price", "currency"]"#,
    );
    std::fs::write(kiosk.join("2/schema-2.json"), schema).unwrap();
    let source = DialectSource::new(Some(folder.path().to_owned()));
    let found = |id| findings(&load(&source, id).unwrap(), &frames(GOOD));
    assert_eq!(found("kiosk@1"), []);
    let found: Vec<_> = found("kiosk@2")
        .iter()
        .map(|one| one.pointer.clone())
        .collect();
    assert_eq!(found, ["/result/currency"]);
}

/// Messages without a name and responses without a request, and what the built-in rules and the published schema reject, in recordings of real agents.
fn findings_of_recordings() -> String {
    let source = DialectSource::new(Some(tests().join("published/dialects")));
    let acp = load(&source, "acp@1").unwrap();
    let mut text = String::new();
    for session in crate::recordings::of("../published/recordings") {
        let mut checker = Checker::new(Arc::clone(&acp), CheckOptions::default());
        let (mut messages, mut unnamed) = (0, 0);
        for frame in &session.frames {
            checker.push(frame);
            if matches!(frame.body, Body::ToAgent(_) | Body::FromAgent(_)) {
                messages += 1;
                unnamed += usize::from(
                    checker
                        .newest_name()
                        .is_none_or(|name| name.starts_with('#')),
                );
            }
        }
        writeln!(
            text,
            "{}: {messages} messages, {unnamed} without a name or a request",
            session.name
        )
        .unwrap();
        for finding in checker.finish().findings {
            writeln!(text, "  {} {}", finding.at, text_of(&finding)).unwrap();
        }
    }
    text
}

#[test]
fn a_published_schema_of_real_size_validates_recordings() {
    let snapshot = tests().join("published/findings.txt");
    let actual = findings_of_recordings();
    if std::env::var("SNAPSHOTS").is_ok_and(|v| v == "overwrite") {
        std::fs::write(&snapshot, &actual).unwrap();
    }
    let pinned = std::fs::read_to_string(&snapshot).unwrap();
    similar_asserts::assert_eq!(pinned, actual);
}
