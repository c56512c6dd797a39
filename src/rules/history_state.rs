//! What the history so far comes to: the state variables, the open scopes, and which commands the agent has shown to have taken.

use super::condition::Operand;
use super::evaluate::EvalContext;
use super::parse::FramePattern;
use super::state_variable::{Change, Effect, Variable, VariableSpec, canonical};
use super::symbol::{SymbolIndex, SymbolSet, Symbols};
use super::truth::Truth;
use serde_json::Value;
use std::collections::HashMap;
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

/// An event that answers a command, and so shows that it and all before it were taken.
#[derive(Debug, Clone)]
pub struct CommandAnswer {
    /// The event.
    pub event: FramePattern,
    /// The command.
    pub command: FramePattern,
    /// What is the same in both; `None` if any event answers the oldest command.
    pub key: Option<(Operand, Operand)>,
}

/// What a dialect's rules remember, as declared.
#[derive(Debug, Clone, Default)]
pub struct Declarations {
    /// The variables.
    pub state: Vec<(VariableSpec, Vec<For>)>,
    /// The scopes.
    pub scopes: Vec<ScopeDeclaration>,
    /// The answers.
    pub answers: Vec<CommandAnswer>,
}

/// For the change of the same number: the list in the frame whose elements it is made for, one by one.
pub type For = Option<Operand>;

/// Where a scope stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScopeState {
    /// Whether an instance is open.
    pub open: bool,
    /// The number of the newest instance, from 1.
    pub instance: u64,
}

/// What of a [`Declarations`] a frame can touch, by its symbols.
#[derive(Debug)]
struct DeclarationIndex {
    /// The changes of all variables: the variable, and which of its changes.
    changes: Vec<(usize, usize)>,
    changing: SymbolIndex,
    settling: SymbolIndex,
    opening: SymbolIndex,
    answering: SymbolIndex,
    commanding: SymbolIndex,
}

impl DeclarationIndex {
    fn new(declarations: &Declarations) -> Self {
        let specs = || declarations.state.iter().map(|(spec, _)| spec).enumerate();
        let each = specs().flat_map(|(n, spec)| (0..spec.changes.len()).map(move |c| (n, c)));
        let all = specs().flat_map(|(_, spec)| &spec.changes);
        let settles = specs().map(|(_, spec)| spec.settles.as_ref());
        let answers = || declarations.answers.iter();
        DeclarationIndex {
            changes: each.collect(),
            changing: SymbolIndex::new(all.map(|(on, _)| on.symbols())),
            settling: SymbolIndex::new(
                settles.map(|p| p.map(FramePattern::symbols).unwrap_or_default()),
            ),
            opening: SymbolIndex::new(declarations.scopes.iter().map(|s| s.open.symbols())),
            answering: SymbolIndex::new(answers().map(|a| a.event.symbols())),
            commanding: SymbolIndex::new(answers().map(|a| a.command.symbols())),
        }
    }
}

/// The history before a frame.
#[derive(Debug, Clone)]
pub struct HistoryState {
    /// The dialect's symbols, for messages.
    pub symbols: Arc<Symbols>,
    /// The names of the scopes.
    pub scope_names: Arc<Vec<String>>,
    /// The variables.
    pub vars: Vec<Variable>,
    /// The scopes.
    pub scopes: Vec<ScopeState>,
    index: Arc<DeclarationIndex>,
    /// What the frame changes, while it is worked out.
    effects: Vec<(usize, Effect)>,
    /// The number of the newest command.
    seq: u64,
    /// All commands up to this number were taken.
    taken: u64,
    open_commands: HashMap<(usize, String), u64>,
}

impl HistoryState {
    /// The history before the first frame.
    #[must_use]
    pub fn new(
        declarations: &Declarations,
        symbols: Arc<Symbols>,
        argv: Option<&[String]>,
        commands: bool,
    ) -> Self {
        let vars = declarations
            .state
            .iter()
            .map(|(spec, _)| Variable::new(spec, argv, commands));
        HistoryState {
            symbols,
            scope_names: Arc::new(declarations.scopes.iter().map(|s| s.name.clone()).collect()),
            vars: vars.collect(),
            scopes: vec![ScopeState::default(); declarations.scopes.len()],
            index: Arc::new(DeclarationIndex::new(declarations)),
            effects: Vec::new(),
            seq: 0,
            taken: 0,
            open_commands: HashMap::new(),
        }
    }

