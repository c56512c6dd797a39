//! The findings on a host, written as they happen, so that they are there even if the host kills its agent.

use crate::check::{CheckOptions, Checker};
use crate::cli::output;
use crate::dialect::Dialect;
use crate::finding::{Blame, Finding, Level};
use crate::frame::Frame;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

/// The findings of a running session that the host is to blame for.
pub(super) struct HostFindings {
    dialect: Arc<Dialect>,
    /// `None` once the session is over.
    checker: Option<Checker>,
    /// How many findings of the checker have been looked at.
    seen: usize,
    file: Option<File>,
    to_stderr: bool,
    has_violation: bool,
}

impl HostFindings {
    /// No findings so far. Each goes into the file, one after the other, and to stderr.
    pub(super) fn new(dialect: Arc<Dialect>, file: Option<File>, to_stderr: bool) -> Self {
        HostFindings {
            checker: Some(Checker::new(Arc::clone(&dialect), CheckOptions::default())),
            dialect,
            seen: 0,
            file,
            to_stderr,
            has_violation: false,
        }
    }

    /// Judges the next frame.
    pub(super) fn push(&mut self, frame: &Frame) {
        let Some(checker) = &mut self.checker else {
            return;
        };
        checker.push(frame);
        let new = checker.findings().get(self.seen..).unwrap_or_default();
        if !new.is_empty() {
            let new = new.to_vec();
            self.write(&new);
        }
    }

    /// Judges the end of the session. Returns whether the host broke a `must`.
    pub(super) fn finish(&mut self) -> bool {
        if let Some(checker) = self.checker.take() {
            let findings = checker.finish().findings;
            let new = findings.get(self.seen..).unwrap_or_default();
            self.write(new);
        }
        self.has_violation
    }

    fn write(&mut self, new: &[Finding]) {
        self.seen += new.len();
        let of_host =
            |finding: &&Finding| finding.blame == Blame::Host && finding.level > Level::May;
        for finding in new.iter().filter(of_host) {
            self.has_violation |= finding.level == Level::Must;
            let text = self.describe(finding);
            if self.to_stderr {
                output::finding("host", &text);
            }
            if let Some(file) = &mut self.file
                && let Err(error) = file.write_all(format!("{text}\n").as_bytes())
            {
                output::warning(format_args!("a finding cannot be written: {error}"));
            }
        }
    }

    /// The finding with its clauses and its frame.
    fn describe(&self, finding: &Finding) -> String {
        let key = match finding.key.as_str() {
            "" => String::new(),
            key => format!(", {key}"),
        };
        let (level, rule, at) = (finding.level.word(), &finding.rule, finding.at);
        let mut text = format!("{level} {rule} at frame {at}{key}\n  {}\n", finding.message);
        for id in &finding.clauses {
            if let Some(clause) = self.dialect.clauses.get(id) {
                let _ = writeln!(
                    text,
                    "  Clause  {id} (section {}): {}",
                    clause.section, clause.text
                );
            }
        }
        let frame = finding.evidence.iter().find(|evidence| evidence.here);
        if let Some(frame) = frame {
            let _ = writeln!(text, "  Frame   {}", frame.text);
        }
        text
    }
}
