//! Frame mutation of good recordings: delete, duplicate, swap, retype a field, change an id. A mutant that nothing notices is a survivor;
//! the survivors are pinned, and each of them is a legal session.
//!
//! `SNAPSHOTS=overwrite cargo test --test mutations` writes them anew.

#[path = "common/recordings.rs"]
mod recordings;

use conform::check::{CheckOptions, Checker};
use conform::dialect::{Dialect, DialectSource, load};
use conform::finding::Blame;
use conform::frame::{Body, Frame, Line};
use conform::transcript::Header;
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
    for recording in recordings::of(folder) {
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
    /// The rules that the recording itself breaks, and for each whether the agent is to blame.
    fn broken(&self) -> Vec<(String, Blame)> {
        let mut checker = self.checker();
        self.frames.iter().for_each(|frame| checker.push(frame));
        let findings = checker.findings().iter();
        findings.map(|f| (f.rule.clone(), f.blame)).collect()
    }

    /// Whether these frames break a rule that the recording keeps, or break one more often.
    fn noticed(&self, frames: &[Frame], broken: &[(String, Blame)]) -> bool {
        let mut checker = self.checker();
        let known = |rule: &str| broken.iter().filter(|(known, _)| known == rule).count();
        frames.iter().any(|frame| {
            checker.push(frame);
            let findings = checker.findings();
            let often = |rule: &str| findings.iter().filter(|f| f.rule == rule).count();
            findings.iter().any(|f| often(&f.rule) > known(&f.rule))
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

fn with(frame: &Frame, value: &Value) -> Frame {
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

/// Every pointer to a scalar, not inside the partial messages that the page leaves to the agent.
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
    let mut all = Vec::new();
    let events: Vec<(usize, Value)> = frames
        .iter()
        .enumerate()
        .filter_map(|(n, f)| Some((n, event(f)?)))
        .collect();
    for (n, value) in &events {
        let (n, name) = (*n, label(value));
        let mut deleted = frames.to_vec();
        deleted.remove(n);
        all.push((format!("delete {} {name}", n + 1), deleted));
        let mut doubled = frames.to_vec();
        doubled.insert(n, frames[n].clone());
        all.push((format!("duplicate {} {name}", n + 1), doubled));
        if let Some((m, next)) = events.iter().find(|(m, _)| *m > n) {
            let mut swapped = frames.to_vec();
            let (a, b) = (frames[n].body.clone(), frames[*m].body.clone());
            if a != b {
                (swapped[n].body, swapped[*m].body) = (b, a);
                all.push((
                    format!("swap {} {name} with {} {}", n + 1, m + 1, label(next)),
                    swapped,
                ));
            }
        }
        let mut pointers = Vec::new();
        scalars(value, "", &mut pointers);
        pointers.retain(|p| {
            value["type"] != "message_update"
                || !(p.starts_with("/message/") || p.contains("/partial/"))
        });
        for pointer in pointers {
            let mut change = |how: &str, new: Value| {
                let mut changed = value.clone();
                *changed.pointer_mut(&pointer).unwrap() = new;
                let mut mutated = frames.to_vec();
                mutated[n] = with(&frames[n], &changed);
                all.push((format!("{how} {} {name} {pointer}", n + 1), mutated));
            };
            let old = value.pointer(&pointer).unwrap();
            change("retype", other_type(old));
            if old.is_string() {
                change("reword", json!("mutant"));
            }
        }
    }
    all
}

/// Pins the survivors of a folder; sessions in which the agent itself breaks a rule only where that is asked for.
fn survivors(folder: &str, with_broken: bool) {
    let sessions = sessions(folder);
    let mut text = String::new();
    let (mut made, mut alive) = (0, 0);
    for session in &sessions {
        let broken = session.broken();
        if !with_broken && broken.iter().any(|(_, blame)| *blame == Blame::Agent) {
            continue;
        }
        for (what, frames) in mutants(&session.frames) {
            made += 1;
            if !session.noticed(&frames, &broken) {
                alive += 1;
                writeln!(text, "{}: {what}", session.name).unwrap();
            }
        }
    }
    assert!(made > 0, "no recording of {folder} is without a finding");
    let text = format!("{made} mutants, {alive} survivors\n{text}");
    let pinned =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/survivors/{folder}.txt"));
    if std::env::var("SNAPSHOTS").is_ok_and(|v| v == "overwrite") {
        std::fs::create_dir_all(pinned.parent().unwrap()).unwrap();
        std::fs::write(&pinned, &text).unwrap();
    }
    similar_asserts::assert_eq!(std::fs::read_to_string(&pinned).unwrap(), text);
}

#[test]
fn aionrs() {
    survivors("aionrs-0.1.0", false);
}

#[test]
fn aionrs_0_2() {
    survivors("aionrs-0.2.10", true);
}

#[test]
fn synaps() {
    survivors("synaps-0.1.9", false);
}

#[test]
fn pi() {
    survivors("pi-0.14.0", false);
}

#[test]
fn pi_0_73() {
    survivors("pi-0.73.1", false);
}
