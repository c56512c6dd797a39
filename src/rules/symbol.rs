//! Symbols: what a frame counts as in rules.

use std::collections::HashMap;

/// A set of symbols of one dialect; at most [`SymbolSet::CAPACITY`] of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SymbolSet([u64; 8]);

impl SymbolSet {
    /// The number of symbols that a dialect may have.
    pub const CAPACITY: usize = 512;

    /// The set of one symbol.
    #[must_use]
    pub fn of(id: usize) -> Self {
        let mut set = SymbolSet::default();
        set.insert(id);
        set
    }

    /// Adds a symbol.
    pub fn insert(&mut self, id: usize) {
        self.0[id / 64] |= 1 << (id % 64);
    }

    /// Whether the symbol is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, id: usize) -> bool {
        self.0[id / 64] & (1 << (id % 64)) != 0
    }

    /// Adds all symbols of another set.
    pub fn extend(&mut self, other: &SymbolSet) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a |= b;
        }
    }

    /// Whether the two sets share a symbol.
    #[inline]
    #[must_use]
    pub fn intersects(&self, other: &SymbolSet) -> bool {
        let shared = self.0.iter().zip(&other.0);
        shared.fold(0, |any, (a, b)| any | (a & b)) != 0
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 8]
    }

    /// The symbols, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.0.iter().enumerate();
        words.flat_map(|(n, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(n * 64 + bit)
            })
        })
    }
}

/// The most symbols that one frame has: its name, its nested kind, and `#invalid`.
const MOST: usize = 3;

/// For each symbol, the numbers of the things that look at it.
#[derive(Debug, Clone)]
pub struct SymbolIndex(Vec<Vec<usize>>);

impl SymbolIndex {
    /// Takes the symbols that each thing looks at; the things are numbered as they come.
    #[must_use]
    pub fn new(each: impl Iterator<Item = SymbolSet>) -> Self {
        let mut by_symbol = vec![Vec::new(); SymbolSet::CAPACITY];
        for (n, symbols) in each.enumerate() {
            symbols.iter().for_each(|id| by_symbol[id].push(n));
        }
        SymbolIndex(by_symbol)
    }

    /// The things that look at one of these symbols, ascending, each once.
    pub fn of(&self, symbols: &SymbolSet) -> impl Iterator<Item = usize> {
        let mut lists = [&[][..]; MOST];
        for (list, id) in lists.iter_mut().zip(symbols.iter()) {
            *list = &self.0[id];
        }
        std::iter::from_fn(move || {
            let next = lists
                .iter()
                .filter_map(|list| list.first().copied())
                .min()?;
            for list in &mut lists {
                *list = list.strip_prefix(&[next]).unwrap_or(list);
            }
            Some(next)
        })
    }
}

/// Symbols that every dialect has besides its events and commands.
pub const SPECIALS: &[&str] = &[
    "#malformed",
    "#unknown",
    "#invalid",
    ">#malformed",
    ">#unknown",
    ">#invalid",
    "#stdin_closed",
    "#signal",
    "#end",
    "@request",
    "@reply",
];

/// The names of a dialect's symbols: events as they are, commands behind `>`, and [`SPECIALS`].
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    names: Vec<String>,
    ids: HashMap<String, usize>,
    /// Every known event, and `#unknown`: what `any` and `!x` range over.
    pub events: SymbolSet,
    /// Every known command: what `>any` ranges over.
    pub commands: SymbolSet,
    /// Everything that the host does: commands, also bad ones, the end of input, signals.
    pub host: SymbolSet,
}

impl Symbols {
    /// The symbols of a vocabulary. Nested kinds are given as `outer.inner`.
    ///
    /// # Errors
    /// If there are more than [`SymbolSet::CAPACITY`].
    pub fn new<'a>(
        events: impl Iterator<Item = &'a str>,
        commands: impl Iterator<Item = &'a str>,
    ) -> Result<Self, String> {
        let mut symbols = Symbols::default();
        for name in SPECIALS {
            symbols.add((*name).to_owned())?;
        }
        symbols.events.insert(symbols.ids["#unknown"]);
        for name in events {
            let id = symbols.add(name.to_owned())?;
            symbols.events.insert(id);
        }
        for name in commands {
            let id = symbols.add(format!(">{name}"))?;
            symbols.commands.insert(id);
        }
        symbols.host = symbols.commands;
        for name in SPECIALS
            .iter()
            .filter(|n| n.starts_with('>') || ["#stdin_closed", "#signal"].contains(n))
        {
            symbols.host.insert(symbols.ids[*name]);
        }
        Ok(symbols)
    }

    fn add(&mut self, name: String) -> Result<usize, String> {
        if let Some(id) = self.ids.get(&name) {
            return Ok(*id);
        }
        let id = self.names.len();
        if id == SymbolSet::CAPACITY {
            return Err(format!(
                "a dialect may have at most {} symbols",
                SymbolSet::CAPACITY
            ));
        }
        self.ids.insert(name.clone(), id);
        self.names.push(name);
        Ok(id)
    }

    /// The symbol of this name.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied()
    }

    /// The name of a symbol.
    #[must_use]
    pub fn name(&self, id: usize) -> &str {
        &self.names[id]
    }

    /// Every name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
