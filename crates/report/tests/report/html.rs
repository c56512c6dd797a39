//! The HTML page: what it embeds, and that nothing an agent wrote becomes markup.

use crate::sample;
use conform_judge::finding::{Evidence, Expected};
use conform_report::reporter::find;
use conform_report::{NamedReport, Report};

fn page(report: &Report) -> String {
    sample::rendered("html", report)
}

/// The embedded data of a page.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once(r#"id="data">"#).unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_page_embeds_the_report_with_words_for_what_was_expected() {
    let mut report = sample::report();
    for scenario in &mut report.scenarios {
        scenario.excerpt.clear();
    }
    let data = data(&page(&report));
    let of_scenarios = report
        .scenarios
        .iter_mut()
        .flat_map(|one| one.all_findings_mut());
    let of_scenarios = of_scenarios.flat_map(|finding| &mut finding.expected);
    let of_causes = report
        .causes
        .iter_mut()
        .flat_map(|cause| &mut cause.example.expected);
    of_scenarios
        .chain(of_causes)
        .for_each(|expected| *expected = Expected::Words(expected.to_string()));
    let embedded: Report = serde_json::from_value(data["agents"][0]["report"].clone()).unwrap();
    assert_eq!(embedded, report);
    assert_eq!(
        data["agents"][0]["clauses"]["demo.mcp"]["status"],
        "not exercised"
    );
}

#[test]
fn the_page_quotes_each_frame_of_a_scenario_once() {
    let frame = |frame, here| Evidence {
        frame,
        micros: 10 * frame,
        dir: "from_agent".into(),
        text: format!("frame {frame}"),
        here,
    };
    let quoted = |report: &Report| {
        let data = data(&page(report));
        let evidence = &data["agents"][0]["report"]["scenarios"][0]["findings"][0]["evidence"];
        let evidence: Vec<Evidence> = serde_json::from_value(evidence.clone()).unwrap();
        evidence.iter().map(|one| one.frame).collect::<Vec<_>>()
    };
    let mut report = sample::report();
    let scenario = &mut report.scenarios[0];
    scenario.excerpt = vec![frame(1, false), frame(2, false)];
    scenario.findings[0].evidence = vec![frame(1, false), frame(2, true), frame(3, false)];
    assert_eq!(quoted(&report), [2, 3]);
    report.scenarios[0].findings[0].evidence[2] = frame(2, false);
    report.scenarios[0].findings[0].evidence[2].micros = 7;
    assert_eq!(quoted(&report), [1, 2, 2], "frames of another session");
}

#[test]
fn nothing_that_an_agent_wrote_can_become_markup() {
    let hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>";
    let mut report = sample::report();
    report.agent = vec![hostile.into()];
    report.causes[0].message = hostile.into();
    report.scenarios[0].id = hostile.into();
    report.scenarios[0].stderr = vec![hostile.into()];
    let page = page(&report);
    assert!(!page.contains("alert(1)<") && !page.contains("<img"));
    let scripts = page.matches("<script").count();
    assert_eq!((scripts, page.matches("</script").count()), (2, 2));
    assert_eq!(
        data(&page)["agents"][0]["report"]["scenarios"][0]["id"],
        hostile
    );
}

#[test]
fn the_page_loads_nothing() {
    let page = page(&Report::default());
    assert!(page.contains("default-src 'none'"));
    for external in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(external), "{external}");
    }
}

#[test]
fn a_page_of_several_agents_holds_all_their_reports() {
    let named = |name: &str| NamedReport {
        name: name.into(),
        report: sample::report(),
    };
    let mut out = Vec::new();
    let compare = find("html").unwrap().compare.unwrap();
    compare(&[named("one"), named("other")], &mut out).unwrap();
    let data = data(&String::from_utf8(out).unwrap());
    assert_eq!(data["agents"][1]["name"], "other");
    assert_eq!(
        data["agents"][1]["skipped"]["the agent does not announce mcp"],
        1
    );
    assert_eq!(data["groups"][0]["cells"].as_array().unwrap().len(), 2);
}
