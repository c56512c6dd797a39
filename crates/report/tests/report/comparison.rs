//! Reports of several agents side by side.

use conform_judge::finding::{Baselined, BaselinedKind, Level};
use conform_report::{Cause, Cell, NamedReport, Report, ScenarioReport, Verdict, compare};

fn scenario(id: &str, verdict: Verdict) -> ScenarioReport {
    ScenarioReport {
        id: id.into(),
        verdict,
        reason: "it lacks b".into(),
        ..ScenarioReport::default()
    }
}

fn named(name: &str, report: Report) -> NamedReport {
    NamedReport {
        name: name.into(),
        report,
    }
}

#[test]
fn a_group_has_an_empty_cell_for_an_agent_without_its_scenarios() {
    let report = |scenarios: Vec<ScenarioReport>| Report {
        scenarios,
        ..Report::default()
    };
    let one = report(vec![
        scenario("a@1/turn/x", Verdict::Pass),
        scenario("a@1/turn/y", Verdict::Skipped),
        scenario("a@1/deny/z", Verdict::Fail),
    ]);
    let other = report(vec![scenario("b@2/turn/x", Verdict::Pass)]);
    let page = compare(&[named("one", one), named("other", other)]);
    let cell = |passed, found, skipped| {
        Some(Cell {
            passed,
            found,
            skipped,
        })
    };
    let groups: Vec<_> = page
        .groups
        .iter()
        .map(|g| (g.name.as_str(), &g.cells[..]))
        .collect();
    assert_eq!(
        groups,
        [
            ("deny", &[cell(0, 1, 0), None][..]),
            ("turn", &[cell(1, 0, 1), cell(1, 0, 0)]),
        ]
    );
    assert_eq!(page.agents[0].skipped["it lacks b"], 1);
}

fn cause(id: &str, reason: &str, scenarios: &[&str]) -> Cause {
    Cause {
        id: id.into(),
        rule: format!("p/{id}"),
        level: Level::Must,
        message: format!("{id} is broken"),
        scenarios: scenarios.iter().map(|id| (*id).to_owned()).collect(),
        baseline: (!reason.is_empty()).then(|| Baselined {
            kind: BaselinedKind::Known,
            reason: reason.to_owned(),
        }),
        ..Cause::default()
    }
}

#[test]
fn a_cause_is_listed_once_with_the_agents_that_have_it() {
    let report = |causes: Vec<Cause>| Report {
        causes,
        ..Report::default()
    };
    let note = Cause {
        level: Level::May,
        ..cause("note", "", &["a@1/x"])
    };
    let flaky = Cause {
        flaky: true,
        ..cause("late", "", &["a@1/x"])
    };
    let one = report(vec![
        flaky,
        cause("r", "Jo knows", &["a@1/x", "a@1/y"]),
        cause("s", "Jo knows", &["a@1/y"]),
        cause("t", "", &["a@1/x"]),
        note,
    ]);
    let other = report(vec![
        cause("u", "Jo knows", &["b@1/x"]),
        cause("t", "", &["b@1/x"]),
        cause("v", "fixed soon", &["b@1/x"]),
    ]);
    let page = compare(&[named("one", one), named("other", other)]);
    let rows: Vec<_> = page
        .causes
        .iter()
        .map(|row| (row.text.as_str(), &row.scenarios[..], row.flaky, row.new))
        .collect();
    assert_eq!(
        rows,
        [
            ("Jo knows", &[2, 1][..], false, false),
            ("t is broken", &[1, 1], false, true),
            ("late is broken", &[1, 0], true, true),
            ("fixed soon", &[0, 1], false, false),
        ]
    );
    assert_eq!(page.causes[0].rules.len(), 3);
}
