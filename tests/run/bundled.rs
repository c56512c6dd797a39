//! The bundled reference agent against the whole suite.

use crate::harness::TestDir;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use conform_judge::finding::Blame;
use conform_judge::transcript::TranscriptReader;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

#[test]
fn the_bundled_agent_conforms_and_its_transcripts_give_the_same_findings() {
    let dir = TestDir::new();
    let folder = dir.path("transcripts");
    let result = dir.run(&["--transcripts", folder.to_str().unwrap(), "-j", "4"]);
    assert_eq!(result.status, Some(0), "{result:?}");
    let mut dialects = HashMap::new();
    let scenarios = &result.report.as_ref().unwrap().scenarios;
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

#[test]
fn an_agent_with_a_latency_conforms() {
    let dir = TestDir::new();
    let latency = ["--env", "MOCK_AGENT_LATENCY_MS=150", "-j", "24"];
    let only = ["startup/", "cancel", "abort", "eof", "sigterm"].map(|pattern| ["--only", pattern]);
    let result = dir.run(&[&latency[..], only.as_flattened()].concat());
    assert_eq!(result.status, Some(0), "{result:?}");
    assert!(!result.report.as_ref().unwrap().scenarios.is_empty());
}
