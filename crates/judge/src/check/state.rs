//! The state of a check: the history state, the monitors, the findings so far. Each frame is decoded, checked by itself, shown to the
//! monitors, and then changes the history state.

use super::checker::{CheckOptions, CheckOutcome};
use super::decoded_frame::DecodedFrame;
use super::end_of_session::ShutdownFacts;
use super::evidence::RecentFrames;
use super::finding_log::FindingLog;
use super::interpreter::without_interpreter;
use super::monitors::{Monitors, Violations};
use super::open_work::OpenWork;
use super::per_frame::PerFrameChecks;
use super::structure::StructureCheck;
use super::tables::Routes;
use crate::dialect::{Dialect, FrameIdentity};
use crate::finding::{Blame, DifferenceKind, Finding};
use crate::frame::{Body, Frame};
use crate::framing::Parsed;
use crate::rules::frame_context::{FrameContext, Turn};
use crate::rules::history_state::{FrameInHistory, HistoryState};
use crate::rules::rule::Rule;
use crate::rules::symbol::{FrameSymbols, SymbolSet};
use frame_language::Truth;
use serde_json::Value;
use std::sync::Arc;

/// The frames that a plain capture of stdout does not show, other than commands.
const NOT_IN_CAPTURES: &[&str] = &[
    ">#malformed",
    ">#unknown",
    ">#invalid",
    ">#blank",
    "@request",
    "@reply",
    "@mcp",
    "#stdin_closed",
    "#stdout_closed",
    "#signal",
    "#end",
];

/// A check between two frames.
#[derive(Clone)]
pub(super) struct CheckerState {
    dialect: Arc<Dialect>,
    history: HistoryState,
    per_frame: PerFrameChecks,
    /// The check of the structure of messages, if they are named by it.
    pub(super) structure: Option<StructureCheck>,
    monitors: Monitors,
    /// The routes of the kinds of frames that came so far.
    routes: Routes,
    pub(super) recent: RecentFrames,
    finding_log: FindingLog,
    /// The result so far, except for the coverage.
    pub(super) outcome: CheckOutcome,
    pub(super) work: OpenWork,
    shutdown: ShutdownFacts,
}

impl CheckerState {
    pub(super) fn new(dialect: Arc<Dialect>, options: &CheckOptions) -> Self {
        let mut unobservable = SymbolSet::default();
        if options.capture {
            unobservable = dialect.symbols.commands;
            for name in NOT_IN_CAPTURES {
                if let Some(id) = dialect.symbols.id(name) {
                    unobservable.insert(id);
                }
            }
        }
        CheckerState {
            history: HistoryState::new(
                &dialect.declarations,
                Arc::clone(&dialect.symbols),
                options.argv.as_deref().map(without_interpreter),
                !options.capture,
            ),
            per_frame: PerFrameChecks::new(&dialect),
            structure: StructureCheck::new(&dialect, options.capture),
            monitors: Monitors::new(&dialect, &unobservable),
            routes: Routes::default(),
            dialect,
            recent: RecentFrames::default(),
            finding_log: FindingLog {
                profile: options.profile,
                ..FindingLog::default()
            },
            outcome: CheckOutcome::default(),
            work: OpenWork::default(),
            shutdown: ShutdownFacts::default(),
        }
    }

    /// Counts a frame without checking it.
    pub(super) fn skip(&mut self, frame: &Frame) {
        self.count(frame);
        self.shutdown.note(frame, false);
    }

    fn count(&mut self, frame: &Frame) {
        self.outcome.frames += 1;
        self.recent.push(self.outcome.frames, frame);
    }

    /// Checks a frame.
    pub(super) fn check(&mut self, frame: &Frame, parsed: &Parsed) {
        self.count(frame);
        let dialect = &*Arc::clone(&self.dialect);
        let tables = dialect.tables();
        let classifiers = (&tables.events, &tables.commands);
        let at = (self.outcome.frames, frame);
        let structure = self.structure.as_mut();
        let of_structure = structure.map(|structure| structure.note(dialect, at, parsed));
        let name = self.structure.as_ref().and_then(StructureCheck::name);
        let line = (frame, parsed, name);
        let decoded = DecodedFrame::new(dialect, classifiers, line, self.shutdown);
        let is_command = matches!(frame.body, Body::ToAgent(_));
        self.check_by_itself(dialect, frame, &decoded);
        self.log(dialect, frame, of_structure.unwrap_or_default());
        match frame.body {
            Body::ToAgent(_) => self.work.note_line(false),
            Body::FromAgent(_) => self.work.note_line(true),
            _ => {}
        }
        if decoded.symbols.is_empty() {
            self.shutdown.note(frame, false);
            return;
        }
        let is_extension = self.structure.as_ref();
        let is_extension = is_extension.is_some_and(|one| one.is_extension(dialect));
        if decoded.is_known() || is_extension {
            self.count_known(is_command);
        }
        self.note_session_frames(dialect, frame, &decoded);

        let turn = self.turn();
        let symbols = &decoded.symbols;
        let route = self.routes.entry(symbols.packed());
        let route = &**route.or_insert_with(|| tables.route(dialect, symbols));
        let touching = FrameInHistory {
            declarations: &dialect.declarations,
            touched: &route.declarations,
            symbols,
            at: frame.at,
            value: &decoded.value,
        };
        let abandoned = self.history.before_rules(touching);
        let closing = self.history.closing_scopes(touching);

        let context = context(self.outcome.frames, frame, &decoded, &self.history, turn);
        let (rules, monitors) = (&dialect.rules, &mut self.monitors);
        let mut violations = Vec::new();
        monitors.on_scopes_closed(
            (tables, rules),
            &abandoned,
            false,
            &context,
            &mut violations,
        );
        monitors.on_frame(rules, (tables, &route.rules), &context, &mut violations);
        monitors.on_scopes_closed((tables, rules), &closing, true, &context, &mut violations);
        if let Body::End(end) = &frame.body {
            let circumstances = self.shutdown.circumstances(end, frame.at);
            monitors.on_end(rules, &context, circumstances, &mut violations);
            if let Some(structure) = &self.structure {
                let is_asked = self.shutdown.is_asked();
                violations.extend(structure.left_open(dialect, end, circumstances, is_asked));
            }
        }
        self.history.after_rules(touching, &closing, is_command);
        name_unknown_frames(dialect, &decoded, is_command, &mut violations);
        self.log(dialect, frame, violations);
    }

