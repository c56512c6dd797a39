//! Merges a delta (a dialect that `extends` another) into its base: frames, clauses, schemas and the launch recipe.

use crate::clauses::Clause;
use crate::file::{DialectFile, InheritanceFile, LaunchRecipe, PublishedFile, ToolName};
use crate::ordering::Ordering;
use indexmap::IndexMap;
use serde_json::Value;
use spanned_yaml::{Error, Node, Spanned, unknown};

/// The schema definitions of a delta, with those of the base that it does not replace.
pub(crate) fn merge_definitions(mut base: Value, delta: Value) -> Value {
    let (Some(defs), Value::Object(delta)) = (base["$defs"].as_object_mut(), delta) else {
        return base;
    };
    if let Some(Value::Object(changed)) = delta.get("$defs") {
        for (name, definition) in changed {
            defs.insert(name.clone(), definition.clone());
        }
    }
    base
}

/// The `dialect.yaml` of a delta, with the parts of the base that it does not replace.
pub(crate) fn merge_dialect_files(delta: DialectFile, mut base: DialectFile) -> DialectFile {
    for name in &delta.removed {
        base.events.shift_remove(name);
        base.commands.shift_remove(name);
    }
    base.events.extend(delta.events);
    base.commands.extend(delta.commands);
    base.capabilities.extend(delta.capabilities);
    ToolName::rename_all(&mut base.optional_tools, &delta.tools);
    base.optional_tools.extend(delta.optional_tools);
    base.purposes.extend(delta.purposes);
    base.budgets.extend(delta.budgets);
    base.limits.extend(delta.limits);
    let published = &mut base.published;
    published.definitions.extend(delta.published.definitions);
    published.ignore.extend(delta.published.ignore);
    DialectFile {
        name: delta.name,
        version: delta.version,
        title: delta.title,
        extends: delta.extends,
        smoke: delta.smoke.or(base.smoke.take()),
        client: match (delta.client, base.client.take()) {
            (Some(delta), Some(base)) => Some(delta.merged_with(base)),
            (delta, base) => delta.or(base),
        },
        prelude: delta.prelude.or(base.prelude.take()),
        ending: delta.ending.or(base.ending.take()),
        rest: delta.rest.or(base.rest.take()),
        members: delta.members.or(base.members.take()),
        discriminator: delta.discriminator.or(base.discriminator.take()),
        naming: delta.naming.or(base.naming.take()),
        json_rpc: delta.json_rpc.or(base.json_rpc.take()),
        published: PublishedFile {
            file: delta.published.file.or(base.published.file.take()),
            method: delta.published.method.or(base.published.method.take()),
            side: delta.published.side.or(base.published.side.take()),
            results: delta.published.results.or(base.published.results.take()),
            ..base.published
        },
        session: delta.session.or(base.session.take()),
        replies: delta.replies.or(base.replies.take()),
        launch: match (delta.launch, base.launch.take()) {
            (Some(delta), Some(base)) => Some(delta.merged_with(base)),
            (delta, base) => delta.or(base),
        },
        removed: Vec::new(),
        removed_clauses: Vec::new(),
        sections: IndexMap::new(),
        tools: IndexMap::new(),
        scenarios: InheritanceFile::default(),
        ..base
    }
}

/// The ids of the base's clauses that a delta removes.
///
/// # Errors
/// Ids that the base does not have.
pub(crate) fn removed_clauses(
    file: &DialectFile,
    base: &[(Clause, Node)],
    root: &Node,
) -> Result<Vec<String>, Vec<Error>> {
    let known = || base.iter().map(|(clause, _)| clause.id.value.as_str());
    let unmatched = file.removed_clauses.iter();
    let unmatched = unmatched.filter(|id| !known().any(|known| known == id.value));
    let errors: Vec<_> = unmatched
        .map(|id| root.error_at(id.span, unknown("clause of the base", &id.value, known())))
        .collect();
    let ids = file.removed_clauses.iter().map(|id| id.value.clone());
    errors.is_empty().then(|| ids.collect()).ok_or(errors)
}

