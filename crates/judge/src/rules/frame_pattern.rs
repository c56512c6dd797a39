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
    for pattern in patterns {
        all.extend(&pattern.symbols);
    }
    all
}

/// The alternatives of a pattern that frames with some symbols can match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Candidates {
    /// One of them has no guards, so such frames match.
    Certain,
    /// These alternatives, by number, if their guards hold.
    Guarded(Vec<usize>),
}

/// A frame matches a pattern if it matches one of its atoms.
#[derive(Debug, Clone, Default)]
pub struct FramePattern {
    atoms: Vec<Atom>,
    symbols: SymbolSet,
}

impl FramePattern {
    /// The pattern of these alternatives.
    pub fn new(atoms: Vec<Atom>) -> Self {
        let mut symbols = SymbolSet::default();
        for atom in &atoms {
            symbols.extend(&atom.include);
        }
        FramePattern { atoms, symbols }
    }

    /// Its alternatives.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// Whether a frame matches.
    #[inline]
    pub fn matches(&self, context: &EvalContext<'_>) -> Truth {
        if self.can_match(context.history.symbols) {
            Truth::any(self.atoms.iter().map(|atom| atom.matches(context)))
        } else {
            Truth::False
        }
    }

    /// The same frames, for which these conditions hold too.
    pub(super) fn with_guards(mut self, guards: &[Condition]) -> Self {
        for atom in &mut self.atoms {
            atom.written.guards.extend_from_slice(guards);
        }
        self
    }

    /// Whether a frame with these symbols can match.
    #[inline]
    pub fn can_match(&self, symbols: &FrameSymbols) -> bool {
        self.symbols.has_any(symbols)
    }

    /// The symbols that can match at all.
    pub fn symbols(&self) -> SymbolSet {
        self.symbols
    }

    /// The conditions that are left for frames with these symbols; `None` if they cannot match.
    pub fn candidates(&self, symbols: &FrameSymbols) -> Option<Candidates> {
        let atoms = self.atoms.iter().enumerate();
        let named: Vec<_> = atoms.filter(|(_, atom)| atom.names(symbols)).collect();
        if named.iter().any(|(_, atom)| atom.written.guards.is_empty()) {
            return Some(Candidates::Certain);
        }
        let numbers = named.into_iter().map(|(n, _)| n).collect::<Vec<_>>();
        (!numbers.is_empty()).then_some(Candidates::Guarded(numbers))
    }

    /// Whether a frame with the symbols of these candidates matches.
    #[inline]
    pub fn matches_by(&self, candidates: &Candidates, context: &EvalContext<'_>) -> Truth {
        match candidates {
            Candidates::Certain => Truth::True,
            Candidates::Guarded(atoms) => {
                let written = atoms.iter().map(|n| &self.atoms[*n].written);
                Truth::any(written.map(|atom| context.holds_all(atom)))
            }
        }
    }

    /// The source text, for messages.
    pub fn sources(&self) -> Vec<String> {
        let atoms = self.atoms.iter();
        atoms.map(|atom| atom.written.source.clone()).collect()
    }
}
