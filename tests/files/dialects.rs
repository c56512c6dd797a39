//! Every embedded dialect loads without errors.

use conform_judge::dialect::{DialectSource, load};
use conform_judge::finding::{Level, Source};
use conform_judge::rules::rule::RuleForm;
use conform_runner::scenario::ScenarioSource;

#[test]
fn every_embedded_dialect_loads() {
    let source = DialectSource::default();
    let names = source.names();
    assert!(!names.is_empty());
    for (name, version) in names {
        if let Err(errors) = load(&source, &format!("{name}@{version}")) {
            let messages: Vec<_> = errors.iter().map(ToString::to_string).collect();
            panic!("{name}@{version}:\n{}", messages.join("\n"));
        }
    }
}

/// Every possible finding cites a clause or has the source `host` or `hygiene`, and is at least as severe as its strongest clause.
#[test]
fn every_finding_has_a_clause_or_a_source_and_is_not_weaker_than_its_clauses() {
    let source = DialectSource::default();
    let mut checked = 0;
    for (name, version) in source.names() {
        let id = format!("{name}@{version}");
        let dialect = load(&source, &id).unwrap();
        let mut check = |what: String, level: Level, source: Source, clauses: &[String]| {
            checked += 1;
            assert!(
                !clauses.is_empty() || source != Source::Spec,
                "{id}: {what}"
            );
            for clause in clauses {
                let strength = dialect.clauses[clause].strength;
                assert!(strength <= level, "{id}: {what} cites {clause}");
            }
        };
        for rule in dialect
            .rules
            .iter()
            .filter(|rule| rule.readings().is_empty())
        {
            let RuleForm::Schema(of) = &rule.form else {
                check(rule.id.clone(), rule.level, rule.source, &rule.clauses);
                continue;
            };
            let (schemas, of) = match of.strip_prefix('>') {
                Some(of) => (&dialect.command_schemas, of),
                None => (&dialect.event_schemas, of.as_str()),
            };
            for place in schemas.annotated_keywords(of) {
                let what = format!("{of} at {}", place.at);
                check(what, place.level, rule.source, &place.clauses);
            }
        }
        let files = ScenarioSource::find(&name, &version, &dialect.bases).unwrap();
        for scenario in files.load(Some(&dialect)).unwrap() {
            for step in &scenario.steps {
                let clauses = step.clauses.as_ref().unwrap_or(&scenario.clauses);
                let level = step.level.unwrap_or(scenario.level);
                // Without a clause, the finding is an expectation of hosts.
                let source = if clauses.is_empty() {
                    Source::Host
                } else {
                    Source::Spec
                };
                check(scenario.id.clone(), level, source, clauses);
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn every_dialect_has_a_smoke_scenario() {
    let source = DialectSource::default();
    for (name, version) in source.names() {
        let dialect = load(&source, &format!("{name}@{version}")).unwrap();
        let files = ScenarioSource::find(&name, &version, &dialect.bases).unwrap();
        let scenarios = files.load(Some(&dialect)).unwrap();
        assert!(dialect.smoke_id().is_some(), "none in {}", dialect.id());
        let ids = scenarios.iter().map(|one| one.id.as_str());
        dialect.check_smoke(ids).unwrap();
    }
}
