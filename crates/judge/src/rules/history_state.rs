//! The history state: state variables, open scopes, and which commands the agent has shown to have taken.

use super::conversation::{ConversationParts, ConversationState};
use super::eval_context::{EvalContext, Known};
use super::frame_pattern::{Candidates, FramePattern};
use super::state_variable::Variable;
use super::symbol::{FrameSymbols, Symbols};
use super::variable_content::Effect;
use super::variable_spec::{Change, VariableSpec};
use crate::conversation::Check;
use foldhash::{HashMap, HashMapExt};
use frame_language::{Operand, Truth, canonical};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// The most commands that wait to be shown as taken.
const MAX_OPEN_COMMANDS: usize = 65_536;

/// A scope: a stretch of the history that has no id of its own.
#[derive(Debug, Clone)]
pub struct ScopeDeclaration {
    /// Its name.
    pub name: String,
    /// The frame that opens it, and belongs to it.
    pub open: FramePattern,
    /// The frame that closes it, and belongs to it.
    pub close: FramePattern,
}

/// An event that answers a command, and so shows that the agent took this command and all before it.
#[derive(Debug, Clone)]
pub struct Acknowledgement {
    /// The event.
    pub event: FramePattern,
    /// The command.
    pub command: FramePattern,
    /// The id in the event and in the command; `None` if any such event answers the oldest command.
    pub key: Option<Operand>,
}

/// The state of a dialect's rules as declared: variables, scopes and acknowledgements.
#[derive(Debug, Clone, Default)]
pub struct Declarations {
    /// The variables.
    pub variables: Vec<VariableSpec>,
    /// The scopes.
    pub scopes: Vec<ScopeDeclaration>,
    /// The acknowledgements.
    pub acknowledgements: Vec<Acknowledgement>,
    /// The parts of the conversation.
    pub conversation: ConversationParts,
    /// The checks that rules need of it.
    pub checks: Vec<Check>,
}

/// A change of a variable, by the numbers of both.
#[derive(Debug, Clone)]
struct PossibleChange {
    variable: usize,
    change: usize,
    /// The conditions that are left for the frame.
    candidates: Candidates,
}

/// The declarations that a frame can touch. They depend only on its symbols, so all frames with the same symbols share them.
#[derive(Debug, Default)]
pub struct TouchedDeclarations {
    changes: Vec<PossibleChange>,
    settling: Vec<usize>,
    opening: Vec<usize>,
    closing: Vec<usize>,
    answering: Vec<usize>,
    answered: Vec<usize>,
    conversation: Vec<usize>,
}

impl Declarations {
    /// The parts that frames with these symbols can affect.
    pub fn touched_by(&self, symbols: &FrameSymbols) -> TouchedDeclarations {
        fn numbers<'p>(
            patterns: impl Iterator<Item = Option<&'p FramePattern>>,
            symbols: &FrameSymbols,
        ) -> Vec<usize> {
            let can_match = |pattern: &FramePattern| pattern.candidates(symbols).is_some();
            let each = patterns.enumerate();
            each.filter(|(_, pattern)| pattern.is_some_and(can_match))
                .map(|(n, _)| n)
                .collect()
        }
        let changes = self.variables.iter().enumerate().flat_map(|(n, spec)| {
            let each = spec.changes.iter().enumerate();
            each.filter_map(move |(change, declared)| {
                Some(PossibleChange {
                    variable: n,
                    change,
                    candidates: declared.on.candidates(symbols)?,
                })
            })
        });
        TouchedDeclarations {
            changes: changes.collect(),
            settling: numbers(
                self.variables.iter().map(|v| v.acknowledged_by.as_ref()),
                symbols,
            ),
            opening: numbers(self.scopes.iter().map(|s| Some(&s.open)), symbols),
            closing: numbers(self.scopes.iter().map(|s| Some(&s.close)), symbols),
            answering: numbers(
                self.acknowledgements.iter().map(|a| Some(&a.event)),
                symbols,
            ),
            answered: numbers(
                self.acknowledgements.iter().map(|a| Some(&a.command)),
                symbols,
            ),
            conversation: numbers(
                self.conversation.iter().map(|(part, _)| Some(part)),
                symbols,
            ),
        }
    }
}

