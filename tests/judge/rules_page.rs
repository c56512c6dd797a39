//! docs/rules.md is right: each example loads, each session after it has exactly the findings that are written beside its frames, and
//! every key of the language is on the page.

use conform_dialect::ordering::file::OrderingFile;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::framing::DEFECTS;
use conform_judge::rules::rule::RuleForm;
use conform_judge::rules::symbol::SPECIALS;
use frame_language::FUNCTIONS;
use serde_json::{Map, Value, json};
use spanned_yaml::load_yaml;
use std::collections::BTreeSet;
use std::sync::Arc;

const PAGE: &str = include_str!("../../docs/rules.md");

/// Between a frame and the rules that have a finding at it.
const MARK: &str = "          # ";

const DIALECT: &str = r#"
name: toy
version: "1"
discriminator: { events: /type, commands: /type }
events: { hello: , begin: , word: , ask: , run: , done: , end: , oops: , session/update: , $/note: }
commands: { go: , yes: , mode: , stop: , quit: , say it: }
session: { ready: hello, turn: begin, quit: ">quit" }
budgets: { response: 2s }
"#;

const CLAUSES: &str = "'1': { toy.turn.closed: Words come in turns. }";

/// An example of the page: rules, and the sessions after it.
struct Example {
    rules: String,
    sessions: Vec<Session>,
}

struct Session {
    /// Whether it has findings.
    red: bool,
    text: String,
}

fn examples() -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for block in PAGE.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').expect("a block");
        match language {
            "yaml" => examples.push(Example {
                rules: text.to_owned(),
                sessions: Vec::new(),
            }),
            "red" | "green" => {
                let example = examples.last_mut().expect("an example before it");
                example.sessions.push(Session {
                    red: language == "red",
                    text: text.to_owned(),
                });
            }
            other => panic!("a block in {other}"),
        }
    }
    examples
}

/// The toy dialect with the rules of an example. Rules without a `doc` get one.
fn dialect(rules: &str) -> Arc<Dialect> {
    let node = load_yaml("example.yaml", rules).expect("good YAML");
    let mut ordering = node.to_value();
    let with_doc = |rules: &mut Value| {
        for rule in rules.as_object_mut().into_iter().flat_map(Map::values_mut) {
            let rule = rule.as_object_mut().expect("a rule");
            rule.entry("doc").or_insert_with(|| json!("An example."));
        }
    };
    with_doc(&mut ordering["rules"]);
    for group in ordering["groups"].as_object_mut().into_iter().flatten() {
        with_doc(&mut group.1["rules"]);
    }
    let ordering: Map<String, Value> = ordering
        .as_object()
        .expect("a map")
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let names =
        "hello begin word ask run done end oops session/update $/note go yes mode stop quit";
    let definitions = names.split(' ').chain(["say it"]);
    let definitions: Map<_, _> = definitions
        .map(|name| (name.to_owned(), json!({ "type": "object" })))
        .collect();
    let schema = json!({ "$defs": definitions }).to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().join("toy/1");
    std::fs::create_dir_all(&at).expect("a folder");
    for (name, text) in [
        ("dialect.yaml", DIALECT),
        ("clauses.yaml", CLAUSES),
        ("ordering.yaml", &Value::Object(ordering).to_string()),
        ("events.json", &schema),
        ("commands.json", &schema),
    ] {
        std::fs::write(at.join(name), text).expect("a file");
    }
    let source = DialectSource::new(Some(folder.path().to_owned()));
    load(&source, "toy@1").unwrap_or_else(|errors| {
        panic!("{rules}\n{}", spanned_yaml::render_all(&errors));
    })
}

/// `FRAME rule` of every finding of a session, and those that the page announces.
fn findings(dialect: &Arc<Dialect>, session: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut script, mut announced) = (String::new(), BTreeSet::new());
    let lines = session.lines().filter(|line| !line.trim().is_empty());
    for (n, line) in lines.enumerate() {
        let (text, rules) = line.split_once(MARK).unwrap_or((line, ""));
        let rules = rules.split_whitespace();
        announced.extend(rules.map(|rule| format!("{} {rule}", n + 1)));
        script.push_str(text.trim());
        script.push('\n');
    }
    let options = CheckOptions {
        argv: Some(Vec::new()),
        ..CheckOptions::default()
    };
    let mut checker = Checker::new(Arc::clone(dialect), options);
    for frame in crate::history::frames(&script) {
        checker.push(&frame);
    }
    let outcome = checker.finish();
    let found = outcome.findings.iter();
    let found = found.map(|f| format!("{} {}", f.at, f.rule.trim_start_matches("toy/")));
    (found.collect(), announced)
}

#[test]
fn every_session_of_the_page_has_the_findings_written_beside_its_frames() {
    for example in examples() {
        let dialect = dialect(&example.rules);
        assert!(!example.sessions.is_empty(), "{}", example.rules);
        for Session { red, text } in &example.sessions {
            let (found, announced) = findings(&dialect, text);
            assert_eq!(found, announced, "{}\n{text}", example.rules);
            assert_eq!(!announced.is_empty(), *red, "{text}");
        }
    }
}

#[test]
fn every_rule_of_the_page_has_a_session_that_breaks_it() {
    for example in examples() {
        let dialect = dialect(&example.rules);
        let sessions: Vec<_> = example.sessions.iter().map(|s| s.text.as_str()).collect();
        let sessions = sessions.join("\n");
        let can_fail = dialect.rules.iter().filter(|rule| {
            let is_schema = matches!(rule.form, RuleForm::Schema(_));
            !is_schema && rule.readings().is_empty()
        });
        for name in can_fail.filter_map(|rule| rule.id.strip_prefix("toy/")) {
            let is_marked = sessions.lines().any(|line| {
                let marks = line.split_once(MARK).map_or("", |(_, marks)| marks);
                marks.split_whitespace().any(|mark| mark == name)
            });
            assert!(is_marked, "no session breaks {name} of\n{}", example.rules);
        }
    }
}

/// Every property name of a JSON Schema.
fn property_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                if let ("properties", Value::Object(properties)) = (key.as_str(), value) {
                    names.extend(properties.keys().cloned());
                }
                property_names(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| property_names(item, names)),
        _ => {}
    }
}

#[test]
fn every_key_of_the_language_is_on_the_page() {
    let mut names = BTreeSet::new();
    let schema = schemars::schema_for!(OrderingFile);
    property_names(schema.as_value(), &mut names);
    assert!(
        ["timeout_if", "put", "readings", "level"]
            .iter()
            .all(|name| names.contains(*name))
    );
    let words = FUNCTIONS.iter().map(|known| format!("{}( )", known.0));
    let words = words.chain(SPECIALS.iter().map(|name| (*name).to_owned()));
    let words = words.chain(DEFECTS.iter().map(|(name, _)| (*name).to_owned()));
    for name in names.into_iter().chain(words) {
        let is_key = PAGE.contains(&format!("`{name}")) || PAGE.contains(&format!(" {name}:"));
        assert!(is_key, "{name} is not on the page");
    }
}
