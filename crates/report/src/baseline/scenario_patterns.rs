//! Patterns for the scenarios of a baseline entry. They are short, they do not match scenarios that were without the cause, as long as that
//! takes few patterns, and they hold in the next run.

use super::entry::ScenarioPattern;
use indexmap::IndexMap;

/// An entry with more patterns than this in one dialect gets patterns of folders, and with more folders a single one.
const MAX_PATTERNS: usize = 4;

/// What is known of the scenarios beside those that have the cause.
#[derive(Debug)]
pub(super) enum Neighbors<'a> {
    /// The whole suite was run, and these were without it.
    Without(Vec<&'a str>),
    /// A part of the suite was run.
    Unknown,
    /// The cause comes and goes, so that any of them may have it in the next run.
    MayHaveIt,
}

/// The patterns of an entry after it was extended by scenarios, none of which its patterns match.
pub(super) fn extended(
    known: &[ScenarioPattern],
    new: &[&str],
    neighbors: &Neighbors<'_>,
) -> Vec<ScenarioPattern> {
    // Single scenarios that the entry has already count for their folders too.
    let (wide, single): (Vec<_>, Vec<_>) = known.iter().partition(|pattern| pattern.is_wide());
    let single = single.iter().map(|pattern| pattern.0.as_str());
    let mut ids: Vec<&str> = new.iter().copied().chain(single).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut dialects: IndexMap<&str, IndexMap<&str, Vec<&str>>> = IndexMap::new();
    for id in ids {
        let folder = id.rsplit_once('/').map_or("", |(folder, _)| folder);
        let dialect = folder.split('/').next().filter(|part| part.contains('@'));
        let folders = dialects.entry(dialect.unwrap_or_default()).or_default();
        folders.entry(folder).or_default().push(id);
    }
    let mut patterns: Vec<String> = wide.iter().map(|pattern| pattern.0.clone()).collect();
    for (dialect, folders) in &dialects {
        patterns.extend(of_dialect(dialect, folders, neighbors));
    }
    patterns.sort();
    patterns.dedup();
    patterns.into_iter().map(ScenarioPattern).collect()
}

fn of_dialect(
    dialect: &str,
    folders: &IndexMap<&str, Vec<&str>>,
    neighbors: &Neighbors<'_>,
) -> Vec<String> {
    let each = |of: &dyn Fn(&str, &[&str]) -> Vec<String>| -> Vec<String> {
        let folders = folders.iter();
        folders.flat_map(|(folder, ids)| of(folder, ids)).collect()
    };
    let exact = each(&|folder, ids| of_folder(folder, ids, neighbors));
    if exact.len() <= MAX_PATTERNS {
        return exact;
    }
    let by_folder = each(&|folder, ids| match ids {
        [_, _, ..] if !folder.is_empty() => vec![format!("{folder}/*")],
        ids => ids.iter().map(|id| (*id).to_owned()).collect(),
    });
    if by_folder.len() <= MAX_PATTERNS || dialect.is_empty() {
        return by_folder;
    }
    vec![format!("{dialect}/*")]
}

/// The patterns of the scenarios of one folder: the whole folder if most of it has the cause, else prefixes that none of the others has.
fn of_folder(folder: &str, ids: &[&str], neighbors: &Neighbors<'_>) -> Vec<String> {
    let without: Vec<&str> = match neighbors {
        Neighbors::Without(others) => others
            .iter()
            .copied()
            .filter(|id| is_in(folder, id))
            .collect(),
        Neighbors::MayHaveIt => Vec::new(),
        Neighbors::Unknown => return ids.iter().map(|id| (*id).to_owned()).collect(),
    };
    if !folder.is_empty() && ids.len() > 1 && ids.len() > without.len() {
        return vec![format!("{folder}/*")];
    }
    let mut patterns: Vec<String> = Vec::new();
    let mut rest = ids;
    while let [first, others @ ..] = rest {
        let (pattern, len) = match common_prefix(folder, first, others, &without) {
            Some((prefix, len)) => (format!("{prefix}*"), len),
            None => ((*first).to_owned(), 1),
        };
        patterns.push(pattern);
        rest = &rest[len..];
    }
    patterns
}

