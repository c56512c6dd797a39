//! The published results of faults and of legal variants, and the coverage that is derived from them.

use conform_judge::dialect::DialectSource;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

use crate::dialect_faults::{faults_and_variants_of, faults_of};

fn published(kind: &str, name: &str, version: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/published");
    let text = std::fs::read_to_string(folder.join(format!("{kind}/{name}@{version}.json")));
    serde_json::from_str(&text.unwrap()).unwrap()
}

fn is_host_fault(row: &Value) -> bool {
    row["fault"].as_str().unwrap().starts_with("host/")
}

#[test]
fn every_fault_was_killed_by_the_rules_that_it_names() {
    for (name, version) in DialectSource::default().names() {
        let catcher = |by: &String| match by.strip_prefix("scenario:") {
            Some(id) => format!("{name}@{version}/{id}"),
            None => format!("{name}/{by}"),
        };
        let own = faults_of(&name, &version);
        let own = own.iter().filter(|fault| !fault.caught_by.is_empty());
        let expected: Vec<_> = own
            .map(|fault| {
                let must: Vec<_> = fault.caught_by.iter().map(catcher).collect();
                json!([fault.id, fault.summary, "killed", must])
            })
            .collect();

        let matrix = published("kill-matrix", &name, &version);
        let rows = matrix["faults"].as_array().unwrap();
        let of_agents = rows.iter().filter(|row| !is_host_fault(row));
        let actual: Vec<_> = of_agents
            .map(|row| json!([row["fault"], row["summary"], row["fate"], row["must"]]))
            .collect();

        assert!(!expected.is_empty(), "{name}@{version} has no fault");
        assert_eq!(actual, expected);
        assert_eq!(matrix["rules_without_killer"], json!([]));
    }
}

#[test]
fn every_testable_clause_has_a_check_and_a_fault() {
    for (name, version) in DialectSource::default().names() {
        let coverage = Command::new(env!("CARGO_BIN_EXE_conform"))
            .args(["coverage", "--dialect", &format!("{name}@{version}")])
            .output()
            .unwrap();

        let output = String::from_utf8_lossy(&coverage.stdout);
        assert_eq!(coverage.status.code(), Some(0), "{output}");
    }
}

#[test]
fn nothing_was_found_in_a_legal_variant_but_what_is_listed() {
    for (name, version) in DialectSource::default().names() {
        let all = faults_and_variants_of(&name, &version);
        let variants = all.iter().filter_map(|variant| {
            let legal = variant.legal.as_ref()?;
            let listed: Vec<_> = legal.listed.keys().collect();
            let accepts = legal.accepts.as_deref().unwrap_or_default();
            Some(json!([
                variant.id,
                variant.summary,
                accepts,
                listed,
                "legal"
            ]))
        });
        let expected: Vec<_> = variants.collect();

        let matrix = published("legal-variants", &name, &version);
        let rows = matrix["variants"].as_array().unwrap();
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let actual: Vec<_> = rows
            .iter()
            .map(|row| {
                let listed = row["listed"].as_array().cloned().unwrap_or_default();
                let [id, summary] = ["variant", "summary"].map(|key| text(row, key));
                json!([id, summary, text(row, "accepts"), listed, row["fate"]])
            })
            .collect();

        assert!(!expected.is_empty(), "{name}@{version} has no variant");
        assert_eq!(actual, expected);
        let combinations = matrix["combinations"].as_array().unwrap();
        assert!(combinations.iter().all(|row| row["fate"] == "legal"));
    }
}
