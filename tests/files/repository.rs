//! What holds for the repository as a whole and Cargo cannot say: where the name of a dialect stands, and which paths its pages name.

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files below a folder.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Code without comments and unit tests.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let lines = text[..end].lines();
    lines
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn no_dialect_is_named_outside_its_data_and_its_adapter() {
    let names: Vec<_> = fs::read_dir(root().join("schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "conform")
        .collect();
    assert!(names.len() >= 3, "{names:?}");
    let word = Regex::new(&format!(r"\b({})\b", names.join("|"))).unwrap();
    let mut files = Vec::new();
    for folder in ["src", "crates", "mock-provider/src"] {
        rust_files(&root().join(folder), &mut files);
    }
    assert!(files.len() > 300, "only {} files", files.len());
    let adapters = root().join("crates/mock-agent/src/protocols");
    let is_test = |path: &Path| {
        let parts = path.strip_prefix(root()).unwrap();
        parts
            .iter()
            .any(|part| part == "tests" || part == "tests.rs" || part == "sample.rs")
    };
    files.retain(|path| !path.starts_with(&adapters) && !is_test(path));
    for path in files {
        let code = code(&fs::read_to_string(&path).unwrap());
        assert_eq!(
            word.find(&code).map(|found| found.as_str()),
            None,
            "{}",
            path.display()
        );
    }
}

#[test]
fn the_paths_in_the_pages_for_contributors_exist() {
    let folders = "src|crates|tests|benches|docs|reports|schemas|scenarios|mock-provider|\\.ci";
    let path = Regex::new(&format!(r"`((?:{folders})/[^`\s<*]*)`")).unwrap();
    let mut named = 0;
    for page in ["CONTRIBUTING.md", "docs/architecture.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for path in path.captures_iter(&text) {
            named += 1;
            assert!(root().join(&path[1]).exists(), "{page} names {}", &path[1]);
        }
    }
    assert!(named > 20, "only {named} paths were found");
}
