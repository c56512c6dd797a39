//! The invariants of the architecture, held against the source itself. `docs/architecture.md` says why they are there.

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path from the root of the repository, and its code without comments and unit tests.
struct Source {
    path: String,
    code: String,
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every file below a folder.
fn collect_all(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_all(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Files that are unit tests as a whole, by the modules that declare them so.
fn is_test_file(path: &Path) -> bool {
    let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
        return false;
    };
    let folder = path.parent().unwrap();
    let by_name = folder
        .parent()
        .unwrap()
        .join(folder.file_name().unwrap())
        .with_extension("rs");
    let declaration = Regex::new(&format!(
        r"#\[cfg\(test\)\]\s*(pub(\([a-z]+\))? )?mod {stem};"
    ))
    .unwrap();
    let parents = [folder.join("mod.rs"), folder.join("lib.rs"), by_name];
    parents
        .iter()
        .filter_map(|parent| fs::read_to_string(parent).ok())
        .any(|text| declaration.is_match(&text))
}

/// Every source file below these places, in or outside the package's `src/`.
fn sources(places: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for place in places {
        let path = root.join(place);
        if path.is_dir() {
            collect(&path, &mut files)
        } else {
            files.push(path)
        }
    }
    files.retain(|path| !is_test_file(path));
    let sources: Vec<_> = files
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let path = path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            Source {
                path,
                code: code(&text),
            }
        })
        .collect();
    assert!(!sources.is_empty(), "nothing below {places:?}");
    sources
}

fn code(text: &str) -> String {
    let tests = Regex::new(r"(?m)^#\[cfg\(test\)\]\s*mod \w+ \{").unwrap();
    let end = tests.find(text).map_or(text.len(), |tests| tests.start());
    let lines = text[..end]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Fails with every place where a pattern stands in code where it must not stand.
#[track_caller]
fn none(pattern: &str, sources: &[Source]) {
    let pattern = Regex::new(pattern).unwrap();
    let found: Vec<_> = sources
        .iter()
        .flat_map(|source| {
            pattern
                .find_iter(&source.code)
                .map(|found| format!("{}: {}", source.path, found.as_str()))
        })
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

/// Sources of the package outside these places.
fn outside(places: &[&str]) -> Vec<Source> {
    let mut rest = sources(&["src"]);
    rest.retain(|source| !places.iter().any(|place| source.path.starts_with(place)));
    rest
}

#[test]
fn only_the_runner_the_agent_and_the_command_line_are_async() {
    none(
        r"\btokio\b|\basync\b|\.await\b",
        &outside(&["src/runner/", "src/detect/", "src/cli/", "src/relay/llm/"]),
    );
}

#[test]
fn judges_and_reporters_read_no_clock_no_environment_and_no_file() {
    let pure = [
        "src/check",
        "src/rules",
        "src/schema.rs",
        "src/reporter",
        "src/report",
    ];
    none(
        r"\bInstant\b|\bSystemTime\b|std::env|env::var|std::fs|fs::|\bFile\b|std::net|std::process|std::thread",
        &sources(&pure),
    );
}

/// The package boundary keeps the agent from the judge; this keeps the boundary.
#[test]
fn the_reference_agent_does_not_depend_on_the_judge() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let judge = Regex::new(r"(?m)^conform\b").unwrap();
    for package in [
        "frame-faults",
        "json-matcher",
        "mock-agent",
        "mock-provider",
        "spanned-yaml",
    ] {
        let manifest = fs::read_to_string(root.join(package).join("Cargo.toml")).unwrap();
        assert!(!judge.is_match(&manifest), "{package}");
    }
    none(
        r"\bmock_agent\b",
        &sources(&[
            "src/check",
            "src/rules",
            "src/schema.rs",
            "src/dialect",
            "src/reporter",
        ]),
    );
}

/// The layers of the reference agent, the highest first.
const AGENT_LAYERS: &[&str] = &[
    "process",
    "agent_script",
    "protocols",
    "faults",
    "config",
    "core",
    "tools",
    "session_store",
    "model",
    "os",
    "control",
];

#[test]
fn a_layer_of_the_reference_agent_imports_only_lower_layers() {
    for (depth, layer) in AGENT_LAYERS.iter().enumerate() {
        let folder = format!("mock-agent/src/{layer}");
        let place = if Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).is_dir() {
            folder
        } else {
            format!("{folder}.rs")
        };
        let higher = AGENT_LAYERS[..depth].join("|");
        if !higher.is_empty() {
            none(&format!(r"\bcrate::({higher})\b"), &sources(&[&place]));
        }
    }
}

