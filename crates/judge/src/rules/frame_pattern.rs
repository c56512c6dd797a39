//! Frame patterns: which frames a name with its guards matches.

use super::condition::Condition;
use super::symbol::{FrameSymbols, SymbolSet};
use super::truth::Truth;

/// One alternative of a pattern: symbols, and conditions on the frame.
#[derive(Debug, Clone)]
pub struct Atom {
    /// Frames with one of these symbols…
    pub include: SymbolSet,
    /// …and none of these…
    pub exclude: SymbolSet,
    /// …for which all of these hold.
    pub guards: Vec<Condition>,
    /// The name of the frame or of the class, with its `!`.
    pub name: String,
    /// The guards that are about one place of the frame, as written.
    pub places: Vec<String>,
    /// The source text, for messages about the rule.
    pub source: String,
}

impl Atom {
    /// Whether a frame with these symbols matches if the guards hold.
    #[inline]
    pub fn names(&self, symbols: &FrameSymbols) -> bool {
        self.include.has_any(symbols) && !self.exclude.has_any(symbols)
    }
}

/// A frame matches a pattern if it matches one of its atoms.
#[derive(Debug, Clone, Default)]
pub struct FramePattern(pub Vec<Atom>);

impl FramePattern {
    /// The symbols that can match at all.
    pub fn symbols(&self) -> SymbolSet {
        let mut all = SymbolSet::default();
        for atom in &self.0 {
            all.extend(&atom.include);
        }
        all
    }

    /// Whether a frame matches, as far as its symbols show: unknown if that depends on guards.
    pub fn by_symbols(&self, symbols: &FrameSymbols) -> Truth {
        let named = || self.0.iter().filter(|atom| atom.names(symbols));
        if named().any(|atom| atom.guards.is_empty()) {
            Truth::True
        } else if named().next().is_some() {
            Truth::Unknown
        } else {
            Truth::False
        }
    }

    /// The source text, for messages.
    pub fn sources(&self) -> Vec<String> {
        self.0.iter().map(|atom| atom.source.clone()).collect()
    }
}
