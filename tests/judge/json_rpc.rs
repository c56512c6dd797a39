//! Messages that are named by their structure: names, pairing, whose turn it is, and the built-in rules, each seen broken once beside its
//! legal neighbors.

mod bad_dialects;
mod mistakes;

use crate::history::frames;
use conform_dialect::json_rpc::StructureRule;
use conform_judge::check::{CheckOptions, CheckOutcome, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::finding::{Blame, Finding, Level};
use mistakes::MISTAKES;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A session of the toy protocol without a mistake: each side has a request 1, and both are open at once.
const GOOD: &str = r#"
> {"jsonrpc":"2.0","id":0,"method":"hello","params":{}}
< {"jsonrpc":"2.0","id":0,"result":{"protocol":"duo"}}
> {"jsonrpc":"2.0","id":1,"method":"ask","params":{}}
< {"jsonrpc":"2.0","method":"note","params":{"kind":"word","text":"so"}}
< {"jsonrpc":"2.0","id":1,"method":"confirm","params":{"options":[]}}
> {"jsonrpc":"2.0","id":1,"result":{"choice":"q7"}}
< {"jsonrpc":"2.0","id":1,"result":{"answer":"q7"}}
> {"jsonrpc":"2.0","method":"stop"}
stdin_closed
end 0
"#;

fn source() -> DialectSource {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    DialectSource::new(Some(root.join("tests/two-way/dialects")))
}

fn duo() -> Arc<Dialect> {
    load(&source(), "duo@1").unwrap()
}

fn judge(session: &str) -> CheckOutcome {
    let mut checker = Checker::new(duo(), CheckOptions::default());
    frames(session).iter().for_each(|frame| checker.push(frame));
    checker.finish()
}

fn short(finding: &Finding) -> String {
    let rule = finding.rule.trim_start_matches("duo/");
    format!("{rule}@{} {}", finding.at, finding.blame.word())
}

/// `RULE@FRAME SIDE` of every finding.
fn check(session: &str) -> Vec<String> {
    judge(session).findings.iter().map(short).collect()
}

/// The names of the frames of a session.
fn names(session: &str) -> Vec<String> {
    let mut checker = Checker::new(duo(), CheckOptions::default());
    let frames = frames(session).into_iter();
    let named = frames.map(|frame| {
        checker.push(&frame);
        checker.newest_name().unwrap_or("-").to_owned()
    });
    named.collect()
}

#[test]
fn a_message_is_named_by_its_structure_and_a_response_by_its_request() {
    assert_eq!(check(GOOD), Vec::<String>::new());
    assert_eq!(
        names(GOOD).join(" "),
        "hello hello.result ask note confirm confirm.result ask.result stop - -"
    );
    let other = r#"
> {"jsonrpc":"2.0","id":"a","method":"ask","params":{}}
< {"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"no"}}
> {"jsonrpc":"2.0","id":"b","method":"_mine"}
< {"jsonrpc":"2.0","id":"b","error":{"code":-32601,"message":"no"}}
> {"jsonrpc":"2.0","id":"c","method":"_mine"}
< {"jsonrpc":"2.0","id":"c","result":null}
> not JSON
< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
"#;
    assert_eq!(
        names(other).join(" "),
        "ask ask.error _mine #unknown.error _mine #unknown.result - #answer"
    );
    assert_eq!(check(other), Vec::<String>::new());
}

#[test]
fn rules_and_schemas_use_the_names() {
    let unconfirmed = GOOD.replace(
        "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"choice\":\"q7\"}}\n",
        "",
    );
    assert_eq!(check(&unconfirmed), ["confirmed-first@6 agent"]);
    let shapeless = GOOD.replace("{\"answer\":\"q7\"}", "{}");
    assert_eq!(check(&shapeless), ["schema/ask.result@7 agent"]);
    let undecided = GOOD.replace("{\"choice\":\"q7\"}", "{}");
    assert_eq!(check(&undecided), ["schema/>confirm.result@6 host"]);
    let wordless = GOOD.replace(",\"text\":\"so\"", "");
    assert_eq!(check(&wordless), ["schema/note.word@4 agent"]);
    let unknown = GOOD.replace("\"kind\":\"word\"", "\"kind\":\"picture\"");
    assert_eq!(check(&unknown), Vec::<String>::new());
}

/// The good session with another line of this number.
fn with_line(number: usize, line: &str) -> String {
    let lines = GOOD.trim().lines().enumerate();
    let lines = lines.map(|(n, old)| if n + 1 == number { line } else { old });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_built_in_rule_finds_its_mistake_at_its_frame_and_nothing_else_does() {
    for (what, line, instead, expected) in MISTAKES {
        let all = check(&with_line(*line, instead));
        let is_built_in = |one: &&String| one.starts_with("json-rpc/") || expected.is_empty();
        let found: Vec<_> = all.iter().filter(is_built_in).collect();
        let found: Vec<_> = found
            .iter()
            .map(|one| one.trim_start_matches("json-rpc/"))
            .collect();
        assert_eq!(found, *expected, "{what}: {all:?}");
    }
    let named = MISTAKES.iter().flat_map(|(.., expected)| *expected);
    let red: BTreeSet<_> = named.filter_map(|one| one.split('@').next()).collect();
    let all: BTreeSet<_> = StructureRule::all().map(StructureRule::name).collect();
    assert_eq!(red, all, "every rule is seen broken once");
}

#[test]
fn legal_neighbors_of_the_mistakes_are_not_accused() {
    let legal = [
        // An id is free again after its response.
        (
            8,
            "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\"}\n< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        ),
        // Texts, numbers and null are different ids.
        (
            8,
            "> {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"hello\"}\n> {\"jsonrpc\":\"2.0\",\"id\":\"2\",\"method\":\"hello\"}\n> {\"jsonrpc\":\"2.0\",\"id\":2.5,\"method\":\"hello\"}\n> {\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"hello\"}\n< {\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n< {\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}}\n< {\"jsonrpc\":\"2.0\",\"id\":2.5,\"result\":{}}\n< {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}",
        ),
        // Integers beyond 2^53, and beyond 64 bits, are exact.
        (
            8,
            "> {\"jsonrpc\":\"2.0\",\"id\":9007199254740992,\"method\":\"hello\"}\n> {\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"hello\"}\n< {\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{}}\n< {\"jsonrpc\":\"2.0\",\"id\":9007199254740992,\"result\":{}}",
        ),
        (
            8,
            "> {\"jsonrpc\":\"2.0\",\"id\":100000000000000000000001,\"method\":\"hello\"}\n> {\"jsonrpc\":\"2.0\",\"id\":100000000000000000000002,\"method\":\"hello\"}\n< {\"jsonrpc\":\"2.0\",\"id\":100000000000000000000002,\"result\":{}}\n< {\"jsonrpc\":\"2.0\",\"id\":100000000000000000000001,\"result\":{}}",
        ),
        // An extension, and a method that both sides have.
        (4, r#"< {"jsonrpc":"2.0","method":"_vendor/news"}"#),
        (8, r#"> {"jsonrpc":"2.0","method":"$/cancel"}"#),
        (4, r#"< {"jsonrpc":"2.0","method":"$/cancel"}"#),
        // An error without an id refuses a line that cannot be read.
        (
            8,
            "> {\n< {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}",
        ),
        // An error with details, and a result that is null.
        (
            6,
            r#"> {"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"","data":null}}"#,
        ),
        (2, r#"< {"jsonrpc":"2.0","id":0,"result":null}"#),
    ];
    for (line, instead) in legal {
        let found = check(&with_line(line, instead));
        assert_eq!(found, Vec::<String>::new(), "{instead}");
    }
}

/// The host's `ask`, and the agent's `confirm` that waits for the host.
const WAITING: &str = r#"
> {"jsonrpc":"2.0","id":1,"method":"ask","params":{}}
< {"jsonrpc":"2.0","id":1,"method":"confirm","params":{"options":[]}}
"#;

/// The host's `ask`, which the agent does not answer.
const SILENT: &str = r#"
> {"jsonrpc":"2.0","id":1,"method":"ask","params":{}}
"#;

/// A request of the host that needs no work of the model, and requests of extensions.
const GREETING: &str = r#"
> {"jsonrpc":"2.0","id":1,"method":"hello","params":{}}
"#;
const OWN: &str = r#"
> {"jsonrpc":"2.0","id":1,"method":"_odd","params":{}}
"#;
const OWN_OF_AGENT: &str = r#"
< {"jsonrpc":"2.0","id":1,"method":"_odd","params":{}}
"#;

#[test]
fn a_request_that_is_left_open_is_blamed_on_the_side_that_had_to_answer() {
    for (session, end, expected) in [
        (
            WAITING,
            "end killed budget:response",
            &["json-rpc/left-open@3 host"][..],
        ),
        (
            SILENT,
            "end killed budget:response",
            &["json-rpc/left-open@2 agent"],
        ),
        (SILENT, "end 0", &["json-rpc/left-open@2 agent"]),
        (SILENT, "end 1", &["json-rpc/left-open@2 agent"]),
        (WAITING, "end 0", &["json-rpc/left-open@3 agent"]),
        // Nobody is to blame for what the end of the session cuts off.
        (SILENT, "stdin_closed\nend 0", &[]),
        (WAITING, "stdin_closed\nend 0", &[]),
        (SILENT, "stdin_closed\n3000000 end killed budget:exit", &[]),
        (WAITING, "stdin_closed\n3000000 end killed budget:exit", &[]),
        (SILENT, "signal SIGTERM\nend signalled 15", &[]),
        (SILENT, "end killed interrupted", &[]),
        (WAITING, "end killed interrupted", &[]),
        (SILENT, "end open", &[]),
        // What was open for long when the host closed stdin, is not. A request that the dialect has may wait for a user.
        (SILENT, "40000000 stdin_closed\nend 0", &[]),
        (
            SILENT,
            "request {}\nreply 200 [{\"text\":\"so\"}]\n40000000 stdin_closed\nend 0",
            &["json-rpc/left-open@5 agent"],
        ),
        (
            SILENT,
            "request {}\nreply 200 [{\"call\":{\"name\":\"t\"}}]\n40000000 stdin_closed\nend 0",
            &[],
        ),
        (SILENT, "request {}\n40000000 stdin_closed\nend 0", &[]),
        (GREETING, "5000000 stdin_closed\nend 0", &[]),
        (
            GREETING,
            "20000000 stdin_closed\nend 0",
            &["json-rpc/left-open@3 agent"],
        ),
        (OWN, "20000000 stdin_closed\nend 0", &[]),
        (
            OWN,
            "40000000 stdin_closed\nend 0",
            &["json-rpc/left-open@3 agent"],
        ),
        (OWN_OF_AGENT, "20000000 stdin_closed\nend 0", &[]),
        (
            OWN_OF_AGENT,
            "40000000 stdin_closed\nend 0",
            &["json-rpc/left-open@3 host"],
        ),
    ] {
        assert_eq!(
            check(&format!("{session}{end}")),
            expected,
            "{session}{end}"
        );
    }
    let found = judge(&format!("{WAITING}end killed budget:response")).findings;
    assert!(
        found[0].message.contains("`confirm` of frame 2"),
        "{}",
        found[0].message
    );
    assert_eq!(found[0].blame, Blame::Host);
}

/// A copy of the toy protocol, and its folder in there.
fn copied() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("duo/1");
    std::fs::create_dir_all(&at).unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way/dialects/duo/1");
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), at.join(file.file_name())).unwrap();
    }
    (folder, at)
}

/// The toy protocol with a rule that has a budget, and one about what is owed at the end.
fn with_budgets() -> Arc<Dialect> {
    let (folder, at) = copied();
    let rules = r##"
rules:
  in-time:
    doc: An ask is answered within the budget, also before the host says stop.
    response: { from: ">ask", to: ask.result, unless: ">stop | #stdin_closed", unless_within: response, timeout_if: /method present }
  told:
    doc: After an ask comes a note.
    order: { expression: (>ask note)*, unless: "#stdin_closed" }
"##;
    std::fs::write(at.join("ordering.yaml"), rules).unwrap();
    load(&DialectSource::new(Some(folder.path().to_owned())), "duo@1").unwrap()
}

#[test]
fn an_agent_that_waits_for_the_host_owes_nothing_meanwhile() {
    let stop = r#"{"jsonrpc":"2.0","method":"stop"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"choice":"q7"}}"#;
    for (session, expected) in [
        (
            format!("{SILENT}9000000 > {stop}"),
            &["in-time@2 agent"][..],
        ),
        (format!("{WAITING}9000000 > {stop}"), &[]),
        // The budget begins when the host has answered.
        (
            format!("{WAITING}8000000 > {answer}\n9000000 > {stop}"),
            &[],
        ),
        (
            format!("{WAITING}8000000 > {answer}\n19000000 > {stop}"),
            &["in-time@4 agent"],
        ),
        (
            format!("{SILENT}end killed budget:idle"),
            &["told@2 agent", "json-rpc/left-open@2 agent"],
        ),
        (
            format!("{WAITING}end killed budget:idle"),
            &["json-rpc/left-open@3 host"],
        ),
    ] {
        let mut checker = Checker::new(with_budgets(), CheckOptions::default());
        frames(&session)
            .iter()
            .for_each(|frame| checker.push(frame));
        let found: Vec<_> = checker.finish().findings.iter().map(short).collect();
        assert_eq!(found, expected, "{session}");
    }
}

#[test]
fn work_is_not_over_while_a_request_is_open() {
    let mut checker = Checker::new(duo(), CheckOptions::default());
    frames(WAITING).iter().for_each(|frame| checker.push(frame));
    let open = |side| checker.pairing().unwrap().open(side)[0].method.clone();
    assert_eq!(
        (open(Blame::Host), open(Blame::Agent)),
        ("ask".into(), "confirm".into())
    );
    assert!(!checker.is_work_over());
}

#[test]
fn the_output_of_an_agent_alone_accuses_no_answer() {
    let options = CheckOptions {
        capture: true,
        ..CheckOptions::default()
    };
    let mut checker = Checker::new(duo(), options);
    let agent = GOOD.lines().filter(|line| line.starts_with('<'));
    let agent: Vec<_> = agent.map(str::to_owned).collect();
    frames(&agent.join("\n"))
        .iter()
        .for_each(|frame| checker.push(frame));
    assert_eq!(checker.finish().findings, []);
}

#[test]
fn a_slice_by_id_has_the_requests_of_one_side() {
    let rule =
        "rules: { ordered: { doc: d, each: /id, order: hello.result? ask.result? confirm? } }";
    let (folder, at) = copied();
    std::fs::write(at.join("ordering.yaml"), rule).unwrap();
    let dialect = load(&DialectSource::new(Some(folder.path().to_owned())), "duo@1").unwrap();
    // The agent's request 1 comes before the response to the host's request 1.
    let mut checker = Checker::new(dialect, CheckOptions::default());
    let again = r#"< {"jsonrpc":"2.0","id":1,"method":"confirm","params":{"options":[]}}"#;
    let session = GOOD.replace("stdin_closed\nend 0", again);
    frames(&session)
        .iter()
        .for_each(|frame| checker.push(frame));
    let found = checker.finish().findings;
    assert_eq!(
        found.iter().map(short).collect::<Vec<_>>(),
        ["ordered@9 agent"]
    );
    assert_eq!(found[0].origin.to_string(), ", the agent's id 1");
}

#[test]
fn a_clause_of_the_dialect_makes_a_built_in_rule_cite_it() {
    let duo = duo();
    let rule = duo.rule("duo/json-rpc/answer-to-nothing").unwrap();
    assert_eq!(rule.clauses, ["duo.once", "duo.pairs"]);
    assert_eq!(rule.level, Level::Must);
    let applied = judge(GOOD).coverage.rules;
    assert_eq!(applied["duo/json-rpc/second-answer"], 3);
    assert_eq!(applied["duo/json-rpc/left-open"], 3);
}

#[test]
fn ten_thousand_requests_that_are_open_in_both_directions_are_paired() {
    let count = 10_000;
    let both = |host: &str, agent: &str| format!("> {host}\n< {agent}\n");
    let requests = (0..count).map(|n| {
        both(
            &format!(r#"{{"jsonrpc":"2.0","id":{n},"method":"hello"}}"#),
            &format!(
                r#"{{"jsonrpc":"2.0","id":{n},"method":"confirm","params":{{"options":[]}}}}"#
            ),
        )
    });
    let answers = (0..count).rev().map(|n| {
        both(
            &format!(r#"{{"jsonrpc":"2.0","id":{n},"result":{{"choice":"q7"}}}}"#),
            &format!(r#"{{"jsonrpc":"2.0","id":{n},"result":{{}}}}"#),
        )
    });
    let session: String = requests.chain(answers).collect();
    let outcome = judge(&session);
    assert_eq!(outcome.findings, []);
    assert_eq!(outcome.coverage.rules["duo/json-rpc/left-open"], 2 * count);
}

#[test]
fn a_dialect_may_leave_out_the_version() {
    let (folder, at) = copied();
    let file = at.join("dialect.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("json_rpc:\n", "json_rpc:\n  version_optional: true\n"),
    )
    .unwrap();
    let dialect = load(&DialectSource::new(Some(folder.path().to_owned())), "duo@1").unwrap();
    for (line, expected) in [
        (r#"> {"method":"stop"}"#, &[][..]),
        (
            r#"> {"jsonrpc":"1.0","method":"stop"}"#,
            &["json-rpc/version@1 host"],
        ),
    ] {
        let mut checker = Checker::new(Arc::clone(&dialect), CheckOptions::default());
        frames(line).iter().for_each(|frame| checker.push(frame));
        let found: Vec<_> = checker.finish().findings.iter().map(short).collect();
        assert_eq!(found, expected);
    }
}
