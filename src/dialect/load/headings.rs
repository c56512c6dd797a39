//! Where the clauses of a base stand on the page of a delta.

use crate::dialect::file::ClauseFile;
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, Spanned, unknown};

/// The clauses of the base, each under its new heading where it has one.
///
/// # Errors
/// Every heading that none of them stands under.
pub(super) fn under_headings(
    mut clauses: Vec<(ClauseFile, Node)>,
    sections: &IndexMap<String, Spanned<String>>,
    root: &Node,
) -> Result<Vec<(ClauseFile, Node)>, Vec<Error>> {
    let known = || clauses.iter().map(|(clause, _)| clause.section.as_str());
    let dangling = sections
        .iter()
        .filter(|(old, _)| !known().any(|one| one == *old));
    let errors: Vec<_> = dangling
        .map(|(old, new)| root.error_at(new.span, unknown("section of the base", old, known())))
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    for (clause, _) in &mut clauses {
        if let Some(section) = sections.get(&clause.section) {
            clause.section.clone_from(&section.value);
        }
    }
    Ok(clauses)
}
