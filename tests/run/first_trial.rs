//! The smallest protocol in which both sides ask, with an agent that numbers its requests from 1 like the host.

use crate::harness::{RunResult, TestDir, finish};
use conform_judge::finding::Blame;
use conform_report::Verdict;

/// The files of the dialect.
const DIALECT: [(&str, &str); 5] = [
    (
        "dialect.yaml",
        r#"
name: tw
version: "1"
title: a two-way protocol
naming: json-rpc
events: { note: { notification: true }, confirm: }
commands: { hello: , ask: , stop: { notification: true } }
session:
  turn: ask.result
  prompts: [ask]
  probe:
    send: [{ message: hello, params: {} }]
    shows: { jsonrpc: "2.0", id: 0 }
budgets: { start: 20s, response: 3s, idle: 3s, total: 20s, exit: 3s }
"#,
    ),
    (
        "clauses.yaml",
        r#"
"1": { tw.answer: Every request is answered once. }
"2": { tw.shape: Messages fit their schema. }
"#,
    ),
    (
        "events.json",
        r#"{ "$defs": {
  "note": { "x-clauses": ["tw.shape"], "required": ["params"] },
  "confirm": { "x-clauses": ["tw.shape"], "required": ["params"] },
  "hello.result": { "x-clauses": ["tw.shape"], "properties": { "result": { "required": ["ok"], "properties": { "ok": { "type": "boolean" } } } } },
  "ask.result": { "x-clauses": ["tw.shape"], "properties": { "result": { "required": ["answer"], "properties": { "answer": { "type": "string" } } } } }
} }"#,
    ),
    (
        "commands.json",
        r#"{ "$defs": { "hello": { "type": "object" }, "ask": { "type": "object" }, "stop": { "type": "object" } } }"#,
    ),
    (
        "ordering.yaml",
        r#"
rules:
  answered:
    clauses: [tw.answer]
    response: { from: ">hello | >ask", to: hello.result | ask.result }
    each: /id
    doc: Every request of the host is answered.
  answered-once:
    clauses: [tw.answer]
    each: /id
    order: (!ask.result)* (ask.result (!ask.result)*)?
    doc: Every ask is answered at most once.
"#,
    ),
];

/// Answers to the agent's requests, by the kind of an option.
const CLIENT: &str = r#"
client:
  answers:
    confirm: { choose: { from: /params/options, kind: /kind, id: /id }, kinds: [no, yes], reply: yes, result: { choice: "{option}" } }
"#;

const AGENT: &str = r#"
import sys, json
out = lambda **k: print(json.dumps({"jsonrpc": "2.0", **k}), flush=True)
asked = {}; n = 0
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "hello": out(id=m["id"], result={"ok": True})
    elif m.get("method") == "ask":
        n += 1; asked[n] = m["id"]
        out(method="note", params={"text": "thinking"})
        out(id=n, method="confirm", params={"options": [{"kind": "no", "id": "x9"}, {"kind": "yes", "id": "q7"}]})
    elif m.get("method") == "stop": pass
    elif "method" not in m:
        out(id=asked.pop(m["id"]), result={"answer": m.get("result", {}).get("choice", "none")})
"#;

/// A folder with the dialect, these lines more in it, the agent, and a scenario with these steps: the folder, and the arguments for it.
fn written(more: &str, steps: &str) -> (TestDir, Vec<String>) {
    let dir = TestDir::new();
    for (name, text) in DIALECT {
        let more = if name == "dialect.yaml" { more } else { "" };
        dir.file(&format!("dialects/tw/1/{name}"), &format!("{text}{more}"));
    }
    let head = "name: x\nclauses: [tw.answer]\nsteps:";
    let scenario = dir.file("scenarios/one.yaml", &format!("{head}{steps}"));
    let agent = dir.file("agent.py", AGENT);
    let dialects = dir.path("dialects").display().to_string();
    let args = ["--dialect", "tw@1", "--dialect-dir"].map(str::to_owned);
    let rest = ["--scenarios".to_owned(), scenario, "python3".into(), agent];
    (dir, [&args[..], &[dialects], &rest].concat())
}

fn play(more: &str, steps: &str) -> RunResult {
    let (dir, args) = written(more, steps);
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    dir.run(&args)
}

fn passes(more: &str, steps: &str) {
    let result = play(more, steps);
    assert_eq!(result.only_scenario().verdict, Verdict::Pass, "{result}");
    assert!(result.only_scenario().findings.is_empty(), "{result}");
}

/// Each message by its name: a request and its response once with the id 1 of the host, and once with that of the agent.
const ASKED: &str = "
  - send: { message: hello, id: 0, params: {} }
  - expect: { message: hello.result, id: 0, result: { ok: true } }
  - send: { message: ask, id: 1, params: {} }
  - expect: { message: confirm, id: 1 }
  - send: { message: confirm.result, result: { choice: q7 } }
  - expect: { message: ask.result, id: 1, result: { answer: q7 } }
  - close_stdin:
  - expect_exit: { code: 0 }
";

#[test]
fn requests_of_both_sides_with_one_id_are_two_requests() {
    passes("", ASKED);
}

#[test]
fn a_step_waits_for_the_response_and_names_what_the_host_left_open() {
    let steps = "
  - send: { message: ask, id: 1, params: {} }
  - expect: { message: ask.result, id: 1 }
";
    let result = play("", steps);
    let played = result.only_scenario();
    assert_eq!(played.verdict, Verdict::Inconclusive, "{result}");
    assert_eq!(result.status, Some(3));
    let findings = &played.findings;
    assert!(
        findings.iter().all(|one| one.blame == Blame::Host),
        "{result}"
    );
    let open =
        "left `confirm` of frame 3 open; send `confirm.result`, or answer it under `answers`";
    assert!(findings[0].message.contains(open), "{result}");
}

#[test]
fn a_dialect_answers_by_the_kind_of_an_option() {
    let ask = "
  - send: { message: ask, params: {} }
  - expect: { message: ask.result, result: { answer: q7 } }
";
    passes(CLIENT, &ask.repeat(2));
}

#[test]
fn generic_faults_keep_the_results_of_methods_apart_and_break_names() {
    let mutants = |only: &[&str]| {
        let (dir, args) = written("", ASKED);
        let mut mutants = dir.command("mutants");
        mutants.arg("--generic");
        for &fault in only {
            mutants.args(["--only", fault]);
        }
        let output = finish(mutants.args(args).spawn().unwrap());
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), shown)
    };
    let (status, shown) = mutants(&[
        "retype:hello.result:/result/ok",
        "retype:ask.result:/result/answer",
        "changed:note:/method",
        "emptied:note:/jsonrpc",
        "emptied:confirm:/method",
    ]);
    assert_eq!(status, Some(0), "{shown}");
    assert!(shown.contains("5 of 5 generic faults caught"), "{shown}");
    // The result of one method is no sample for that of the other.
    let (status, shown) = mutants(&["retype:ask.result:/result/ok"]);
    assert_eq!(status, Some(3), "{shown}");
}
