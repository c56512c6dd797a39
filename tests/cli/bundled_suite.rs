//! The first command of the README: the bundled reference agent against the whole suite.

use crate::readme::examples;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use conform_judge::finding::Blame;
use conform_judge::transcript::TranscriptReader;
use conform_report::Report;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

/// The command.
pub(crate) const WHOLE_SUITE: &str = "cargo run --release -- run";

#[test]
fn the_bundled_agent_conforms_and_its_transcripts_give_the_same_findings() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (kept, report, passed) = (path("kept"), path("report.json"), path("passed"));
    let first = examples("README.md").swap_remove(0);
    assert_eq!(first.command, WHOLE_SUITE);
    first.assert(&format!(
        " --transcripts {kept} --report json={report} && touch {passed}"
    ));
    assert!(std::fs::exists(passed).unwrap());
    let report: Report = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let mut dialects = HashMap::new();
    let scenarios = &report.scenarios;
    assert!(!scenarios.is_empty());
    for entry in scenarios {
        let first = std::path::PathBuf::from(&entry.transcript);
        let later = (2..).map(|n| first.with_extension(format!("{n}.jsonl")));
        let paths: Vec<_> = std::iter::once(first.clone())
            .chain(later.take_while(|path| path.exists()))
            .collect();
        let online = entry
            .findings
            .iter()
            .filter(|finding| !finding.rule.starts_with("scenario."));
        let online: Vec<_> = online
            .map(|finding| (finding.rule.clone(), finding.at))
            .collect();
        let mut offline = Vec::new();
        let mut frames = 0;
        for path in paths {
            let reader = TranscriptReader::new(BufReader::new(File::open(&path).unwrap())).unwrap();
            let header = reader.header().cloned().unwrap();
            let id = header.dialect.unwrap();
            let dialect = dialects
                .entry(id.clone())
                .or_insert_with(|| load(&DialectSource::default(), &id).unwrap());
            let context = CheckOptions {
                argv: Some(header.agent),
                ..CheckOptions::default()
            };
            let mut checker = Checker::new(std::sync::Arc::clone(dialect), context);
            for frame in reader {
                checker.push(&frame.unwrap());
            }
            let outcome = checker.finish();
            frames += outcome.frames;
            let agents = outcome
                .findings
                .into_iter()
                .filter(|finding| finding.blame == Blame::Agent);
            offline.extend(agents.map(|finding| (finding.rule, finding.at)));
        }
        assert_eq!(online, offline, "{}", entry.id);
        assert_eq!(entry.frames, frames, "{}", entry.id);
    }
}
