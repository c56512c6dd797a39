//! What passes through the recorder, and how it ends.

use super::{Recorder, bodies};
use conform_judge::frame::{Body, End};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;

#[test]
fn bytes_and_the_exit_status_pass_unchanged() {
    let recorder = Recorder::new();
    let bytes = b"{\"a\":1}\r\n\xff\xfe \x00\nhalf a li".repeat(9_000);
    let mut child = recorder.start(&[], &["sh", "-c", "cat; printf loud >&2; exit 7"]);
    let mut stdin = child.stdin.take().unwrap();
    let sent = bytes.clone();
    let writing = std::thread::spawn(move || stdin.write_all(&sent).unwrap());
    let mut received = Vec::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut received)
        .unwrap();
    writing.join().unwrap();
    let ended = child.wait_with_output().unwrap();

    assert!(received == bytes, "{} bytes came", received.len());
    assert_eq!(ended.status.code(), Some(7));
    assert_eq!(ended.stderr, b"loud");
    let frames = bodies(&recorder.transcript());
    let lines = bytes.split(|byte| *byte == b'\n').count();
    let from_agent = frames
        .iter()
        .filter(|body| matches!(body, Body::FromAgent(_)));
    let to_agent = frames
        .iter()
        .filter(|body| matches!(body, Body::ToAgent(_)));
    assert_eq!((to_agent.count(), from_agent.count()), (lines, lines));
    let end = End::Exited {
        code: 7,
        orphans: 0,
    };
    assert_eq!(frames.last(), Some(&Body::End(end)));
}

/// Only Linux lets the recorder enlarge the pipe of its host.
#[cfg(target_os = "linux")]
#[test]
fn a_host_that_reads_nothing_before_the_end_gets_the_end_and_every_byte() {
    let recorder = Recorder::new();
    let mut child = recorder.start(&[], &["sh", "-c", "read count; head -c $count /dev/zero"]);
    let mut output = child.stdout.take().unwrap();
    // More than the pipe of the host takes, and little enough for that of the agent.
    let count = rustix::pipe::fcntl_getpipe_size(&output).unwrap() + 4096;
    writeln!(child.stdin.take().unwrap(), "{count}").unwrap();
    assert!(child.wait().unwrap().success());
    let mut received = Vec::new();
    output.read_to_end(&mut received).unwrap();

    assert_eq!(received.len(), count);
}

#[test]
fn the_signal_that_ends_the_agent_ends_the_recorder() {
    for (name, number) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("PIPE", 13)] {
        let recorder = Recorder::new();
        let kill = format!("kill -{name} $$");
        let ended = recorder
            .start(&[], &["sh", "-c", &kill])
            .wait_with_output()
            .unwrap();

        assert_eq!(ended.status.signal(), Some(number), "{name}");
        let end = End::Signalled {
            signal: number,
            orphans: 0,
        };
        assert_eq!(bodies(&recorder.transcript()).last(), Some(&Body::End(end)));
    }
}

#[test]
fn a_signal_for_the_recorder_reaches_the_agent() {
    let recorder = Recorder::new();
    let agent = "trap 'echo got; exit 5' TERM; echo up; while :; do sleep 0.05; done";
    let mut child = recorder.start(&[], &["sh", "-c", agent]);
    let mut output = super::lines(&mut child);
    assert_eq!(output.next().unwrap(), "up");
    super::signal(&child, "TERM");
    assert_eq!(output.next().unwrap(), "got");

    assert_eq!(child.wait().unwrap().code(), Some(5));
    let frames = bodies(&recorder.transcript());
    assert!(
        frames.contains(&Body::Signal("SIGTERM".into())),
        "{frames:?}"
    );
}

#[test]
fn an_agent_that_closes_its_input_closes_that_of_the_host() {
    let recorder = Recorder::new();
    let agent = "exec 0<&-; echo closed; read -r line < \"$0\"";
    let fifo = recorder.fifo();
    let mut child = recorder.start(&[], &["sh", "-c", agent, &fifo]);
    let mut stdin = child.stdin.take().unwrap();
    assert_eq!(super::lines(&mut child).next().unwrap(), "closed");
    // The recorder learns of it without a byte, but not at the same moment.
    while stdin.write_all(b"x\n").is_ok() {}
    std::fs::write(fifo, "go\n").unwrap();

    assert!(child.wait().unwrap().success());
}

#[test]
fn an_agent_that_cannot_be_started_is_one_error() {
    let recorder = Recorder::new();
    let ended = recorder
        .start(&[], &["/no/such/agent"])
        .wait_with_output()
        .unwrap();

    assert_eq!(ended.status.code(), Some(2));
    let message = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(
        message,
        "error: cannot start /no/such/agent: there is no such file\n"
    );
}
