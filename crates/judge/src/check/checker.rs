//! The checker: runs every rule of a dialect over the history of a session, one frame at a time.

use super::coverage::Coverage;
use super::evidence::RecentFrames;
use super::excerpt::{LAST, SessionExcerpt};
use super::state::CheckerState;
use super::structure::StructureCheck;
use crate::dialect::Dialect;
use crate::finding::{Blame, Evidence, Finding, Level};
use crate::frame::{Body, Eol, Frame, Line};
use crate::framing::{LINE_LIMIT, Parsed};
use crate::profile::Profile;
use conform_dialect::json_rpc::Pairing;
use std::sync::Arc;

/// The known facts of a session other than its frames, and how its findings are judged.
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
    /// The first and last frames, if they were requested.
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
    /// The first and last frames, if they are requested.
    excerpt: Option<SessionExcerpt>,
}

/// The history after a line of the host that has no newline. If it is the last one, an agent may accept or ignore it, so findings blame the
/// agent only if it is wrong in both cases. If more comes from the host, it was the beginning of that line.
#[derive(Clone)]
struct UnterminatedCommand {
    /// Checks the history as if there were no such line.
    without: CheckerState,
    /// The number of findings before the line.
    before: usize,
    /// Findings against the agent with the line, as long as there are none without it.
    held: Vec<Finding>,
    line: Line,
    /// Findings about the line itself, while it may still continue.
    of_line: Vec<Finding>,
}

impl UnterminatedCommand {
    /// Of the new findings with the line, and of those held so far: those that apply in both cases.
    fn confirmed(&mut self, new: Vec<Finding>) -> Vec<Finding> {
        let blames_agent = |f: &Finding| f.blame == Blame::Agent && f.level != Level::May;
        let without = &self.without.outcome.findings[self.before..];
        if without.iter().any(blames_agent) {
            let mut all = std::mem::take(&mut self.held);
            all.extend(new);
            return all;
        }
        let (held, confirmed) = new.into_iter().partition::<Vec<_>, _>(blames_agent);
        self.held.extend(held);
        confirmed
    }

    /// The whole line, with what the host wrote next.
    fn continued(&self, rest: &Line) -> Line {
        let mut bytes = self.line.bytes.clone();
        let room = LINE_LIMIT.saturating_sub(bytes.len());
        let (kept, cut) = rest.bytes.split_at(rest.bytes.len().min(room));
        bytes.extend_from_slice(kept);
        Line {
            bytes,
            eol: rest.eol,
            dropped: self.line.dropped + rest.dropped + cut.len() as u64,
        }
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
    pub fn with_excerpt(mut self) -> Self {
        self.state.recent = RecentFrames::new(LAST);
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
            excerpt.push(self.state.outcome.frames + 1, frame);
        }
        match &frame.body {
            Body::ToAgent(line) => self.push_command(frame, line, parsed),
            _ => self.check(frame, parsed),
        }
        if frame.body == Body::StdinClosed {
            self.end_line();
        }
    }

    fn check(&mut self, frame: &Frame, parsed: &Parsed) {
        let known = self.state.outcome.findings.len();
        self.state.check(frame, parsed);
        if let Some(unterminated) = &mut self.unterminated {
            unterminated.without.check(frame, parsed);
            let new = self.state.outcome.findings.split_off(known);
            self.state
                .outcome
                .findings
                .extend(unterminated.confirmed(new));
        }
    }

    fn push_command(&mut self, frame: &Frame, line: &Line, parsed: &Parsed) {
        if let Some(begun) = self.unterminated.take() {
            let mut reported = self.state.outcome.findings.split_off(begun.before);
            let line = begun.continued(line);
            self.state = begun.without;
            let without = self.state.outcome.findings.split_off(begun.before);
            let is_new = |one: &Finding| !reported.contains(one);
            let new: Vec<_> = without.into_iter().filter(is_new).collect();
            reported.extend(new);
            self.state.outcome.findings.extend(reported);
            let body = Body::ToAgent(line.clone());
            let whole = Frame { at: frame.at, body };
            let parsed = Parsed::new(&whole);
            return self.push_command(&whole, &line, &parsed);
        }
        let before = self.state.outcome.findings.len();
        let without = (line.eol == Eol::None).then(|| self.state.clone());
        self.state.check(frame, parsed);
        if let Some(mut without) = without {
            without.skip(frame);
            self.unterminated = Some(Box::new(UnterminatedCommand {
                without,
                before,
                held: Vec::new(),
                line: line.clone(),
                of_line: self.state.outcome.findings.split_off(before),
            }));
        }
    }

    /// The host writes no more, so a line without a newline is whole.
    fn end_line(&mut self) {
        if let Some(unterminated) = &mut self.unterminated {
            let of_line = std::mem::take(&mut unterminated.of_line);
            self.state.outcome.findings.extend(of_line);
        }
    }

    /// The findings so far.
    pub fn findings(&self) -> &[Finding] {
        &self.state.outcome.findings
    }

    /// The number of frames so far.
    pub fn frames(&self) -> u64 {
        self.state.outcome.frames
    }

    /// The newest frames, quoted for a finding that does not come from a rule.
    pub fn evidence(&self) -> Vec<Evidence> {
        self.state.recent.quoted()
    }

    /// Whether all work that the agent has begun has certainly ended (`session.work` of the dialect): every turn is over, every command is
    /// answered, and so is every request of either side.
    pub fn is_work_over(&self) -> bool {
        self.state.work.is_over() && self.pairing().is_none_or(is_all_answered)
    }

    /// Whether every request of either side is answered; `false` in a dialect whose messages are not named by their structure.
    pub fn is_all_answered(&self) -> bool {
        self.pairing().is_some_and(is_all_answered)
    }

    /// The requests of both sides, in a dialect whose messages are named by their structure.
    pub fn pairing(&self) -> Option<&Pairing> {
        self.state.structure.as_ref().map(StructureCheck::pairing)
    }

    /// The name of the newest frame, in a dialect whose messages are named by their structure.
    pub fn newest_name(&self) -> Option<&str> {
        self.state.structure.as_ref()?.name()
    }

    /// When the last response is overdue that the agent must send by itself within a budget (`unless_within`), in microseconds since the
    /// spawn.
    pub fn overdue_at(&self) -> Option<u64> {
        self.state.overdue_at()
    }

    /// Whether the newest frame ended the work of a prompt: a turn.
    pub fn ended_turn(&self) -> bool {
        self.state.work.ended_turn
    }

    /// Ends the check.
    pub fn finish(mut self) -> CheckOutcome {
        self.end_line();
        let recent = std::mem::take(&mut self.state.recent);
        let excerpt = self.excerpt.map(|excerpt| excerpt.ended_with(recent));
        CheckOutcome {
            excerpt: excerpt.unwrap_or_default(),
            ..self.state.finish()
        }
    }
}

fn is_all_answered(pairing: &Pairing) -> bool {
    ![Blame::Agent, Blame::Host]
        .into_iter()
        .any(|asker| pairing.is_waiting(asker))
}
