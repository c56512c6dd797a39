//! The recorder between an agent and a model behind TLS.

mod authority;
mod model;
mod proxy;

use super::{Recorder, bodies, lines};
use authority::Authority;
use conform_judge::frame::{Body, ReplyEnd};
use model::Model;
use proxy::Proxy;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const AGENT: [&str; 8] = [
    env!("CARGO_BIN_EXE_mock-agent"),
    "--json-stream",
    "--provider",
    "anthropic",
    "--model",
    "any",
    "--base-url",
    "{llm_url}",
];

const PROMPT: &str = r#"{"type":"message","msg_id":"m1","input":"hello"}"#;

/// The recorder with a model at this URL, trusting these certificates.
fn recorded(recorder: &Recorder, url: &str, trusted: &str) -> Command {
    let mut command = recorder.command(&["--dialect", "aionrs@0.1", "--llm", url], &AGENT);
    for name in [
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
        "SSL_CERT_DIR",
    ] {
        command.env_remove(name);
    }
    command
        .env("SSL_CERT_FILE", trusted)
        .env("ANTHROPIC_API_KEY", "a-key-for-tests")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Prompts an agent once, until its answer ends. Returns its last lines and the stderr.
fn prompted(mut command: Command) -> (String, String) {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{PROMPT}").unwrap();
    let mut output = lines(&mut child);
    let mut said = String::new();
    said.extend(
        output
            .by_ref()
            .take_while(|line| !line.contains("stream_end")),
    );
    drop(stdin);
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{stderr}");
    (said, stderr)
}

#[test]
fn the_answer_of_a_model_over_tls_streams_to_the_agent() {
    let recorder = Recorder::new();
    let authority = Authority::new("ours");
    let model = Model::start(&authority, "localhost");
    let url = format!("https://localhost:{}/base", model.port);
    let trusted = authority.file(&recorder);
    let mut child = recorded(&recorder, &url, &trusted).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut output = lines(&mut child);
    writeln!(stdin, "{PROMPT}").unwrap();

    // The model sends the rest of its answer only after the host has the beginning.
    assert!(output.any(|line| line.contains(model::FIRST)));
    model.go_on();
    assert!(output.any(|line| line.contains(model::LAST)));
    assert!(output.any(|line| line.contains("stream_end")));
    drop(stdin);
    assert!(child.wait().unwrap().success());

    let request = model.request();
    assert_eq!(request.server_name, "localhost");
    let head = request.head.to_lowercase();
    assert!(
        head.starts_with("post /base/v1/messages http/1.1\r\n"),
        "{head}"
    );
    assert!(
        head.contains(&format!("host: localhost:{}\r\n", model.port)),
        "{head}"
    );
    assert!(head.contains("accept-encoding: identity\r\n"), "{head}");
    assert!(head.contains("x-api-key: a-key-for-tests\r\n"), "{head}");
    let frames = bodies(&recorder.transcript());
    let requests = frames
        .iter()
        .filter(|body| matches!(body, Body::LlmRequest(_)));
    assert_eq!(requests.count(), 1);
    // An agent may hang up as soon as it has the last event, before the end of the answer.
    assert!(frames.iter().any(|body| {
        matches!(body, Body::LlmReply(reply) if reply.status == 200 && reply.end != ReplyEnd::Cut)
    }));
}

#[test]
fn the_proxy_of_the_environment_opens_a_tunnel_to_the_model() {
    let recorder = Recorder::new();
    let authority = Authority::new("ours");
    // Only the proxy knows where this host is.
    let model = Model::start(&authority, "model.test");
    let proxy = Proxy::start(model.port);
    model.go_on();
    let mut command = recorded(&recorder, "https://model.test", &authority.file(&recorder));
    command.env("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port));
    let (said, stderr) = prompted(command);

    assert!(said.contains(model::LAST), "{said} {stderr}");
    assert_eq!(proxy.request(), "CONNECT model.test:443 HTTP/1.1");
    let request = model.request();
    assert_eq!(request.server_name, "model.test");
    assert!(
        request.head.to_lowercase().contains("host: model.test\r\n"),
        "{}",
        request.head
    );
}

#[test]
fn a_certificate_that_is_not_trusted_is_one_warning_that_says_what_to_do() {
    let recorder = Recorder::new();
    let model = Model::start(&Authority::new("theirs"), "localhost");
    let url = format!("https://localhost:{}", model.port);
    let trusted = Authority::new("ours").file(&recorder);
    let (said, stderr) = prompted(recorded(&recorder, &url, &trusted));

    let warning = format!(
        "warning: no answer from {url}: this system does not trust the issuer of its certificate. Name a PEM file with the issuer's certificate in SSL_CERT_FILE"
    );
    let warnings: Vec<_> = stderr
        .lines()
        .filter(|line| line.starts_with("warning"))
        .collect();
    assert_eq!(warnings, [warning], "{stderr}");
    assert!(said.contains("SSL_CERT_FILE"), "{said}");
}

#[test]
fn a_certificate_for_another_name_is_named() {
    let recorder = Recorder::new();
    let authority = Authority::new("ours");
    let model = Model::start(&authority, "other.test");
    let url = format!("https://localhost:{}", model.port);
    let (_, stderr) = prompted(recorded(&recorder, &url, &authority.file(&recorder)));

    let why = "its certificate is not for localhost, only for [other.test]";
    assert!(stderr.contains(why), "{stderr}");
}

#[test]
fn without_certificates_to_trust_nothing_is_started() {
    let recorder = Recorder::new();
    let missing = recorder.path("missing.pem");
    let output = recorded(&recorder, "https://localhost", &missing)
        .output()
        .unwrap();

    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains(&missing), "{stderr}");
    assert!(stderr.contains("SSL_CERT_FILE"), "{stderr}");
    assert!(!recorder.transcript().exists());
}
