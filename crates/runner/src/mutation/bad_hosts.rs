//! Bad hosts (`hosts.yaml`): sessions in which the host makes a mistake, and the rules that must report it. They prove the rules about
//! hosts, as the faults of the reference agent prove the rules about agents. Legal hosts stand beside them: nothing may accuse those.

use super::fault_trace::FaultTrace;
use super::kill_analysis::{Catcher, PlayedScenario, TestedFault, matrix_row};
use super::matrix::{HOST, Row};
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::finding::{Blame, Finding};
use conform_judge::framing::ParsedFrame;
use conform_judge::history;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Error, Spanned};
use std::sync::Arc;

/// The file with the bad hosts in the folder of a dialect.
const FILE: &str = "hosts.yaml";

/// A session whose last frame is, or shows, a mistake of the host; or a session without a mistake.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BadHost {
    /// Its id.
    pub id: String,
    /// What goes wrong, in one line.
    pub summary: String,
    /// The rules that catch it, without their dialect; one of them is enough. None (`[]`) for a legal host, whom nothing may accuse.
    pub caught_by: Vec<String>,
    /// Whether newer versions of the dialect have it too. Not one that uses what they removed.
    #[serde(default = "yes")]
    pub inherited: bool,
    /// The session, one frame on each line: `<` and an event, `>` and a command, `>b64` and bytes in Base64, `>pad N` and a command that
    /// is padded with blanks to N bytes, `>crlf` and a command that ends in CR LF, or `>torn` and a command without an end of line;
    /// `stdin_closed`, `stdout_closed`, `signal NAME`, and `end N` for an agent that exits with that status.
    #[schemars(with = "String")]
    pub session: Spanned<String>,
    /// The command line with which the host starts the agent; not checked if left out.
    #[serde(default)]
    pub agent: Vec<String>,
}

/// The bad and the legal hosts of a dialect; those of its base dialects come first.
///
/// # Errors
/// A file that cannot be read or parsed, with the location.
pub fn load(source: &DialectSource, dialect: &Dialect) -> Result<Vec<BadHost>, Error> {
    let own = dialect.id();
    let mut all = Vec::new();
    let bases = dialect.bases.iter().rev().map(|base| &base.id);
    for id in bases.chain([&own]) {
        let Some((name, version)) = id.split_once('@') else {
            continue;
        };
        if let Some((path, text)) = source.read(name, version, FILE)? {
            let node = spanned_yaml::load_yaml(path, &text)?;
            let hosts = spanned_yaml::decode::<Vec<BadHost>>(&node)?;
            for BadHost { session, .. } in &hosts {
                let parsed = history::frames(session);
                parsed.map_err(|why| node.error_at(session.span, why))?;
            }
            all.extend(
                hosts
                    .into_iter()
                    .filter(|host| host.inherited || *id == own),
            );
        }
    }
    Ok(all)
}

fn yes() -> bool {
    true
}

impl BadHost {
    /// Whether it is a legal host, which has no [`BadHost::accusations`].
    #[must_use]
    pub fn is_legal(&self) -> bool {
        self.caught_by.is_empty()
    }

    /// Its row of the kill matrix.
    #[must_use]
    pub fn row(&self, dialect: &Arc<Dialect>) -> Row {
        let frames = self.frames();
        let last = frames.len() as u64;
        let full = |rule: &String| Catcher::Rule(format!("{}/{rule}", dialect.name));
        let fault = TestedFault {
            id: format!("{HOST}{}", self.id),
            summary: self.summary.clone(),
            caught_by: self.caught_by.iter().map(full).collect(),
            side: Blame::Host,
            at_fault: true,
        };
        let played = PlayedScenario {
            id: String::new(),
            findings: self.findings(dialect),
            traces: vec![
                FaultTrace::read(&frames, dialect, |_| None, |_| None).with_affected_frame(last),
            ],
        };
        matrix_row(&fault, &[played])
    }

    /// What its session accuses the host of, notes included: nothing, if it is a legal host.
    #[must_use]
    pub fn accusations(&self, dialect: &Arc<Dialect>) -> Vec<Finding> {
        let mut findings = self.findings(dialect);
        findings.retain(|finding| finding.blame == Blame::Host);
        findings
    }

    fn findings(&self, dialect: &Arc<Dialect>) -> Vec<Finding> {
        let options = CheckOptions {
            argv: (!self.agent.is_empty()).then(|| self.agent.clone()),
            ..CheckOptions::default()
        };
        let mut checker = Checker::new(Arc::clone(dialect), options);
        for one in &self.frames() {
            checker.push_parsed(&one.frame, &one.parsed);
        }
        checker.finish().findings
    }

    fn frames(&self) -> Vec<ParsedFrame> {
        let frames = history::frames(&self.session).unwrap_or_default();
        frames.into_iter().map(ParsedFrame::from).collect()
    }
}
