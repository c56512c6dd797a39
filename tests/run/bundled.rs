//! The bundled reference agent, slowed down.

use crate::harness::TestDir;

#[test]
fn an_agent_with_a_latency_conforms() {
    let dir = TestDir::new();
    let latency = ["--env", "MOCK_AGENT_LATENCY_MS=150", "-j", "24"];
    let only = ["startup/", "cancel", "abort", "eof", "sigterm"].map(|pattern| ["--only", pattern]);
    let result = dir.run(&[&latency[..], only.as_flattened()].concat());
    assert_eq!(result.status, Some(0), "{result:?}");
    assert!(!result.report.as_ref().unwrap().scenarios.is_empty());
}