    /// Checks the bytes of a line and its schema.
    fn check_by_itself(&mut self, dialect: &Dialect, frame: &Frame, decoded: &DecodedFrame<'_>) {
        let defects = self.per_frame.check_bytes(dialect, frame, decoded);
        self.log(dialect, frame, defects);
        for (n, broken) in self.per_frame.check_schema(decoded) {
            let rule = &dialect.rules[n];
            self.add_finding(rule, broken, frame);
        }
    }

    fn log(&mut self, dialect: &Dialect, frame: &Frame, violations: Violations) {
        for (n, violation) in violations {
            let rule = &dialect.rules[n];
            let finding = Finding {
                clauses: rule.clauses.clone(),
                level: rule.level,
                ..violation
            };
            self.add_finding(rule, finding, frame);
        }
    }

    fn add_finding(&mut self, rule: &Rule, found: Finding, frame: &Frame) {
        let log = &mut self.finding_log;
        log.add(&mut self.outcome, rule, found, frame, &self.recent);
    }

    fn count_known(&mut self, is_command: bool) {
        let count = match is_command {
            true => &mut self.outcome.commands,
            false => &mut self.outcome.events,
        };
        *count += 1;
    }

    fn note_session_frames(
        &mut self,
        dialect: &Dialect,
        frame: &Frame,
        decoded: &DecodedFrame<'_>,
    ) {
        let turn = self.turn();
        let context = context(self.outcome.frames, frame, decoded, &self.history, turn);
        self.outcome.turn |= context.matches(&dialect.session.turn) == Truth::True;
        let quit = context.matches(&dialect.session.quit) != Truth::False;
        self.work.note(dialect, &context);
        self.shutdown.note(frame, quit);
    }

    /// When the last response is overdue that the agent must send by itself.
    pub(super) fn overdue_at(&self) -> Option<u64> {
        self.monitors.overdue_at(&FrameContext {
            n: self.outcome.frames,
            at: 0,
            blame: Blame::Agent,
            symbols: &FrameSymbols::default(),
            value: &Value::Null,
            history: &self.history,
            turn: self.turn(),
        })
    }

    /// Whose turn it is.
    fn turn(&self) -> Turn {
        let structure = self.structure.as_ref();
        structure.map_or_else(Turn::default, StructureCheck::turn)
    }

    pub(super) fn finish(mut self) -> CheckOutcome {
        let coverage = &mut self.outcome.coverage;
        for (n, rule) in self.dialect.rules.iter().enumerate() {
            let by_structure = self.structure.as_ref();
            let by_structure = by_structure.map_or(0, |one| one.exercised(&rule.form));
            let times =
                self.per_frame.exercised(n, rule) + self.monitors.exercised(n) + by_structure;
            if times > 0 {
                coverage.rules.insert(rule.id.clone(), times);
            }
            let met = self.monitors.readings(n);
            if !met.is_empty() {
                coverage.readings.insert(rule.id.clone(), met);
            }
        }
        self.outcome
    }
}

/// A frame that the dialect does not know has no symbol of its own, so a rule cannot name it.
fn name_unknown_frames(
    dialect: &Dialect,
    decoded: &DecodedFrame<'_>,
    is_command: bool,
    violations: &mut Violations,
) {
    if violations.is_empty() {
        return;
    }
    let (vocabulary, _) = dialect.frames(is_command);
    if decoded.is_known() {
        return;
    }
    if let FrameIdentity::Unknown(name) = vocabulary.identify(&decoded.value) {
        let unexpected = violations
            .iter_mut()
            .map(|(_, violation)| &mut violation.difference)
            .filter(|difference| difference.kind == DifferenceKind::Unexpected);
        unexpected.for_each(|difference| difference.name.clone_from(&name));
    }
}

fn context<'a>(
    n: u64,
    frame: &Frame,
    decoded: &'a DecodedFrame<'_>,
    history: &'a HistoryState,
    turn: Turn,
) -> FrameContext<'a> {
    FrameContext {
        n,
        at: frame.at,
        blame: decoded.blame,
        symbols: &decoded.symbols,
        value: &decoded.value,
        history,
        turn,
    }
}
