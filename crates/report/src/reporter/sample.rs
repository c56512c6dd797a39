//! A sample report with every verdict and every kind of finding, for the tests of the formats.

use crate::Verdict;
use crate::{CitedClause, Coverage, NetworkUse, Report, ReportCommand, ScenarioReport, Try};
use conform_judge::finding::{
    Baselined, BaselinedKind, Blame, Difference, DifferenceKind, Evidence, Finding, Level, Origin,
    Part, SliceValue,
};
use indexmap::IndexMap;

fn frame(frame: u64, micros: u64, dir: &str, text: &str) -> Evidence {
    Evidence {
        frame,
        micros,
        dir: dir.into(),
        text: text.into(),
        here: false,
    }
}

pub(super) fn finding(rule: &str, level: Level, blame: Blame, at: u64, message: &str) -> Finding {
    Finding {
        rule: rule.into(),
        level,
        blame,
        at,
        message: message.into(),
        ..Finding::default()
    }
}

fn scenario(id: &str, verdict: Verdict, reason: &str, findings: Vec<Finding>) -> ScenarioReport {
    ScenarioReport {
        id: id.into(),
        verdict,
        reason: reason.into(),
        duration_ms: 12,
        frames: 9,
        findings,
        ..ScenarioReport::default()
    }
}

