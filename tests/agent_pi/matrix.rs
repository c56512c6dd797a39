//! The published kill matrix and the coverage that rests on it.

use conform::agent::faults;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn published() -> Value {
    let path = "reports/published/kill-matrix/pi@0.14.json";
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    serde_json::from_str(&text.unwrap()).unwrap()
}

#[test]
fn every_fault_that_must_be_caught_was_killed() {
    let matrix = published();
    let rows = matrix["faults"].as_array().unwrap();
    let own =
        faults::all().filter(|(of, fault)| *of == ("pi", "0.14") && !fault.caught_by.is_empty());
    let expected: Vec<_> = own
        .map(|(_, fault)| (json!(fault.id), json!("killed")))
        .collect();

    let told: Vec<_> = rows
        .iter()
        .map(|row| (row["fault"].clone(), row["fate"].clone()))
        .collect();

    assert_eq!(told, expected);
    assert_eq!(matrix["rules_without_killer"], json!([]));
}

#[test]
fn what_was_published_is_what_the_faults_ask_for() {
    for row in published()["faults"].as_array().unwrap() {
        let fault =
            faults::all().find(|(of, fault)| *of == ("pi", "0.14") && row["fault"] == fault.id);
        let must = fault
            .unwrap()
            .1
            .caught_by
            .iter()
            .map(|by| match by.strip_prefix("scenario:") {
                Some(id) => format!("pi@0.14/{id}"),
                None => format!("pi/{by}"),
            });

        assert_eq!(
            row["must"],
            json!(must.collect::<Vec<_>>()),
            "{}",
            row["fault"]
        );
    }
}

#[test]
fn every_testable_clause_has_a_check_and_a_fault_that_proves_it() {
    let coverage = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["coverage", "--dialect", "pi@0.14"])
        .output()
        .unwrap();

    let told = String::from_utf8_lossy(&coverage.stdout);
    assert_eq!(coverage.status.code(), Some(0), "{told}");
}
