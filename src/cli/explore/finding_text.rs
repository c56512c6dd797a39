//! The description of a finding in the file of a generated session: a name, the lines above the scenario, and a mark at the step that
//! fails.

use conform_judge::dialect::Dialect;
use conform_judge::finding::{DifferenceKind, Expected, Finding, Part};
use conform_judge::frame::Body;
use conform_report::causes::describe;
use conform_report::reporter::text::{shortened, visible, who, wrap};
use conform_runner::trials::RecordedSession;
use serde_json::Value;
use std::fmt;

/// The most characters of a line, of a value in it, of a frame, and of a message to the model.
const LINE: usize = 120;
const VALUE: usize = 500;
const FRAME: usize = 240;
const MESSAGE: usize = 120;

/// The lines above a scenario: what was found, at which frame, what was expected, and the clause.
pub(super) fn heading(
    found: &str,
    finding: &Finding,
    got: Option<&str>,
    dialect: &Dialect,
) -> String {
    let message = first_line(&finding.message);
    let mut lines = vec![format!("{found}: {}: {message}", finding.rule)];
    for frame in finding.evidence.iter().filter(|one| one.here) {
        let text = shortened(&frame.text, FRAME);
        lines.push(format!("Frame {}: {} {text}", frame.frame, who(&frame.dir)));
    }
    if let Part::Slice(values) = &finding.origin.part {
        let named = values
            .iter()
            .map(|one| format!("{} {}", one.name, one.value));
        lines.push(format!("Of: {}", named.collect::<Vec<_>>().join(", ")));
    }
    let expected: Vec<String> = finding.expected.iter().map(ToString::to_string).collect();
    if !expected.is_empty() {
        lines.push(format!("Expected: {}", expected.join(" or ")));
    }
    lines.extend(got.map(|got| format!("Got: {got}")));
    for id in &finding.clauses {
        let clause = dialect.clauses.get(id);
        lines.extend(clause.map(|clause| format!("Clause: {id}: {}", clause.text)));
    }
    let wrapped = lines.iter().flat_map(|line| {
        let lines = wrap(&visible(&shortened(line, VALUE)), LINE).into_iter();
        lines
            .enumerate()
            .map(|(n, line)| format!("{}{line}\n", if n == 0 { "# " } else { "#   " }))
    });
    wrapped.collect()
}

/// The value at the finding's pointer, with its parent object; of a request to the model, the conversation in it.
pub(super) fn got(finding: &Finding, sessions: &[RecordedSession]) -> Option<String> {
    let session = usize::try_from(finding.origin.session.max(1) - 1).ok()?;
    let at = usize::try_from(finding.at.checked_sub(1)?).ok()?;
    match &sessions.get(session)?.frames.get(at)?.frame.body {
        Body::LlmRequest(request) => {
            let keys = ["messages", "input", "contents"];
            let mut lists = keys.iter().filter_map(|key| request.body[key].as_array());
            let messages = lists.next()?.iter();
            let texts = messages.map(|one| shortened(&one.to_string(), MESSAGE));
            Some(texts.collect::<Vec<_>>().join(" "))
        }
        Body::FromAgent(line) => {
            let (object, _) = finding.pointer.rsplit_once('/')?;
            let frame: Value = serde_json::from_slice(&line.bytes).ok()?;
            let value = frame.pointer(object)?.to_string();
            let (name, value) = (object.trim_start_matches('/'), shortened(&value, FRAME));
            Some(format!("{name} {value}").trim_start().to_owned())
        }
        _ => None,
    }
}

/// A scenario as text with a comment above the failing step, which was played in another text with the same steps.
pub(super) fn marked(text: &str, played: &str, finding: &Finding) -> String {
    let Part::Step { line, .. } = finding.origin.part else {
        return text.to_owned();
    };
    let failed = beginnings_of_steps(played).take_while(|at| *at < line as usize);
    let Some(failed) = beginnings_of_steps(text).nth(failed.count().wrapping_sub(1)) else {
        return text.to_owned();
    };
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(failed, "  # Here it fails.");
    lines.into_iter().flat_map(|line| [line, "\n"]).collect()
}

