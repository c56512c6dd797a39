//! The position automaton (Glushkov) of an order expression, a regular expression over frames.
//!
//! A state is the set of positions in the expression that the frames so far can have reached. The derivative by the next frame
//! (Brzozowski) is the set of following positions that match the frame. If it is empty the frame is a violation, and the followers of
//! the state before it are what would have been allowed.

use super::frame_pattern::Atom;
use super::parse::Expr;
use super::symbol::{FrameSymbols, SymbolSet};

/// The largest number of positions an expression may have.
pub const MAX_POSITIONS: usize = 127;

/// A set of positions; bit 0 is the start.
pub type PositionSet = u128;

/// The state before the first frame.
pub const START: PositionSet = 1;

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Automaton {
    atoms: Vec<Atom>,
    /// For each symbol, the positions that include it, and those that exclude it.
    by_symbol: Vec<(PositionSet, PositionSet)>,
    follow: Vec<PositionSet>,
    last: PositionSet,
}

#[derive(Clone, Copy, Default)]
struct Fragment {
    first: PositionSet,
    last: PositionSet,
    nullable: bool,
}

impl Automaton {
    /// Compiles an expression.
    ///
    /// # Errors
    /// If it has more than [`MAX_POSITIONS`] positions.
    pub fn new(expr: &Expr) -> Result<Self, String> {
        let mut automaton = Automaton {
            atoms: Vec::new(),
            by_symbol: vec![(0, 0); SymbolSet::CAPACITY],
            follow: vec![0],
            last: 0,
        };
        let part = automaton.add(expr)?;
        automaton.follow[0] = part.first;
        automaton.last = part.last | PositionSet::from(part.nullable);
        for (n, atom) in automaton.atoms.iter().enumerate() {
            let position = 1 << (n + 1);
            for id in atom.include.iter() {
                automaton.by_symbol[id].0 |= position;
            }
            for id in atom.exclude.iter() {
                automaton.by_symbol[id].1 |= position;
            }
        }
        Ok(automaton)
    }

    fn add(&mut self, expr: &Expr) -> Result<Fragment, String> {
        match expr {
            Expr::One(pattern) => {
                let mut set = 0;
                for atom in pattern.atoms() {
                    if self.atoms.len() == MAX_POSITIONS {
                        return Err(format!(
                            "an expression may name at most {MAX_POSITIONS} frames"
                        ));
                    }
                    self.atoms.push(atom.clone());
                    self.follow.push(0);
                    set |= 1 << self.atoms.len();
                }
                Ok(Fragment {
                    first: set,
                    last: set,
                    nullable: false,
                })
            }
            Expr::Seq(parts) => {
                let mut whole = Fragment {
                    nullable: true,
                    ..Fragment::default()
                };
                for expr in parts {
                    let next = self.add(expr)?;
                    self.join(whole.last, next.first);
                    if whole.nullable {
                        whole.first |= next.first;
                    }
                    whole.last = next.last | if next.nullable { whole.last } else { 0 };
                    whole.nullable &= next.nullable;
                }
                Ok(whole)
            }
            Expr::Alt(options) => {
                let mut whole = Fragment::default();
                for expr in options {
                    let option = self.add(expr)?;
                    whole.first |= option.first;
                    whole.last |= option.last;
                    whole.nullable |= option.nullable;
                }
                Ok(whole)
            }
            Expr::Repeat { inner, min, many } => {
                let mut part = self.add(inner)?;
                if *many {
                    self.join(part.last, part.first);
                }
                part.nullable |= *min == 0;
                Ok(part)
            }
        }
    }

    fn join(&mut self, from: PositionSet, to: PositionSet) {
        for position in positions(from) {
            self.follow[position] |= to;
        }
    }

    /// The positions that may come next.
    pub fn followers(&self, state: PositionSet) -> PositionSet {
        positions(state).fold(0, |all, position| all | self.follow[position])
    }

    /// Whether the frames so far match the whole expression.
    pub fn accepts(&self, state: PositionSet) -> bool {
        state & self.last != 0
    }

    /// The positions whose atoms a frame with these symbols matches if their guards hold.
    pub fn candidates(&self, symbols: &FrameSymbols) -> PositionSet {
        let each = symbols.iter().map(|id| self.by_symbol[id]);
        let (named, ruled_out) = each.fold((0, 0), |all, one| (all.0 | one.0, all.1 | one.1));
        named & !ruled_out
    }

    /// The atom at a position.
    pub fn atom(&self, position: usize) -> &Atom {
        &self.atoms[position - 1]
    }

    /// Every atom, in the order of its position.
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// Every symbol that an atom names.
    pub fn symbols(&self) -> SymbolSet {
        let mut all = SymbolSet::default();
        for atom in &self.atoms {
            all.extend(&atom.include);
        }
        all
    }

