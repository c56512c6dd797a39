//! Frame mutation of recordings: delete, duplicate, swap, retype a field, change an id. A mutant without a new finding is a survivor. The
//! survivors are pinned in snapshots; each one is a legal session.
//!
//! `SNAPSHOTS=overwrite cargo test --test judge mutations` updates them.

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::finding::Blame;
use conform_judge::frame::{Body, Frame, Line};
use conform_judge::transcript::Header;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

struct Session {
    name: String,
    dialect: Arc<Dialect>,
    header: Header,
    frames: Vec<Frame>,
}

fn sessions(folder: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for recording in crate::recordings::of(folder) {
        let known = sessions.first().map(|s| Arc::clone(&s.dialect));
        let id = recording.header.dialect.as_deref().unwrap();
        let dialect = known.unwrap_or_else(|| load(&DialectSource::default(), id).unwrap());
        sessions.push(Session {
            name: recording.name,
            dialect,
            header: recording.header,
            frames: recording.frames,
        });
    }
    sessions
}

impl Session {
    /// The rules that the recording itself breaks, each with the side to blame.
    fn known_findings(&self) -> Vec<(String, Blame)> {
        let mut checker = self.checker();
        self.frames.iter().for_each(|frame| checker.push(frame));
        let findings = checker.findings().iter();
        findings.map(|f| (f.rule.clone(), f.blame)).collect()
    }

    /// Whether these frames break a rule more often than the recording does.
    fn is_killed(&self, frames: &[Frame], known: &[(String, Blame)]) -> bool {
        let mut checker = self.checker();
        let expected = |rule: &str| known.iter().filter(|(other, _)| other == rule).count();
        frames.iter().any(|frame| {
            checker.push(frame);
            let findings = checker.findings();
            let count = |rule: &str| findings.iter().filter(|f| f.rule == rule).count();
            findings.iter().any(|f| count(&f.rule) > expected(&f.rule))
        })
    }

    fn checker(&self) -> Checker {
        let context = CheckOptions {
            argv: Some(self.header.agent.clone()),
            ..CheckOptions::default()
        };
        Checker::new(Arc::clone(&self.dialect), context)
    }
}

fn event(frame: &Frame) -> Option<Value> {
    match &frame.body {
        Body::FromAgent(line) => serde_json::from_slice(&line.bytes).ok(),
        _ => None,
    }
}

fn with_event(frame: &Frame, value: &Value) -> Frame {
    Frame {
        at: frame.at,
        body: Body::FromAgent(Line::new(value.to_string())),
    }
}

fn label(value: &Value) -> String {
    let kind = [
        "/event/type",
        "/assistantMessageEvent/type",
        "/message/role",
    ]
    .iter()
    .find_map(|p| value.pointer(p)?.as_str());
    let name = value["type"].as_str().unwrap_or("?");
    kind.map_or(name.to_owned(), |kind| format!("{name}.{kind}"))
}

/// The JSON Pointers of all scalars.
fn scalars(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(k, v)| scalars(v, &format!("{at}/{k}"), found)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, v)| scalars(v, &format!("{at}/{i}"), found)),
        _ => found.push(at.to_owned()),
    }
}

fn other_type(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(7),
        Value::Number(_) | Value::Bool(_) => json!("seven"),
        _ => json!({}),
    }
}

fn mutants(frames: &[Frame]) -> Vec<(String, Vec<Frame>)> {
    let mut mutants = Vec::new();
    let events: Vec<(usize, Value)> = frames
        .iter()
        .enumerate()
        .filter_map(|(n, f)| Some((n, event(f)?)))
        .collect();
    for (n, value) in &events {
        let (n, name) = (*n, label(value));
        let mut deleted = frames.to_vec();
        deleted.remove(n);
        mutants.push((format!("delete {} {name}", n + 1), deleted));
        let mut duplicated = frames.to_vec();
        duplicated.insert(n, frames[n].clone());
        mutants.push((format!("duplicate {} {name}", n + 1), duplicated));
        if let Some((m, next)) = events.iter().find(|(m, _)| *m > n) {
            let mut swapped = frames.to_vec();
            let (a, b) = (frames[n].body.clone(), frames[*m].body.clone());
            if a != b {
                (swapped[n].body, swapped[*m].body) = (b, a);
                mutants.push((
                    format!("swap {} {name} with {} {}", n + 1, m + 1, label(next)),
                    swapped,
                ));
            }
        }
        let mut pointers = Vec::new();
        scalars(value, "", &mut pointers);
        // The specification leaves the content of partial messages to the agent.
        pointers.retain(|p| {
            value["type"] != "message_update"
                || !(p.starts_with("/message/") || p.contains("/partial/"))
        });
        for pointer in pointers {
            let mut change = |operation: &str, new: Value| {
                let mut changed = value.clone();
                *changed.pointer_mut(&pointer).unwrap() = new;
                let mut mutated = frames.to_vec();
                mutated[n] = with_event(&frames[n], &changed);
                mutants.push((format!("{operation} {} {name} {pointer}", n + 1), mutated));
            };
            let old = value.pointer(&pointer).unwrap();
            change("retype", other_type(old));
            if old.is_string() {
                change("reword", json!("mutant"));
            }
        }
    }
    mutants
}

/// Compares the survivors of a folder with the snapshot. Sessions with findings about the agent are skipped, unless requested.
fn check_survivors(folder: &str, with_findings: bool) {
    let sessions = sessions(folder);
    let mut text = String::new();
    let (mut total, mut survivors) = (0, 0);
    for session in &sessions {
        let known = session.known_findings();
        if !with_findings && known.iter().any(|(_, blame)| *blame == Blame::Agent) {
            continue;
        }
        for (mutation, frames) in mutants(&session.frames) {
            total += 1;
            if !session.is_killed(&frames, &known) {
                survivors += 1;
                writeln!(text, "{}: {mutation}", session.name).unwrap();
            }
        }
    }
    assert!(total > 0, "every recording of {folder} has findings");
    let text = format!("{total} mutants, {survivors} survivors\n{text}");
    let pinned =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/survivors/{folder}.txt"));
    if std::env::var("SNAPSHOTS").is_ok_and(|v| v == "overwrite") {
        std::fs::create_dir_all(pinned.parent().unwrap()).unwrap();
        std::fs::write(&pinned, &text).unwrap();
    }
    similar_asserts::assert_eq!(std::fs::read_to_string(&pinned).unwrap(), text);
}

#[test]
fn survivors_of_aionrs_0_1_are_pinned() {
    check_survivors("aionrs-0.1.0", false);
}

#[test]
fn survivors_of_aionrs_0_2_are_pinned() {
    check_survivors("aionrs-0.2.10", true);
}

#[test]
fn survivors_of_synaps_are_pinned() {
    check_survivors("synaps-0.1.9", false);
}

#[test]
fn survivors_of_pi_0_14_are_pinned() {
    check_survivors("pi-0.14.0", false);
}

#[test]
fn survivors_of_pi_0_73_are_pinned() {
    check_survivors("pi-0.73.1", false);
}
