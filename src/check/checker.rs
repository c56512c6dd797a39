//! Runs every rule of a dialect over a history, one frame at a time.

use super::decoded_frame::DecodedFrame;
use super::end_of_session::ShutdownFacts;
use super::evidence::RecentFrames;
use super::finding_log::FindingLog;
use super::line_classifier::LineClassifier;
use super::monitors::{Monitors, Violations};
use super::per_frame::PerFrameChecks;
use crate::dialect::Dialect;
use crate::finding::{Blame, Finding, Level};
use crate::frame::{Body, Eol, Frame};
use crate::profile::Profile;
use crate::rules::frame_context::FrameContext;
use crate::rules::history_state::HistoryState;
use crate::rules::symbol::SymbolSet;
use crate::rules::truth::Truth;
use indexmap::IndexMap;
use std::sync::Arc;

/// What is known of a history besides its frames.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// The agent's command line, if known.
    pub argv: Option<Vec<String>>,
    /// Whether this is a plain capture of stdout: no commands, no model, no end.
    pub capture: bool,
    /// How hard levels are taken.
    pub profile: Profile,
}

/// What a history came to.
#[derive(Debug, Clone, Default)]
pub struct CheckOutcome {
    /// The findings, in the order of the frames.
    pub findings: Vec<Finding>,
    /// Findings like ten others of the same rule, counted and not listed.
    pub dropped: u64,
    /// How often each rule met its subject.
    pub exercised: IndexMap<String, u64>,
    /// Readings met: probe, decoded, how often.
    pub readings: IndexMap<String, IndexMap<String, u64>>,
    /// Frames taken.
    pub frames: u64,
    /// Events among them that the dialect knows.
    pub events: u64,
    /// Commands among them that the dialect knows.
    pub commands: u64,
    /// Whether the agent came as far as a first turn.
    pub turn: bool,
}

/// What a plain capture of stdout does not show, beside commands.
const UNSEEN: &[&str] = &[
    ">#malformed",
    ">#unknown",
    ">#invalid",
    "@request",
    "@reply",
    "#stdin_closed",
    "#signal",
    "#end",
];

/// Judges one history.
#[derive(Clone)]
pub struct Checker {
    dialect: Arc<Dialect>,
    events_known: Arc<LineClassifier>,
    commands_known: Arc<LineClassifier>,
    history: HistoryState,
    per_frame: PerFrameChecks,
    monitors: Monitors,
    recent: RecentFrames,
    finding_log: FindingLog,
    n: u64,
    events: u64,
    commands: u64,
    turn: bool,
    facts: ShutdownFacts,
    fragment: Option<Box<UnterminatedCommand>>,
}

/// What follows a last line of the host without its newline. An agent may take that line or leave it, so it is at fault only where
/// the history is wrong either way.
#[derive(Clone)]
struct UnterminatedCommand {
    /// Judges the history as if there were no such line.
    without: Checker,
    /// How many findings there were before the line.
    known: usize,
    /// What was found with the line, and not yet without it.
    held: Vec<Finding>,
}

impl UnterminatedCommand {
    /// Of what was found with the line, and held so far: what now stands.
    fn agreed(&mut self, new: Vec<Finding>) -> Vec<Finding> {
        let accuses = |f: &Finding| f.blame == Blame::Agent && f.level != Level::May;
        if self.without.finding_log.findings[self.known..]
            .iter()
            .any(accuses)
        {
            let mut all = std::mem::take(&mut self.held);
            all.extend(new);
            return all;
        }
        let (held, standing) = new.into_iter().partition(accuses);
        self.held.extend::<Vec<_>>(held);
        standing
    }
}

impl Checker {
    /// A checker before the first frame.
    #[must_use]
    pub fn new(dialect: Arc<Dialect>, context: CheckOptions) -> Self {
        let mut unobservable = SymbolSet::default();
        if context.capture {
            unobservable = dialect.symbols.commands;
            let unseen = UNSEEN.iter().filter_map(|name| dialect.symbols.id(name));
            unseen.for_each(|id| unobservable.extend(&SymbolSet::of(id)));
        }
        let history = HistoryState::new(
            &dialect.declarations,
            Arc::clone(&dialect.symbols),
            context.argv.as_deref(),
            !context.capture,
        );
        Checker {
            history,
            per_frame: PerFrameChecks::new(&dialect),
            monitors: Monitors::new(&dialect, &unobservable),
            events_known: Arc::new(LineClassifier::new(&dialect, false)),
            commands_known: Arc::new(LineClassifier::new(&dialect, true)),
            dialect,
            recent: RecentFrames::default(),
            finding_log: FindingLog::new(context.profile),
            n: 0,
            events: 0,
            commands: 0,
            turn: false,
            facts: ShutdownFacts::default(),
            fragment: None,
        }
    }

