//! Runs every command in the `console` blocks of the README and of docs/hosts.md and compares its output with the block; checks the links
//! of all pages.
//!
//! `...` on a line of its own matches any lines. Times and ports may differ.

use crate::bundled_suite::WHOLE_SUITE;
use regex::Regex;
use snapbox::IntoData;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command and its expected output.
pub(crate) struct Example {
    pub(crate) command: String,
    output: String,
}

impl Example {
    /// Runs the command with these further arguments.
    pub(crate) fn assert(&self, more: &str) {
        let command = format!("{}{more}", self.command);
        snapbox::Assert::new()
            .try_eq(
                Some(&command),
                normalize(&run(&command)).into_data(),
                normalize(&self.output).into_data(),
            )
            .unwrap_or_else(|difference| panic!("{command}\n{difference}"));
    }
}

/// The examples of a page.
pub(crate) fn examples(page: &str) -> Vec<Example> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = Regex::new(r"(?ms)^```console\n(.*?)^```$").unwrap();
    let mut examples = Vec::new();
    for block in blocks.captures_iter(&text) {
        for line in block[1].lines() {
            match (line.strip_prefix("$ "), examples.last_mut()) {
                (Some(command), _) => examples.push(Example {
                    command: command.to_owned(),
                    output: String::new(),
                }),
                (None, Some(Example { output, .. })) => *output += &format!("{line}\n"),
                (None, None) => panic!("output without a command: {line}"),
            }
        }
    }
    examples
}

/// A shell with the built programs on its PATH, in a folder that looks like the root of the repository.
fn shell(command: &str, folder: &Path) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_conform")).parent().unwrap();
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let command = command.replacen("cargo run --release -- ", "conform ", 1);
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("exec 2>&1\n{command}"))
        .env("PATH", path)
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .current_dir(folder);
    shell
}

/// The output of a command; only the first line for a command that serves until it is stopped.
pub(crate) fn run(command: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for name in ["examples", "scenarios"] {
        symlink(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(name),
            folder.path().join(name),
        )
        .unwrap();
    }
    let mut output = String::new();
    if command.starts_with("conform provider") {
        let mut child = shell(&format!("exec {command}"), folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut output)
            .unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    } else {
        let mut child = shell(command, folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut output)
            .unwrap();
        child.wait().unwrap();
    }
    output
}

/// The text with the parts that differ from run to run replaced.
fn normalize(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, replacement) in [
        (
            r"(?m)^note: the agent (speaks aionrs@0\.1: |is started as ).*\n",
            "",
        ),
        (r"\[ *\d+\.\d+s\]", "[time]"),
        (r" +\d+(\.\d+)? (µs|ms)  ", " time  "),
        (r"127\.0\.0\.1:\d+", "127.0.0.1:port"),
    ] {
        text = Regex::new(pattern)
            .unwrap()
            .replace_all(&text, replacement)
            .into_owned();
    }
    text
}

#[test]
fn every_command_prints_the_output_below_it() {
    let readme = examples("README.md");
    assert!(readme.len() > 5, "found only {} commands", readme.len());
    let hosts = examples("docs/hosts.md");
    assert!(hosts.len() > 1, "found only {} commands", hosts.len());
    let others = readme.iter().chain(&hosts);
    others
        .filter(|example| example.command != WHOLE_SUITE)
        .for_each(|example| example.assert(""));
}

/// Where blocks of code in README files are run that are neither a console nor a file of a test.
const RUN_ELSEWHERE: &[(&str, &str, &str)] = &[
    ("README.md", "sh", ".ci/packages"),
    ("clients/python/README.md", "python", ".ci/packages"),
    ("clients/python/README.md", "sh", ".ci/packages"),
    ("clients/python/README.md", "yaml", ".ci/packages"),
    ("clients/typescript/README.md", "sh", ".ci/packages"),
    ("clients/typescript/README.md", "yaml", ".ci/packages"),
    (
        "clients/rust/README.md",
        "rust,no_run",
        "tests/hosts/rust_client.rs",
    ),
    (
        "clients/rust/README.md",
        "toml",
        "tests/hosts/rust_client.rs",
    ),
    ("examples/pytest-host/README.md", "sh", ".ci/checks"),
    ("examples/shell-host/README.md", "sh", "tests/cli/readme.rs"),
    ("examples/web-host/README.md", "sh", ".ci/checks"),
    (
        "mock-provider/README.md",
        "yaml",
        "mock-provider/tests/script.rs",
    ),
];

#[test]
fn every_block_of_code_in_a_readme_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |page: &str| std::fs::read_to_string(root.join(page)).unwrap();
    let mut found = Vec::new();
    pages(root, &mut found);
    let mut elsewhere = Vec::new();
    for page in found.iter().filter(|page| page.ends_with("README.md")) {
        let page = page.strip_prefix(root).unwrap().to_str().unwrap();
        let text = read(page);
        let kinds = text.lines().filter_map(|line| line.strip_prefix("```"));
        for kind in kinds.filter(|kind| !kind.is_empty()) {
            match kind {
                "console" => assert_eq!(page, "README.md", "no test runs its commands"),
                _ if kind.contains(" file=") => assert!(page.starts_with("clients/"), "{page}"),
                _ => elsewhere.push((page.to_owned(), kind.to_owned())),
            }
        }
    }
    elsewhere.sort();
    let mut known: Vec<_> = RUN_ELSEWHERE
        .iter()
        .map(|(page, kind, _)| ((*page).to_owned(), (*kind).to_owned()))
        .collect();
    known.sort();
    assert_eq!(elsewhere, known);
    for (page, _, runner) in RUN_ELSEWHERE {
        let name = page.trim_start_matches("mock-provider/");
        assert!(read(runner).contains(name), "{runner} does not read {page}");
    }
}

#[test]
fn the_shell_host_is_tested_as_its_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("examples/shell-host/README.md")).unwrap();
    let (_, commands) = page.split_once("```sh\n").unwrap();
    let (commands, _) = commands.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["host.sh", "test.sh"] {
        let file = root.join("examples/shell-host").join(name);
        std::fs::copy(file, folder.path().join(name)).unwrap();
    }
    let output = shell(commands, folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Every Markdown page of the repository.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let has_pages = !["target", ".git", "node_modules", "reports/templates"]
            .iter()
            .any(|folder| path.ends_with(folder));
        if path.is_dir() && !path.is_symlink() && has_pages {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The anchors of a page's headings, as GitHub derives them.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let mut found = Vec::new();
    pages(Path::new(env!("CARGO_MANIFEST_DIR")), &mut found);
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut links = 0;
    for page in found {
        let text = std::fs::read_to_string(&page).unwrap();
        let targets = link.captures_iter(&text).map(|link| link[1].to_owned());
        for target in targets.filter(|target| !target.starts_with("https://")) {
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = page.parent().unwrap().join(file);
            let path = if file.is_empty() { page.clone() } else { path };
            assert!(path.exists(), "{}: {target}", page.display());
            assert!(
                anchor.is_empty()
                    || anchors(&std::fs::read_to_string(&path).unwrap())
                        .contains(&anchor.to_owned()),
                "{}: {target}",
                page.display()
            );
        }
    }
    assert!(links > 20, "found only {links} links");
}
