//! Bad hosts (`hosts.yaml`): sessions in which the host makes a mistake, and the rules that must report it. They prove the rules about
//! hosts, as the faults of the reference agent prove the rules about agents. The file has legal hosts too: no rule may report those.

use super::fault_trace::FaultTrace;
use super::kill_analysis::{Catcher, PlayedScenario, TestedFault, matrix_row};
use super::matrix::{HOST, Row};
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::finding::{Blame, Finding};
use conform_judge::framing::ParsedFrame;
use conform_judge::history;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Error, Node, Spanned, unknown};
use std::sync::Arc;

/// The file with the bad hosts in the folder of a dialect.
const FILE: &str = "hosts.yaml";

/// The file `hosts.yaml`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostsFile {
    /// The frames with which sessions begin that name them, by name.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    preludes: IndexMap<String, Spanned<String>>,
    /// The hosts, by id.
    #[schemars(with = "IndexMap<String, HostFile>")]
    hosts: IndexMap<String, HostFile>,
}

/// A session whose last frame is, or shows, a mistake of the host; or a session without a mistake.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HostFile {
    /// What goes wrong, in one line.
    summary: String,
    /// The rules that catch it, without their dialect; one of them is enough. None (`[]`) for a legal host, whom nothing may accuse.
    caught_by: Vec<String>,
    /// Whether newer versions of the dialect have it too. Not one that uses what they removed.
    #[serde(default = "yes")]
    inherited: bool,
    /// The prelude that comes before the session.
    prelude: Option<Spanned<String>>,
    /// The session, one frame on each line: `<` and an event, `>` and a command, `>b64` and bytes in Base64, `>pad N` and a command that
    /// is padded with blanks to N bytes, `>crlf` and a command that ends in CR LF, or `>torn` and a command without an end of line;
    /// `stdin_closed`, `stdout_closed`, `signal NAME`, and `end N` for an agent that exits with that status.
    #[schemars(with = "String")]
    session: Spanned<String>,
    /// The command line with which the host starts the agent; not checked if left out.
    #[serde(default)]
    agent: Vec<String>,
}

/// A session of a host that makes a mistake, or of a legal one.
#[derive(Debug, Clone, PartialEq)]
pub struct BadHost {
    /// Its id.
    pub id: String,
    /// What goes wrong, in one line.
    pub summary: String,
    /// The rules that catch it, without their dialect; one of them is enough. None for a legal host.
    pub caught_by: Vec<String>,
    frames: Vec<ParsedFrame>,
    agent: Vec<String>,
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
            let file = spanned_yaml::decode::<HostsFile>(&node)?;
            all.extend(file.read(&node, *id == own)?);
        }
    }
    Ok(all)
}

fn yes() -> bool {
    true
}

impl HostsFile {
    /// The hosts of the file; in a newer version those that it inherits.
    fn read(self, file: &Node, all: bool) -> Result<Vec<BadHost>, Error> {
        let mut preludes = IndexMap::new();
        for (name, session) in &self.preludes {
            preludes.insert(name.as_str(), frames_of(session, file)?);
        }
        let hosts = self.hosts.into_iter();
        let inherited = hosts.filter(|(_, host)| all || host.inherited);
        let read = inherited.map(|(id, host)| {
            let mut frames = match &host.prelude {
                None => Vec::new(),
                Some(name) => preludes.get(name.as_str()).cloned().ok_or_else(|| {
                    let known = preludes.keys().copied();
                    file.error_at(name.span, unknown("prelude", name, known))
                })?,
            };
            frames.extend(frames_of(&host.session, file)?);
            Ok(BadHost {
                id,
                summary: host.summary,
                caught_by: host.caught_by,
                frames,
                agent: host.agent,
            })
        });
        read.collect()
    }
}

fn frames_of(session: &Spanned<String>, file: &Node) -> Result<Vec<ParsedFrame>, Error> {
    let frames = history::frames(session).map_err(|why| file.error_at(session.span, why))?;
    Ok(frames.into_iter().map(ParsedFrame::from).collect())
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
        let last = self.frames.len() as u64;
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
            traces: vec![FaultTrace::read(&self.frames, dialect, None).with_affected_frame(last)],
        };
        matrix_row(&fault, &[played])
    }

    /// The findings of its session about the host, notes included: none, if it is a legal host.
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
        for one in &self.frames {
            checker.push_parsed(&one.frame, &one.parsed);
        }
        checker.finish().findings
    }
}
