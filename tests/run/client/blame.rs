//! Whom the answers of a client accuse: the agent of nothing, the host of exactly what it does wrong. The same for a thousand at once.

use super::{folder, inconclusive, play_agent, play_in, scenario};
use crate::harness::TestDir;
use conform_judge::finding::Blame;
use conform_report::Verdict;

/// A request of each kind that the client answers.
const ASKED: [(&str, &str); 10] = [
    ("file/read", "{ path: a.txt }"),
    ("file/write", "{ path: b.txt, text: hi }"),
    ("shell/start", "{ command: \"true\" }"),
    ("shell/output", OF_TERMINAL),
    ("shell/wait", OF_TERMINAL),
    ("shell/kill", OF_TERMINAL),
    ("shell/release", OF_TERMINAL),
    ("permit", "{ options: [{ id: c, kind: once }] }"),
    ("ask", "{ as: form, form: {} }"),
    ("ask", "{ as: page }"),
];

/// The params of a request about the terminal that the agent has started first.
const OF_TERMINAL: &str = "{ shell: $0.shell }";

/// A scenario in which the agent asks this, and the host answers as it says here. The agent does not mind.
fn answered(budgets: &str, (method, params): (&str, &str), own: &str) -> String {
    let head = format!(
        "client: [reads, writes, runs, forms, pages]\nfiles: {{ a.txt: hi }}\n{budgets}\nanswers: {{ {method}: {own} }}"
    );
    let ask = format!("{{ ask: {method}, params: {params} }}");
    let mut actions = vec![ask.as_str()];
    if params == OF_TERMINAL {
        actions.insert(0, "{ ask: shell/start, params: { command: \"true\" } }");
    }
    let answers = vec!["{ $present: true }"; actions.len()];
    scenario(&head, &actions, &answers)
}

#[test]
fn a_request_that_the_host_does_not_answer_or_too_late_is_left_open_by_the_host() {
    let short = "budgets: { response: 500ms, idle: 500ms, exit: 1s }";
    for asked in ASKED {
        for own in ["withhold", "{ standing: , delay: 30s }"] {
            let why = inconclusive(&answered(short, asked, own));
            assert!(
                why.contains(&format!("left `{}` of frame", asked.0)),
                "{why}"
            );
        }
    }
}

#[test]
fn a_wrong_or_a_second_answer_is_a_mistake_of_the_host_alone() {
    for asked in ASKED {
        let wrong = match asked.0 {
            method @ ("file/read" | "shell/start" | "permit" | "ask") => (
                "{ result: { other: 1 } }",
                format!("schema/>{method}.result"),
            ),
            _ => ("{ error: no }", "json-rpc/error-object".to_owned()),
        };
        let twice = (
            "{ standing: , times: 2 }",
            "json-rpc/second-answer".to_owned(),
        );
        for (own, rule) in [twice, wrong] {
            let dir = TestDir::new();
            let result = play_in(&dir, &answered("", asked, own));
            let played = result.only_scenario();
            assert_eq!(played.verdict, Verdict::Pass, "{}", result.stdout);
            let of_agent = played
                .findings
                .iter()
                .filter(|one| one.blame == Blame::Agent);
            assert_eq!(of_agent.count(), 0, "{}", result.stdout);
            for (side, status) in [("agent", 0), ("host", 1)] {
                let (code, shown) = check(&dir, side);
                assert_eq!(code, Some(status), "{own}: {shown}");
                assert!(shown.contains(&format!("desk/{rule}")), "{own}: {shown}");
                assert_eq!(shown.matches("must desk/").count(), 1, "{own}: {shown}");
            }
        }
    }
}

/// The status and the output of `conform check` for the transcript of the scenario that was played.
fn check(dir: &TestDir, side: &str) -> (Option<i32>, String) {
    let mut transcripts = std::fs::read_dir(dir.path("transcripts/desk@1")).unwrap();
    let mut check = dir.command("check");
    check.arg("--dialect-dir").arg(folder().join("dialects"));
    let output = check
        .args(["--side", side])
        .arg(transcripts.next().unwrap().unwrap().path())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), shown)
}

/// How many requests are open at once.
const MANY: usize = 1000;

#[test]
fn a_thousand_requests_are_open_at_once_in_both_directions() {
    let each = |step: fn(usize) -> String| (1..=MANY).map(step).collect::<String>();
    let asked = each(|n| format!("  - send: {{ message: do, params: {{ actions: [{n}] }} }}\n"));
    let done = each(|n| {
        let n = MANY + 1 - n;
        format!("  - expect_next: {{ message: do.result, result: {{ answers: [{n}] }} }}\n")
    });
    let permits = each(|n| format!("  - expect: {{ message: permit, id: {n} }}\n"));
    let permitted =
        each(|n| format!("  - send: {{ message: permit.result, result: {{ chosen: {n} }} }}\n"));
    let budgets = "budgets: { response: 60s, idle: 60s, total: 120s }";
    for (answers, steps) in [
        (
            "withhold",
            [asked.clone(), permits.clone(), permitted, done.clone()].concat(),
        ),
        ("standing", [asked, permits, done].concat()),
    ] {
        let dir = TestDir::new();
        let text = format!(
            "{budgets}\nagent: {{ env: {{ OPEN: \"{MANY}\" }} }}\nanswers: {{ permit: {answers} }}\nsteps:\n{steps}"
        );
        let result = play_agent(&dir, "flood.py", &text);
        let played = result.only_scenario();
        assert_eq!(played.verdict, Verdict::Pass, "{}", result.stdout);
        assert!(played.findings.is_empty(), "{}", result.stdout);
        for side in ["agent", "host"] {
            let (code, shown) = check(&dir, side);
            assert_eq!(code, Some(0), "{shown}");
        }
    }
}
