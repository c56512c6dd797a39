//! Selects the scenarios to play: by pattern (`--only`), by tag (`--tag`), by the last failures (`--failed`) and by shard (`--shard`).

use conform_report::id_pattern::matches_id;
use std::collections::BTreeSet;
use std::str::FromStr;

/// The conditions for a scenario to be played.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Patterns, one of which must match: a part of the id, or with `*` or `?` the whole id, with or without its dialect. Any id if empty.
    pub only: Vec<String>,
    /// Tags, one of which the scenario must have. Any scenario if empty.
    pub tags: Vec<String>,
    /// The only ids; any id if `None`.
    pub ids: Option<BTreeSet<String>>,
    /// The shard of the selected scenarios.
    pub shard: Option<Shard>,
}

/// One of several disjoint parts of nearly the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The number of the part, from 1.
    pub part: usize,
    /// The number of parts.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| {
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&part).then_some(Shard { part, of })
        });
        numbers.ok_or_else(|| "expected K/N with 1 <= K <= N, such as 2/3".to_owned())
    }
}

impl Selection {
    /// Whether a scenario is selected by id and tags, without regard to the shard.
    #[must_use]
    pub fn matches(&self, id: &str, tags: &[String]) -> bool {
        let by_tag = self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag));
        by_tag && self.matches_id(id)
    }

    /// Whether a scenario with this id can be selected, whatever its tags are.
    #[must_use]
    pub fn matches_id(&self, id: &str) -> bool {
        let by_pattern =
            self.only.is_empty() || self.only.iter().any(|pattern| matches_pattern(pattern, id));
        by_pattern && self.ids.as_ref().is_none_or(|ids| ids.contains(id))
    }

    /// Whether the selected scenario with this index is in the shard.
    #[must_use]
    pub fn in_shard(&self, index: usize) -> bool {
        self.shard.is_none_or(|shard| shard.holds(index))
    }

    /// The patterns that none of these ids matches.
    pub fn unmatched_patterns<'a>(&'a self, ids: &'a [String]) -> impl Iterator<Item = &'a str> {
        let matches_none = |pattern: &&String| !ids.iter().any(|id| matches_pattern(pattern, id));
        self.only.iter().filter(matches_none).map(String::as_str)
    }
}

impl Shard {
    /// Whether the item with this index, from 0, is in the shard.
    #[must_use]
    pub fn holds(self, index: usize) -> bool {
        index % self.of == self.part - 1
    }
}

/// At most `size` of these items in their order, chosen by a seed.
#[must_use]
pub fn sample<T>(items: Vec<T>, size: usize, seed: u64) -> Vec<T> {
    let mut is_chosen: Vec<bool> = (0..items.len()).map(|n| n < size).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut is_chosen);
    let chosen = items.into_iter().zip(is_chosen);
    chosen
        .filter_map(|(item, is_chosen)| is_chosen.then_some(item))
        .collect()
}

/// Whether an id matches a pattern of `--only`: a glob of the id, with or without its dialect, or else a part of it.
fn matches_pattern(pattern: &str, id: &str) -> bool {
    if pattern.contains(['*', '?']) {
        matches_id(pattern, id)
    } else {
        id.contains(pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_part_or_a_glob_of_the_whole() {
        for (pattern, id, expected) in [
            ("deny", "a@1/approval/deny-one", true),
            ("deny", "a@1/approval/approve", false),
            ("a@1/*/deny", "a@1/approval/deny", true),
            ("*/deny", "a@1/approval/deny-one", false),
            ("*deny*", "a@1/approval/deny-one", true),
            ("a@?/*", "a@1/x", true),
            ("approval/*", "a@1/approval/deny-one", true),
            ("approval/*", "a@1/other/approval/deny", false),
        ] {
            assert_eq!(matches_pattern(pattern, id), expected, "{pattern} {id}");
        }
    }

    #[test]
    fn each_seed_chooses_another_sample_of_the_same_size() {
        let of = |seed| sample((0..100).collect(), 5, seed);
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        assert_eq!(of(8).len(), 5);
        assert!(of(8).is_sorted());
        assert_eq!(sample(vec![1, 2], 5, 0), [1, 2]);
    }

    #[test]
    fn shards_share_everything_out() {
        let of = |part| Selection {
            shard: Some(Shard { part, of: 3 }),
            ..Selection::default()
        };
        for place in 0..10 {
            let holders = (1..=3).filter(|part| of(*part).in_shard(place)).count();
            assert_eq!(holders, 1);
        }
        assert_eq!("2/3".parse(), Ok(Shard { part: 2, of: 3 }));
        for bad in ["0/3", "4/3", "1", "1/0", "a/b", "-1/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
