//! The recorder between an agent and its model.

use super::{Recorder, bodies, lines};
use conform_judge::frame::{Body, ReplyEnd};
use std::io::{BufRead, BufReader, Write};
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