    /// The atoms that may come next, each once.
    pub fn expected(&self, state: PositionSet) -> Vec<&Atom> {
        self.distinct(self.followers(state))
    }

    /// The possible next symbol that leads to an end of the expression on the shortest path.
    pub fn missing(&self, state: PositionSet) -> Vec<&Atom> {
        let next = self.followers(state);
        let mut near = self.last;
        while near & next == 0 {
            let leads = |position: &usize| self.follow[*position] & near != 0;
            let leading = (1..=self.atoms.len()).filter(leads);
            let more = leading.fold(near, |all, position| all | 1 << position);
            if more == near {
                return self.distinct(next);
            }
            near = more;
        }
        self.distinct(near & next)
    }

    /// The atoms at these positions; of those that are written alike, the first.
    fn distinct(&self, state: PositionSet) -> Vec<&Atom> {
        let mut distinct: Vec<&Atom> = Vec::new();
        for atom in positions(state).map(|position| self.atom(position)) {
            if !distinct.iter().any(|one| {
                one.written.source == atom.written.source && one.written.name == atom.written.name
            }) {
                distinct.push(atom);
            }
        }
        distinct
    }

    /// The states reachable from the start, with any values of the guards; at most `limit` of them.
    pub fn reachable(&self, limit: usize) -> Vec<PositionSet> {
        let mut states = vec![START];
        let mut next = 0;
        while next < states.len() && states.len() < limit {
            let followers = self.followers(states[next]);
            for symbol in self.symbols().iter() {
                let matching = positions(followers)
                    .filter(|p| {
                        let atom = self.atom(*p);
                        atom.include.contains(symbol) && !atom.exclude.contains(symbol)
                    })
                    .fold(0, |set, p| set | (1 << p));
                if matching != 0 && !states.contains(&matching) {
                    states.push(matching);
                }
            }
            next += 1;
        }
        states
    }
}

/// The positions of a state, ascending.
pub fn positions(state: PositionSet) -> impl Iterator<Item = usize> {
    let mut rest = state;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let position = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(position)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::parse::{Names, expression};
    use crate::rules::symbol::Symbols;
    use proptest::prelude::*;

    const EVENTS: [&str; 3] = ["a", "b", "c"];

    fn compile(source: &str) -> (Symbols, Automaton) {
        let symbols = Symbols::new(EVENTS.into_iter(), std::iter::empty()).unwrap();
        let names = Names::new(&symbols);
        let automaton = Automaton::new(&expression(source, &names).unwrap()).unwrap();
        (symbols, automaton)
    }

    fn names(atoms: &[&Atom]) -> Vec<String> {
        atoms.iter().map(|atom| atom.written.name.clone()).collect()
    }

    /// The automaton of an expression, and its state after a word; 0 if it does not allow the word.
    fn after(source: &str, word: &str) -> (Automaton, PositionSet) {
        let (symbols, automaton) = compile(source);
        let state = word.chars().fold(START, |state, name| {
            let id = symbols.id(&name.to_string()).unwrap();
            let fits = |p: &usize| automaton.atom(*p).include.contains(id);
            let next = positions(automaton.followers(state)).filter(fits);
            next.fold(0, |all, position| all | 1 << position)
        });
        (automaton, state)
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_regular_expression_engine(
            source in "(a|b|c|\\(a \\| b\\)|\\(b c\\)|\\(a b\\?\\))[*+?]?( (a|b|c|\\(a \\| c\\)|\\(b \\(a\\* c\\)\\+\\))[*+?]?){0,4}",
            word in "[abc]{0,6}",
        ) {
            let regex = regex::Regex::new(&format!("^(?:{})$", source.replace(' ', ""))).unwrap();
            let (automaton, state) = after(&source, &word);
            prop_assert_eq!(automaton.accepts(state), regex.is_match(&word));
        }
    }

    #[test]
    fn an_open_expression_names_the_shortest_way_to_its_end() {
        for (source, word, missing) in [
            ("a b* c", "a", "c"),
            ("a b* c a", "abb", "c"),
            ("a (b | c a)", "a", "b"),
            ("a (b | c)", "", "a"),
        ] {
            let (automaton, state) = after(source, word);
            assert_eq!(names(&automaton.missing(state)), [missing], "{source}");
        }
    }

    #[test]
    fn a_dead_state_can_say_what_was_allowed() {
        let (_, automaton) = compile("a (b | c)* a");
        assert_eq!(names(&automaton.expected(START)), ["a"]);
        assert_eq!(names(&automaton.expected(2)), ["b", "c", "a"]);
    }
}