/// The session of the failed scenario: a long stream of text in its middle is left out.
fn conversation() -> Vec<Evidence> {
    let delta = r#"{"type":"text_delta","text":"ab"}"#;
    let start = [
        frame(1, 900, "from_agent", r#"{"type":"ready"}"#),
        frame(2, 1_500, "from_agent", delta),
        frame(3, 1_600, "from_agent", delta),
        frame(4, 1_700, "from_agent", delta),
    ];
    let mut frames = start.to_vec();
    frames.extend(broken_order().evidence);
    for frame in &mut frames {
        frame.here = false;
    }
    frames
}

fn call(id: &str) -> Origin {
    let (name, value) = ("call_id".to_owned(), id.to_owned());
    Origin::of(Part::Slice(vec![SliceValue { name, value }]))
}

fn broken_order() -> Finding {
    Finding {
        clauses: vec!["demo.tool.announced".into(), "demo.tool.unquoted".into()],
        origin: call("t1"),
        difference: Difference::named(DifferenceKind::Unexpected, "tool_result"),
        expected: vec!["tool_request".into(), "the end of the turn".into()],
        pointer: "/call_id".into(),
        evidence: vec![
            frame(
                7,
                57_900,
                "to_agent",
                r#"{"type":"message","msg_id":"m1","input":"go"}"#,
            ),
            frame(8, 58_100, "llm_request", r#"{"model":"m"}"#),
            Evidence {
                here: true,
                ..frame(
                    9,
                    60_000,
                    "from_agent",
                    "{\"type\":\"tool_result\",\"call_id\":\"t1\",\"x\":\"\u{7f}\"}",
                )
            },
        ],
        rerun: "conform run --only demo@1/tools/denied ./my-agent".into(),
        baseline: None,
        ..finding(
            "demo.tool-lifecycle",
            Level::Must,
            Blame::Agent,
            9,
            "tool_result came for a call that was never requested",
        )
    }
}

/// A step that failed because of [`broken_order`].
fn not_seen() -> Finding {
    Finding {
        clauses: vec!["demo.tool.announced".into()],
        origin: Origin::of(Part::Step { number: 3, line: 9 }),
        expected: vec![r#"{"type":"tool_request"}"#.into()],
        difference: Difference::named(DifferenceKind::Absent, "tool_request"),
        ..finding(
            "scenario.expect",
            Level::Must,
            Blame::Agent,
            11,
            "the expected event did not come within 5 s",
        )
    }
}

/// A report with every verdict, findings of every level and of both sides.
pub(crate) fn report() -> Report {
    let note = || {
        finding(
            "demo.unknown-field",
            Level::May,
            Blame::Agent,
            2,
            "unknown field \"extra\"",
        )
    };
    let weak = finding(
        "demo.usage",
        Level::Should,
        Blame::Agent,
        5,
        "usage is missing",
    );
    let hosts = finding(
        "demo.known-command",
        Level::Must,
        Blame::Host,
        3,
        "no command \"mesage\"",
    );
    let mut failed = scenario(
        "demo@1/tools/denied",
        Verdict::Fail,
        "",
        vec![broken_order(), not_seen(), hosts],
    );
    let again = scenario(
        "demo@1/tools/approved",
        Verdict::Fail,
        "",
        vec![Finding {
            at: 12,
            origin: call("t7"),
            rerun: "conform run --only demo@1/tools/approved ./my-agent".into(),
            ..broken_order()
        }],
    );
    failed.stderr = vec![
        "thread 'main' panicked".into(),
        "\u{1b}[31mred\u{1b}[0m".into(),
    ];
    failed.transcript = "target/conform/denied.jsonl".into();
    failed.findings_dropped = 3;
    failed.name = "a denied call has no result".into();
    failed.file = "scenarios/demo/1/tools/denied.yaml".into();
    failed.excerpt = conversation();
    let mut known = scenario(
        "demo@1/known",
        Verdict::Pass,
        "",
        vec![Finding {
            baseline: Some(Baselined {
                kind: BaselinedKind::Known,
                reason: "fixed in 1.4".into(),
            }),
            ..finding("demo.end", Level::Must, Blame::Agent, 8, "no end of turn")
        }],
    );
    known.duration_ms = 11;
    let mut flaky = scenario("demo@1/now-and-then", Verdict::Pass, "", vec![]);
    flaky.flaky = true;
    flaky.tries = vec![Try {
        verdict: Verdict::Fail,
        duration_ms: 20,
        findings: vec![finding(
            "demo.end",
            Level::Must,
            Blame::Agent,
            4,
            "two ends of a turn",
        )],
        transcript: "target/conform/now-and-then.try-1.jsonl".into(),
        ..Try::default()
    }];
    let scenarios = vec![
        scenario("demo@1/basic", Verdict::Pass, "", vec![note()]),
        failed,
        again,
        scenario("demo@1/usage", Verdict::Warn, "", vec![weak, note()]),
        scenario(
            "demo@1/mcp",
            Verdict::Skipped,
            "the agent does not announce mcp",
            vec![],
        ),
        scenario(
            "demo@1/stop",
            Verdict::Inconclusive,
            "the agent exited before its first turn",
            vec![],
        ),
        scenario(
            "demo@1/attach",
            Verdict::NotExercised,
            "no turn was begun",
            vec![],
        ),
        scenario(
            "demo@1/resume",
            Verdict::Broken,
            "no space left on device",
            vec![],
        ),
        known,
        flaky,
    ];
    let announced = CitedClause {
        section: "2.4".into(),
        strength: Level::Must,
        text: "The agent announces every call of a tool with a tool_request before anything else is said of that call, also in \
               the modes that run it without asking."
            .into(),
    };
    let mut report = Report {
        command: ReportCommand::Run,
        dialect: vec!["demo@1".into()],
        agent: vec!["./my-agent".into()],
        seed: 7,
        duration_ms: 84,
        network: Some(NetworkUse {
            isolation: "namespace".into(),
            attempts: vec!["api.example.com".into()],
        }),
        scenarios,
        stale: vec![
            "b.yaml:9: delete this entry (demo.usage in demo@1/basic): nothing matched it in this run".into(),
        ],
        coverage: Coverage {
            clauses_exercised: vec!["demo.tool.announced".into(), "demo.usage".into()],
            clauses_not_exercised: vec!["demo.mcp".into()],
            entries_by_clause: IndexMap::from([
                ("demo.tool.announced".to_owned(), 2),
                ("demo.usage".to_owned(), 5),
            ]),
            rules: IndexMap::from([
                ("demo.tool-lifecycle".to_owned(), 3),
                ("demo.mcp-state".to_owned(), 0),
            ]),
            readings: IndexMap::from([(
                "demo.idle-stop".to_owned(),
                IndexMap::from([("silent".to_owned(), 2)]),
            )]),
        },
        clauses: IndexMap::from([("demo.tool.announced".to_owned(), announced)]),
        rules: IndexMap::from([(
            "demo.tool-lifecycle".to_owned(),
            "A call is announced before its result. A host shows calls by their announcement.".to_owned(),
        )]),
        ..Report::default()
    };
    report.summarize();
    report
}