/// The shortest prefix of whole words that the scenario shares with the next ones and with none of those without the cause, and the number
/// of scenarios that have it.
fn common_prefix<'a>(
    folder: &str,
    first: &'a str,
    next: &[&str],
    without: &[&str],
) -> Option<(&'a str, usize)> {
    let name = folder.len();
    let words = first.match_indices('-').filter(|(at, _)| *at > name);
    let mut prefixes = words.map(|(at, _)| &first[..=at]);
    let prefix = prefixes.find(|prefix| !without.iter().any(|id| id.starts_with(prefix)))?;
    let len = 1 + next.iter().take_while(|id| id.starts_with(prefix)).count();
    (len > 1).then_some((prefix, len))
}

fn is_in(folder: &str, id: &str) -> bool {
    id.rsplit_once('/').is_some_and(|(own, _)| own == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The patterns after new scenarios; those without the cause are given, or the whole suite was not run.
    fn patterns(known: &[&str], new: &[&str], without: Option<&[&str]>) -> Vec<String> {
        let neighbors = match without {
            Some(ids) => Neighbors::Without(ids.to_vec()),
            None => Neighbors::Unknown,
        };
        patterns_of(known, new, &neighbors)
    }

    fn patterns_of(known: &[&str], new: &[&str], neighbors: &Neighbors<'_>) -> Vec<String> {
        let known: Vec<_> = known
            .iter()
            .map(|one| ScenarioPattern((*one).to_owned()))
            .collect();
        let all = extended(&known, new, neighbors);
        for id in new {
            assert!(all.iter().any(|pattern| pattern.matches(id)), "{id}");
        }
        all.into_iter().map(|pattern| pattern.0).collect()
    }

    #[test]
    fn a_folder_is_one_pattern_if_most_of_it_has_the_cause() {
        let turns = ["a@1/turn/x", "a@1/turn/y"];
        assert_eq!(patterns(&[], &turns, Some(&[])), ["a@1/turn/*"]);
        assert_eq!(
            patterns(&[], &turns, Some(&["a@1/turn/z", "a@1/stop/x"])),
            ["a@1/turn/*"]
        );
        assert_eq!(
            patterns(&[], &turns, Some(&["a@1/turn/z", "a@1/turn/q"])),
            turns
        );
        assert_eq!(patterns(&[], &turns, None), turns);
        assert_eq!(
            patterns(&[], &["a@1/turn/x", "a@1/stop/x"], Some(&[])),
            ["a@1/stop/x", "a@1/turn/x"]
        );
        assert_eq!(
            patterns(&["a@1/turn/x"], &["a@1/turn/y"], Some(&[])),
            ["a@1/turn/*"]
        );
        assert_eq!(
            patterns(&[], &["one.jsonl", "two.jsonl"], Some(&[])),
            ["one.jsonl", "two.jsonl"]
        );
    }

    #[test]
    fn scenarios_with_the_same_first_words_are_one_pattern_unless_others_have_them() {
        let new = [
            "a@1/errors/no-object",
            "a@1/errors/no-type",
            "a@1/errors/null",
        ];
        let without = |more: &'static str| {
            [
                "a@1/errors/array",
                "a@1/errors/bad",
                "a@1/errors/late",
                more,
            ]
        };
        assert_eq!(
            patterns(&[], &new, Some(&without("a@1/other/no-dialect"))),
            ["a@1/errors/no-*", "a@1/errors/null"]
        );
        assert_eq!(
            patterns(&[], &new, Some(&without("a@1/errors/no-model"))),
            new
        );
    }

    #[test]
    fn many_scenarios_become_their_folders_and_many_folders_the_dialect() {
        let new = [
            "a@1/b/1", "a@1/b/2", "a@1/b/3", "a@1/c/1", "a@1/d/1", "b@1/a/x",
        ];
        assert_eq!(
            patterns(&[], &new, None),
            ["a@1/b/*", "a@1/c/1", "a@1/d/1", "b@1/a/x"]
        );
        let new = [
            "a@1/a/x", "a@1/b/x", "a@1/c/x", "a@1/d/x", "a@1/e/x", "b@1/a/x",
        ];
        assert_eq!(patterns(&[], &new, Some(&[])), ["a@1/*", "b@1/a/x"]);
    }

    #[test]
    fn a_cause_that_comes_and_goes_may_come_in_the_whole_folder() {
        let new = ["a@1/turn/x", "a@1/turn/y", "a@1/stop/x"];
        assert_eq!(
            patterns_of(&[], &new, &Neighbors::MayHaveIt),
            ["a@1/stop/x", "a@1/turn/*"]
        );
    }

    #[test]
    fn patterns_that_people_wrote_stay() {
        assert_eq!(
            patterns(&["turn/*"], &["a@1/stop/x"], Some(&[])),
            ["a@1/stop/x", "turn/*"]
        );
    }
}
