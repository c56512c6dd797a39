//! The format of `ordering.yaml`: the YAML keys of rules, state variables and scopes. Expressions are still text here.

use super::monitor::AtEnd;
use crate::finding::{Blame, Level, Source};
use indexmap::IndexMap;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned};

/// A file of rules.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OrderingFile {
    /// Named groups of patterns.
    pub classes: IndexMap<String, Vec<Node>>,
    /// Stretches of the history without an id of their own.
    pub scopes: IndexMap<String, ScopeFile>,
    /// The state variables.
    pub state: IndexMap<String, StateFile>,
    /// Events that answer commands.
    pub answers: Vec<CommandAnswerFile>,
    /// The rules, by name.
    pub rules: IndexMap<String, RuleFile>,
    /// Old names of rules, with the new ones.
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
    /// Its first value.
    #[serde(default)]
    pub start: Option<Node>,
    /// Flags of the agent's command line that set the first value: `{ value: X }`, or `next` for the word behind the flag.
    #[serde(default)]
    pub argv: IndexMap<String, Node>,
    /// The changes, by the pattern of the frames that make them.
    #[serde(default)]
    pub on: Option<Node>,
    /// The frames that settle the changes that commands made.
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
    /// The id that both share, as one operand…
    #[serde(default)]
    pub key: Option<Node>,
    /// …and the operand in the command, if it is another one.
    #[serde(default)]
    pub command_key: Option<Node>,
}

/// A rule. Its keys decide which form it has.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleFile {
    /// The level of its findings.
    pub level: Level,
    /// The source of the rule.
    pub source: Source,
    /// The clauses it checks.
    pub clauses: Vec<Spanned<String>>,
    /// What it asks, why a host cares, an example.
    pub doc: Option<Spanned<String>>,
    /// The message of a finding; `{/pointer}` and `{$state}` are filled in.
    pub message: Option<Node>,
    /// Who is to blame, if not the sender of the frame that breaks it.
    pub blame: Option<Blame>,
    /// How the history is sliced.
    pub each: Option<Node>,
    /// Form `order`: the expression.
    pub order: Option<Node>,
    /// Form `order`: further frames that count.
    pub also: Option<Node>,
    /// Form `order`: frames after which an unfinished slice is no violation.
    pub excuse: Option<Node>,
    /// Form `order`: frames after which the slice is no longer checked.
    pub void: Option<Node>,
    /// Forms `order` and `deadline`: `own`, `any` or `never`.
    pub at_end: AtEnd,
    /// Forms `order` and `deadline`: the end by timeout counts only if this certainly holds.
    pub in_time: Option<Node>,
    /// Forms `require` and `readings`: the frames.
    pub on: Option<Node>,
    /// Forms `require` and `deadline`: only if this certainly holds.
    pub when: Option<Node>,
    /// Form `require`: what must hold.
    pub require: Option<Node>,
    /// Form `exit`: what must hold for the end of the process.
    pub exit: Option<Node>,
    /// Form `require`: the value that is collected as `$fold`.
    pub fold: Option<FoldFile>,
    /// Form `deadline`: from this frame…
    pub from: Option<Node>,
    /// …to this…
    pub to: Option<Node>,
    /// …before this…
    pub before: Option<Node>,
    /// …unless this comes…
    pub unless: Option<Node>,
    /// …within this budget.
    pub within: Option<Spanned<String>>,
    /// Form `deadline`: a frame of `unless` cancels nothing after this budget.
    pub patience: Option<Spanned<String>>,
    /// Form `wire`: the defects of a line.
    pub wire: Vec<Spanned<String>>,
    /// Form `readings`: the readings.
    pub readings: IndexMap<String, Node>,
}

/// A fold: `on`, and one way to combine with the values to combine.
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
    /// This file, with these clauses removed from its rules.
    #[must_use]
    pub fn without_clauses(mut self, gone: &[String]) -> OrderingFile {
        for rule in self.rules.values_mut() {
            rule.clauses.retain(|clause| !gone.contains(&clause.value));
        }
        self
    }

    /// This file merged into the file it extends: entries replace those of the base with the same name, `remove` drops rules.
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
