//! A recorded session becomes a model script, and the reference agent plays it with the same frames.

use super::llm::Model;
use super::{Recorder, lines};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

/// Replies with everything that one can have.
const REPLIES: &str = "\
- { thinking: [Let me , look.], text: [I , look.], tool_calls: [{ id: t1, name: Bash, args: { command: 'true' } }], usage: { input: 7, output: 3 } }
- { text: [Nothing., ' Really.'], usage: { input: 9, output: 4 } }
- { content: [{ text: Still }, { text: nothing. }], usage: { input: 11, output: 5 } }
";

/// The frames of an agent that gets two messages, without what differs by nature.
fn play(mut agent: Command, recorder: &Recorder) -> Vec<Value> {
    let mut child = agent
        .env("HOME", recorder.path("home"))
        .env("MOCK_AGENT_PROTOCOL", "aionrs@0.1")
        .env("ANTHROPIC_API_KEY", "a-key-for-tests")
        .current_dir(recorder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut output = lines(&mut child);
    let mut frames = Vec::new();
    for id in ["m1", "m2"] {
        writeln!(
            stdin,
            r#"{{"type":"message","msg_id":"{id}","input":"look"}}"#
        )
        .unwrap();
        loop {
            let line = output.next().expect("the agent ended too early");
            let mut frame: Value = serde_json::from_str(&line).unwrap();
            if frame["type"] == "tool_request" {
                let call = &frame["call_id"];
                writeln!(stdin, r#"{{"type":"tool_approve","call_id":{call}}}"#).unwrap();
            }
            if let Some(members) = frame.as_object_mut() {
                members.remove("session_id");
            }
            frames.push(frame);
            if frames.last().unwrap()["type"] == "stream_end" {
                break;
            }
        }
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    frames
}

#[test]
fn a_recording_that_is_replayed_gives_the_same_frames() {
    let recorder = Recorder::new();
    let model = Model::start(&recorder, REPLIES);
    let script = recorder.path("replayed.yaml");
    let options = [
        "--dialect",
        "aionrs@0.1",
        "--llm",
        &model.url,
        "--to-script",
        &script,
    ];
    let flags = ["--json-stream", "--provider", "anthropic", "--base-url"];
    let program = env!("CARGO_BIN_EXE_mock-agent");
    let agent = [&[program], &flags[..], &["{llm_url}"]].concat();
    let recorded = play(recorder.command(&options, &agent), &recorder);

    let mut replay = Command::new(program);
    replay.args(flags).args([&model.url, "--script", &script]);
    let again = play(replay, &recorder);

    assert!(recorded.len() > 8, "{recorded:?}");
    similar_asserts::assert_eq!(recorded, again);
}

#[test]
fn without_the_answers_of_the_model_there_is_no_model_script() {
    let recorder = Recorder::new();
    let script = recorder.path("script.yaml");
    let output = recorder
        .command(&["--to-script", &script], &["true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("add --llm URL"), "{message}");
    assert!(!recorder.transcript().exists());

    let header = r#"{"conform_transcript":1,"dialect":"aionrs@0.1","agent":[]}"#;
    std::fs::write(recorder.transcript(), format!("{header}\n")).unwrap();
    let written = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["record", "--to-script", &script, "--out"])
        .arg(recorder.transcript())
        .output()
        .unwrap();
    assert_eq!(written.status.code(), Some(2));
    let message = String::from_utf8(written.stderr).unwrap();
    assert!(
        message.contains("record the session with --llm URL"),
        "{message}"
    );
}
