//! What a checker says against the agent.

use conform::check::Checker;
use conform::finding::{Blame, Level};

/// The rules, without their dialect's name, by which the agent is found wrong; a rule that speaks several times in a row counts once.
pub(crate) fn rules(checker: Checker) -> Vec<String> {
    let findings = checker.finish().findings;
    let hard = findings
        .iter()
        .filter(|f| f.level != Level::May && f.blame == Blame::Agent);
    let short = |rule: &str| {
        rule.split_once('/')
            .map_or(rule, |(_, name)| name)
            .to_owned()
    };
    let mut rules: Vec<String> = hard.map(|f| short(&f.rule)).collect();
    rules.dedup();
    rules
}
