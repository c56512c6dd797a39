//! Judges a session while it is recorded, and prints each finding to stderr as it happens.

use crate::cli::args::DialectArgs;
use crate::cli::catalogue::render_errors;
use crate::cli::output;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_judge::finding::{Blame, Finding};
use conform_judge::frame::{Body, Frame};
use conform_runner::detect::recording::dialect_of_frames;
use std::path::Path;
use std::sync::Arc;

/// How many frames are held until the dialect is detected, and bytes of them, unless the user names it.
const HELD_FRAMES: usize = 24;
const HELD_BYTES: usize = 4 << 20;

/// The judge of a running session.
pub(super) struct LiveJudge {
    /// The dialects that it may be; none if the frames have shown that it is none of them.
    candidates: Vec<Arc<Dialect>>,
    held: Vec<Frame>,
    checker: Option<Checker>,
    /// How many findings are printed.
    printed: usize,
    findings: [usize; 2],
}

impl LiveJudge {
    /// A judge of the named dialect; else of the one that the frames show, those whose agents have this program's name first.
    pub(super) fn new(args: &DialectArgs, program: &Path) -> Result<Self, String> {
        let source = DialectSource::new(args.dialect_dir.clone());
        let load = |id: &str| dialect::load(&source, id).map_err(|errors| render_errors(&errors));
        let named = args.dialect.as_deref();
        let mut candidates = match named.filter(|name| name.contains('@')) {
            Some(id) => vec![load(id)?],
            None => {
                let ids = source.names().into_iter();
                let ids = ids.filter(|(name, _)| named.is_none_or(|named| named == name));
                ids.map(|(name, version)| load(&format!("{name}@{version}")))
                    .collect::<Result<_, _>>()?
            }
        };
        if candidates.is_empty() {
            candidates.push(load(named.unwrap_or_default())?);
        }
        let program = program.file_name().unwrap_or_default();
        let is_known = |dialect: &Arc<Dialect>| {
            let mut programs = dialect.launch.programs.iter();
            programs.any(|known| program == known.as_str())
        };
        if candidates.iter().any(is_known) {
            candidates.retain(is_known);
        }
        Ok(LiveJudge {
            candidates,
            held: Vec::new(),
            checker: None,
            printed: 0,
            findings: [0; 2],
        })
    }

    /// Judges the next frame.
    pub(super) fn push(&mut self, frame: &Frame) {
        if let Some(checker) = &mut self.checker {
            checker.push(frame);
            return self.print_new();
        }
        if self.candidates.is_empty() {
            return;
        }
        self.held.push(frame.clone());
        let bytes: usize = self.held.iter().map(size).sum();
        if self.candidates.len() == 1 || self.held.len() >= HELD_FRAMES || bytes > HELD_BYTES {
            self.begin();
        }
    }

    /// Judges the end of the session, and prints how many findings there were.
    pub(super) fn finish(&mut self) {
        if self.checker.is_none() && !self.candidates.is_empty() {
            self.begin();
        }
        let Some(checker) = self.checker.take() else {
            return;
        };
        let outcome = checker.finish();
        for finding in outcome.findings.iter().skip(self.printed) {
            self.print(finding);
        }
        let [agent, host] = self.findings;
        output::note(format_args!(
            "{} frames; findings: {agent} on the agent, {host} on the host",
            outcome.frames
        ));
    }

    /// Decides on the dialect and judges the frames that were held.
    fn begin(&mut self) {
        let found = match self.candidates.len() {
            1 => Some(0),
            _ => dialect_of_frames(&self.candidates, &self.held),
        };
        let Some(found) = found else {
            self.held.clear();
            self.candidates.clear();
            return output::warning(
                "the frames show no dialect, so nothing is judged; name it with --dialect",
            );
        };
        let dialect = Arc::clone(&self.candidates[found]);
        if self.candidates.len() > 1 {
            output::note(format_args!("judged as {}, by the frames", dialect.id()));
        }
        self.candidates = vec![Arc::clone(&dialect)];
        let mut checker = Checker::new(dialect, CheckOptions::default());
        for frame in self.held.drain(..) {
            checker.push(&frame);
        }
        self.checker = Some(checker);
        self.print_new();
    }

    fn print_new(&mut self) {
        let findings = self.checker.iter().flat_map(Checker::findings);
        let new: Vec<Finding> = findings.skip(self.printed).cloned().collect();
        for finding in &new {
            self.print(finding);
            self.printed += 1;
        }
    }

    fn print(&mut self, finding: &Finding) {
        let (side, place) = match finding.blame {
            Blame::Agent => ("agent", 0),
            Blame::Host => ("host", 1),
        };
        self.findings[place] += 1;
        let (origin, message) = (&finding.origin, &finding.message);
        let (rule, level, at) = (&finding.rule, finding.level.word(), finding.at);
        output::finding(
            side,
            format_args!("{level} {rule} at frame {at}{origin}: {message}"),
        );
    }
}

fn size(frame: &Frame) -> usize {
    match &frame.body {
        Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line) => line.bytes.len(),
        _ => 0,
    }
}
