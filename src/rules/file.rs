//! What an `ordering.yaml` may hold, before its expressions are read.

use super::rule::AtEnd;
use crate::finding::{Blame, Level, Source};
use indexmap::IndexMap;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned};

/// A file of rules.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OrderingFile {
    /// Classification groups of patterns.
    pub classes: IndexMap<String, Vec<Node>>,
    /// Stretches of the history without an id of their own.
    pub scopes: IndexMap<String, ScopeFile>,
    /// What rules remember.
    pub state: IndexMap<String, StateFile>,
    /// Events that answer commands.
    pub answers: Vec<CommandAnswerFile>,
    /// The rules, by name.
    pub rules: IndexMap<String, RuleFile>,
    /// Old names of rules, and what they are called now.
    pub aliases: IndexMap<String, Spanned<String>>,
    /// In a delta: rules of the base that do not hold here.
    pub remove: Vec<Spanned<String>>,
}

/// A scope.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeFile {
    /// The pattern that opens it.
    pub open: Node,
    /// The pattern that closes it.
    pub close: Node,
}

/// A state variable.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateFile {
    /// `value`, `set`, `map`, `list` or `count`.
    pub kind: Spanned<String>,
    /// What it holds at the start.
    #[serde(default)]
    pub start: Option<Node>,
    /// Flags of the agent's command line that say otherwise: `{ value: X }`, or `next` for the word behind the flag.
    #[serde(default)]
    pub argv: IndexMap<String, Node>,
    /// What changes it: pattern to change.
    #[serde(default)]
    pub on: Option<Node>,
    /// The frames that settle what commands changed.
    #[serde(default)]
    pub settles: Option<Node>,
}

/// An event that answers a command.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandAnswerFile {
    /// The pattern of the event.
    pub event: Node,
    /// The pattern of the command.
    pub to: Node,
    /// What both share, as one operand…
    #[serde(default)]
    pub key: Option<Node>,
    /// …or, where it stands elsewhere in the command, that.
    #[serde(default)]
    pub command_key: Option<Node>,
}

/// A rule. Which form it has follows from the keys that it gives.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleFile {
    /// How strongly it asks.
    pub level: Level,
    /// Where it comes from.
    pub source: Source,
    /// The clauses it checks.
    pub clauses: Vec<Spanned<String>>,
    /// What it asks, why a host cares, an example.
    pub doc: Option<Spanned<String>>,
    /// What a finding says; `{/pointer}` and `{$state}` are filled in.
    pub message: Option<Node>,
    /// Whom it binds, where that is not the direction of the breaking frame.
    pub blame: Option<Blame>,
    /// How the history is sliced.
    pub each: Option<Node>,
    /// RuleForm `order`: the expression.
    pub order: Option<Node>,
    /// RuleForm `order`: further frames that count.
    pub also: Option<Node>,
    /// RuleForm `order`: frames after which an unfinished slice is no fault.
    pub excuse: Option<Node>,
    /// RuleForm `order`: frames after which nothing is judged.
    pub void: Option<Node>,
    /// Forms `order` and `deadline`: `own`, `any` or `never`.
    pub at_end: AtEnd,
    /// Forms `order` and `deadline`: a budget that ran out counts only where this certainly holds.
    pub in_time: Option<Node>,
    /// Forms `require` and `probe`: the frames.
    pub on: Option<Node>,
    /// Forms `require` and `deadline`: only where this certainly holds.
    pub when: Option<Node>,
    /// RuleForm `require`: what must hold.
    pub require: Option<Node>,
    /// RuleForm `exit`: what must hold of the end of the process.
    pub exit: Option<Node>,
    /// Before `require`: what is gathered.
    pub fold: Option<FoldFile>,
    /// RuleForm `deadline`: from this frame…
    pub from: Option<Node>,
    /// …to this…
    pub to: Option<Node>,
    /// …before this…
    pub before: Option<Node>,
    /// …unless this comes…
    pub unless: Option<Node>,
    /// …within this budget.
    pub within: Option<Spanned<String>>,
    /// RuleForm `deadline`: what comes under `unless` excuses nothing once this budget is over.
    pub patience: Option<Spanned<String>>,
    /// RuleForm `wire`: the defects of a line.
    pub wire: Vec<Spanned<String>>,
    /// RuleForm `probe`: the readings.
    pub readings: IndexMap<String, Node>,
}

/// What a rule gathers: `on`, and one of the ways to gather with what is gathered.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoldFile {
    /// The frames.
    pub on: Node,
    /// Texts joined.
    #[serde(default)]
    pub concat: Option<Node>,
    /// Values in a list.
    #[serde(default)]
    pub list: Option<Node>,
    /// Numbers added up.
    #[serde(default)]
    pub sum: Option<Node>,
    /// The newest value.
    #[serde(default)]
    pub last: Option<Node>,
}

impl OrderingFile {
    /// This file, its rules citing none of these clauses.
    #[must_use]
    pub fn without_clauses(mut self, gone: &[String]) -> OrderingFile {
        for rule in self.rules.values_mut() {
            rule.clauses.retain(|clause| !gone.contains(&clause.value));
        }
        self
    }

    /// This file laid over the one it extends: entries of the same name replace the base's, `remove` drops rules.
    #[must_use]
    pub fn over(mut self, mut base: OrderingFile) -> OrderingFile {
        base.classes.extend(self.classes);
        base.scopes.extend(self.scopes);
        base.state.extend(self.state);
        base.answers.extend(self.answers);
        for name in &self.remove {
            base.rules.shift_remove(&name.value);
        }
        base.rules.extend(self.rules.drain(..));
        base.aliases.extend(self.aliases);
        base.remove = self.remove;
        base
    }
}
