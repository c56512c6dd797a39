//! `conform list` and `conform explain`.

use crate::{conform, outcome, snapshot};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use snapbox::assert_data_eq;

#[test]
fn every_kind_can_be_listed_as_a_table_and_as_json_and_explained() {
    for kind in [
        "dialects",
        "scenarios",
        "rules",
        "clauses",
        "faults",
        "variants",
    ] {
        let (status, table, stderr) = outcome(&mut conform(&["list", kind]));
        assert_eq!((status, stderr.as_str()), (Some(0), ""), "{kind}");
        let (_, json, _) = outcome(&mut conform(&["list", kind, "--json"]));
        let items: Vec<Value> = serde_json::from_str(&json).unwrap();
        let rows = table.lines().skip(1);
        let first_column: Vec<_> = rows.map(|row| row.split(' ').next().unwrap()).collect();
        let ids: Vec<_> = items
            .iter()
            .map(|item| item["id"].as_str().unwrap())
            .collect();
        assert_eq!(first_column, ids, "{kind}");
        let id = ids[ids.len() / 2];
        let mut explain = conform(&["explain", id]);
        explain.assert().code(0).stdout(contains(id));
    }
}

#[test]
fn faults_fit_a_terminal_and_those_for_hosts_are_marked() {
    let (_, table, _) = outcome(&mut conform(&["list", "faults"]));
    let longest = table.lines().max_by_key(|line| line.chars().count());
    let longest = longest.unwrap();
    assert!(longest.chars().count() <= 120, "{longest}");
    let marked = |id: &str| {
        let mut rows = table.lines();
        rows.any(|row| row.starts_with(&format!("{id} ")) && row.contains(" [hosts] "))
    };
    assert!(marked("byte-by-byte") && !marked("no-stream-end"));
}

#[test]
fn a_scenario_check_can_be_explained() {
    conform(&["explain", "scenario.expect_exit"])
        .assert()
        .success()
        .stdout(contains("The process ends, in time"));
}

#[test]
fn a_probe_is_explained_with_its_readings() {
    conform(&["explain", "aionrs/reading-cache-tokens"])
        .assert()
        .code(0)
        .stdout(contains("never a finding").and(contains("  given\n  omitted\n")));
    conform(&["explain", "--json", "aionrs/reading-cache-tokens"])
        .assert()
        .code(0)
        .stdout(contains(
            "\"readings\": [\n    \"given\",\n    \"omitted\"\n  ]",
        ));
}

#[test]
fn a_rule_is_explained_with_its_doc_and_its_clauses() {
    let (status, stdout, _) = outcome(&mut conform(&["explain", "aionrs/ready-once"]));
    assert_eq!(status, Some(0));
    assert_data_eq!(stdout, snapshot("explain-rule.txt"));
}

#[test]
fn the_dialect_prefix_of_an_id_is_optional() {
    let long = outcome(&mut conform(&["explain", "aionrs/ready-once"]));
    assert_eq!(
        outcome(&mut conform(&[
            "explain",
            "ready-once",
            "--dialect",
            "aionrs"
        ])),
        long
    );
}

#[test]
fn an_unknown_id_is_an_error_with_a_suggestion() {
    conform(&["explain", "aionrs/raedy-once"])
        .assert()
        .code(2)
        .stderr(contains(
            "unknown id `aionrs/raedy-once`; did you mean `aionrs/ready-once`?",
        ));
    conform(&["list", "rules", "--dialect", "nope"])
        .assert()
        .code(2)
        .stderr(contains("unknown dialect `nope`"));
    conform(&["list", "ruels"])
        .assert()
        .code(2)
        .stderr(contains("rules").and(contains("clauses")));
}

#[test]
fn the_dialect_of_conform_yaml_is_explained_before_newer_ones() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("conform.yaml"), "dialect: aionrs@0.1\n").unwrap();
    let explain = |id: &str, options: &[&str]| {
        let mut command = conform(&[&["explain", id], options].concat());
        let (status, stdout, _) = outcome(command.current_dir(folder.path()));
        assert_eq!(status, Some(0), "{id}");
        stdout.lines().nth(1).unwrap_or_default().to_owned()
    };
    let of_project = explain("aionrs.turn.msg-id", &[]);
    assert!(of_project.ends_with("aionrs@0.1"), "{of_project}");
    let named = explain("aionrs.turn.msg-id", &["--dialect", "aionrs@0.2"]);
    assert!(named.ends_with("aionrs@0.2"), "{named}");
    let elsewhere = explain("pi.agent-start.begins", &[]);
    assert!(elsewhere.contains("pi@"), "{elsewhere}");
}

#[test]
fn the_id_of_a_cause_explains_its_rule() {
    conform(&["explain", "--dialect", "aionrs@0.1", "json-lines-0123abcd"])
        .assert()
        .code(0)
        .stdout(contains("rule aionrs/json-lines"));
}
