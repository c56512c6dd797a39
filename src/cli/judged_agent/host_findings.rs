//! The findings on a host: each cause when it first shows, so that it is reported even if the host kills its agent, and all causes
//! at the end of the session.

use super::cause_file::CauseFile;
use crate::cli::output;
use conform_judge::check::{CheckOptions, Checker, Coverage};
use conform_judge::dialect::Dialect;
use conform_judge::finding::{Blame, Finding, Level};
use conform_judge::frame::Frame;
use conform_report::reporter::terminal;
use conform_report::{Report, ReportBuilder, ReportCommand, ScenarioReport, causes};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The id of the only entry of the report.
const SESSION: &str = "session";

/// The session to judge, and where the findings go.
pub(super) struct HostFindingsSettings {
    pub(super) dialect: Arc<Dialect>,
    /// The command line with which the host has started the agent.
    pub(super) argv: Vec<String>,
    /// The transcript, for the command that judges it again.
    pub(super) transcript: Option<PathBuf>,
    pub(super) file: Option<CauseFile>,
    pub(super) to_stderr: bool,
}

/// The findings of a running session that the host is to blame for.
pub(super) struct HostFindings {
    settings: HostFindingsSettings,
    /// `None` once the session is over.
    checker: Option<Checker>,
    /// How many findings of the checker have been handled.
    seen: usize,
    /// The causes that were shown.
    shown: HashSet<String>,
    /// Why the file does not have all findings.
    unwritten: Option<io::Error>,
}

/// What a session came to.
pub(super) struct HostVerdict {
    /// Whether the host broke a `must`.
    pub(super) is_violated: bool,
    /// Why the file does not have all findings.
    pub(super) unwritten: Option<io::Error>,
}

impl HostFindings {
    /// No findings so far.
    pub(super) fn new(settings: HostFindingsSettings) -> Self {
        let options = CheckOptions {
            argv: Some(settings.argv.clone()),
            ..CheckOptions::default()
        };
        HostFindings {
            checker: Some(Checker::new(Arc::clone(&settings.dialect), options)),
            settings,
            seen: 0,
            shown: HashSet::new(),
            unwritten: None,
        }
    }

    /// Judges the next frame.
    pub(super) fn push(&mut self, frame: &Frame) {
        let Some(checker) = &mut self.checker else {
            return;
        };
        checker.push(frame);
        if checker.findings().len() > self.seen {
            self.seen = checker.findings().len();
            let findings = of_host(checker.findings());
            self.show_new(findings);
        }
    }

    /// Judges the end of the session, and writes the causes.
    pub(super) fn finish(&mut self) -> HostVerdict {
        let checker = self.checker.take();
        let findings = checker.map_or_else(Vec::new, |one| of_host(&one.finish().findings));
        let is_violated = findings.iter().any(|finding| finding.level == Level::Must);
        if !findings.is_empty() {
            self.write_causes(findings);
        }
        HostVerdict {
            is_violated,
            unwritten: self.unwritten.take(),
        }
    }

    /// Writes the causes in place of the findings that were written as they came.
    fn write_causes(&mut self, findings: Vec<Finding>) {
        self.show_new(findings.clone());
        let report = self.report(findings);
        if self.settings.to_stderr {
            // A closed stderr cannot be reported.
            let _ = terminal::causes(&report, &mut anstream::stderr());
        }
        if let Some(file) = &mut self.settings.file {
            let mut text = anstream::StripStream::new(Vec::new());
            let written = terminal::causes(&report, &mut text)
                .and_then(|()| file.replace(text.into_inner().trim_ascii_start()));
            self.unwritten = written.err();
        }
    }

    /// Shows the first finding of each cause that is new.
    fn show_new(&mut self, mut findings: Vec<Finding>) {
        causes::attribute(&mut findings);
        for finding in findings.iter().filter(|finding| !finding.is_echo()) {
            if !self.shown.insert(finding.cause.clone()) {
                continue;
            }
            if self.settings.to_stderr {
                output::finding("host", output::headline(finding));
            }
            let text = self.describe(finding);
            if let Some(file) = &mut self.settings.file
                && let Err(error) = file.append(text.as_bytes())
            {
                // A host that kills its agent gets no other word of it.
                if self.unwritten.is_none() {
                    output::warning(format_args!("a finding cannot be written: {error}"));
                }
                self.unwritten = Some(error);
            }
        }
    }

    /// The finding with its clauses and its frame.
    fn describe(&self, finding: &Finding) -> String {
        let mut text = output::headline(finding) + "\n";
        for id in &finding.clauses {
            if let Some(clause) = self.settings.dialect.clauses.get(id) {
                let (section, clause) = (&clause.section, &clause.text);
                // Writing to a string cannot fail.
                let _ = writeln!(text, "    Clause  {id} (section {section}): {clause}");
            }
        }
        if let Some(frame) = finding.evidence.iter().find(|evidence| evidence.here) {
            let _ = writeln!(text, "     Frame  {}", frame.text);
        }
        text + "\n"
    }

    fn report(&self, findings: Vec<Finding>) -> Report {
        let path = self.settings.transcript.as_ref();
        let transcript = path.map(|path| path.to_string_lossy().into_owned());
        let rerun = transcript.as_ref().map_or_else(String::new, |path| {
            format!("conform check --side host {}", output::quoted(path))
        });
        let with_rerun = findings.into_iter().map(|finding| Finding {
            rerun: rerun.clone(),
            ..finding
        });
        let mut builder = ReportBuilder::new(ReportCommand::Check, Blame::Host);
        builder.add_dialect(&self.settings.dialect);
        let session = ScenarioReport {
            id: SESSION.to_owned(),
            findings: with_rerun.collect(),
            transcript: transcript.unwrap_or_default(),
            ..ScenarioReport::default()
        };
        builder.add(session, Coverage::default());
        builder.finish()
    }
}

/// The findings about the host, without notes.
fn of_host(findings: &[Finding]) -> Vec<Finding> {
    let is_of_host =
        |finding: &&Finding| finding.blame == Blame::Host && finding.level > Level::May;
    findings.iter().filter(is_of_host).cloned().collect()
}
