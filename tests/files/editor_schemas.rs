//! The JSON Schemas for editors match the Rust types and accept what the loader accepts.
//!
//! `SNAPSHOTS=overwrite cargo test --test files editor_schemas` updates them.

use conform::editor_schemas::{FORMATS, file_schema};
use serde_json::Value;
use snapbox::{Data, data::DataFormat};
use spanned_yaml::load_file;
use std::path::{Path, PathBuf};

fn to_text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            yaml_files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            found.push(path);
        }
    }
}

#[test]
fn the_schema_files_match_the_types() {
    for format in FORMATS {
        let path = Path::new("schemas/conform")
            .join(format.name)
            .with_extension("json");
        let expected = Data::read_from(&path, Some(DataFormat::Text)).raw();
        snapbox::assert_data_eq!(to_text(&format.schema()), expected);
    }
}

#[test]
fn every_good_file_is_valid_for_an_editor() {
    for (format, folders, name) in [
        ("scenario", &["tests/good", "scenarios"][..], ""),
        ("dialect", &["schemas"], "dialect.yaml"),
        ("dialect", &["schemas"], "base.yaml"),
        ("clauses", &["schemas"], "clauses.yaml"),
        ("ordering", &["schemas"], "ordering.yaml"),
        ("hosts", &["schemas"], "hosts.yaml"),
        ("faults", &["schemas"], "faults.yaml"),
        ("explore", &["schemas"], "explore.yaml"),
        ("baseline", &["reports/published"], "baseline.yaml"),
    ] {
        let validator = jsonschema::draft202012::new(&file_schema(format)).expect("a schema");
        let mut files = Vec::new();
        for folder in folders {
            yaml_files(Path::new(folder), &mut files);
        }
        files.retain(|path| name.is_empty() || path.ends_with(name));
        assert!(!files.is_empty(), "no file has the format {format}");
        for path in files {
            let node = load_file(&path).unwrap_or_else(|error| panic!("{error}"));
            let errors: Vec<_> = validator
                .iter_errors(&node.to_value())
                .map(|error| format!("{} {error}", error.instance_path()))
                .collect();
            assert_eq!(errors, Vec::<String>::new(), "{}", path.display());
        }
    }
}

#[test]
fn an_editor_rejects_values_of_the_wrong_shape() {
    let validator = jsonschema::draft202012::new(&file_schema("scenario")).expect("a schema");
    for name in [
        "unknown-key",
        "unknown-step",
        "wrong-type",
        "bad-duration",
        "send-not-a-map",
        "bad-file-state",
        "bad-model",
    ] {
        let node = load_file(
            &Path::new("tests/mistakes")
                .join(name)
                .with_extension("yaml"),
        )
        .expect("good YAML");
        assert!(!validator.is_valid(&node.to_value()), "{name}");
    }
}