/// The pages for contributors name files: each of them is there.
#[test]
fn the_paths_in_the_pages_for_contributors_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = "src|tests|benches|docs|reports|schemas|scenarios|mock-agent|mock-provider|frame-faults|json-matcher|spanned-yaml|\\.ci";
    let path = Regex::new(&format!(r"`((?:{folders})/[^`\s<*]*)`")).unwrap();
    let mut named = 0;
    for page in ["CONTRIBUTING.md", "docs/architecture.md"] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        for path in path.captures_iter(&text) {
            named += 1;
            assert!(root.join(&path[1]).exists(), "{page} names {}", &path[1]);
        }
    }
    assert!(named > 20, "only {named} paths were found");
}

#[test]
fn no_dialect_is_named_outside_its_data_and_its_adapter() {
    let names: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "conform")
        .collect();
    assert!(names.len() >= 3, "{names:?}");
    let word = format!(r#"\b({})\b"#, names.join("|"));
    let mut places = sources(&[
        "src",
        "mock-agent/src",
        "frame-faults/src",
        "json-matcher/src",
        "mock-provider/src",
        "spanned-yaml/src",
    ]);
    places.retain(|source| !source.path.starts_with("mock-agent/src/protocols/"));
    none(&word, &places);
}

#[test]
fn no_test_reads_what_lies_beside_the_checkout() {
    let places = ["tests", "benches", "mock-provider/tests", ".ci"];
    let mut files = Vec::new();
    for place in places {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(place);
        assert!(path.is_dir(), "{place}");
        collect_all(&path, &mut files);
    }
    files.extend(
        sources(&["src"])
            .into_iter()
            .map(|source| PathBuf::from(source.path)),
    );
    let beside = ["..", "shared"].join("/");
    for path in files {
        let text = fs::read(&path).unwrap();
        let named = String::from_utf8_lossy(&text).contains(&beside);
        assert!(!named, "{}", path.display());
    }
}

/// A test that cannot find what it is about fails: it does not return early.
#[test]
fn no_test_passes_because_its_input_is_missing() {
    let early = Regex::new(r"let (Ok|Some)\([^;{]*\bfs::[^;{]*else \{\s*return|read_dir\([^;]*\)\s*\.into_iter\(\)\s*\.flatten\(\)|if let Ok\([^;{]*\bfs::").unwrap();
    for place in ["tests", "benches", "mock-provider/tests"] {
        let mut files = Vec::new();
        collect(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(place),
            &mut files,
        );
        for path in files
            .iter()
            .filter(|path| !path.ends_with("architecture.rs"))
        {
            let text = fs::read_to_string(path).unwrap();
            assert!(!early.is_match(&text), "{}", path.display());
        }
    }
}

#[test]
fn reporters_compute_no_verdict() {
    none(
        r"\bverdict_rules\b|Verdict::\w+ =>.*Verdict::|verdict = ",
        &sources(&["src/reporter"]),
    );
}

#[test]
fn module_files_hold_no_logic_of_their_own() {
    for source in sources(&["src", "mock-agent/src"]) {
        if source.path.ends_with("/mod.rs") {
            let lines = source
                .code
                .lines()
                .filter(|line| !line.trim().is_empty())
                .count();
            assert!(lines <= 150, "{} has {lines} lines", source.path);
        }
    }
}
