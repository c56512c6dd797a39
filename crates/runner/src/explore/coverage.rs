//! What sessions have covered: moves at moments, moves in a row, classes of data at places.

use super::moves::MoveTable;
use std::collections::{BTreeMap, BTreeSet};

/// How often each situation came in the sessions so far.
#[derive(Debug, Clone, Default)]
pub struct SituationCounts {
    starts: BTreeMap<String, u32>,
    /// A moment, and a move at it.
    moves: BTreeMap<(String, String), u32>,
    /// A move, and the next one.
    pairs: BTreeMap<(String, String), u32>,
    /// A move, the name of a datum in it, and the class of the datum.
    data: BTreeMap<(String, String, String), u32>,
}

/// How many situations of a kind there are, and how many of them came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Those that came.
    pub met: usize,
    /// All that the moves allow.
    pub all: usize,
}

impl SituationCounts {
    pub(super) fn note_start(&mut self, name: &str) {
        *self.starts.entry(name.to_owned()).or_default() += 1;
    }

    pub(super) fn note_move(&mut self, before: Option<&str>, moment: &str, name: &str) {
        let at = (moment.to_owned(), name.to_owned());
        *self.moves.entry(at).or_default() += 1;
        if let Some(before) = before {
            let pair = (before.to_owned(), name.to_owned());
            *self.pairs.entry(pair).or_default() += 1;
        }
    }

    pub(super) fn note_datum(&mut self, name: &str, draw: &str, class: &str) {
        let place = (name.to_owned(), draw.to_owned(), class.to_owned());
        *self.data.entry(place).or_default() += 1;
    }

    pub(super) fn started(&self, name: &str) -> f64 {
        f64::from(self.starts.get(name).copied().unwrap_or_default())
    }

    pub(super) fn walked(&self, moment: &str, name: &str) -> f64 {
        f64::from(self.times_at(moment, name))
    }

    pub(super) fn in_a_row(&self, before: Option<&str>, name: &str) -> f64 {
        let pair = (before.unwrap_or_default().to_owned(), name.to_owned());
        f64::from(self.pairs.get(&pair).copied().unwrap_or_default())
    }

    pub(super) fn carried(&self, name: &str, draw: &str, class: &str) -> u32 {
        let place = (name.to_owned(), draw.to_owned(), class.to_owned());
        self.data.get(&place).copied().unwrap_or_default()
    }

    /// How often a move came at a moment.
    #[must_use]
    pub fn times_at(&self, moment: &str, name: &str) -> u32 {
        let at = (moment.to_owned(), name.to_owned());
        self.moves.get(&at).copied().unwrap_or_default()
    }

    /// The moves at moments that came.
    #[must_use]
    pub fn moves_at_moments(&self, table: &MoveTable) -> Share {
        let all = table.moves.values().map(|one| one.from.len());
        Share {
            met: self.moves.len(),
            all: all.sum(),
        }
    }

    /// The moves in a row that came. A pair that only `when` excludes counts among all.
    #[must_use]
    pub fn moves_in_a_row(&self, table: &MoveTable) -> Share {
        let mut pairs = BTreeSet::new();
        for (before, one) in &table.moves {
            for moment in &one.from {
                let to = one.leads_to(moment);
                let next = table
                    .moves
                    .iter()
                    .filter(|(_, next)| next.from.contains(to));
                pairs.extend(next.map(|(next, _)| (before, next)));
            }
        }
        Share {
            met: self.pairs.len(),
            all: pairs.len(),
        }
    }

    /// The classes of data that came at their places.
    #[must_use]
    pub fn data_at_places(&self, table: &MoveTable) -> Share {
        let moves = table.starts.iter().chain(&table.moves);
        let draws = moves.flat_map(|(_, one)| one.draws.values());
        let all = draws.map(|pools| {
            table
                .choices(pools)
                .map(|(_, _, datum)| &datum.class)
                .collect::<BTreeSet<_>>()
                .len()
        });
        Share {
            met: self.data.len(),
            all: all.sum(),
        }
    }
}
