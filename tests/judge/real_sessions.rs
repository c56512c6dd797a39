//! Recorded sessions of real agents. Their findings are pinned in snapshots, so the effect of a changed rule is visible.
//!
//! `SNAPSHOTS=overwrite cargo test --test judge real_sessions` updates them.

use crate::recordings::Recording;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use conform_judge::frame::Body;
use mock_provider::Wire;
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The folders of the recordings, one for each agent.
const FOLDERS: &[&str] = &[
    "aionrs-0.1.0",
    "aionrs-0.2.10",
    "pi-0.14.0",
    "pi-0.73.1",
    "pi-1.6.0",
    "synaps-0.1.9",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

/// The path of a folder's snapshot.
fn snapshot(folder: &str) -> PathBuf {
    root().join(format!("{folder}.txt"))
}

/// The findings of all recordings of a folder, as text.
fn findings(folder: &str) -> String {
    let mut text = String::new();
    for session in crate::recordings::of(folder) {
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
fn the_findings_of_each_recording_match_the_snapshot() {
    let overwrite = std::env::var("SNAPSHOTS").is_ok_and(|v| v == "overwrite");
    for folder in FOLDERS {
        let actual = findings(folder);
        if overwrite {
            std::fs::write(snapshot(folder), &actual).unwrap();
        }
        let pinned = std::fs::read_to_string(snapshot(folder))
            .unwrap_or_else(|e| panic!("{}: {e}", snapshot(folder).display()));
        similar_asserts::assert_eq!(pinned, actual);
    }
}

#[test]
fn every_recording_is_in_its_snapshot_and_no_other() {
    for folder in FOLDERS {
        let pinned = std::fs::read_to_string(snapshot(folder)).unwrap();
        let pinned: BTreeSet<String> = pinned
            .lines()
            .filter(|line| !line.starts_with(' '))
            .filter_map(|line| Some(line.split_once(' ')?.0.to_owned()))
            .collect();
        let recorded: BTreeSet<String> = crate::recordings::of(folder)
            .into_iter()
            .map(|s| s.name)
            .collect();
        assert_eq!(pinned, recorded, "tests/recordings/{folder}");
    }
}

#[test]
fn every_folder_of_recordings_is_tested() {
    let folders = std::fs::read_dir(root()).unwrap().map(Result::unwrap);
    let folders: BTreeSet<String> = folders
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let tested: BTreeSet<String> = FOLDERS.iter().map(|f| (*f).to_owned()).collect();
    assert_eq!(folders, tested);
}

#[test]
fn recordings_contain_no_path_of_a_real_machine() {
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

/// Appended to the base URL of the launch recipe, the path that the agent requested is a route of the scripted model.
#[test]
fn launch_recipes_lead_to_the_scripted_model() {
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
            let is_routed = |recording: &Recording| {
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
            let all = crate::recordings::of(folder);
            let mut of_wire = all.iter().filter(|r| openai(r) == (wire == "openai-chat"));
            assert!(of_wire.any(is_routed), "{dialect}, {wire}");
        }
    }
}
