//! A recorded session becomes a script, and the reference agent plays it with the same frames.

use super::{Recorder, lines};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A protocol of the reference agent, and a session of it.
struct Session {
    dialect: &'static str,
    args: &'static [&'static str],
    commands: [&'static str; 2],
    /// The event that ends the answer to a command.
    end: &'static str,
    /// The tool that is called, and its arguments.
    tool: (&'static str, &'static str),
}

const SESSIONS: &[Session] = &[
    Session {
        dialect: "aionrs@0.1",
        args: &["--json-stream"],
        commands: [
            r#"{"type":"message","msg_id":"m1","input":"look"}"#,
            r#"{"type":"message","msg_id":"m2","input":"and now?"}"#,
        ],
        end: "stream_end",
        tool: ("Bash", r#"{"command":"true"}"#),
    },
    Session {
        dialect: "synaps@1",
        args: &["rpc"],
        commands: [
            r#"{"type":"prompt","id":"1","message":"look"}"#,
            r#"{"type":"prompt","id":"2","message":"and now?"}"#,
        ],
        end: "response",
        tool: ("bash", r#"{"command":"true"}"#),
    },
    Session {
        dialect: "pi@0.14",
        args: &["--mode", "rpc"],
        commands: [
            r#"{"type":"prompt","id":"1","message":"look"}"#,
            r#"{"type":"prompt","id":"2","message":"and now?"}"#,
        ],
        end: "agent_end",
        tool: ("bash", r#"{"command":"true"}"#),
    },
    Session {
        dialect: "pi@0.87",
        args: &["--mode", "rpc"],
        commands: [
            r#"{"type":"prompt","id":"1","message":"look"}"#,
            r#"{"type":"prompt","id":"2","message":"and now?"}"#,
        ],
        end: "agent_settled",
        tool: ("bash", r#"{"command":"true"}"#),
    },
];

impl Session {
    /// A script with everything that a reply can have.
    fn script(&self) -> String {
        let (tool, args) = self.tool;
        format!(
            "- {{ thinking: [Let me , look.], text: [I , look.], tool_calls: [{{ id: t1, name: {tool}, args: {args} }}], usage: {{ input: 7, output: 3 }} }}\n\
             - {{ text: [Nothing., ' Really.'], usage: {{ input: 9, output: 4 }} }}\n\
             - {{ text: Still nothing., usage: {{ input: 11, output: 5 }} }}\n"
        )
    }

    /// The frames of the agent with a script, driven with the commands; recorded as well if there are options for that.
    fn play(&self, recorder: &Recorder, script: &Path, options: Option<&[&str]>) -> Vec<Value> {
        let mut agent = vec![env!("CARGO_BIN_EXE_mock-agent")];
        agent.extend(self.args);
        let script = script.to_string_lossy();
        agent.extend(["--script", &script]);
        let mut child = match options {
            Some(options) => recorder.command(options, &agent),
            None => {
                let mut command = Command::new(agent[0]);
                command.args(&agent[1..]);
                command
            }
        };
        let mut child = child
            .env("MOCK_AGENT_PROTOCOL", self.dialect)
            .env("HOME", recorder.path("home"))
            .current_dir(recorder.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut output = lines(&mut child);
        let mut frames = Vec::new();
        for command in self.commands {
            writeln!(stdin, "{command}").unwrap();
            loop {
                let line = output.next().expect("the agent ended too early");
                let frame: Value = serde_json::from_str(&line).unwrap();
                let is_end = frame["type"] == self.end;
                if frame["type"] == "tool_request" {
                    let call = &frame["call_id"];
                    writeln!(stdin, r#"{{"type":"tool_approve","call_id":{call}}}"#).unwrap();
                }
                frames.push(frame);
                if is_end {
                    break;
                }
            }
        }
        drop(stdin);
        frames.extend(output.map(|line| serde_json::from_str::<Value>(&line).unwrap()));
        assert!(child.wait().unwrap().success());
        frames.iter_mut().for_each(without_time);
        frames
    }
}

/// Removes what differs by nature.
fn without_time(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !["timestamp", "session_id"].contains(&name.as_str()));
            members.values_mut().for_each(without_time);
        }
        Value::Array(items) => items.iter_mut().for_each(without_time),
        _ => {}
    }
}

#[test]
fn a_recording_that_is_replayed_gives_the_same_frames() {
    for session in SESSIONS {
        let recorder = Recorder::new();
        let script = recorder.path("original.yaml");
        std::fs::write(&script, session.script()).unwrap();
        let replayed = recorder.path("replayed.yaml");
        let option = format!("--to-script={replayed}");
        let options = ["--dialect", session.dialect, &option];
        let recorded = session.play(&recorder, script.as_ref(), Some(&options));
        let again = session.play(&recorder, replayed.as_ref(), None);

        assert!(recorded.len() > 8, "{recorded:?}");
        similar_asserts::assert_eq!(recorded, again, "{}", session.dialect);
    }
}

#[test]
fn a_reply_that_the_host_interrupted_stalls_in_the_script() {
    let recorder = Recorder::new();
    let events = [
        r#"{"dir":"to_agent","line":"{\"type\":\"message\",\"msg_id\":\"m1\",\"input\":\"x\"}"}"#,
        r#"{"dir":"from_agent","line":"{\"type\":\"stream_start\",\"msg_id\":\"m1\"}"}"#,
        r#"{"dir":"from_agent","line":"{\"type\":\"text_delta\",\"msg_id\":\"m1\",\"text\":\"On\"}"}"#,
        r#"{"dir":"to_agent","line":"{\"type\":\"stop\"}"}"#,
    ];
    let header = r#"{"conform_transcript":1,"dialect":"aionrs@0.1","agent":[]}"#;
    let records = events.map(|event| event.replacen('{', "{\"at\":1,", 1));
    let transcript = format!("{header}\n{}\n", records.join("\n"));
    std::fs::write(recorder.transcript(), transcript).unwrap();
    let script = recorder.path("script.yaml");
    let status = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["record", "--to-script", &script, "--out"])
        .arg(recorder.transcript())
        .status();

    assert!(status.unwrap().success());
    let written = std::fs::read_to_string(script).unwrap();
    assert!(
        written.contains(r#"- {"content":[{"text":["On"]},{"stall":true}]}"#),
        "{written}"
    );
}
