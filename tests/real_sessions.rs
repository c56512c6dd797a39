//! Real sessions of living agents: what is found in each is pinned, so that a change of the judge shows what it changes for them.
//!
//! `SNAPSHOTS=overwrite cargo test --test real_sessions` writes the findings again.

#[path = "common/recordings.rs"]
mod recordings;

use conform::check::{CheckOptions, Checker};
use conform::dialect::{DialectSource, load};
use conform::frame::Body;
use mock_provider::Wire;
use recordings::Recording;
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The recordings of each agent, by the folder they are in.
const FOLDERS: &[&str] = &[
    "aionrs-0.1.0",
    "aionrs-0.2.10",
    "pi-0.14.0",
    "pi-0.73.1",
    "synaps-0.1.9",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

/// The pinned findings of a folder.
fn snapshot(folder: &str) -> PathBuf {
    root().join(format!("{folder}.txt"))
}

/// The findings of each recording of a folder, under its name.
fn findings(folder: &str) -> String {
    let mut text = String::new();
    for session in recordings::of(folder) {
        let id = session.header.dialect.as_deref().unwrap();
        let context = CheckOptions {
            argv: Some(session.header.agent.clone()),
            ..CheckOptions::default()
        };
        let mut checker = Checker::new(load(&DialectSource::default(), id).unwrap(), context);
        session.frames.iter().for_each(|frame| checker.push(frame));
        writeln!(text, "{} {id}", session.name).unwrap();
        for f in checker.finish().findings {
            let (level, blame) = (format!("{:?}", f.level), format!("{:?}", f.blame));
            writeln!(
                text,
                "  {} {} {} at {}: {}",
                f.rule,
                level.to_lowercase(),
                blame.to_lowercase(),
                f.at,
                f.message
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn the_findings_of_each_recording_are_the_pinned_ones() {
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|v| v == "overwrite");
    for folder in FOLDERS {
        let found = findings(folder);
        if overwrite {
            std::fs::write(snapshot(folder), &found).unwrap();
        }
        let pinned = std::fs::read_to_string(snapshot(folder))
            .unwrap_or_else(|e| panic!("{}: {e}", snapshot(folder).display()));
        similar_asserts::assert_eq!(pinned, found);
    }
}

#[test]
fn every_recording_is_pinned_and_every_pinned_one_is_there() {
    for folder in FOLDERS {
        let pinned = std::fs::read_to_string(snapshot(folder)).unwrap();
        let pinned: BTreeSet<String> = pinned
            .lines()
            .filter(|line| !line.starts_with(' '))
            .filter_map(|line| Some(line.split_once(' ')?.0.to_owned()))
            .collect();
        let there: BTreeSet<String> = recordings::of(folder).into_iter().map(|s| s.name).collect();
        assert_eq!(pinned, there, "tests/recordings/{folder}");
    }
}

#[test]
fn every_folder_of_recordings_is_read() {
    let folders = std::fs::read_dir(root()).unwrap().map(Result::unwrap);
    let folders: BTreeSet<String> = folders
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let read: BTreeSet<String> = FOLDERS.iter().map(|f| (*f).to_owned()).collect();
    assert_eq!(folders, read);
}

#[test]
fn recordings_hold_no_path_of_a_real_machine() {
    let path_in_text = Regex::new(r"(?m)(?:^|[^\w./<>~-])(/[\w.-]+)/").unwrap();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let file = entry.unwrap().path();
            let text = std::fs::read_to_string(&file).unwrap();
            for found in path_in_text.captures_iter(&text) {
                let top = &found[1];
                assert!(
                    ["/scratch", "/usr", "/v1", "/chat", "/error"].contains(&top),
                    "{}: {top}",
                    file.display()
                );
            }
            assert!(!text.contains("-tmp-"), "{}", file.display());
        }
    }
}

/// The path that the agent asked for, behind the base URL that the recipe of its version gives it, is one of the scripted model.
#[test]
fn recipes_lead_to_the_model() {
    for (folder, dialect) in [
        ("aionrs-0.1.0", "aionrs@0.1"),
        ("aionrs-0.2.10", "aionrs@0.2"),
    ] {
        let launch = &load(&DialectSource::default(), dialect).unwrap().launch;
        let recipes = &launch.wires;
        for (wire, route) in [
            ("anthropic", Wire::AnthropicMessages),
            ("openai-chat", Wire::OpenAiChat),
        ] {
            let base = recipes[wire]
                .args
                .iter()
                .find_map(|arg| arg.strip_prefix("{llm_url}"));
            let base = base.unwrap();
            let leads_there = |recording: &Recording| {
                let mut requests = recording
                    .frames
                    .iter()
                    .filter_map(|frame| match &frame.body {
                        Body::LlmRequest(request) => Some(request),
                        _ => None,
                    });
                requests.any(|request| format!("{base}{}", request.path) == route.path())
            };
            let openai = |recording: &Recording| recording.name.contains("openai");
            let all = recordings::of(folder);
            let mut of_wire = all.iter().filter(|r| openai(r) == (wire == "openai-chat"));
            assert!(of_wire.any(leads_there), "{dialect}, {wire}");
        }
    }
}
