//! The scenarios inside the executable load, each with the names of its dialect.

use conform::dialect::{self, DialectSource};
use conform::scenario::{ScenarioSource, Vocabulary};
use spanned_yaml::render_all;

#[test]
fn every_embedded_scenario_is_free_of_mistakes() {
    let source = DialectSource::default();
    for (name, version) in source.names() {
        let dialect = dialect::load(&source, &format!("{name}@{version}"));
        let dialect = dialect.unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
        let files = ScenarioSource::of(&name, &version, &dialect.bases)
            .unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
        let loaded = files.load(Some(&Vocabulary::of(&dialect)));
        let scenarios = loaded.unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
        let ids: Vec<_> = scenarios
            .iter()
            .map(|scenario| scenario.id.as_str())
            .collect();
        assert!(!ids.is_empty(), "{name}@{version} has no scenario");
        assert!(
            ids.is_sorted() && ids.iter().all(|id| !id.contains('.')),
            "{ids:?}"
        );
    }
}

#[test]
fn a_folder_of_the_user_s_reads_like_the_embedded_one() {
    let ids = |source: &ScenarioSource| {
        source
            .files()
            .iter()
            .map(|file| file.id.clone())
            .collect::<Vec<_>>()
    };
    for (name, version) in DialectSource::default().names() {
        let folder = std::path::Path::new("scenarios").join(&name).join(&version);
        let read = ScenarioSource::at(&folder).unwrap_or_else(|error| panic!("{error}"));
        assert!(!read.files().is_empty(), "{}", folder.display());
        assert_eq!(ids(&read), ids(&ScenarioSource::embedded(&name, &version)));
    }
}

#[test]
fn a_delta_keeps_what_it_does_not_replace() {
    let base =
        ScenarioSource::at("tests/mistakes".as_ref()).unwrap_or_else(|error| panic!("{error}"));
    let over = ScenarioSource::at("tests/mistakes/no-steps.yaml".as_ref())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(over.files().len(), 1);
    assert_eq!(over.over(base.clone()).files().len(), base.files().len());
}

/// Agents name the tools of MCP servers as they like, so a call of one that is not offered never comes.
#[test]
fn a_call_of_a_tool_that_may_not_be_offered_is_not_waited_for() {
    for (name, version) in DialectSource::default().names() {
        for file in ScenarioSource::embedded(&name, &version).files() {
            let entries = file.text.split("\n  - ");
            let offered = entries
                .filter(|entry| entry.starts_with("when:") && entry.contains("tools: { $contains"));
            for entry in offered {
                assert!(entry.contains("repeat: forever"), "{}: {entry}", file.id);
            }
        }
    }
}
