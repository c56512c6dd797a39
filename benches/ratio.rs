//! What `conform check` costs beside bare parsing. The program judges a long transcript of each protocol, start-up included; serde_json alone
//! parses the same bytes into values: each record, and the line in it. Prints the best times of several rounds and their ratio, which would
//! be 1 if judging cost nothing.

mod long;

use long::{SESSIONS, Session};
use serde_json::Value;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

fn main() {
    // As a test it only shows that all of it runs.
    let test = std::env::args().any(|word| word == "--test");
    println!(
        "{:<12} {:>9} {:>9} {:>10} {:>14} {:>7}",
        "protocol", "frames", "MB", "bare, s", "check, s", "ratio"
    );
    for session in SESSIONS {
        let (turns, rounds) = if test {
            (2, 1)
        } else {
            (session.turns, ROUNDS)
        };
        row(session, turns, rounds);
    }
}

fn row(session: &Session, turns: usize, rounds: usize) {
    let mut bytes = Vec::new();
    let frames = session.write(&mut bytes, turns).expect("memory holds it");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.jsonl");
    fs::write(&path, &bytes).expect("the disk holds it");
    let (mut bare, mut checked) = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        bare = bare.min(timed(|| parse(&bytes)));
        checked = checked.min(timed(|| check(&path)));
    }
    println!(
        "{:<12} {frames:>9} {:>9.1} {:>10.3} {:>14.3} {:>7.3}",
        session.dialect,
        bytes.len() as f64 / 1e6,
        bare.as_secs_f64(),
        checked.as_secs_f64(),
        bare.as_secs_f64() / checked.as_secs_f64()
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn parse(bytes: &[u8]) {
    for record in bytes.split(|byte| *byte == b'\n').filter(|r| !r.is_empty()) {
        let record: Value = serde_json::from_slice(record).expect("a record is JSON");
        if let Some(line) = record["line"].as_str() {
            black_box(serde_json::from_str::<Value>(line).expect("a line is JSON"));
        }
    }
}

fn check(path: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_conform"))
        .arg("check")
        .arg(path)
        .stdout(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "{status}");
}
