//! Every embedded dialect loads and lints clean.

use conform::dialect::{DialectSource, load};
use conform::finding::{Level, Source};
use conform::rules::rule::RuleForm;
use conform::scenario::{ScenarioSource, Vocabulary};

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

/// Whatever can be found names a clause, or that hosts or plain hygiene ask for it; and is told as strongly as its strongest clause.
#[test]
fn no_finding_is_without_a_clause_or_a_source_nor_weaker_than_its_clauses() {
    let source = DialectSource::default();
    let mut looked_at = 0;
    for (name, version) in source.names() {
        let id = format!("{name}@{version}");
        let dialect = load(&source, &id).unwrap();
        let mut judge = |what: String, level: Level, source: Source, clauses: &[String]| {
            looked_at += 1;
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
                judge(rule.id.clone(), rule.level, rule.source, &rule.clauses);
                continue;
            };
            let (schemas, of) = match of.strip_prefix('>') {
                Some(of) => (&dialect.command_schemas, of),
                None => (&dialect.event_schemas, of.as_str()),
            };
            for place in schemas.annotated_keywords(of) {
                let what = format!("{of} at {}", place.at);
                judge(what, place.level, rule.source, &place.clauses);
            }
        }
        let files = ScenarioSource::of(&name, &version, &dialect.bases).unwrap();
        for scenario in files.load(Some(&Vocabulary::of(&dialect))).unwrap() {
            for step in &scenario.steps {
                let clauses = step.clauses.as_ref().unwrap_or(&scenario.clauses);
                let level = step.level.unwrap_or(scenario.level);
                // Without a clause it is told as an expectation of hosts.
                let source = if clauses.is_empty() {
                    Source::Host
                } else {
                    Source::Spec
                };
                judge(scenario.id.clone(), level, source, clauses);
            }
        }
    }
    assert!(looked_at > 1000, "{looked_at}");
}