    /// Takes the next frame.
    pub fn push(&mut self, frame: &Frame) {
        let cut_off = matches!(&frame.body, Body::ToAgent(line) if line.eol == Eol::None);
        let known = self.finding_log.findings.len();
        if let Some(mut fragment) = self.fragment.take() {
            self.judge(frame);
            fragment.without.judge(frame);
            let new = self.finding_log.findings.split_off(known);
            self.finding_log.findings.extend(fragment.agreed(new));
            self.fragment = Some(fragment);
        } else if cut_off {
            let mut without = self.clone();
            without.note_number(frame);
            without.facts.note(frame, false);
            self.fragment = Some(Box::new(UnterminatedCommand {
                without,
                known,
                held: Vec::new(),
            }));
            self.judge(frame);
        } else {
            self.judge(frame);
        }
    }

    fn note_number(&mut self, frame: &Frame) {
        self.n += 1;
        self.recent.push(self.n, frame);
    }

    fn judge(&mut self, frame: &Frame) {
        self.note_number(frame);
        let dialect = Arc::clone(&self.dialect);
        let known = (
            Arc::clone(&self.events_known),
            Arc::clone(&self.commands_known),
        );
        let decoded = DecodedFrame::new(&dialect, (&known.0, &known.1), frame, self.facts);
        let defects = self.per_frame.bytes(&dialect, frame, &decoded);
        self.enter(&dialect, defects);
        for (n, violation, clauses, level) in self.per_frame.shape(&decoded) {
            let rule = &dialect.rules[n];
            self.finding_log
                .enter(rule, violation, &clauses, level, &self.recent);
        }
        if decoded.symbols.is_empty() {
            self.facts.note(frame, false);
            return;
        }
        let command = matches!(frame.body, Body::ToAgent(_));
        if decoded.is_known() {
            *(if command {
                &mut self.commands
            } else {
                &mut self.events
            }) += 1;
        }
        self.note(&dialect, frame, &decoded);

        let DecodedFrame { symbols, value, .. } = &decoded;
        let abandoned = self.history.enter(&dialect.declarations, symbols, value);
        let closing = self.history.closing(&dialect.declarations, symbols, value);
        let ending = match &frame.body {
            Body::End(end) => Some(self.facts.ending(end, frame.at)),
            _ => None,
        };
        let context = context(self.n, frame, &decoded, &self.history);
        let (rules, monitors) = (&dialect.rules, &mut self.monitors);
        let mut violations = Vec::new();
        monitors.close(rules, &abandoned, false, &context, &mut violations);
        monitors.frame(rules, &context, &mut violations);
        monitors.close(rules, &closing, true, &context, &mut violations);
        if let Some(ending) = ending {
            monitors.end(rules, &context, ending, &mut violations);
        }
        self.enter(&dialect, violations);
        self.history
            .leave(&dialect.declarations, symbols, value, &closing, command);
    }

    fn enter(&mut self, dialect: &Dialect, violations: Violations) {
        for (n, violation) in violations {
            let rule = &dialect.rules[n];
            self.finding_log
                .enter(rule, violation, &rule.clauses, rule.level, &self.recent);
        }
    }

    fn note(&mut self, dialect: &Dialect, frame: &Frame, decoded: &DecodedFrame<'_>) {
        let context = context(self.n, frame, decoded, &self.history);
        self.turn |= context.matches(&dialect.session.turn) == Truth::True;
        let quit = context.matches(&dialect.session.quit) != Truth::False;
        self.facts.note(frame, quit);
    }

    /// The findings so far.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.finding_log.findings
    }

    /// Frames taken so far.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.n
    }

    /// The newest frames, quoted for a finding that is not a rule's.
    #[must_use]
    pub fn evidence(&self) -> Vec<crate::finding::Evidence> {
        self.recent.quoted()
    }

    /// What the history came to.
    #[must_use]
    pub fn finish(self) -> CheckOutcome {
        let mut exercised = IndexMap::new();
        let mut readings = IndexMap::new();
        for (n, rule) in self.dialect.rules.iter().enumerate() {
            let met = self.per_frame.exercised(n) + self.monitors.exercised(n);
            exercised.insert(rule.id.clone(), met);
            let met = self.monitors.readings(n);
            if !met.is_empty() {
                readings.insert(rule.id.clone(), met);
            }
        }
        CheckOutcome {
            findings: self.finding_log.findings,
            dropped: self.finding_log.dropped,
            exercised,
            readings,
            frames: self.n,
            events: self.events,
            commands: self.commands,
            turn: self.turn,
        }
    }
}

fn context<'a>(
    n: u64,
    frame: &Frame,
    decoded: &'a DecodedFrame<'_>,
    history: &'a HistoryState,
) -> FrameContext<'a> {
    FrameContext {
        n,
        at: frame.at,
        blame: decoded.blame,
        symbols: &decoded.symbols,
        value: &decoded.value,
        history,
    }
}
