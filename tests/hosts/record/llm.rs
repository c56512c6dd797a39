//! The recorder between an agent and its model.

use super::{Recorder, bodies, lines};
use conform_judge::frame::{Body, ReplyEnd};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

/// A scripted model over HTTP; killed when dropped.
pub(super) struct Model {
    process: Child,
    pub(super) url: String,
}

impl Model {
    pub(super) fn start(recorder: &Recorder, script: &str) -> Self {
        let path = recorder.path("model.yaml");
        std::fs::write(&path, script).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_conform"))
            .args(["provider", "--script", &path])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut url = String::new();
        while !url.starts_with("http") {
            url.clear();
            assert!(output.read_line(&mut url).unwrap() > 0, "no address");
        }
        // The journal goes on; a full pipe would stop the model.
        std::thread::spawn(move || output.lines().for_each(drop));
        Model {
            process,
            url: url.trim().to_owned(),
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn requests_to_the_model_and_the_ends_of_its_answers_are_recorded() {
    let recorder = Recorder::new();
    let model = Model::start(
        &recorder,
        "- text: [From , the model.]\n- error: { status: 400 }\n",
    );
    let agent = [
        env!("CARGO_BIN_EXE_mock-agent"),
        "--json-stream",
        "--provider",
        "anthropic",
        "--model",
        "any",
        "--base-url",
        "{llm_url}",
    ];
    let script = recorder.path("script.yaml");
    let options = [
        "--dialect",
        "aionrs@0.1",
        "--llm",
        &model.url,
        "--to-script",
        &script,
    ];
    let mut child = recorder
        .command(&options, &agent)
        .env("ANTHROPIC_API_KEY", "a-key-for-tests")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut output = lines(&mut child);
    let mut said = String::new();
    for id in ["m1", "m2"] {
        writeln!(
            stdin,
            r#"{{"type":"message","msg_id":"{id}","input":"hello"}}"#
        )
        .unwrap();
        said.extend(
            output
                .by_ref()
                .take_while(|line| !line.contains("stream_end")),
        );
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());

    assert!(said.contains("the model."), "{said}");
    let frames = bodies(&recorder.transcript());
    let requests = frames.iter().filter_map(|body| match body {
        Body::LlmRequest(request) => Some((request.n, request.path.as_str())),
        _ => None,
    });
    let requests: Vec<_> = requests.collect();
    assert_eq!(requests, [(0, "/v1/messages"), (1, "/v1/messages")]);
    let replies = frames.iter().filter_map(|body| match body {
        Body::LlmReply(reply) => Some((reply.n, reply.status, reply.end)),
        _ => None,
    });
    let replies: Vec<_> = replies.collect();
    assert_eq!(
        replies,
        [(0, 200, ReplyEnd::Complete), (1, 400, ReplyEnd::Complete)]
    );
    let written = std::fs::read_to_string(script).unwrap();
    assert!(
        written.contains(
            r#"- {"error":{"status":400,"type":"invalid_request_error","message":"Bad Request"}}"#
        ),
        "{written}"
    );
    assert!(
        written.contains(r#"- {"text":["From","the model."],"#),
        "{written}"
    );
    assert_eq!(written.lines().count(), 3, "{written}");
}

/// A compressed answer of the model, with its head.
fn compressed_answer() -> Vec<u8> {
    let body = include_bytes!("answer.json.gz");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

#[test]
fn a_compressed_answer_is_recorded_as_what_it_says() {
    let recorder = Recorder::new();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1 << 16]).unwrap();
            stream.write_all(&compressed_answer()).unwrap();
        }
    });
    let script = recorder.path("script.yaml");
    let agent = [
        env!("CARGO_BIN_EXE_mock-agent"),
        "--json-stream",
        "--provider",
        "anthropic",
        "--base-url",
        "{llm_url}",
    ];
    let mut child = recorder
        .command(&["--llm", &url, "--to-script", &script], &agent)
        .env("ANTHROPIC_API_KEY", "a-key-for-tests")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let message = r#"{"type":"message","msg_id":"m1","input":"hello"}"#;
    writeln!(stdin, "{message}").unwrap();
    lines(&mut child)
        .take_while(|line| !line.contains("stream_end"))
        .for_each(drop);
    drop(stdin);
    child.wait().unwrap();

    let frames = bodies(&recorder.transcript());
    let said = frames.iter().find_map(|body| match body {
        Body::LlmReply(reply) => reply.body.clone(),
        _ => None,
    });
    assert_eq!(said.unwrap()["content"][0]["text"], "hello");
    let written = std::fs::read_to_string(script).unwrap();
    assert!(written.contains(r#"- {"text":["hello"],"#), "{written}");
}

#[test]
fn a_model_script_needs_no_dialect_and_names_what_it_lacks() {
    let recorder = Recorder::new();
    let script = recorder.path("script.yaml");
    std::fs::write(
        recorder.transcript(),
        concat!(
            r#"{"conform_transcript":1,"agent":["my-agent"]}"#,
            "\n",
            r#"{"at":1,"dir":"llm_request","n":0,"path":"/v1/chat/completions","body":{"model":"m"}}"#,
            "\n",
            r#"{"at":2,"dir":"llm_reply","n":0,"status":200,"end":"complete","body":{"choices":[{"index":0,"message":{"content":"one"},"finish_reason":"stop"},{"index":1,"message":{"content":"two"},"finish_reason":"stop"}]}}"#,
            "\n",
        ),
    )
    .unwrap();
    let written = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["record", "--to-script", &script, "--out"])
        .arg(recorder.transcript())
        .output()
        .unwrap();

    assert_eq!(written.status.code(), Some(3));
    let message = String::from_utf8(written.stderr).unwrap();
    let loss = "the script lacks `choices[](index 1)`, first in the answer to request 0: ";
    assert!(
        message.contains(loss) && message.contains("two"),
        "{message}"
    );
    let script = std::fs::read_to_string(script).unwrap();
    assert!(script.ends_with("- {\"text\":[\"one\"]}\n"), "{script}");
}
