//! Judges a session while it is recorded, and prints each finding to stderr as it happens.

use crate::cli::args::DialectArgs;
use crate::cli::output;
use crate::cli::session_judge::{DialectChoice, LoadedDialects, SessionJudge};
use conform_judge::check::CheckOptions;
use conform_judge::dialect::DialectSource;
use conform_judge::finding::{Blame, Finding};
use conform_judge::frame::Frame;
use spanned_yaml::Error;
use std::ffi::OsString;

/// How many frames are held until the dialect is detected, unless the user names it.
const HELD_FRAMES: usize = 24;

/// The judge of a running session.
pub(super) struct LiveJudge {
    judge: Option<SessionJudge>,
    /// Whether the dialect of the session was printed.
    announced: bool,
    /// The number of printed findings, by the side to blame.
    findings: [usize; 2],
}

impl LiveJudge {
    /// A judge of the named dialect, or else of the detected one. Dialects whose agents have this command line are tried first.
    pub(super) fn new(args: &DialectArgs, agent: &[OsString]) -> Result<Self, Vec<Error>> {
        let mut dialects = LoadedDialects::new(DialectSource::new(args.dialect_dir.clone()));
        let choice = DialectChoice::new(&mut dialects, args.dialect.as_deref(), agent)?;
        let judge = SessionJudge::new(choice, CheckOptions::default(), HELD_FRAMES);
        Ok(LiveJudge {
            judge: Some(judge),
            announced: false,
            findings: [0; 2],
        })
    }

    /// Judges the next frame.
    pub(super) fn push(&mut self, frame: &Frame) {
        let printed = self.printed();
        let Some(judge) = &mut self.judge else {
            return;
        };
        judge.push(&frame.clone().into());
        if judge.is_lost() {
            self.judge = None;
            return no_dialect();
        }
        if let Some((dialect, by)) = judge.chosen().filter(|_| !self.announced) {
            self.announced = true;
            announce(&dialect.id(), *by);
        }
        let new = judge.findings().iter().skip(printed);
        let new: Vec<Finding> = new.cloned().collect();
        new.iter().for_each(|finding| self.print(finding));
    }

    /// Judges the end of the session, and prints the number of findings.
    pub(super) fn finish(&mut self) {
        let Some(judge) = self.judge.take() else {
            return;
        };
        let Some(((dialect, by), outcome)) = judge.finish() else {
            return no_dialect();
        };
        if !self.announced {
            announce(&dialect.id(), by);
        }
        for finding in outcome.findings.iter().skip(self.printed()) {
            self.print(finding);
        }
        let [agent, host] = self.findings;
        output::note(format_args!(
            "{} frames; findings: {agent} on the agent, {host} on the host",
            outcome.frames
        ));
    }

    fn printed(&self) -> usize {
        self.findings.iter().sum()
    }

    fn print(&mut self, finding: &Finding) {
        let (side, place) = match finding.blame {
            Blame::Agent => ("agent", 0),
            Blame::Host => ("host", 1),
        };
        self.findings[place] += 1;
        output::finding(side, output::headline(finding));
    }
}

fn announce(dialect: &str, by: Option<&str>) {
    if let Some(by) = by {
        output::note(format_args!("judged as {dialect}, {by}"));
    }
}

fn no_dialect() {
    output::warning("the frames show no dialect, so nothing is judged; name it with --dialect");
}