/// Checks that a delta declares a state variable of the base with the same kind, because the rules of the base use it.
///
/// # Errors
/// Each variable with another kind.
pub(crate) fn check_state_kinds(delta: &Ordering, base: &Ordering) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    for (name, state) in &delta.file.state {
        let was = base
            .file
            .state
            .get(name)
            .and_then(|state| state.kind().ok());
        if let (Some(was), Ok(now), Some(place)) = (was, state.kind(), state.place())
            && was != now
        {
            let (was, now) = (was.word(), now.word());
            let message =
                format!("the state `{name}` is a {was} in the base, and cannot be a {now} here");
            errors.push(place.error(message));
        }
    }
    errors.is_empty().then_some(()).ok_or(errors)
}

/// The clauses of the base in their order, each in the wording of the delta if it has one, and then the new clauses of the delta.
pub(crate) fn merge_clauses(
    base: Vec<(Clause, Node)>,
    removed: &[String],
    mut delta: Vec<(Clause, Node)>,
) -> Vec<(Clause, Node)> {
    let mut all = Vec::new();
    for (clause, node) in base {
        let id = clause.id.value.clone();
        let own = |(c, _): &(Clause, Node)| c.id.value == id;
        if let Some(place) = delta.iter().position(own) {
            all.push(delta.remove(place));
        } else if !removed.contains(&id) {
            all.push((clause, node));
        }
    }
    all.extend(delta);
    all
}

/// The clauses of the base, each in the section of the new specification.
///
/// # Errors
/// Every section in `sections` that no clause of the base is in.
pub(crate) fn rename_sections(
    mut clauses: Vec<(Clause, Node)>,
    sections: &IndexMap<String, Spanned<String>>,
    root: &Node,
) -> Result<Vec<(Clause, Node)>, Vec<Error>> {
    let known = || clauses.iter().map(|(clause, _)| clause.section.as_str());
    let unmatched = sections
        .iter()
        .filter(|(old, _)| !known().any(|one| one == *old));
    let errors: Vec<_> = unmatched
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

impl LaunchRecipe {
    /// The recipe of a delta, merged with that of its base. Lists and single values replace those of the base; files, environment variables
    /// and wires are replaced one by one, by name.
    pub(crate) fn merged_with(self, base: LaunchRecipe) -> LaunchRecipe {
        fn list<T>(own: Vec<T>, base: Vec<T>) -> Vec<T> {
            if own.is_empty() { base } else { own }
        }
        fn map<T>(own: IndexMap<String, T>, mut base: IndexMap<String, T>) -> IndexMap<String, T> {
            base.extend(own);
            base
        }
        LaunchRecipe {
            programs: list(self.programs, base.programs),
            package: self.package.or(base.package),
            help: self.help.or(base.help),
            version: self.version.or(base.version),
            lacks: list(self.lacks, base.lacks),
            args: list(self.args, base.args),
            env: map(self.env, base.env),
            home_files: map(self.home_files, base.home_files),
            wires: map(self.wires, base.wires),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_states_only_the_differences_of_its_recipe() {
        let files = |files: &[(&str, &str)]| {
            let files = files.iter();
            files
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect()
        };
        let base = LaunchRecipe {
            package: Some("old".into()),
            args: vec!["--rpc".into()],
            home_files: files(&[("a", "1"), ("b", "2")]),
            ..LaunchRecipe::default()
        };
        let delta = LaunchRecipe {
            package: Some("new".into()),
            home_files: files(&[("b", "3")]),
            ..LaunchRecipe::default()
        };

        let launch = delta.merged_with(base);

        assert_eq!(launch.package.as_deref(), Some("new"));
        assert_eq!(launch.args, ["--rpc"]);
        assert_eq!(launch.home_files, files(&[("a", "1"), ("b", "3")]));
    }
}
