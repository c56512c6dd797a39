//! The sessions of the moves of every dialect are good scenarios.

use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_runner::explore::{MoveTable, Walker};
use std::sync::Arc;

/// The dialects that have moves.
fn explored() -> Vec<(Arc<Dialect>, MoveTable)> {
    let source = DialectSource::default();
    let dialects = source.names().into_iter().map(|(name, version)| {
        let dialect = dialect::load(&source, &format!("{name}@{version}")).unwrap();
        let table = MoveTable::load(&source, &dialect, None);
        let table = table.unwrap_or_else(|errors| panic!("{}", spanned_yaml::render_all(&errors)));
        Some((dialect, table?))
    });
    dialects.flatten().collect()
}

#[test]
fn every_move_of_every_dialect_makes_a_good_scenario() {
    for (dialect, table) in explored() {
        if let Err(errors) = table.check(&dialect) {
            panic!("{}: {}", dialect.id(), spanned_yaml::render_all(&errors));
        }
    }
}

#[test]
fn a_session_on_another_wire_expects_its_form_of_the_ids_of_calls() {
    let dialect = dialect::load(&DialectSource::default(), "pi@0.73").unwrap();
    let table = MoveTable::load(&DialectSource::default(), &dialect, None).unwrap();
    let table = table.unwrap();
    let tame = table.shortest_sessions().remove("begin-a-tool").unwrap();
    let text_of = |start: &str| {
        let mut session = tame.clone();
        session.start.name = start.to_owned();
        table.text(&session, "t", &[])
    };
    let form = r"$regex: '^(?:toolu_1(\|.+)?)$'";
    assert!(!text_of("plain").contains(form));
    let text = text_of("openai-responses");
    assert!(text.contains(form), "{text}");
}

#[test]
fn every_session_of_a_seed_is_a_good_scenario_and_the_same_again() {
    for (dialect, table) in explored() {
        let again = Walker::new(&table, 7).skip(3).take(60);
        for (session, same) in Walker::new(&table, 7).skip(3).zip(again) {
            assert_eq!(session, same);
            assert_eq!(table.legal(&session).as_ref(), Some(&session));
            if let Err(errors) = table.scenario(&session, "session", &dialect) {
                panic!(
                    "{}\n{}",
                    spanned_yaml::render_all(&errors),
                    table.text(&session, &session.title(), &[])
                );
            }
        }
    }
}
