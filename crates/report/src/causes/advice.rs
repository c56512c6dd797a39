//! What the user can do about a finding that need not be a fault of the agent: it may lack a feature, or was started in the wrong way. Pure.

use super::echoes::NEVER_ASKED;
use crate::verdict_rules::UNFORESEEN;
use crate::{ScenarioReport, Verdict};
use conform_judge::finding::Finding;

/// What an agent says about a command that it does not have, in lower case.
const REFUSALS: [&str; 7] = [
    "unknown",
    "unrecognized",
    "unrecognised",
    "unsupported",
    "not supported",
    "not implemented",
    "not found",
];

/// The advice about a finding of a scenario; empty if the agent must be fixed.
pub(super) fn of(finding: &Finding, scenario: &ScenarioReport) -> String {
    if finding.rule == UNFORESEEN {
        return "switch off in the agent what asks its model for more, such as titles or summaries; or keep this in a baseline (`--update-baseline`): the scenario then passes by what could be judged".to_owned();
    }
    if finding.rule == NEVER_ASKED {
        return "tell the agent of this model: `{llm_url}` in its arguments or `--env NAME={llm_url}`, and its API with `--wire`".to_owned();
    }
    if let Some(command) = refused_command(finding) {
        return format!(
            "if the agent has no `{command}`, `--lacks {command}` skips the scenarios that need it"
        );
    }
    if scenario.verdict == Verdict::Inconclusive {
        return "start the agent by hand with the command line of the transcript, and see why it does not answer; its arguments, `--dialect` or `--env` may be wrong".to_owned();
    }
    String::new()
}

/// The last command of the host, if the agent says after it that it does not know it.
fn refused_command(finding: &Finding) -> Option<&str> {
    let command = finding.difference.after.as_str();
    let is_refusal = |text: &str| {
        let text = text.to_lowercase();
        text.contains(&command.to_lowercase()) && REFUSALS.iter().any(|word| text.contains(word))
    };
    let frames = finding.evidence.iter().rev();
    let mut answers = frames.take_while(|frame| frame.dir != "to_agent");
    let is_refused = answers.any(|frame| frame.dir == "from_agent" && is_refusal(&frame.text));
    (is_refused && !command.is_empty()).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::Evidence;

    #[test]
    fn a_command_that_the_agent_does_not_know_is_named() {
        let frame = |dir: &str, text: &str| Evidence {
            frame: 1,
            micros: 0,
            dir: dir.into(),
            text: text.into(),
            here: false,
        };
        let refused = |answer: &str| {
            let mut finding = Finding {
                evidence: vec![
                    frame("to_agent", r#"{"type":"bash"}"#),
                    frame("from_agent", answer),
                ],
                ..Finding::default()
            };
            finding.difference.after = "bash".into();
            of(&finding, &ScenarioReport::default())
        };
        let advice = refused(r#"{"error":"Unknown command: bash"}"#);
        assert!(advice.contains("`--lacks bash`"), "{advice}");
        assert_eq!(refused(r#"{"error":"bash failed"}"#), "");
        assert_eq!(refused(r#"{"error":"unknown file"}"#), "");
    }
}
