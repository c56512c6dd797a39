//! What processes cost: the harness around an agent, a long transcript in memory.

mod long;

use conform_judge::frame::Body;
use conform_judge::transcript::TranscriptReader;
use conform_report::Report;
use long::{SESSIONS, Session};
use std::fs;
use std::io::{BufReader, BufWriter};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The peak of a child's resident memory, in KiB.
fn peak(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?
        .trim()
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()
}

/// Feeds a transcript of so many turns to `conform check`; gives frames, time and peak memory.
fn check(session: &Session, turns: usize) -> (u64, Duration, Option<u64>) {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("conform starts");
    let stdin = BufWriter::with_capacity(1 << 16, child.stdin.as_mut().expect("a pipe"));
    let frames = session
        .write(stdin, turns)
        .expect("conform reads to the end");
    let peak = peak(&child);
    assert!(child.wait().expect("conform ends").success());
    (frames, started.elapsed(), peak)
}

fn long_transcript() {
    let session = &SESSIONS[0];
    for turns in [session.turns, 10 * session.turns] {
        let (frames, time, peak) = check(session, turns);
        let rate = frames as f64 / time.as_secs_f64();
        let peak = peak.map_or("unknown".to_owned(), |kib| {
            format!("{:.1} MB", kib as f64 / 1024.0)
        });
        println!(
            "check of {turns} turns: {frames} frames in {time:.2?}, {rate:.0} a second, peak memory {peak}"
        );
    }
}

/// Plays the suite one scenario at a time. What a scenario took beyond the life of its agent is the harness's own.
fn overhead() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let status = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["run", "--dialect", SESSIONS[0].dialect, "--jobs", "1"])
        .args([
            "--report",
            &format!("json={}", path("report.json")),
            "--transcripts",
            &path("transcripts"),
        ])
        .stdout(Stdio::null())
        .status()
        .expect("conform runs");
    let report = fs::read(path("report.json")).expect("a report");
    let report: Report = serde_json::from_slice(&report).expect("a report");
    let own: Vec<_> = report
        .scenarios
        .iter()
        .map(|one| one.duration_ms as f64 - life(&one.transcript))
        .collect();
    assert!(!own.is_empty(), "no scenario was played");
    let mean = own.iter().sum::<f64>() / own.len() as f64;
    let most = own.iter().copied().fold(0.0, f64::max);
    println!(
        "harness overhead of a scenario: mean {mean:.1} ms, most {most:.1} ms, of {} ({status})",
        own.len()
    );
    println!("the suite with one job: {} ms", report.duration_ms);
}

/// How long the agent of a transcript lived, in milliseconds.
fn life(transcript: &str) -> f64 {
    let file = fs::File::open(transcript).expect("a transcript");
    let reader = TranscriptReader::new(BufReader::new(file)).expect("a transcript");
    let mut frames = reader.map(|frame| frame.expect("a frame"));
    let end = frames.find(|frame| matches!(frame.body, Body::End(_)));
    end.expect("an end").at as f64 / 1000.0
}

fn main() {
    overhead();
    long_transcript();
}
