//! Patterns for the scenarios of a baseline entry, so that an entry stays short and holds in the next run: two scenarios of a folder
//! become the folder, and many folders become the dialect.

use super::file::ScenarioPattern;
use indexmap::IndexMap;

/// An entry with more patterns than this in one dialect gets a single one.
const MAX_PATTERNS: usize = 4;

/// The patterns of an entry after it was extended by scenarios.
pub(super) fn extended(known: &[ScenarioPattern], new: &[&str]) -> Vec<ScenarioPattern> {
    let is_covered = |id: &str| known.iter().any(|pattern| pattern.matches(id));
    let mut ids: Vec<&str> = new.iter().copied().filter(|id| !is_covered(id)).collect();
    if ids.is_empty() {
        return known.to_vec();
    }
    // Single scenarios that the entry has already count for their folders too.
    let (wide, single): (Vec<_>, Vec<_>) = known.iter().partition(|pattern| pattern.is_wide());
    ids.extend(single.iter().map(|pattern| pattern.0.as_str()));
    ids.sort_unstable();
    ids.dedup();
    let mut all: Vec<String> = wide.iter().map(|pattern| pattern.0.clone()).collect();
    let mut folders: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for id in ids {
        let folder = id.rsplit_once('/').map_or("", |(folder, _)| folder);
        folders.entry(folder).or_default().push(id);
    }
    for (folder, ids) in folders {
        match &ids[..] {
            [only] => all.push((*only).to_owned()),
            ids if folder.is_empty() => all.extend(ids.iter().map(|id| (*id).to_owned())),
            _ => all.push(format!("{folder}/*")),
        }
    }
    let mut dialects: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for pattern in &all {
        let dialect = pattern.split('/').next().unwrap_or_default();
        let dialect = if dialect.contains('@') { dialect } else { "" };
        dialects.entry(dialect).or_default().push(pattern);
    }
    let mut patterns: Vec<ScenarioPattern> = Vec::new();
    for (dialect, some) in dialects {
        if some.len() > MAX_PATTERNS && !dialect.is_empty() {
            patterns.push(ScenarioPattern(format!("{dialect}/*")));
        } else {
            patterns.extend(some.into_iter().map(|one| ScenarioPattern(one.to_owned())));
        }
    }
    patterns.sort();
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(known: &[&str], new: &[&str]) -> Vec<String> {
        let known: Vec<_> = known
            .iter()
            .map(|one| ScenarioPattern((*one).to_owned()))
            .collect();
        let all = extended(&known, new);
        for id in new {
            assert!(all.iter().any(|pattern| pattern.matches(id)), "{id}");
        }
        all.into_iter().map(|pattern| pattern.0).collect()
    }

    #[test]
    fn two_scenarios_of_a_folder_become_the_folder() {
        assert_eq!(patterns(&[], &["a@1/turn/x"]), ["a@1/turn/x"]);
        assert_eq!(
            patterns(&[], &["a@1/turn/x", "a@1/stop/x", "a@1/turn/y"]),
            ["a@1/stop/x", "a@1/turn/*"]
        );
        assert_eq!(patterns(&["a@1/turn/x"], &["a@1/turn/y"]), ["a@1/turn/*"]);
        assert_eq!(
            patterns(&[], &["one.jsonl", "two.jsonl"]),
            ["one.jsonl", "two.jsonl"]
        );
    }

    #[test]
    fn many_folders_become_the_dialect() {
        let ids = [
            "a@1/a/x", "a@1/b/x", "a@1/c/x", "a@1/d/x", "a@1/e/x", "b@1/a/x",
        ];
        assert_eq!(patterns(&[], &ids), ["a@1/*", "b@1/a/x"]);
    }

    #[test]
    fn patterns_that_people_wrote_stay() {
        assert_eq!(patterns(&["turn/*"], &["a@1/turn/x"]), ["turn/*"]);
        assert_eq!(
            patterns(&["turn/*"], &["a@1/stop/x"]),
            ["a@1/stop/x", "turn/*"]
        );
    }
}
