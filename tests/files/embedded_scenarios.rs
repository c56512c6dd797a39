//! The scenarios embedded in the executable load with the vocabulary of their dialect.

use conform_judge::dialect::{self, DialectSource};
use conform_runner::scenario::ScenarioSource;
use spanned_yaml::render_all;

#[test]
fn every_embedded_scenario_loads() {
    let source = DialectSource::default();
    for (name, version) in source.names() {
        let dialect = dialect::load(&source, &format!("{name}@{version}"));
        let dialect = dialect.unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
        let files = ScenarioSource::find(&name, &version, &dialect.bases)
            .unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
        let loaded = files.load(Some(&dialect));
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
fn a_folder_loads_like_the_embedded_scenarios() {
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
fn a_delta_keeps_the_scenarios_that_it_does_not_replace() {
    let base =
        ScenarioSource::at("tests/mistakes".as_ref()).unwrap_or_else(|error| panic!("{error}"));
    let over = ScenarioSource::at("tests/mistakes/no-steps.yaml".as_ref())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(over.files().len(), 1);
    assert_eq!(over.over(base.clone()).files().len(), base.files().len());
}

/// Agents choose the names of MCP tools, so the request that would use such a reply may never come.
#[test]
fn a_reply_for_an_optional_tool_may_stay_unused() {
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

/// Many command-line parsers refuse an option that is given twice.
#[test]
fn no_scenario_gives_an_option_that_the_recipe_gives_too() {
    let source = DialectSource::default();
    for (name, version) in source.names() {
        let dialect = dialect::load(&source, &format!("{name}@{version}")).unwrap();
        let files = ScenarioSource::find(&name, &version, &dialect.bases).unwrap();
        let wires = || dialect.launch.wires.values().flat_map(|wire| &wire.args);
        for scenario in files.load(Some(&dialect)).unwrap() {
            let kept = dialect.launch.args.iter().chain(wires());
            let kept = kept.filter(|arg| !scenario.agent.without_args.contains(arg));
            let options = kept.filter(|arg| arg.starts_with('-'));
            let given: Vec<&str> = scenario.agent.args.iter().map(|arg| arg.as_str()).collect();
            let twice: Vec<_> = options
                .filter(|option| given.contains(&option.as_str()))
                .collect();
            assert!(
                twice.is_empty(),
                "{name}@{version} {}: {twice:?}",
                scenario.id
            );
        }
    }
}
