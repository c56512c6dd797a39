//! Runs every rule of a dialect over a history, one frame at a time.

use super::evidence::Recent;
use super::reading::{EndFacts, Reading};
use crate::dialect::Dialect;
use crate::finding::{Blame, Finding, Level};
use crate::frame::{Body, End, Frame};
use crate::profile::Profile;
use crate::rules::moment::Moment;
use crate::rules::rule::{Ending, Form, Monitor, Rule, Violation};
use crate::rules::symbol::SymSet;
use crate::rules::tri::Tri;
use crate::rules::world::World;
use indexmap::IndexMap;
use std::collections::HashMap;
use std::sync::Arc;

/// The most findings that are listed of one rule at one place of a frame.
const MOST_ALIKE: u64 = 10;

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

/// Judges one history.
pub struct Checker {
    dialect: Arc<Dialect>,
    profile: Profile,
    world: World,
    monitors: Vec<Option<Box<dyn Monitor>>>,
    by_symbol: Vec<Vec<usize>>,
    by_scope: Vec<Vec<usize>>,
    by_shape: HashMap<String, usize>,
    wire: Vec<usize>,
    counts: Vec<u64>,
    recent: Recent,
    findings: Vec<Finding>,
    alike: HashMap<(usize, String), u64>,
    dropped: u64,
    n: u64,
    events: u64,
    commands: u64,
    turn: bool,
    facts: EndFacts,
}

impl Checker {
    /// A checker before the first frame.
    #[must_use]
    pub fn new(dialect: Arc<Dialect>, context: Context) -> Self {
        let mut blind = SymSet::default();
        if context.capture {
            blind = dialect.symbols.commands;
            for name in [
                ">#malformed",
                ">#unknown",
                ">#invalid",
                "@request",
                "@reply",
                "#stdin_closed",
                "#signal",
                "#end",
            ] {
                blind.extend(&dialect.symbols.id(name).map(SymSet::of).unwrap_or_default());
            }
        }
        let world = World::new(
            &dialect.memory,
            Arc::clone(&dialect.symbols),
            context.argv.as_deref(),
            !context.capture,
        );
        let monitors: Vec<_> = dialect
            .rules
            .iter()
            .map(|rule| rule.monitor(&blind))
            .collect();
        let mut by_symbol = vec![Vec::new(); SymSet::CAPACITY];
        let mut by_scope = vec![Vec::new(); dialect.memory.scopes.len()];
        let mut by_shape = HashMap::new();
        let mut wire = Vec::new();
        for (n, rule) in dialect.rules.iter().enumerate() {
            match &rule.form {
                Form::Schema(name) => {
                    by_shape.insert(name.clone(), n);
                }
                Form::Wire(_) => wire.push(n),
                _ if monitors[n].is_some() => {
                    for symbol in rule.symbols().iter() {
                        by_symbol[symbol].push(n);
                    }
                    for scope in &rule.scopes {
                        by_scope[*scope].push(n);
                    }
                }
                _ => {}
            }
        }
        Checker {
            counts: vec![0; dialect.rules.len()],
            dialect,
            profile: context.profile,
            world,
            monitors,
            by_symbol,
            by_scope,
            by_shape,
            wire,
            recent: Recent::default(),
            findings: Vec::new(),
            alike: HashMap::new(),
            dropped: 0,
            n: 0,
            events: 0,
            commands: 0,
            turn: false,
            facts: EndFacts::default(),
        }
    }

    /// Takes the next frame.
    pub fn push(&mut self, frame: &Frame) {
        self.n += 1;
        self.recent.push(self.n, frame);
        let dialect = Arc::clone(&self.dialect);
        let reading = Reading::new(&dialect, frame, self.facts);
        self.by_itself(&dialect, frame, &reading);
        if reading.symbols.is_empty() {
            return;
        }
        let command = matches!(frame.body, Body::ToAgent(_));
        self.events +=
            u64::from(matches!(frame.body, Body::FromAgent(_)) && !reading.shapes.is_empty());
        self.commands += u64::from(command && !reading.shapes.is_empty());
        self.note(&dialect, frame, &reading);

        let Reading {
            symbols,
            value,
            blame,
            ..
        } = &reading;
        let abandoned = self.world.enter(&dialect.memory, symbols, value);
        let closing = self.world.closing(&dialect.memory, symbols, value);
        let mut violations = Vec::new();
        let moment = Moment {
            n: self.n,
            at: frame.at,
            blame: *blame,
            symbols,
            value,
            world: &self.world,
        };
        close(
            &dialect,
            &mut self.monitors,
            &self.by_scope,
            &abandoned,
            false,
            &moment,
            &mut violations,
        );
        for n in interested(&self.by_symbol, symbols) {
            if let Some(monitor) = &mut self.monitors[n] {
                let mut out = Vec::new();
                monitor.frame(&dialect.rules[n], &moment, &mut out);
                violations.extend(out.into_iter().map(|v| (n, v)));
            }
        }
        close(
            &dialect,
            &mut self.monitors,
            &self.by_scope,
            &closing,
            true,
            &moment,
            &mut violations,
        );
        if let Body::End(end) = &frame.body {
            let ending = self.ending(end);
            for (n, monitor) in self.monitors.iter_mut().enumerate() {
                if let Some(monitor) = monitor {
                    let mut out = Vec::new();
                    monitor.end(&dialect.rules[n], &moment, ending, &mut out);
                    violations.extend(out.into_iter().map(|v| (n, v)));
                }
            }
        }
        for (n, violation) in violations {
            let clauses = dialect.rules[n].clauses.clone();
            let level = dialect.rules[n].level;
            self.find(&dialect, n, violation, clauses, level);
        }
        self.world
            .leave(&dialect.memory, symbols, value, &closing, command);
    }

