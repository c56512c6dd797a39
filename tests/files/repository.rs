//! What holds for the repository as a whole and Cargo cannot say: where the name of a dialect stands, which paths its pages name, and what
//! its packages hold.

use regex::Regex;
use std::fs;
use std::path::{Component, Path, PathBuf};

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

fn is_test(path: &Path) -> bool {
    let mut parts = path.strip_prefix(root()).unwrap().iter();
    parts.any(|part| part == "tests" || part == "tests.rs" || part == "sample.rs")
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

/// The path without `..`, also where it leads through a symbolic link.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop(), "{}", path.display()),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn every_package_holds_what_it_embeds() {
    let embeds = Regex::new(r#"include_(?:str|bytes|dir)!\(\s*"([^"]+)""#).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, packaged) = manifest.split_once("\ninclude = [").unwrap();
    let packaged = packaged.split_once(']').unwrap().0;
    let packaged: Vec<_> = packaged.split('"').skip(1).step_by(2).collect();
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut packages: Vec<_> = crates.map(|entry| entry.unwrap().path()).collect();
    let others = ["mock-provider", "clients/rust", ""];
    packages.extend(others.map(|folder| root().join(folder)));
    let mut embedded = 0;
    for package in packages {
        let mut files = Vec::new();
        rust_files(&package.join("src"), &mut files);
        files.retain(|file| !is_test(file));
        for file in files {
            let code = code(&fs::read_to_string(&file).unwrap());
            for found in embeds.captures_iter(&code) {
                let path = match found[1].strip_prefix("$CARGO_MANIFEST_DIR/") {
                    Some(below) => package.join(below),
                    None => file.parent().unwrap().join(&found[1]),
                };
                let path = plain(&path);
                let below = path.strip_prefix(&package).ok();
                let holds = |below: &Path| {
                    let all = package != root();
                    all || packaged.iter().any(|one| below.starts_with(&one[1..]))
                };
                assert!(
                    below.is_some_and(holds),
                    "{} embeds {}",
                    file.display(),
                    path.display()
                );
                embedded += 1;
            }
        }
    }
    assert!(embedded > 20, "only {embedded} files are embedded");
}

#[test]
fn the_packages_of_all_registries_have_the_same_version() {
    let version = env!("CARGO_PKG_VERSION");
    for (manifest, line) in [
        (
            "clients/typescript/package.json",
            format!("\n  \"version\": \"{version}\",\n"),
        ),
        (
            "clients/python/pyproject.toml",
            format!("\nversion = \"{version}\"\n"),
        ),
        ("docs/install.md", format!("agent-conform-{version}.tgz")),
    ] {
        let text = fs::read_to_string(root().join(manifest)).unwrap();
        assert!(
            text.contains(&line),
            "{manifest} has another version than Cargo.toml"
        );
    }
}
