//! Patterns for the scenarios of a baseline entry. They are short, they do not match scenarios without the cause, as long as that
//! takes few patterns, and they stay valid in the next run.

use indexmap::{IndexMap, IndexSet};

/// An entry with more patterns than this in one dialect gets patterns of folders, and with more folders a single one.
const MAX_PATTERNS: usize = 4;

/// The dialect that a pattern is limited to.
#[must_use]
pub fn dialect_of(pattern: &str) -> Option<&str> {
    let first = pattern.split('/').next();
    first.filter(|first| first.contains('@') && !first.contains(['*', '?']))
}

/// Whether a pattern can match more than one scenario.
pub(super) fn is_wide(pattern: &str) -> bool {
    pattern.contains(['*', '?']) || dialect_of(pattern).is_none()
}

/// The patterns of an entry after it was extended by scenarios, none of which its patterns match. `without` are the scenarios that do not
/// have the cause; none if only a part of the suite was run.
pub(super) fn extended(
    known: &[String],
    new: IndexSet<&str>,
    without: Option<&[&str]>,
) -> Vec<String> {
    // Single scenarios that the entry has already count for their folders too.
    let (wide, single): (Vec<&String>, Vec<_>) = known.iter().partition(|one| is_wide(one));
    let mut ids: Vec<&str> = new
        .into_iter()
        .chain(single.into_iter().map(String::as_str))
        .collect();
    ids.sort_unstable();
    let mut dialects: IndexMap<&str, IndexMap<&str, Vec<&str>>> = IndexMap::new();
    for id in ids {
        let folder = id.rsplit_once('/').map_or("", |(folder, _)| folder);
        let dialect = folder.split('/').next().filter(|part| part.contains('@'));
        let folders = dialects.entry(dialect.unwrap_or_default()).or_default();
        folders.entry(folder).or_default().push(id);
    }
    let mut patterns: Vec<String> = wide.into_iter().cloned().collect();
    for (dialect, folders) in &dialects {
        patterns.extend(of_dialect(dialect, folders, without));
    }
    patterns.sort();
    patterns.dedup();
    patterns
}

fn of_dialect(
    dialect: &str,
    folders: &IndexMap<&str, Vec<&str>>,
    without: Option<&[&str]>,
) -> Vec<String> {
    let each = |of: &dyn Fn(&str, &[&str]) -> Vec<String>| -> Vec<String> {
        let folders = folders.iter();
        folders.flat_map(|(folder, ids)| of(folder, ids)).collect()
    };
    let exact = each(&|folder, ids| match without {
        Some(without) => of_folder(folder, ids, without),
        None => owned(ids),
    });
    if exact.len() <= MAX_PATTERNS {
        return exact;
    }
    let by_folder = each(&|folder, ids| match ids {
        [_, _, ..] if !folder.is_empty() => vec![format!("{folder}/*")],
        ids => owned(ids),
    });
    if by_folder.len() <= MAX_PATTERNS || dialect.is_empty() {
        return by_folder;
    }
    vec![format!("{dialect}/*")]
}

fn owned(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// The patterns of the scenarios of one folder: the whole folder if most of it has the cause, else prefixes that none of the others has.
fn of_folder(folder: &str, ids: &[&str], without: &[&str]) -> Vec<String> {
    let is_here = |id: &&&str| id.rsplit_once('/').is_some_and(|(own, _)| own == folder);
    let without: Vec<&str> = without.iter().filter(is_here).copied().collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id_pattern::matches_id;

    #[test]
    fn an_entry_gets_few_patterns_that_hold_in_the_next_run() {
        let errors = "a@1/errors/array a@1/errors/bad a@1/errors/late";
        let (elsewhere, named) = (
            format!("{errors} a@1/other/no-dialect"),
            format!("{errors} a@1/errors/no-model"),
        );
        let turns = "a@1/turn/x a@1/turn/y";
        let no = "a@1/errors/no-object a@1/errors/no-type a@1/errors/null";
        // What the entry has, the new scenarios, those without the cause, and the patterns.
        for (known, new, without, patterns) in [
            // A folder is one pattern if most of it has the cause.
            ("", turns, Some(""), "a@1/turn/*"),
            ("", turns, Some("a@1/turn/z a@1/stop/x"), "a@1/turn/*"),
            ("", turns, Some("a@1/turn/z a@1/turn/q"), turns),
            ("", turns, None, turns),
            (
                "",
                "a@1/turn/x a@1/stop/x",
                Some(""),
                "a@1/stop/x a@1/turn/x",
            ),
            ("a@1/turn/x", "a@1/turn/y", Some(""), "a@1/turn/*"),
            ("", "one.jsonl two.jsonl", Some(""), "one.jsonl two.jsonl"),
            // Scenarios with the same first words are one, unless others have them.
            ("", no, Some(&elsewhere), "a@1/errors/no-* a@1/errors/null"),
            ("", no, Some(&named), no),
            // Many scenarios become their folders, and many folders the dialect.
            (
                "",
                "a@1/b/1 a@1/b/2 a@1/b/3 a@1/c/1 a@1/d/1 b@1/a/x",
                None,
                "a@1/b/* a@1/c/1 a@1/d/1 b@1/a/x",
            ),
            (
                "",
                "a@1/a/x a@1/b/x a@1/c/x a@1/d/x a@1/e/x b@1/a/x",
                Some(""),
                "a@1/* b@1/a/x",
            ),
            // Patterns that people wrote stay.
            ("turn/*", "a@1/stop/x", Some(""), "a@1/stop/x turn/*"),
        ] {
            let words = |text: &'static str| text.split_whitespace();
            let known: Vec<String> = known.split_whitespace().map(str::to_owned).collect();
            let without = without.map(|text: &str| text.split_whitespace().collect::<Vec<_>>());
            let all = extended(&known, words(new).collect(), without.as_deref());
            assert_eq!(all.join(" "), patterns);
            assert!(words(new).all(|id| all.iter().any(|one| matches_id(one, id))));
        }
    }
}
