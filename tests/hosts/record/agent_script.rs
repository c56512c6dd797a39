//! A recorded session becomes an agent script, and the reference agent plays it: the same frames, whatever agent it was.

use super::Recorder;
use conform_judge::dialect::{DialectSource, load};
use conform_judge::frame::{Body, Frame};
use conform_relay::agent_script;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The longest wait for a line of the agent.
const BUDGET: Duration = Duration::from_secs(30);

/// The folders of recordings of real agents. The last one has those of a protocol in which both sides ask.
const AGENTS: [&str; 6] = [
    "aionrs-0.1.0",
    "aionrs-0.2.10",
    "pi-0.14.0",
    "pi-0.73.1",
    "synaps-0.1.9",
    "../published/recordings",
];

/// The reference agent with a script; killed when dropped.
struct Replay {
    process: Child,
    lines: Receiver<Vec<u8>>,
}

impl Replay {
    fn start(script: &str, folder: &Path) -> Self {
        let path = folder.join("session.yaml");
        std::fs::write(&path, script).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_mock-agent"))
            .arg("--script")
            .arg(path)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.split(b'\n') {
                let _ = sender.send(line.unwrap());
            }
        });
        Replay { process, lines }
    }

    fn next(&self) -> Option<Vec<u8>> {
        self.lines.recv_timeout(BUDGET).ok()
    }

    fn send(&mut self, line: &[u8]) {
        let input = self.process.stdin.as_mut().unwrap();
        input.write_all(&[line, b"\n"].concat()).unwrap();
    }

    /// Closes stdin; returns the rest of the output and of stderr, and the exit status.
    fn finish(&mut self) -> (Vec<Vec<u8>>, String, Option<i32>) {
        drop(self.process.stdin.take());
        let rest = std::iter::from_fn(|| self.next()).collect();
        let mut messages = String::new();
        let mut stderr = self.process.stderr.take().unwrap();
        stderr.read_to_string(&mut messages).unwrap();
        (rest, messages, self.process.wait().unwrap().code())
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn script(dialect: &str, frames: &[Frame]) -> String {
    let dialect = load(&DialectSource::default(), dialect).unwrap();
    let script = agent_script(frames, &dialect);
    assert_eq!(script.losses, Vec::<String>::new());
    script.text
}

/// The lines of one direction.
fn lines_of(frames: &[Frame], is_event: bool) -> Vec<&[u8]> {
    let lines = frames.iter().filter_map(|frame| match &frame.body {
        Body::FromAgent(line) if is_event => Some(line.bytes.as_slice()),
        Body::ToAgent(line) if !is_event => Some(line.bytes.as_slice()),
        _ => None,
    });
    lines.collect()
}

#[test]
fn every_recording_of_a_real_agent_is_replayed_byte_by_byte() {
    for agent in AGENTS {
        for recording in crate::recordings::of(agent) {
            let name = format!("{agent}/{}", recording.name);
            let folder = tempfile::tempdir().unwrap();
            let dialect = recording.header.dialect.as_deref().unwrap();
            let mut replay = Replay::start(&script(dialect, &recording.frames), folder.path());
            for frame in &recording.frames {
                match &frame.body {
                    Body::FromAgent(line) => {
                        let sent = replay.next();
                        let sent = sent.unwrap_or_else(|| panic!("{name}: {}", line.text()));
                        // The members of a message that is named by its structure come in the order of the script.
                        let json = |text: &[u8]| serde_json::from_slice::<Value>(text).ok();
                        if dialect != "acp@1" || json(&sent) != json(&line.bytes) {
                            assert_eq!(String::from_utf8_lossy(&sent), line.text(), "{name}");
                        }
                    }
                    Body::ToAgent(line) => replay.send(&line.bytes),
                    _ => {}
                }
            }
            let (rest, messages, _) = replay.finish();
            assert_eq!(rest, Vec::<Vec<u8>>::new(), "{name}");
            assert_eq!(messages, "", "{name}");
        }
    }
}

#[test]
fn a_host_with_other_ids_that_sends_everything_at_once_gets_them_back() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = crate::recordings::of("aionrs-0.1.0");
    let recording = recordings
        .iter()
        .find(|one| one.name == "tool_approve_once");
    let frames = &recording.unwrap().frames;
    let mut replay = Replay::start(&script("aionrs@0.1", frames), folder.path());
    let with_other_id = |line: &[u8]| String::from_utf8_lossy(line).replace("\"m1\"", "\"mine\"");
    let commands = lines_of(frames, false);
    assert!(
        commands
            .iter()
            .any(|line| with_other_id(line).contains("mine"))
    );
    for line in commands {
        replay.send(with_other_id(line).as_bytes());
    }
    let (sent, messages, status) = replay.finish();

    let sent = sent.iter().map(|line| String::from_utf8_lossy(line));
    let expected = lines_of(frames, true).into_iter().map(with_other_id);
    assert!(sent.eq(expected));
    assert_eq!((messages.as_str(), status), ("", Some(0)));
}

#[test]
fn a_command_that_was_not_recorded_is_named_on_stderr_and_the_session_continues() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = crate::recordings::of("aionrs-0.1.0");
    let recording = recordings.iter().find(|one| one.name == "simple_message");
    let frames = &recording.unwrap().frames;
    let mut replay = Replay::start(&script("aionrs@0.1", frames), folder.path());
    replay.send(br#"{"type":"message","msg_id":"m0","input":"something else"}"#);
    for line in lines_of(frames, false) {
        replay.send(line);
    }
    let (sent, messages, status) = replay.finish();

    assert_eq!(sent, lines_of(frames, true));
    assert!(
        messages.contains("the session does not expect {\"type\":\"message\""),
        "{messages}"
    );
    assert!(messages.contains("/input: expected"), "{messages}");
    assert_eq!(status, Some(0));
}

#[test]
fn a_host_that_goes_away_early_ends_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = crate::recordings::of("pi-0.73.1");
    let frames = &recordings[0].frames;
    let mut replay = Replay::start(&script("pi@0.73", frames), folder.path());
    let (sent, messages, status) = replay.finish();
    // pi says nothing before the first command.
    assert_eq!(sent, Vec::<Vec<u8>>::new());
    assert_eq!((messages.as_str(), status), ("", Some(0)));
}

#[test]
fn a_recording_becomes_a_script_of_frames_that_lint_accepts() {
    let recorder = Recorder::new();
    let transcript = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/recordings/pi-0.73.1/prompt_tool_bash.jsonl");
    let agent = recorder.path("agent.yaml");
    let conform = || Command::new(env!("CARGO_BIN_EXE_conform"));
    let written = conform()
        .args(["record", "--to-agent-script", &agent, "--out"])
        .arg(transcript)
        .output()
        .unwrap();
    assert!(written.status.success(), "{written:?}");
    let linted = conform().args(["lint", &agent]).output().unwrap();
    assert!(linted.status.success(), "{linted:?}");
    assert!(
        std::fs::read_to_string(agent)
            .unwrap()
            .contains("dialect: pi@0.73")
    );
}