/// A frame, and the parts that it can affect.
#[derive(Clone, Copy)]
pub struct FrameInHistory<'a> {
    /// The declarations of the dialect.
    pub declarations: &'a Declarations,
    /// Those declarations that frames with these symbols can affect.
    pub touched: &'a TouchedDeclarations,
    /// The symbols of the frame.
    pub symbols: &'a FrameSymbols,
    /// When it came, in microseconds since the spawn.
    pub at: u64,
    /// Its JSON.
    pub value: &'a Value,
}

/// The state of a scope.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScopeState {
    /// Whether an instance is open.
    pub open: bool,
    /// The number of the newest instance, from 1.
    pub instance: u64,
}

/// What rules know of the frames before the present one.
#[derive(Debug, Clone)]
pub struct HistoryState {
    /// The dialect's symbols, for messages.
    pub symbols: Arc<Symbols>,
    /// The names of the scopes.
    pub scope_names: Arc<Vec<String>>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The scopes.
    pub scopes: Vec<ScopeState>,
    /// A buffer for the effects of a frame.
    effects: Vec<(usize, Effect)>,
    /// The number of the newest command.
    newest_command: u64,
    /// The agent took all commands up to this number.
    taken: u64,
    open_commands: HashMap<(usize, String), u64>,
    /// The conversation.
    pub conversation: ConversationState,
}

impl HistoryState {
    /// The state before the first frame. `argv` is the agent's command line, if known; `commands`: whether the history holds
    /// the host's commands.
    pub fn new(
        declarations: &Declarations,
        symbols: Arc<Symbols>,
        argv: Option<&[String]>,
        commands: bool,
    ) -> Self {
        let specs = declarations.variables.iter();
        let scopes = declarations.scopes.iter();
        HistoryState {
            symbols,
            scope_names: Arc::new(scopes.map(|scope| scope.name.clone()).collect()),
            variables: specs
                .map(|spec| Variable::new(spec, argv, commands))
                .collect(),
            scopes: vec![ScopeState::default(); declarations.scopes.len()],
            effects: Vec::new(),
            newest_command: 0,
            taken: 0,
            open_commands: HashMap::new(),
            conversation: ConversationState::default(),
        }
    }

    fn eval_context<'a>(&'a self, frame: FrameInHistory<'a>) -> EvalContext<'a> {
        Known::context(frame.symbols, frame.at, frame.value, &self.variables)
    }

    /// Before rules see a frame: opens scopes, and settles the changes of the commands that the frame shows as taken, and notes
    /// its part in the conversation. Returns the scopes
    /// whose last instance was still open when the next one opened.
    pub fn before_rules(&mut self, frame: FrameInHistory<'_>) -> Vec<usize> {
        let FrameInHistory {
            declarations,
            touched,
            ..
        } = frame;
        for n in touched.answering.iter().copied() {
            let key = self.answer_key(n, frame, |answer| &answer.event);
            if let Some(command) = key.and_then(|key| self.open_commands.remove(&key)) {
                self.taken = self.taken.max(command);
            }
        }
        for n in touched.settling.iter().copied() {
            let settles = declarations.variables[n].acknowledged_by.as_ref();
            let eval = self.eval_context(frame);
            if settles.is_some_and(|pattern| pattern.matches(&eval) == Truth::True) {
                self.variables[n].settle(self.taken);
            }
        }
        let mut abandoned = Vec::new();
        for n in touched.opening.iter().copied() {
            let eval = self.eval_context(frame);
            if declarations.scopes[n].open.matches(&eval) == Truth::True {
                let scope = &mut self.scopes[n];
                if scope.open {
                    abandoned.push(n);
                }
                scope.open = true;
                scope.instance += 1;
            }
        }
        self.note_conversation(frame);
        abandoned
    }

    fn note_conversation(&mut self, frame: FrameInHistory<'_>) {
        let Declarations {
            conversation,
            checks,
            ..
        } = frame.declarations;
        if !checks.is_empty() && !frame.touched.conversation.is_empty() {
            let eval = Known::context(frame.symbols, frame.at, frame.value, &self.variables);
            let parts = frame.touched.conversation.iter().map(|n| &conversation[*n]);
            self.conversation.note(parts, checks, &eval);
        }
    }

