//! A small dialect for tests of the rule language.

use conform_judge::dialect::{Dialect, DialectSource, load};
use std::sync::Arc;

const DIALECT: &str = r#"
name: toy
version: "1"
discriminator: { events: /type, commands: /type }
events: { hello: , begin: , word: , ask: , run: , done: , end: , oops: }
commands: { go: , yes: , mode: , halt: , quit: }
session: { ready: hello, turn: begin, quit: ">quit" }
budgets: { response: 2s }
"#;

const SCHEMA: &str = r#"{ "$defs": {
  "hello": {"type": "object"}, "begin": {"type": "object"}, "word": {"type": "object"}, "ask": {"type": "object"}, "run": {"type": "object"},
  "done": {"type": "object"}, "end": {"type": "object"}, "oops": {"type": "object"},
  "go": {"type": "object"}, "yes": {"type": "object"}, "mode": {"type": "object"}, "halt": {"type": "object"},
  "quit": {"type": "object"}
}}"#;

/// Between two mistakes.
pub(crate) const SEPARATOR: &str = "\n---\n";

/// The dialect with these rules, or its mistakes as `LINE:MESSAGE`.
pub(crate) fn try_load(ordering: &str) -> Result<Arc<Dialect>, String> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("toy/1");
    std::fs::create_dir_all(&at).unwrap();
    for (name, text) in [
        ("dialect.yaml", DIALECT),
        ("ordering.yaml", ordering),
        ("events.json", SCHEMA),
        ("commands.json", SCHEMA),
    ] {
        std::fs::write(at.join(name), text).unwrap();
    }
    let source = DialectSource::new(Some(folder.path().to_owned()));
    load(&source, "toy@1").map_err(|errors| {
        let messages = errors
            .iter()
            .map(|e| format!("{}:{}", e.span.line, e.message));
        messages.collect::<Vec<_>>().join(SEPARATOR)
    })
}
