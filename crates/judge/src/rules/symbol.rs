//! The alphabet of rules: symbols for the kinds of frames, symbol sets, and the symbol table of a dialect.

use std::collections::HashMap;

/// A set of symbols of one dialect, as a bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SymbolSet([u64; 8]);

impl SymbolSet {
    /// The number of symbols that a dialect may have.
    pub const CAPACITY: usize = 512;

    /// The set of one symbol.
    pub fn new(id: usize) -> Self {
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
    pub fn intersects(&self, other: &SymbolSet) -> bool {
        let shared = self.0.iter().zip(&other.0);
        shared.fold(0, |any, (a, b)| any | (a & b)) != 0
    }

    /// Whether one of the symbols of a frame is in the set.
    #[inline]
    pub fn has_any(&self, symbols: &FrameSymbols) -> bool {
        for id in symbols.known() {
            if self.contains(usize::from(*id)) {
                return true;
            }
        }
        false
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

/// The symbols of one frame, ascending: its name, its nested kind and `#invalid` at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FrameSymbols {
    ids: [u16; FrameSymbols::CAPACITY],
    count: u8,
}

impl FrameSymbols {
    /// The most symbols that a frame can have.
    pub const CAPACITY: usize = 3;

    /// Adds a symbol; one that is there already is not added again.
    ///
    /// # Panics
    /// If the frame has [`FrameSymbols::CAPACITY`] other symbols already, or the number is not valid in a [`SymbolSet`].
    pub fn insert(&mut self, id: usize) {
        assert!(id < SymbolSet::CAPACITY, "no symbol has the number {id}");
        let count = usize::from(self.count);
        let at = self.iter().take_while(|known| *known < id).count();
        if self.iter().nth(at) != Some(id) {
            self.ids.copy_within(at..count, at + 1);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "below the capacity of a set"
            )]
            let id = id as u16;
            self.ids[at] = id;
            self.count += 1;
        }
    }

    /// Whether the frame has no symbol, and so is not part of any rule.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them in one number.
    pub fn packed(&self) -> u64 {
        let known = self.iter();
        known.fold(0, |packed, id| packed << 16 | (id as u64 + 1))
    }

    /// The symbols, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.known().iter().map(|id| usize::from(*id))
    }

    #[inline]
    fn known(&self) -> &[u16] {
        &self.ids[..usize::from(self.count)]
    }
}

/// Symbols that every dialect has in addition to its events and commands.
pub const SPECIALS: &[&str] = &[
    "#malformed",
    "#unknown",
    "#invalid",
    ">#malformed",
    ">#unknown",
    ">#invalid",
    ">#blank",
    "#stdin_closed",
    "#stdout_closed",
    "#signal",
    "#end",
    "@request",
    "@reply",
    "@mcp",
];

/// Those of [`SPECIALS`] that the host does without a command.
const HOST_ACTS: &[&str] = &["#stdin_closed", "#stdout_closed", "#signal"];

/// The names of a dialect's symbols: events as they are, commands after `>`, and [`SPECIALS`].
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    names: Vec<String>,
    ids: HashMap<String, usize>,
    /// Every known event, and `#unknown`: the meaning of `any`, and the set that `!x` excludes from.
    pub events: SymbolSet,
    /// Every known command: the meaning of `>any`.
    pub commands: SymbolSet,
    /// Everything that the host does: commands, invalid ones included, the end of input, signals.
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
            .filter(|n| n.starts_with('>') || HOST_ACTS.contains(n))
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
    pub fn id(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied()
    }

    /// The name of a symbol.
    pub fn name(&self, id: usize) -> &str {
        &self.names[id]
    }

    /// Every name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symbols_of_a_frame_are_ascending_and_each_is_there_once() {
        let mut symbols = FrameSymbols::default();
        for id in [300, 2, 300, 40] {
            symbols.insert(id);
        }
        assert_eq!(symbols.iter().collect::<Vec<_>>(), [2, 40, 300]);
        assert!(SymbolSet::new(40).has_any(&symbols));
        assert!(!SymbolSet::new(41).has_any(&symbols));
    }
}
