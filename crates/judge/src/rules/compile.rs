//! The compiler of ordering rules: names become numbers, texts become automata and conditions.

mod condition;
mod declarations;
mod forms;
mod named;
mod owed;
mod setting;
mod slice_key;

use super::conversation::ConversationParts;
use super::frame_pattern::FramePattern;
use super::history_state::Declarations;
use super::parse::{self, Names};
use super::rule::Rule;
use super::symbol::Symbols;
use conform_dialect::ordering::Ordering;
use conform_dialect::ordering::variables::StateFile;
use frame_language::parse::operand;
use frame_language::{Operand, SyntaxError};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node};
use std::collections::HashMap;

/// The names of a dialect that rules can use.
#[derive(Debug, Clone, Copy)]
pub struct DialectNames<'a> {
    /// The dialect's name: the prefix of its rules' ids.
    pub dialect: &'a str,
    /// Its symbols.
    pub symbols: &'a Symbols,
    /// Its budgets, in microseconds.
    pub budgets: &'a IndexMap<String, u64>,
}

/// Compiles rules.
///
/// # Errors
/// Every error, each with its position in the file.
pub fn compile(
    ordering: &Ordering,
    known: DialectNames<'_>,
) -> Result<(Declarations, Vec<Rule>), Vec<Error>> {
    let mut compiler = Compiler {
        known,
        names: Names::new(known.symbols),
        scopes: HashMap::new(),
        conditions: &ordering.file.conditions,
        state: &ordering.file.state,
        errors: Vec::new(),
        seen: Vec::new(),
        conversation: None,
    };
    compiler.names(ordering);
    let mut declarations = compiler.declarations(ordering);
    if let Some(file) = &ordering.file.conversation {
        compiler.conversation = Some(compiler.conversation_parts(file));
    }
    let mut rules = Vec::new();
    for (name, rule) in &ordering.rules {
        if let Some(rule) = compiler.rule(name, rule) {
            rules.push(rule);
        }
    }
    declarations.conversation = compiler.conversation.take().unwrap_or_default();
    declarations.checks = rules.iter().filter_map(Rule::conversation_check).collect();
    compiler
        .errors
        .is_empty()
        .then_some((declarations, rules))
        .ok_or(compiler.errors)
}

struct Compiler<'a> {
    known: DialectNames<'a>,
    names: Names<'a>,
    scopes: HashMap<String, usize>,
    /// The named conditions as written, for the texts of requirements.
    conditions: &'a IndexMap<String, Node>,
    /// The state variables as written.
    state: &'a IndexMap<String, StateFile>,
    errors: Vec<Error>,
    /// The patterns of the `seen` conditions of the rule that is compiled.
    seen: Vec<FramePattern>,
    /// How frames become a conversation.
    conversation: Option<ConversationParts>,
}

impl<'a> Compiler<'a> {
    fn fail<T>(&mut self, error: Error) -> Option<T> {
        self.errors.push(error);
        None
    }

    fn read<T>(
        &mut self,
        node: &Node,
        read: impl Fn(&str, &Names<'a>) -> Result<T, SyntaxError>,
    ) -> Option<T> {
        let Some(text) = node.as_str() else {
            return self.fail(node.error(format!(
                "an expression was expected, not {}",
                node.describe()
            )));
        };
        match read(text, &self.names) {
            Ok(value) => Some(value),
            Err(error) => self.fail(node.error(error.shown_in(text))),
        }
    }

    fn pattern(&mut self, node: &Node) -> Option<FramePattern> {
        self.read(node, parse::pattern)
    }

    fn state_number(&self, name: &str) -> Option<usize> {
        self.names.declared.state.as_ref()?.get(name).copied()
    }

    /// A part that may be left out; `Some(None)` if it is.
    #[expect(
        clippy::option_option,
        reason = "the outer one says that an error was recorded"
    )]
    fn optional<N, T>(
        &mut self,
        part: Option<&N>,
        read: impl Fn(&mut Self, &N) -> Option<T>,
    ) -> Option<Option<T>> {
        part.map_or(Some(None), |part| read(self, part).map(Some))
    }

    fn optional_pattern(&mut self, node: Option<&Node>) -> Option<FramePattern> {
        node.map_or(Some(FramePattern::default()), |node| self.pattern(node))
    }

    fn operand(&mut self, node: &Node) -> Option<Operand> {
        match node.as_str() {
            Some(_) => self.read(node, |text, names| operand(text, &names.declared)),
            None => Some(Operand::Literal(node.to_value())),
        }
    }
}
