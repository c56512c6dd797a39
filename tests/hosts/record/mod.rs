//! `conform record`: the pipe is transparent, the transcript is whole, and nothing survives a killed recorder.

mod agent_script;
mod llm;
mod pipe;
mod replay;
mod session;
mod survivors;
mod tls;

use conform_judge::frame::Body;
use conform_judge::transcript::TranscriptReader;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A folder in which sessions are recorded.
struct Recorder(TempDir);

impl Recorder {
    fn new() -> Self {
        Recorder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn transcript(&self) -> PathBuf {
        self.0.path().join("session.jsonl")
    }

    /// A named pipe.
    fn fifo(&self) -> String {
        let path = self.path("fifo");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        path
    }

    fn command(&self, options: &[&str], agent: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
        command
            .arg("record")
            .arg("--out")
            .arg(self.transcript())
            .args(options)
            .arg("--")
            .args(agent)
            .current_dir(self.0.path());
        command
    }

    fn start(&self, options: &[&str], agent: &[&str]) -> Child {
        self.command(options, agent)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// The frames of a transcript.
#[track_caller]
fn bodies(path: &Path) -> Vec<Body> {
    let reader = TranscriptReader::new(BufReader::new(File::open(path).unwrap())).unwrap();
    reader.map(|frame| frame.unwrap().body).collect()
}

/// The lines of a child's stdout.
fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let output = BufReader::new(child.stdout.take().unwrap());
    output.lines().map(Result::unwrap)
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &pid])
        .status();
    assert!(sent.unwrap().success());
}
