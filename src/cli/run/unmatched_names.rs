//! The patterns and tags of a command line that no scenario has, each with a suggestion.

use crate::cli::catalogue::KnownDialect;
use crate::cli::output::quoted;
use conform_runner::selection::Selection;
use indexmap::IndexSet;
use spanned_yaml::suggestion;

/// A sentence for each `--only` that matches no scenario, and for each `--tag` that none has.
pub(super) fn unmatched_names(selection: &Selection, known: &[KnownDialect]) -> Vec<String> {
    let files = || known.iter().flat_map(|one| one.files.files());
    let full_ids = known.iter().flat_map(|one| {
        let files = one.files.files().iter();
        files.map(|file| format!("{}/{}", one.dialect.id(), file.id))
    });
    let ids: Vec<String> = full_ids.collect();
    let patterns = selection.unmatched_patterns(&ids).map(|pattern| {
        let names = files().flat_map(|file| names_of(&file.id));
        let names = names.chain(ids.iter().map(String::as_str));
        let near = suggestion(pattern, names);
        format!("--only {} matches no scenario{near}", quoted(pattern))
    });
    let tags: IndexSet<&str> = known
        .iter()
        .flat_map(|one| &one.scenarios)
        .flat_map(|scenario| scenario.tags.iter().map(String::as_str))
        .collect();
    let is_unknown = |tag: &&String| !tags.contains(tag.as_str());
    let unknown = selection.tags.iter().filter(is_unknown).map(|tag| {
        let near = suggestion(tag, tags.iter().copied());
        format!("--tag {}: no scenario has this tag{near}", quoted(tag))
    });
    patterns.chain(unknown).collect()
}

/// The names by which a user may mean a scenario: `turn/plain`, and each part of it.
fn names_of(id: &str) -> impl Iterator<Item = &str> {
    std::iter::once(id).chain(id.split('/').filter(|part| part.len() < id.len()))
}
