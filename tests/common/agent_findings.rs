//! The findings of a checker that the agent is to blame for.

use conform_judge::check::Checker;
use conform_judge::finding::{Blame, Level};

/// The rules of the agent's findings, without the name of the dialect and without notes. A rule that is repeated directly counts once.
pub(crate) fn rules(checker: Checker) -> Vec<String> {
    let findings = checker.finish().findings;
    let of_agent = findings
        .iter()
        .filter(|f| f.level != Level::May && f.blame == Blame::Agent);
    let short = |rule: &str| {
        rule.split_once('/')
            .map_or(rule, |(_, name)| name)
            .to_owned()
    };
    let mut rules: Vec<String> = of_agent.map(|f| short(&f.rule)).collect();
    rules.dedup();
    rules
}