    fn eval_context<'a>(&'a self, symbols: &'a SymbolSet, value: &'a Value) -> EvalContext<'a> {
        EvalContext {
            symbols,
            value,
            vars: &self.vars,
            seen: 0,
            unobservable: 0,
            fold: None,
        }
    }

    /// Before rules see the frame: opens scopes, and settles what the frame shows to have been taken. Returns the scopes that
    /// were still open when their next instance opened.
    pub fn enter(
        &mut self,
        declarations: &Declarations,
        symbols: &SymbolSet,
        value: &Value,
    ) -> Vec<usize> {
        let index = Arc::clone(&self.index);
        self.take(declarations, symbols, value, index.answering.of(symbols));
        for n in index.settling.of(symbols) {
            let settles = declarations.state[n].0.settles.as_ref();
            if settles.is_some_and(|p| self.eval_context(symbols, value).matches(p) == Truth::True)
            {
                self.vars[n].settle(self.taken);
            }
        }
        let mut abandoned = Vec::new();
        for n in index.opening.of(symbols) {
            if self
                .eval_context(symbols, value)
                .matches(&declarations.scopes[n].open)
                == Truth::True
            {
                if self.scopes[n].open {
                    abandoned.push(n);
                }
                self.scopes[n].open = true;
                self.scopes[n].instance += 1;
            }
        }
        abandoned
    }

    fn take(
        &mut self,
        declarations: &Declarations,
        symbols: &SymbolSet,
        value: &Value,
        answers: impl Iterator<Item = usize>,
    ) {
        for n in answers {
            let answer = &declarations.answers[n];
            let eval = self.eval_context(symbols, value);
            if eval.matches(&answer.event) != Truth::True {
                continue;
            }
            let key = answer.key.as_ref().map_or(Some(String::new()), |(e, _)| {
                eval.value(e).map(|v| canonical(&v))
            });
            if let Some(seq) = key.and_then(|key| self.open_commands.remove(&(n, key))) {
                self.taken = self.taken.max(seq);
            }
        }
    }

    /// The scopes that this frame closes.
    #[must_use]
    pub fn closing(
        &self,
        declarations: &Declarations,
        symbols: &SymbolSet,
        value: &Value,
    ) -> Vec<usize> {
        let closes = |n: &usize| {
            self.scopes[*n].open
                && self
                    .eval_context(symbols, value)
                    .matches(&declarations.scopes[*n].close)
                    == Truth::True
        };
        (0..self.scopes.len()).filter(closes).collect()
    }

    /// After rules saw the frame: changes the variables, closes scopes, notes a command. `command` says whether the frame is one.
    pub fn leave(
        &mut self,
        declarations: &Declarations,
        symbols: &SymbolSet,
        value: &Value,
        closing: &[usize],
        command: bool,
    ) {
        if command {
            self.seq += 1;
            let index = Arc::clone(&self.index);
            self.note_command(declarations, symbols, value, index.commanding.of(symbols));
        }
        let mut effects = std::mem::take(&mut self.effects);
        for at in self.index.changing.of(symbols) {
            let (n, change) = self.index.changes[at];
            let (spec, each) = &declarations.state[n];
            let ((on, change), list) = (&spec.changes[change], &each[change]);
            let eval = self.eval_context(symbols, value);
            let is_first = effects.last().is_none_or(|(last, _)| *last != n);
            let at_once = !command || spec.settles.is_none();
            match eval.matches(on) {
                Truth::False => {}
                Truth::True if is_first && at_once && self.vars[n].is_kept_by(change) => {}
                Truth::Unknown => effects.push((n, Effect::Lose)),
                Truth::True => changes_of(&eval, change, list.as_ref(), |effect| {
                    effects.push((n, effect))
                }),
            }
        }
        for (n, effect) in effects.drain(..) {
            if command && declarations.state[n].0.settles.is_some() {
                self.vars[n].defer(self.seq, effect);
            } else {
                self.vars[n].apply(&effect);
            }
        }
        self.effects = effects;
        for n in closing {
            self.scopes[*n].open = false;
        }
    }

    fn note_command(
        &mut self,
        declarations: &Declarations,
        symbols: &SymbolSet,
        value: &Value,
        answers: impl Iterator<Item = usize>,
    ) {
        for n in answers {
            let answer = &declarations.answers[n];
            let eval = self.eval_context(symbols, value);
            if eval.matches(&answer.command) != Truth::True {
                continue;
            }
            let key = answer.key.as_ref().map_or(Some(String::new()), |(_, c)| {
                eval.value(c).map(|v| canonical(&v))
            });
            if let (Some(key), true) = (key, self.open_commands.len() < MAX_OPEN_COMMANDS) {
                self.open_commands.entry((n, key)).or_insert(self.seq);
            }
        }
    }
}

fn changes_of(
    eval: &EvalContext<'_>,
    change: &Change,
    list: Option<&Operand>,
    mut push: impl FnMut(Effect),
) {
    let Some(list) = list else {
        return push(effect(eval, change));
    };
    if let Some(items) = eval.value(list).as_deref().and_then(Value::as_array) {
        for item in items {
            let eval = EvalContext {
                value: item,
                ..*eval
            };
            // An element of another kind has no part in what is joined by a key.
            let keyless = matches!(change, Change::Concat(key, _) if eval.value(key).is_none());
            push(if keyless {
                Effect::Skip
            } else {
                effect(&eval, change)
            });
        }
    }
}

/// Works the operands of a change out. A missing value changes nothing that it could name, so the variable is lost only where
/// that would hide what it holds.
fn effect(eval: &EvalContext<'_>, change: &Change) -> Effect {
    let value = |operand: &Operand| eval.value(operand).map(|v| v.into_owned());
    let key = |operand: &Operand| value(operand).map(|v| canonical(&v));
    let worked = match change {
        Change::Clear => Some(Effect::Clear),
        Change::Increment => Some(Effect::Increment),
        Change::Set(operand) => value(operand).map(Effect::Set),
        Change::Add(operand) => key(operand).map(Effect::Add),
        Change::Remove(operand) => key(operand).map(Effect::Remove),
        Change::Put(k, v) => key(k).zip(value(v)).map(|(k, v)| Effect::Put(k, v)),
        Change::Append(operand) => value(operand).map(Effect::Append),
        Change::Take(operand) => value(operand).map(Effect::Take),
        Change::Concat(k, v) => key(k).zip(value(v)).and_then(|(k, v)| match v {
            Value::String(text) => Some(Effect::Concat(k, text)),
            _ => None,
        }),
    };
    worked.unwrap_or_else(|| match change {
        Change::Add(_)
        | Change::Append(_)
        | Change::Concat(..)
        | Change::Set(_)
        | Change::Remove(_) => Effect::Lose,
        _ => Effect::Skip,
    })
}
