//! Bad hosts (`hosts.yaml`): sessions in which the host makes a mistake, and the rules that must report it. They prove the rules about
//! hosts, as the faults of the reference agent prove the rules about agents.

use super::fault_trace::FaultTrace;
use super::kill_analysis::{Catcher, PlayedScenario, TestedFault, matrix_row};
use super::matrix::{HOST, Row};
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_judge::frame::{Body, End, Eol, Frame, Line};
use conform_judge::framing::ParsedFrame;
use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::Error;
use std::sync::Arc;

/// The file with the bad hosts in the folder of a dialect.
const FILE: &str = "hosts.yaml";

/// A session whose last frame is, or shows, a mistake of the host.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BadHost {
    /// Its id.
    pub id: String,
    /// What goes wrong, in one line.
    pub summary: String,
    /// The rules that catch it, without their dialect; one of them is enough.
    pub caught_by: Vec<String>,
    /// Whether newer versions of the dialect have it too. Not one that uses what they removed.
    #[serde(default = "yes")]
    pub inherited: bool,
    /// The session, one frame on each line: `<` and an event, `>` and a command, `>b64` and bytes in Base64, `>pad N` and a command that
    /// is padded with blanks to N bytes, `>crlf` and a command that ends in CR LF, or `>torn` and a command without an end of line;
    /// `stdin_closed`, `stdout_closed`, and `end N` for an agent that exits with that status.
    pub session: String,
    /// The command line with which the host starts the agent; not checked if left out.
    #[serde(default)]
    pub agent: Vec<String>,
}

/// The bad hosts of a dialect; those of its base dialects come first.
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

fn with_end(text: &str, eol: Eol) -> Line {
    Line {
        eol,
        ..Line::new(text)
    }
}

impl BadHost {
    fn frames(&self) -> Vec<ParsedFrame> {
        let lines = self.session.lines().filter(|line| !line.is_empty());
        let body = |line: &str| match line.split_once(' ') {
            Some((">", text)) => Body::ToAgent(Line::new(text)),
            Some((">crlf", text)) => Body::ToAgent(with_end(text, Eol::CrLf)),
            Some((">torn", text)) => Body::ToAgent(with_end(text, Eol::None)),
            Some((">b64", text)) => {
                let bytes = BASE64.decode(text.as_bytes()).unwrap_or_default();
                Body::ToAgent(Line::new(bytes))
            }
            Some((">pad", sized)) => {
                let (size, text) = sized.split_once(' ').unwrap_or(("0", sized));
                let size: usize = size.parse().unwrap_or_default();
                let blanks = " ".repeat(size.saturating_sub(text.len()));
                Body::ToAgent(Line::new(format!("{text}{blanks}")))
            }
            Some(("end", code)) => Body::End(End::Exited {
                code: code.parse().unwrap_or_default(),
                orphans: 0,
            }),
            Some((_, text)) => Body::FromAgent(Line::new(text)),
            None if line == Body::StdinClosed.dir() => Body::StdinClosed,
            None if line == Body::StdoutClosed.dir() => Body::StdoutClosed,
            None => Body::FromAgent(Line::new(line)),
        };
        lines
            .map(|line| {
                let body = body(line);
                ParsedFrame::from(Frame { at: 0, body })
            })
            .collect()
    }

    /// Its row of the kill matrix.
    #[must_use]
    pub fn row(&self, dialect: &Arc<Dialect>) -> Row {
        let frames = self.frames();
        let options = CheckOptions {
            argv: (!self.agent.is_empty()).then(|| self.agent.clone()),
            ..CheckOptions::default()
        };
        let mut checker = Checker::new(Arc::clone(dialect), options);
        for one in &frames {
            checker.push_parsed(&one.frame, &one.parsed);
        }
        let findings = checker.finish().findings;
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
            findings: findings.into_iter().map(|finding| (0, finding)).collect(),
            traces: vec![FaultTrace::of(&frames, dialect, |_| None).with_affected_frame(last)],
        };
        matrix_row(&fault, &[played])
    }
}
