//! The published reports of real agents: they fit their baselines, and they name no path of the machine that wrote them.

use conform_report::baseline::{self, RunExtent};
use conform_report::{Cause, Report};
use regex::Regex;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/reports/published");

/// The folders of the agents.
fn agents() -> Vec<PathBuf> {
    let folders = fs::read_dir(FOLDER).unwrap().flatten();
    let folders = folders.map(|entry| entry.path());
    folders
        .filter(|folder| folder.join("baseline.yaml").exists())
        .collect()
}

#[test]
fn every_cause_of_a_report_is_in_its_baseline_and_has_a_reason() {
    let agents = agents();
    assert!(!agents.is_empty());
    for folder in agents {
        let path = folder.join("baseline.yaml");
        let text = fs::read_to_string(&path).unwrap();
        let known = baseline::load(path.clone(), &text).unwrap();
        assert_eq!(known.without_reason(), 0, "{path:?}");
        let report = fs::read(folder.join("report.json")).unwrap();
        let published: Report = serde_json::from_slice(&report).unwrap();
        let mut report = published.clone();
        for scenario in &mut report.scenarios {
            scenario
                .all_findings_mut()
                .for_each(|finding| finding.baseline = None);
        }
        let today = "2026-11-22".parse().unwrap();
        baseline::apply(&mut report, &known, today, RunExtent::Whole);
        assert_eq!(report.stale, Vec::<String>::new());
        assert_eq!(reasons(&report), reasons(&published), "{path:?}");
        let open = report.causes.iter().filter(|cause| {
            cause.baseline.is_none() && cause.blame == report.side && !is_note(cause)
        });
        let open: Vec<_> = open.map(|cause| &cause.id).collect();
        assert_eq!(open, Vec::<&String>::new(), "{path:?}");
    }
}

/// The causes with the reasons of the baseline.
fn reasons(report: &Report) -> BTreeMap<&str, Option<String>> {
    let reason = |cause: &Cause| cause.baseline.as_ref().map(|mark| mark.reason.clone());
    let causes = report.causes.iter();
    causes
        .map(|cause| (cause.id.as_str(), reason(cause)))
        .collect()
}

fn is_note(cause: &Cause) -> bool {
    cause.level == conform_judge::finding::Level::May
}

#[test]
fn the_baseline_of_a_real_agent_fits_on_a_screen() {
    for folder in agents() {
        let text = fs::read_to_string(folder.join("baseline.yaml")).unwrap();
        assert!(text.lines().count() < 60, "{folder:?}");
    }
}

/// The paths of a machine in a text: of people, of a checkout, of a temporary folder.
fn machine_paths(text: &str) -> Vec<String> {
    let path = Regex::new(r"(?:^|[^\w@./-])(/(?:home|root|Users|work|var|private|tmp)/[\w.@/-]*)")
        .unwrap();
    let found = path.captures_iter(text).map(|found| found[1].to_owned());
    found
        .filter(|path| path != "/tmp/" && !Path::new(path).starts_with("/tmp/conform"))
        .collect()
}

#[test]
fn no_report_names_a_path_of_the_machine_that_wrote_it() {
    assert_eq!(
        machine_paths("at /home/jo/x and \"/tmp/conform-1/y\"").len(),
        2
    );
    assert!(machine_paths("/tmp/conform/3/home/x /tmp/conform {home}/y a/root/z").is_empty());
    let mut files = vec![Path::new(FOLDER).join("README.md")];
    files.push(Path::new(FOLDER).join("side-by-side.html"));
    for folder in agents() {
        files.extend(["report.json", "report.html"].map(|name| folder.join(name)));
    }
    for file in files {
        let found = machine_paths(&fs::read_to_string(&file).unwrap());
        assert_eq!(found, Vec::<String>::new(), "{file:?}");
    }
}
