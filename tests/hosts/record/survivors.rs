//! A recorder that is killed, and an agent that leaves processes behind.

use super::{Recorder, bodies, lines, signal};
use conform_judge::frame::{Body, End};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

#[track_caller]
fn assert_gone(pid: &str) {
    let stat = PathBuf::from(format!("/proc/{pid}/stat"));
    let is_alive = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    let until = Instant::now() + TIMEOUT;
    while is_alive() {
        assert!(Instant::now() < until, "process {pid} has survived");
        std::thread::yield_now();
    }
}

#[test]
fn a_killed_recorder_leaves_a_readable_transcript_and_no_process() {
    let recorder = Recorder::new();
    let agent = "setsid sleep 1000 & echo $!; sleep 1000 & echo $!; echo $$; wait";
    let mut child = recorder.start(&[], &["sh", "-c", agent]);
    let mut output = lines(&mut child);
    let pids: Vec<String> = output.by_ref().take(3).collect();
    signal(&child, "KILL");
    child.wait().unwrap();

    assert_eq!(pids.len(), 3);
    pids.iter().for_each(|pid| assert_gone(pid));
    let frames = bodies(&recorder.transcript());
    assert_eq!(frames.len(), 3, "{frames:?}");
}

#[test]
fn processes_that_an_agent_leaves_running_are_killed_and_counted() {
    let recorder = Recorder::new();
    let mut child = recorder.start(&[], &["sh", "-c", "sleep 1000 & echo $!; exit 3"]);
    let pid = lines(&mut child).next().unwrap();

    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_gone(&pid);
    let end = Body::End(End::Exited {
        code: 3,
        orphans: 1,
    });
    assert_eq!(bodies(&recorder.transcript()).last(), Some(&end));
}
