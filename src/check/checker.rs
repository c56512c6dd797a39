//! Runs every rule of a dialect over a history, one frame at a time.

use super::alone::Alone;
use super::ending::EndFacts;
use super::evidence::Recent;
use super::ledger::Ledger;
use super::lines::Lines;
use super::reading::Reading;
use super::roster::{Roster, Violations};
use crate::dialect::Dialect;
use crate::finding::{Blame, Finding, Level};
use crate::frame::{Body, Eol, Frame};
use crate::profile::Profile;
use crate::rules::moment::Moment;
use crate::rules::symbol::SymSet;
use crate::rules::tri::Tri;
use crate::rules::world::World;
use indexmap::IndexMap;
use std::sync::Arc;

/// What is known of a history besides its frames.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The agent's command line, if known.
    pub argv: Option<Vec<String>>,
    /// Whether this is a plain capture of stdout: no commands, no model, no end.
    pub capture: bool,
    /// How hard levels are taken.
    pub profile: Profile,
}

/// What a history came to.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The findings, in the order of the frames.
    pub findings: Vec<Finding>,
    /// Findings like ten others of the same rule, counted and not listed.
    pub dropped: u64,
    /// How often each rule met its subject.
    pub exercised: IndexMap<String, u64>,
    /// Readings met: probe, reading, how often.
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
    events_known: Arc<Lines>,
    commands_known: Arc<Lines>,
    world: World,
    alone: Alone,
    roster: Roster,
    recent: Recent,
    ledger: Ledger,
    n: u64,
    events: u64,
    commands: u64,
    turn: bool,
    facts: EndFacts,
    fragment: Option<Box<Fragment>>,
}

/// What follows a last line of the host without its newline. An agent may take that line or leave it, so it is at fault only where
/// the history is wrong either way.
#[derive(Clone)]
struct Fragment {
    /// Judges the history as if there were no such line.
    without: Checker,
    /// How many findings there were before the line.
    known: usize,
    /// What was found with the line, and not yet without it.
    held: Vec<Finding>,
}

impl Fragment {
    /// Of what was found with the line, and held so far: what now stands.
    fn agreed(&mut self, new: Vec<Finding>) -> Vec<Finding> {
        let accuses = |f: &Finding| f.blame == Blame::Agent && f.level != Level::May;
        if self.without.ledger.findings[self.known..]
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
    pub fn new(dialect: Arc<Dialect>, context: Context) -> Self {
        let mut blind = SymSet::default();
        if context.capture {
            blind = dialect.symbols.commands;
            let unseen = UNSEEN.iter().filter_map(|name| dialect.symbols.id(name));
            unseen.for_each(|id| blind.extend(&SymSet::of(id)));
        }
        let world = World::new(
            &dialect.memory,
            Arc::clone(&dialect.symbols),
            context.argv.as_deref(),
            !context.capture,
        );
        Checker {
            world,
            alone: Alone::new(&dialect),
            roster: Roster::new(&dialect, &blind),
            events_known: Arc::new(Lines::new(&dialect, false)),
            commands_known: Arc::new(Lines::new(&dialect, true)),
            dialect,
            recent: Recent::default(),
            ledger: Ledger::new(context.profile),
            n: 0,
            events: 0,
            commands: 0,
            turn: false,
            facts: EndFacts::default(),
            fragment: None,
        }
    }

    /// Takes the next frame.
    pub fn push(&mut self, frame: &Frame) {
        let cut_off = matches!(&frame.body, Body::ToAgent(line) if line.eol == Eol::None);
        let known = self.ledger.findings.len();
        if let Some(mut fragment) = self.fragment.take() {
            self.judge(frame);
            fragment.without.judge(frame);
            let new = self.ledger.findings.split_off(known);
            self.ledger.findings.extend(fragment.agreed(new));
            self.fragment = Some(fragment);
        } else if cut_off {
            let mut without = self.clone();
            without.note_number(frame);
            without.facts.note(frame, false);
            self.fragment = Some(Box::new(Fragment {
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
        let reading = Reading::new(&dialect, (&known.0, &known.1), frame, self.facts);
        let defects = self.alone.bytes(&dialect, frame, &reading);
        self.enter(&dialect, defects);
        for (n, violation, clauses, level) in self.alone.shape(&reading) {
            let rule = &dialect.rules[n];
            self.ledger
                .enter(rule, violation, &clauses, level, &self.recent);
        }
        if reading.symbols.is_empty() {
            self.facts.note(frame, false);
            return;
        }
        let command = matches!(frame.body, Body::ToAgent(_));
        if reading.is_known() {
            *(if command {
                &mut self.commands
            } else {
                &mut self.events
            }) += 1;
        }
        self.note(&dialect, frame, &reading);

        let Reading { symbols, value, .. } = &reading;
        let abandoned = self.world.enter(&dialect.memory, symbols, value);
        let closing = self.world.closing(&dialect.memory, symbols, value);
        let ending = match &frame.body {
            Body::End(end) => Some(self.facts.ending(end, frame.at)),
            _ => None,
        };
        let moment = moment(self.n, frame, &reading, &self.world);
        let (rules, roster) = (&dialect.rules, &mut self.roster);
        let mut violations = Vec::new();
        roster.close(rules, &abandoned, false, &moment, &mut violations);
        roster.frame(rules, &moment, &mut violations);
        roster.close(rules, &closing, true, &moment, &mut violations);
        if let Some(ending) = ending {
            roster.end(rules, &moment, ending, &mut violations);
        }
        self.enter(&dialect, violations);
        self.world
            .leave(&dialect.memory, symbols, value, &closing, command);
    }

    fn enter(&mut self, dialect: &Dialect, violations: Violations) {
        for (n, violation) in violations {
            let rule = &dialect.rules[n];
            self.ledger
                .enter(rule, violation, &rule.clauses, rule.level, &self.recent);
        }
    }

    fn note(&mut self, dialect: &Dialect, frame: &Frame, reading: &Reading<'_>) {
        let moment = moment(self.n, frame, reading, &self.world);
        self.turn |= moment.is(&dialect.session.turn) == Tri::True;
        let quit = moment.is(&dialect.session.quit) != Tri::False;
        self.facts.note(frame, quit);
    }

    /// The findings so far.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.ledger.findings
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
    pub fn finish(self) -> Outcome {
        let mut exercised = IndexMap::new();
        let mut readings = IndexMap::new();
        for (n, rule) in self.dialect.rules.iter().enumerate() {
            let met = self.alone.exercised(n) + self.roster.exercised(n);
            exercised.insert(rule.id.clone(), met);
            let met = self.roster.readings(n);
            if !met.is_empty() {
                readings.insert(rule.id.clone(), met);
            }
        }
        Outcome {
            findings: self.ledger.findings,
            dropped: self.ledger.dropped,
            exercised,
            readings,
            frames: self.n,
            events: self.events,
            commands: self.commands,
            turn: self.turn,
        }
    }
}

fn moment<'a>(n: u64, frame: &Frame, reading: &'a Reading<'_>, world: &'a World) -> Moment<'a> {
    Moment {
        n,
        at: frame.at,
        blame: reading.blame,
        symbols: &reading.symbols,
        value: &reading.value,
        world,
    }
}
