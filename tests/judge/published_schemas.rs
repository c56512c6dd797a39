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
    let kiosk = load(&DialectSource::new(Some(tests().join("two-way/dialects"))), "kiosk@1");
    assert!(GOOD.contains(old), "{old}");
    let session = GOOD.replace(old, new);
    findings(&kiosk.unwrap(), &frames(&session)).iter().map(text_of).collect()
}

#[test]
fn a_message_that_breaks_the_published_schema_is_found_at_its_place() {
    for (old, new, expected) in [
        (r#"{"item":"tea"}"#, "{}", ""),
        (r#","params":{"item":"tea"}"#, "", ""),
        (r#""item":"tea""#, r#""item":7"#, ""),
        (r#""tea""#, r#""tea","tip":"much""#, ""),
        (r#""tea""#, r#""tea","size":"huge""#, ""),
        (r#""tea""#, r#""tea","payment":{"type":"card","number":5}"#, ""),
        (r#""tea""#, r#""tea","payment":{"coins":5}"#, ""),
        (r#""tea""#, r#""tea","cup":{"type":"own"}"#, ""),
        (r#"{"price":3}"#, "{}", ""),
        (r#""options":["yes"]"#, r#""options":["yes",1]"#, ""),
        (r#","option":"yes""#, "", ""),
        (r#""is":"chosen""#, r#""is":"lost""#, ""),
        (r#""update":{"kind":"word","text":"so"}"#, "", ""),
        (r#""text":"so""#, r#""text":5"#, ""),
        (r#""text":"so""#, r#""text":"""#, ""),
        (r#""text":"so""#, r#""text":"so","tone":"loud""#, ""),
        (r#""kind":"word""#, r#""kind":"cost""#, ""),
        (r#""result":{"price":3}"#, r#""error":{"code":100,"message":"no"}"#, ""),
        ("stdin_closed", "< {\"jsonrpc\":\"2.0\",\"method\":\"$/cancel\"}\nstdin_closed", ""),
        ("stdin_closed", "> {\"jsonrpc\":\"2.0\",\"method\":\"$/cancel\",\"params\":{}}\nstdin_closed", ""),
    ] {
        println!("{}", check(old, new).join("\n"));
    }
}

#[test]
fn zz_survey() {
    let start = std::time::Instant::now();
    let acp = load(&DialectSource::new(Some(tests().join("published/dialects"))), "acp@1").unwrap();
    eprintln!("load {:?}", start.elapsed());
}
