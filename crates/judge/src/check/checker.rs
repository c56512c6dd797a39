//! The checker: runs every rule of a dialect over the history of a session, one frame at a time.

use super::coverage::Coverage;
use super::excerpt::SessionExcerpt;
use super::state::CheckerState;
use crate::dialect::Dialect;
use crate::finding::{Blame, Evidence, Finding, Level};
use crate::frame::{Body, Eol, Frame};
use crate::framing::Parsed;
use crate::profile::Profile;
use std::sync::Arc;

/// What is known of a session besides its frames, and how its findings are judged.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The agent's command line, if known.
    pub argv: Option<Vec<String>>,
    /// Whether this is a plain capture of stdout: no commands, no model, no end.
    pub capture: bool,
    /// Shifts the levels of findings.
    pub profile: Profile,
}

/// The result of a check, of one session or of several.
#[derive(Debug, Clone, Default)]
pub struct CheckOutcome {
    /// The findings, in the order of the frames.
    pub findings: Vec<Finding>,
    /// Findings like ten others of the same rule, counted and not listed.
    pub dropped: u64,
    /// The rules that applied, and the readings of ambiguous clauses that were met.
    pub coverage: Coverage,
    /// The first and last frames, if they were asked for.
    pub excerpt: SessionExcerpt,
    /// Frames checked.
    pub frames: u64,
    /// Events among them that the dialect knows.
    pub events: u64,
    /// Commands among them that the dialect knows.
    pub commands: u64,
    /// Whether the agent reached its first turn.
    pub turn: bool,
}

impl CheckOutcome {
    /// Whether there is a finding above a note.
    pub fn has_counted(&self) -> bool {
        self.findings.iter().any(|one| one.level > Level::May)
    }

    /// Adds the result of the next session. The excerpt is that of the session that has the first finding above a note.
    pub fn add(&mut self, next: CheckOutcome) {
        if !self.has_counted() {
            self.excerpt = next.excerpt;
        }
        self.findings.extend(next.findings);
        self.dropped += next.dropped;
        self.coverage.add(next.coverage);
        self.frames += next.frames;
        self.events += next.events;
        self.commands += next.commands;
        self.turn |= next.turn;
    }
}

/// Checks one session.
#[derive(Clone)]
pub struct Checker {
    state: CheckerState,
    unterminated: Option<Box<UnterminatedCommand>>,
    /// The first and last frames, if they are asked for.
    excerpt: Option<SessionExcerpt>,
}

/// The history behind a last line of the host that has no newline. An agent may take that line or leave it, so findings blame the
/// agent only if it is wrong in both cases.
#[derive(Clone)]
struct UnterminatedCommand {
    /// Checks the history as if there were no such line.
    without: CheckerState,
    /// The number of findings before the line.
    before: usize,
    /// Findings against the agent with the line, as long as there are none without it.
    held: Vec<Finding>,
}

impl UnterminatedCommand {
    /// Of the new findings with the line, and of those held so far: those that hold in both cases.
    fn confirmed(&mut self, new: Vec<Finding>) -> Vec<Finding> {
        let blames_agent = |f: &Finding| f.blame == Blame::Agent && f.level != Level::May;
        let without = &self.without.findings()[self.before..];
        if without.iter().any(blames_agent) {
            let mut all = std::mem::take(&mut self.held);
            all.extend(new);
            return all;
        }
        let (held, confirmed) = new.into_iter().partition::<Vec<_>, _>(blames_agent);
        self.held.extend(held);
        confirmed
    }
}

impl Checker {
    /// A checker before the first frame.
    pub fn new(dialect: Arc<Dialect>, options: CheckOptions) -> Self {
        Checker {
            state: CheckerState::new(dialect, &options),
            unterminated: None,
            excerpt: None,
        }
    }

    /// The same checker, which also quotes the first and last frames for a report.
    #[must_use]
    pub fn with_excerpt(self) -> Self {
        Checker {
            excerpt: Some(SessionExcerpt::default()),
            ..self
        }
    }

    /// Checks the next frame.
    pub fn push(&mut self, frame: &Frame) {
        self.push_parsed(frame, &Parsed::new(frame));
    }

    /// Checks the next frame, whose line is parsed already.
    pub fn push_parsed(&mut self, frame: &Frame, parsed: &Parsed) {
        if let Some(excerpt) = &mut self.excerpt {
            excerpt.push(frame);
        }
        let is_unterminated = matches!(&frame.body, Body::ToAgent(line) if line.eol == Eol::None);
        if let Some(unterminated) = &mut self.unterminated {
            let known = self.state.findings().len();
            self.state.check(frame, parsed);
            unterminated.without.check(frame, parsed);
            let new = self.state.take_findings_from(known);
            self.state.add_findings(unterminated.confirmed(new));
        } else {
            if is_unterminated {
                let mut without = self.state.clone();
                without.skip(frame);
                self.unterminated = Some(Box::new(UnterminatedCommand {
                    without,
                    before: self.state.findings().len(),
                    held: Vec::new(),
                }));
            }
            self.state.check(frame, parsed);
        }
    }

    /// The findings so far.
    pub fn findings(&self) -> &[Finding] {
        self.state.findings()
    }

    /// The number of frames so far.
    pub fn frames(&self) -> u64 {
        self.state.frames()
    }

    /// The newest frames, quoted for a finding that does not come from a rule.
    pub fn evidence(&self) -> Vec<Evidence> {
        self.state.evidence()
    }

    /// Whether all work that the agent has begun has certainly ended (`session.work` of the dialect): every turn is over, every command is
    /// answered.
    pub fn is_work_over(&self) -> bool {
        self.state.is_work_over()
    }

    /// Whether the newest frame ended the work of a prompt: a turn.
    pub fn ended_turn(&self) -> bool {
        self.state.ended_turn()
    }

    /// Ends the check.
    pub fn finish(self) -> CheckOutcome {
        CheckOutcome {
            excerpt: self.excerpt.unwrap_or_default(),
            ..self.state.finish()
        }
    }
}
