//! Files that are given to `conform` and files that it writes: the messages about each, and what is refused before anything runs.

use crate::conform;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A command in a folder with these files.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    files: BTreeMap<String, Content>,
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// `null`: any.
    status: Option<i32>,
    /// Texts in the output, in the messages, and not in the output.
    #[serde(default)]
    out: Vec<String>,
    #[serde(default)]
    err: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    /// Texts in files afterwards, texts that they lack, and files that do not exist.
    #[serde(default)]
    files_have: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    files_lack: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    absent: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
    /// `null`: a pipe that nothing reads.
    Pipe(()),
}

#[test]
fn unusual_inputs_and_outputs_are_named() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("inputs_and_outputs.json")).unwrap();
    let wrong: Vec<String> = cases.iter().filter_map(|case| played(case).err()).collect();

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Plays a case; the error says what is wrong.
fn played(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in &case.files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content {
            Content::Text(text) => fs::write(path, text).unwrap(),
            Content::Bytes(bytes) => fs::write(path, bytes).unwrap(),
            Content::Pipe(()) => mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap(),
        }
    }
    let args: Vec<&str> = case.args.iter().map(String::as_str).collect();
    let mut command = conform(&args);
    command
        .current_dir(folder.path())
        .env_remove("NO_COLOR")
        .envs(&case.env);
    let output = command.output().unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let is_status = case.status.is_none() || output.status.code() == case.status;
    let are_files = case
        .files_have
        .iter()
        .all(|(name, texts)| has_all(&read(folder.path(), name), texts));
    let are_clean = case
        .files_lack
        .iter()
        .all(|(name, texts)| has_none(&read(folder.path(), name), texts));
    let are_absent = case
        .absent
        .iter()
        .all(|name| !folder.path().join(name).exists());
    let is_right = is_status
        && has_all(&out, &case.out)
        && has_all(&err, &case.err)
        && has_none(&out, &case.lacks)
        && are_files
        && are_clean
        && are_absent;
    if is_right {
        return Ok(());
    }
    Err(format!(
        "--- {}: {}\n{out}\n{err}",
        case.name, output.status
    ))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_default()
}

fn has_all(text: &str, parts: &[String]) -> bool {
    parts.iter().all(|part| text.contains(part.as_str()))
}

fn has_none(text: &str, parts: &[String]) -> bool {
    parts.iter().all(|part| !text.contains(part.as_str()))
}
