//! Isolation from the network: an attempt to reach an outside address fails, and is reported with the address of the scripted model.

use crate::agents::{READY, agent};
use crate::harness::{RunResult, TestDir, is_namespace_allowed};

/// The agent says what its attempt came to.
const SAYS: &str =
    "name: it says what came of it\nsteps:\n  - expect: { type: info, message: ANSWER }\n";

/// Runs an agent that makes a connection with bash, and returns what the reports say of it.
fn attempt(isolation: &str, connect: &str, answer: &str) -> (RunResult, String) {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", &SAYS.replace("ANSWER", answer));
    let says = r#"printf '{"type":"info","msg_id":"","message":"%s"}\n' "${answer%$'\r'}"
cat >/dev/null
"#;
    let agent = dir.file("agent.sh", &agent(&[READY, connect, says]));
    let markdown = dir.path("report.md");
    let markdown_target = format!("markdown={}", markdown.display());
    let result = dir.run(&[
        "--dialect",
        "aionrs@0.1",
        "--no-probe",
        "--network",
        isolation,
        "--scenarios",
        &scenario,
        "--report",
        &markdown_target,
        "bash",
        &agent,
    ]);
    let markdown = std::fs::read_to_string(markdown).unwrap();
    (result, markdown)
}

fn assert_told(result: &RunResult, markdown: &str, isolation: &str, host: &str) {
    result.assert_exit(0, "1 scenario: 1 passed");
    let network = result.report.as_ref().unwrap().network.clone().unwrap();
    assert_eq!(
        (network.isolation.as_str(), network.attempts),
        (isolation, vec![host.to_owned()])
    );
    for part in [
        format!("the agent tried to reach {host}, "),
        format!("(isolation: {isolation})"),
        "its model is at {llm_url}".to_owned(),
    ] {
        assert!(result.stderr.contains(&part), "{part}{result:?}");
    }
    let told = format!("The agent tried to reach {host}; its model is at `{{llm_url}}`.");
    assert!(markdown.contains(&told), "{markdown}");
    assert!(
        markdown.contains(&format!("network isolation: {isolation}")),
        "{markdown}"
    );
}

#[test]
fn a_proxy_refuses_an_outside_address() {
    let connect = r#"proxy=${HTTPS_PROXY#http://}
exec 3<>"/dev/tcp/${proxy%:*}/${proxy#*:}"
printf 'CONNECT api.example.com:443 HTTP/1.1\r\n\r\n' >&3
read -r answer <&3
"#;
    let (result, markdown) = attempt("proxy", connect, "HTTP/1.1 403 Forbidden");
    assert_told(&result, &markdown, "proxy", "api.example.com:443");
}

/// Where the kernel allows no namespace, the default is a proxy, which cannot see a connection by address.
#[test]
fn a_namespace_has_no_outside_address() {
    if !is_namespace_allowed() {
        let (result, _) = attempt("deny", "answer=skipped\n", "skipped");
        let network = result.report.unwrap().network.unwrap();
        return assert_eq!(network.isolation, "proxy");
    }
    // An address that is kept for documentation: nothing is ever there.
    let connect = r#"exec 3<>/dev/tcp/192.0.2.7/443
read -r answer <&3 || answer=closed
"#;
    let (result, markdown) = attempt("deny", connect, "closed");
    assert_told(&result, &markdown, "namespace", "192.0.2.7:443");
}