    /// What is wrong with the frame by itself: its bytes and its shape.
    fn by_itself(&mut self, dialect: &Dialect, frame: &Frame, reading: &Reading) {
        if matches!(frame.body, Body::FromAgent(_) | Body::ToAgent(_)) {
            for n in self.wire.clone() {
                let rule = &dialect.rules[n];
                let Form::Wire(names) = &rule.form else {
                    continue;
                };
                if rule.blame.unwrap_or(Blame::Agent) != reading.blame {
                    continue;
                }
                self.counts[n] += 1;
                for (name, message) in &reading.defects {
                    if names.iter().any(|n| n == name) {
                        let violation = Violation {
                            blame: reading.blame,
                            key: String::new(),
                            message: message.clone(),
                            expected: Vec::new(),
                            pointer: String::new(),
                        };
                        self.find(dialect, n, violation, rule.clauses.clone(), rule.level);
                    }
                }
            }
        }
        for (name, faults) in &reading.shapes {
            let Some(n) = self.by_shape.get(name).copied() else {
                continue;
            };
            self.counts[n] += 1;
            for fault in faults {
                let violation = Violation {
                    blame: reading.blame,
                    key: String::new(),
                    message: format!("`{name}`: {}", fault.message),
                    expected: fault.expected.clone(),
                    pointer: fault.pointer.clone(),
                };
                self.find(dialect, n, violation, fault.clauses.clone(), fault.level);
            }
        }
    }

    fn note(&mut self, dialect: &Dialect, frame: &Frame, reading: &Reading) {
        let moment = Moment {
            n: self.n,
            at: frame.at,
            blame: reading.blame,
            symbols: &reading.symbols,
            value: &reading.value,
            world: &self.world,
        };
        self.turn |= moment.is(&dialect.session.turn) == Tri::True;
        self.facts.quit |= moment.is(&dialect.session.quit) != Tri::False;
        match &frame.body {
            Body::StdinClosed => self.facts.stdin_closed = true,
            Body::Signal(_) => self.facts.signalled = true,
            _ => {}
        }
    }

    fn ending(&self, end: &End) -> Ending {
        let asked = self.facts.stdin_closed || self.facts.signalled || self.facts.quit;
        Ending {
            by_itself: matches!(end, End::Exited { .. } | End::Signalled { .. }) && !asked,
            out_of_time: matches!(end, End::Killed { why } if why.starts_with("budget")),
            ended: matches!(end, End::Exited { .. } | End::Signalled { .. }),
        }
    }

    fn find(
        &mut self,
        dialect: &Dialect,
        n: usize,
        violation: Violation,
        clauses: Vec<String>,
        level: Level,
    ) {
        let alike = self
            .alike
            .entry((n, violation.pointer.clone()))
            .or_default();
        *alike += 1;
        if *alike > MOST_ALIKE {
            self.dropped += 1;
            return;
        }
        let rule: &Rule = &dialect.rules[n];
        self.findings.push(Finding {
            rule: rule.id.clone(),
            level: self.profile.apply(level, rule.source),
            source: rule.source,
            blame: violation.blame,
            clauses,
            at: self.n,
            key: violation.key,
            message: violation.message,
            expected: violation.expected,
            pointer: violation.pointer,
            evidence: self.recent.quoted(),
            rerun: String::new(),
            baseline: None,
        });
    }

    /// The findings so far.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
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
            let monitor = self.monitors[n].as_ref();
            exercised.insert(
                rule.id.clone(),
                self.counts[n] + monitor.map_or(0, |m| m.exercised()),
            );
            let met = monitor.map(|m| m.readings()).unwrap_or_default();
            if !met.is_empty() {
                readings.insert(rule.id.clone(), met.into_iter().collect());
            }
        }
        Outcome {
            findings: self.findings,
            dropped: self.dropped,
            exercised,
            readings,
            frames: self.n,
            events: self.events,
            commands: self.commands,
            turn: self.turn,
        }
    }
}

/// The rules that look at one of these symbols, each once, in their order.
fn interested(by_symbol: &[Vec<usize>], symbols: &SymSet) -> Vec<usize> {
    let mut rules: Vec<usize> = symbols
        .iter()
        .flat_map(|s| by_symbol[s].iter().copied())
        .collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

fn close(
    dialect: &Dialect,
    monitors: &mut [Option<Box<dyn Monitor>>],
    by_scope: &[Vec<usize>],
    scopes: &[usize],
    judge: bool,
    moment: &Moment<'_>,
    violations: &mut Vec<(usize, Violation)>,
) {
    for n in scopes.iter().flat_map(|scope| &by_scope[*scope]) {
        if let Some(monitor) = &mut monitors[*n] {
            let mut out = Vec::new();
            monitor.scope_closed(&dialect.rules[*n], moment, judge, &mut out);
            violations.extend(out.into_iter().map(|v| (*n, v)));
        }
    }
}
