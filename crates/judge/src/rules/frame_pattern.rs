//! Frame patterns with the symbols of a dialect.

use super::eval_context::EvalContext;
use super::symbol::{FrameSymbols, SymbolSet};
use frame_language::{Condition, Truth};

/// One alternative of a pattern.
#[derive(Debug, Clone)]
pub struct Atom {
    /// Frames with one of these symbols…
    pub include: SymbolSet,
    /// …and none of these match, if the guards hold.
    pub exclude: SymbolSet,
    /// The atom as written, with its guards.
    pub written: frame_language::Atom,
}

impl Atom {
    /// Whether a frame with these symbols matches if the guards hold.
    #[inline]
    pub fn names(&self, symbols: &FrameSymbols) -> bool {
        self.include.has_any(symbols) && !self.exclude.has_any(symbols)
    }

    /// Whether a frame matches.
    pub fn matches(&self, context: &EvalContext<'_>) -> Truth {
        if self.names(context.history.symbols) {
            context.holds_all(&self.written)
        } else {
            Truth::False
        }
    }
}

/// The symbols that can match any of these patterns.
pub fn symbols_of<'p>(patterns: impl IntoIterator<Item = &'p FramePattern>) -> SymbolSet {
    let mut all = SymbolSet::default();
    for atom in patterns.into_iter().flat_map(|pattern| &pattern.0) {
        all.extend(&atom.include);
    }
    all
}

/// A frame matches a pattern if it matches one of its atoms.
#[derive(Debug, Clone, Default)]
pub struct FramePattern(pub Vec<Atom>);

impl FramePattern {
    /// Whether a frame matches.
    pub fn matches(&self, context: &EvalContext<'_>) -> Truth {
        Truth::any(self.0.iter().map(|atom| atom.matches(context)))
    }

    /// The same frames, for which these conditions hold too.
    pub(super) fn with_guards(mut self, guards: &[Condition]) -> Self {
        for atom in &mut self.0 {
            atom.written.guards.extend_from_slice(guards);
        }
        self
    }

    /// The symbols that can match at all.
    pub fn symbols(&self) -> SymbolSet {
        symbols_of([self])
    }

    /// Whether a frame matches, as far as its symbols show: unknown if that depends on guards.
    pub fn by_symbols(&self, symbols: &FrameSymbols) -> Truth {
        let named = || self.0.iter().filter(|atom| atom.names(symbols));
        if named().any(|atom| atom.written.guards.is_empty()) {
            Truth::True
        } else if named().next().is_some() {
            Truth::Unknown
        } else {
            Truth::False
        }
    }

    /// The source text, for messages.
    pub fn sources(&self) -> Vec<String> {
        let atoms = self.0.iter();
        atoms.map(|atom| atom.written.source.clone()).collect()
    }
}
