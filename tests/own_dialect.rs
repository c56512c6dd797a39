//! docs/own-dialect.md works as written: its files, its agent, its commands.

use assert_cmd::Command;
use predicates::str::contains;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const PAGE: &str = include_str!("../docs/own-dialect.md");

/// The fenced blocks with this word after the language: the argument of the word, and the text.
fn blocks(word: &str) -> Vec<(String, String)> {
    let fences = PAGE.split("\n```").skip(1);
    let blocks = fences.filter_map(|block| {
        let (head, text) = block.split_once('\n')?;
        let (_, mark) = head.split_once(' ')?;
        let rest = mark.strip_prefix(word)?;
        Some((rest.trim_start_matches('=').to_owned(), format!("{text}\n")))
    });
    blocks.collect()
}

fn write_files(folder: &Path) {
    for (file, text) in blocks("file") {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let runnable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("parrot.sh"), runnable).unwrap();
}

fn conform(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    command
        .current_dir(folder)
        .args(line.split_whitespace().skip(1));
    command
}

fn commands() -> Vec<String> {
    let lines = blocks("run").remove(0).1;
    lines
        .lines()
        .filter(|l| l.starts_with("conform "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_page_can_be_followed() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let commands = commands();
    assert_eq!(commands.len(), 2);
    for line in &commands {
        conform(folder.path(), line).assert().success();
    }
    conform(folder.path(), &commands[1])
        .assert()
        .stdout(contains("5 scenarios: 5 passed"));
}

#[test]
fn a_bug_in_the_agent_of_the_page_is_found() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let agent = folder.path().join("parrot.sh");
    let text = std::fs::read_to_string(&agent).unwrap();
    let broken = text.replacen("all=$all$word", "all=$word", 1);
    assert_ne!(broken, text);
    std::fs::write(&agent, broken).unwrap();
    let run = conform(folder.path(), &commands()[1]).assert().code(1);
    run.stdout(contains("parrot/end-has-all"));
}

#[test]
fn a_broken_dialect_is_one_error_with_a_location() {
    for (file, from, to, message) in [
        (
            "dialects/parrot/1/events.json",
            "#/$defs/Id",
            "#/$defs/Nowhere",
            "Nowhere",
        ),
        (
            "dialects/parrot/1/ordering.yaml",
            "order: (begin word* end)*",
            "order: (begin wrod* end)*",
            "did you mean `word`?",
        ),
        (
            "dialects/parrot/1/ordering.yaml",
            "order: hello (!hello)*",
            "order: hello (!hello",
            "`)` was expected here",
        ),
        (
            "dialects/parrot/1/ordering.yaml",
            "[parrot.hello]",
            "[parrot.hallo]",
            "the clause `parrot.hallo` is not in clauses.yaml",
        ),
        (
            "dialects/parrot/1/dialect.yaml",
            "title:",
            "extends: parrot@1\ntitle:",
            "is circular",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path());
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        std::fs::write(&path, broken).unwrap();
        let run = conform(folder.path(), &commands()[1]).assert().code(2);
        let output = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(output.contains(message), "{output}");
        assert!(output.contains(file), "{output}");
        assert_eq!(output.matches("error:").count(), 1, "{output}");
    }
}
