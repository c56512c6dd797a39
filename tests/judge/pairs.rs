//! Pairs of sessions: what the pages of a protocol allow, and a similar session that breaks a rule.

use crate::history::frames;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use conform_judge::finding::Level;

/// The rules that the frames break as a must, in the order of the findings.
pub(crate) fn musts(dialect: &str, session: &str) -> Vec<String> {
    let dialect = load(&DialectSource::default(), dialect).unwrap();
    let options = CheckOptions {
        argv: Some(Vec::new()),
        ..CheckOptions::default()
    };
    let mut checker = Checker::new(dialect, options);
    frames(session).iter().for_each(|frame| checker.push(frame));
    let findings = checker.finish().findings;
    let musts = findings.iter().filter(|one| one.level == Level::Must);
    let rules = musts.map(|one| one.rule.split_once('/').unwrap().1.to_owned());
    rules.collect()
}

/// Every session of the text breaks the rules that its heading names, and no others. All begin with the frames of the first one.
pub(crate) fn assert_pairs(dialect: &str, text: &str) {
    let mut sections = text.split("\n## ").skip(1).map(|section| {
        let (head, frames) = section.split_once('\n').unwrap();
        let (name, rules) = head.rsplit_once(':').unwrap();
        let mut rules: Vec<_> = rules.split_whitespace().collect();
        rules.sort_unstable();
        (name, rules, frames)
    });
    let (_, _, start) = sections.next().unwrap();
    for (name, rules, frames) in sections {
        let mut found = musts(dialect, &format!("{start}{frames}"));
        found.sort_unstable();
        assert_eq!(found, rules, "{name}");
    }
}