/// The lines at which the steps of a scenario begin, from 0.
fn beginnings_of_steps(text: &str) -> impl Iterator<Item = usize> {
    let lines = text.lines().enumerate();
    let steps = lines.skip_while(|(_, line)| *line != "steps:").skip(1);
    let steps = steps.take_while(|(_, line)| line.starts_with(' '));
    steps.filter_map(|(at, line)| line.starts_with("  - ").then_some(at))
}

/// The name of a scenario: the rule, and what differs.
pub(super) struct Title {
    pub(super) rule: String,
    pub(super) difference: Option<String>,
}

impl Title {
    pub(super) fn of(finding: &Finding) -> Self {
        let rule = finding.rule.rsplit(['/', '.']).next().unwrap_or_default();
        let mut difference = finding.difference.clone();
        if difference.kind == DifferenceKind::Absent && difference.name.is_empty() {
            let expected = finding.expected.iter().find_map(Expected::frame);
            difference.name = expected.unwrap_or_default().to_owned();
        }
        let difference = describe(&difference, &finding.pointer);
        Title {
            rule: rule.to_owned(),
            difference: (!difference.is_empty()).then_some(difference),
        }
    }
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.difference {
            Some(difference) => write!(f, "{}: {difference}", self.rule),
            None => f.write_str(&self.rule.replace('-', " ")),
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::dialect::{DialectSource, load};
    use conform_judge::finding::Difference;
    use serde_json::json;

    fn finding(message: &str, line: u32) -> Finding {
        let finding = json!({
            "rule": "scenario.expect", "level": "must", "source": "spec", "blame": "agent", "at": 3, "message": message,
            "origin": { "part": { "step": { "number": 7, "line": line } } },
        });
        serde_json::from_value(finding).unwrap()
    }

    #[test]
    fn what_an_agent_wrote_stays_in_the_comment() {
        let dialect = load(&DialectSource::new(None), "aionrs@0.1").unwrap();
        let wild = finding("came with \u{7}\u{0}\u{85}steps:\u{2028}name: x\r, why", 1);
        let text = heading("Found", &wild, Some("a\nb: c"), &dialect);
        let is_comment = |line: &str| line.starts_with("# ") && !line.contains(char::is_control);
        assert!(text.lines().all(is_comment), "{text:?}");
        assert!(!text.contains('\u{2028}'), "{text:?}");
    }

    #[test]
    fn every_clause_of_the_rule_is_shown() {
        let dialect = load(&DialectSource::new(None), "aionrs@0.1").unwrap();
        let mut found = finding("m", 1);
        found.clauses = vec![
            "aionrs.message.answered".into(),
            "aionrs.stop.aborts".into(),
        ];
        let text = heading("Found", &found, None, &dialect);
        for clause in &found.clauses {
            assert!(text.contains(&format!("# Clause: {clause}: ")), "{text}");
        }
    }

    #[test]
    fn the_step_that_fails_is_marked() {
        let at_line = |line| finding("m", line);
        let text = "model:\n  - text: a\nsteps:\n  - send: 1\n  - unordered:\n      - 2\n      - 3\n  - rest:\nfiles_after: x\n";
        let played = format!("name: x\nclauses: y\n{text}");
        for (line, step) in [(6, "  - send"), (7, "  - unordered"), (10, "  - rest")] {
            let expected = text.replace(step, &format!("  # Here it fails.\n{step}"));
            assert_eq!(marked(text, &played, &at_line(line)), expected);
        }
        assert_eq!(marked(text, &played, &at_line(1)), text);
    }

    #[test]
    fn a_name_says_which_rule_was_broken_and_what_differs() {
        let mut found = finding("`a` did not come within 10 s; the agent wrote nothing", 1);
        found.rule = "p/turn-envelope".into();
        assert_eq!(Title::of(&found).to_string(), "turn envelope");
        found.difference = Difference::of_kind(DifferenceKind::Absent);
        found.expected = vec![Expected::Frame {
            name: "a".into(),
            with: Vec::new(),
        }];
        assert_eq!(
            Title::of(&found).to_string(),
            "turn-envelope: `a` did not come"
        );
    }
}
