//! A recorded session of the reference agent: judged live, reported, and without its secrets.

use super::{Recorder, bodies, lines};
use std::io::Write;

const MESSAGE: &str = concat!(
    r#"{"type":"message","msg_id":"m1","input":"sk-ant-"#,
    r#"api03-q7Zr4Tn9Vb2Xk8Lm5Wd1"}"#
);

#[test]
fn a_session_is_judged_while_it_is_recorded() {
    let recorder = Recorder::new();
    let options = ["--judge", "--dialect", "aionrs@0.1"];
    let agent = [env!("CARGO_BIN_EXE_mock-agent"), "--json-stream"];
    let mut child = recorder.start(&options, &agent);
    let mut stdin = child.stdin.take().unwrap();
    let mut output = lines(&mut child);
    assert!(output.next().unwrap().contains("ready"));
    writeln!(
        stdin,
        "{MESSAGE}\n{{\"type\":\"message\",\"msg_id\":\"m1\"}}"
    )
    .unwrap();
    drop(stdin);
    let said: String = output.collect();
    let ended = child.wait_with_output().unwrap();

    assert_eq!(
        ended.status.code(),
        Some(0),
        "the status is that of the agent"
    );
    let messages = String::from_utf8(ended.stderr).unwrap();
    assert!(messages.contains("host: must aionrs/"), "{messages}");
    assert!(
        messages.contains("findings: 0 on the agent, "),
        "{messages}"
    );
    // The agent repeats the secret, and the host gets it.
    assert!(said.contains("sk-ant-"), "{said}");
    let transcript = std::fs::read_to_string(recorder.transcript()).unwrap();
    assert!(!transcript.contains("sk-ant-"), "{transcript}");
    assert!(transcript.contains("[redacted:key]"), "{transcript}");
    assert!(bodies(&recorder.transcript()).len() > 5);
}

#[test]
fn secrets_stay_on_request() {
    let recorder = Recorder::new();
    let mut child = recorder.start(&["--keep-secrets"], &["cat"]);
    writeln!(child.stdin.take().unwrap(), "{MESSAGE}").unwrap();
    assert!(child.wait().unwrap().success());

    let transcript = std::fs::read_to_string(recorder.transcript()).unwrap();
    assert!(transcript.contains("sk-ant-api03-q7Zr"), "{transcript}");
}