    /// The key that a command and its answer share, if this frame is certainly the one of both that matches this pattern: empty where
    /// they have none, `None` where it is missing.
    fn answer_key(
        &self,
        n: usize,
        frame: FrameInHistory<'_>,
        pattern: fn(&Acknowledgement) -> &FramePattern,
    ) -> Option<(usize, String)> {
        let answer = &frame.declarations.acknowledgements[n];
        let eval = self.eval_context(frame);
        if pattern(answer).matches(&eval) != Truth::True {
            return None;
        }
        let key = match &answer.key {
            Some(operand) => eval.value(operand).map(|value| canonical(&value))?,
            None => String::new(),
        };
        Some((n, key))
    }

    /// The scopes that a frame closes.
    pub fn closing_scopes(&self, frame: FrameInHistory<'_>) -> Vec<usize> {
        let eval = self.eval_context(frame);
        let scopes = &frame.declarations.scopes;
        let closes =
            |n: &usize| self.scopes[*n].open && scopes[*n].close.matches(&eval) == Truth::True;
        frame
            .touched
            .closing
            .iter()
            .copied()
            .filter(closes)
            .collect()
    }

    /// After rules saw a frame: changes the variables, closes scopes, and notes the frame if it is a command.
    pub fn after_rules(&mut self, frame: FrameInHistory<'_>, closing: &[usize], is_command: bool) {
        let FrameInHistory {
            declarations,
            touched,
            ..
        } = frame;
        if is_command {
            self.newest_command += 1;
            for n in touched.answered.iter().copied() {
                let key = self.answer_key(n, frame, |answer| &answer.command);
                if let Some(key) = key.filter(|_| self.open_commands.len() < MAX_OPEN_COMMANDS) {
                    let newest = self.newest_command;
                    self.open_commands.entry(key).or_insert(newest);
                }
            }
        }
        // Every change sees the state before the frame, so all effects are computed before the first is applied.
        let mut effects = std::mem::take(&mut self.effects);
        let eval = self.eval_context(frame);
        for possible in &touched.changes {
            let spec = &declarations.variables[possible.variable];
            let declared = &spec.changes[possible.change];
            let matches = declared.on.matches_by(&possible.candidates, &eval);
            let is_first = effects
                .last()
                .is_none_or(|(last, _)| *last != possible.variable);
            let at_once = !is_command || spec.acknowledged_by.is_none();
            let variable = &self.variables[possible.variable];
            match matches {
                Truth::False => {}
                Truth::True if is_first && at_once && variable.is_kept_by(&declared.change) => {}
                Truth::Unknown => effects.push((possible.variable, Effect::MakeUnknown)),
                Truth::True => {
                    let list = declared.for_each.as_ref();
                    effects_of(&eval, &declared.change, list, |effect| {
                        effects.push((possible.variable, effect));
                    });
                }
            }
        }
        for (n, effect) in effects.drain(..) {
            if is_command && declarations.variables[n].acknowledged_by.is_some() {
                self.variables[n].defer(self.newest_command, effect);
            } else {
                self.variables[n].apply(effect);
            }
        }
        self.effects = effects;
        for n in closing {
            self.scopes[*n].open = false;
        }
    }
}

/// Computes the effects of a change: one, or one for each element of a list in the frame.
fn effects_of(
    eval: &EvalContext<'_>,
    change: &Change<Operand>,
    list: Option<&Operand>,
    mut push: impl FnMut(Effect),
) {
    let Some(list) = list else {
        effect(eval, change).into_iter().for_each(push);
        return;
    };
    if let Some(items) = eval.value(list).as_deref().and_then(Value::as_array) {
        for value in items {
            let eval = EvalContext { value, ..*eval };
            // Texts are joined by key, so an element without a key is skipped.
            if !matches!(change, Change::Concat(key, _) if eval.value(key).is_none()) {
                effect(&eval, change).into_iter().for_each(&mut push);
            }
        }
    }
}

/// Computes the effect of a change. If an operand is missing, the variable becomes unknown where it would hide a value otherwise.
fn effect(eval: &EvalContext<'_>, change: &Change<Operand>) -> Option<Effect> {
    let value = |operand: &Operand| eval.value(operand).map(Cow::into_owned);
    match change.with_values(value) {
        Some(change) => Some(Effect::Change(change)),
        None if matches!(change, Change::Put(..) | Change::Take(_)) => None,
        None => Some(Effect::MakeUnknown),
    }
}
