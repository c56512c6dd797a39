//! Each format of the sample report.

use crate::sample::{self, rendered};
use conform_report::Report;
use conform_report::reporter::{FORMATS, find};
use snapbox::{assert_data_eq, file};

/// The sample report in a format, without colours.
fn plain(name: &str) -> String {
    let text = rendered(name, &sample::report());
    if find(name).unwrap().coloured {
        anstream::adapter::strip_str(&text).to_string()
    } else {
        text
    }
}

#[test]
fn each_format_reads_as_it_should() {
    for (name, expected) in [
        ("terminal", file!["snapshots/terminal.txt"]),
        ("junit", file!["snapshots/junit.xml"]),
        ("github", file!["snapshots/github.txt"]),
        ("sarif", file!["snapshots/report.sarif"]),
        ("tap", file!["snapshots/report.tap"]),
        ("markdown", file!["snapshots/report.md"]),
        ("json", file!["snapshots/report.json"]),
    ] {
        assert_data_eq!(plain(name), expected.raw());
    }
}

#[test]
fn the_json_report_is_the_report() {
    assert_eq!(
        serde_json::from_str::<Report>(&plain("json")).unwrap(),
        sample::report()
    );
}

#[test]
fn every_format_renders_an_empty_report() {
    for format in FORMATS {
        let text = rendered(format.name, &Report::default());
        assert!(!text.is_empty(), "{}", format.name);
    }
}

#[test]
fn every_sarif_location_has_a_file() {
    let report = Report {
        agent_file: None,
        agent: vec!["my-agent".to_owned()],
        ..sample::report()
    };
    let document: serde_json::Value = serde_json::from_str(&rendered("sarif", &report)).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for location in results
        .iter()
        .flat_map(|result| result["locations"].as_array().unwrap())
    {
        assert!(
            location["physicalLocation"]["artifactLocation"]["uri"].is_string(),
            "{location}"
        );
    }
}
