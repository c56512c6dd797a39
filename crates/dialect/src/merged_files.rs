//! Reads the YAML and JSON files of a dialect folder, and merges a delta into its base.

use crate::clauses::Clause;
use crate::delta::{
    check_state_kinds, merge_clauses, merge_definitions, merge_dialect_files, removed_clauses,
    rename_sections,
};
use crate::file::{DialectFile, Discriminator, InheritanceFile};
use crate::ordering::Ordering;
use crate::source::{BASE, DIALECT, DialectSource};
use crate::types::STEP_NAME;
use crate::types::{Base, Inheritance};
use serde_json::{Value, json};
use spanned_yaml::{Error, Node};
use std::path::PathBuf;

/// The files of a dialect, merged with those of its base.
pub struct MergedFiles {
    /// The merged `dialect.yaml`.
    pub file: DialectFile,
    /// The `dialect.yaml` of the dialect itself, for the places of mistakes.
    pub root: Node,
    /// The merged rules.
    pub ordering: Ordering,
    /// The nearest `ordering.yaml`, for the places of mistakes.
    pub ordering_root: Option<Node>,
    /// The clauses, each with its file.
    pub clauses: Vec<(Clause, Node)>,
    /// The merged `events.json`.
    pub events: Value,
    /// The merged `commands.json`.
    pub commands: Value,
    /// The schema file that the protocol publishes, with its path.
    pub published: Option<(PathBuf, Value)>,
    /// The path of the dialect's own `events.json`.
    pub schema_path: PathBuf,
    /// The dialects that it extends, nearest first.
    pub bases: Vec<Base>,
}

/// The `dialect.yaml` of a dialect and of those that it extends.
pub struct MergedYaml {
    /// The merged file.
    pub file: DialectFile,
    /// The file of the dialect itself, for the places of mistakes.
    pub root: Node,
    /// The dialects whose files are merged, `NAME@VERSION`, oldest first.
    pub sources: Vec<String>,
}

/// The merged `dialect.yaml` of the dialect `NAME@VERSION`, or of the newest version of `NAME`, without its rules, clauses and schemas.
///
/// # Errors
/// Every mistake in how the files are written, with its place; or that there is no such dialect, with the known ones.
pub fn dialect_file(source: &DialectSource, id: &str) -> Result<MergedYaml, Vec<Error>> {
    let ((mut root, mut file), newer) = chain(source, id)?;
    let mut sources = vec![file.id()];
    for (next_root, next) in newer {
        sources.push(next.id());
        (root, file) = (next_root, merge_dialect_files(next, file));
    }
    Ok(MergedYaml {
        file,
        root,
        sources,
    })
}

/// The first version that extends the base `NAME@VERSION`, itself or through others.
pub fn version_of_base(source: &DialectSource, base: &str) -> Option<String> {
    source.ids().into_iter().find(|id| {
        dialect_file(source, id).is_ok_and(|file| file.sources.iter().any(|one| one == base))
    })
}

/// A `dialect.yaml`, with the name and version of its folder.
type DialectYaml = (Node, DialectFile);

/// Of a dialect and of those that it extends the oldest one, and the others in their order.
fn chain(source: &DialectSource, id: &str) -> Result<(DialectYaml, Vec<DialectYaml>), Vec<Error>> {
    let resolved = source.resolve(id);
    let mut next = resolved.map_err(|message| vec![Error::of_file(id, message)])?;
    let mut newer: Vec<DialectYaml> = Vec::new();
    loop {
        let (name, version) = next;
        let root = match yaml(source, &name, &version, DIALECT)? {
            Some(root) => Some(root),
            None => yaml(source, &name, &version, BASE)?,
        };
        let root = root.ok_or_else(|| {
            let folder = format!("{name}/{version}");
            vec![Error::of_file(folder, "has no dialect.yaml")]
        })?;
        let file: DialectFile = spanned_yaml::decode_all(&root)?;
        let base = file.extends.clone();
        let file = DialectFile {
            name,
            version,
            ..file
        };
        let Some(base) = base else {
            newer.reverse();
            return Ok(((root, file), newer));
        };
        newer.push((root, file));
        let root = &newer[newer.len() - 1].0;
        let at_extends = |message: String| vec![root.error_at(base.span, message)];
        next = source.resolve_extended(&base.value).map_err(at_extends)?;
        let is_known = |(_, file): &DialectYaml| (&file.name, &file.version) == (&next.0, &next.1);
        if newer.iter().any(is_known) {
            let path: Vec<_> = newer.iter().map(|(_, file)| file.id()).collect();
            let path = path.join(" -> ");
            let message = format!("`extends` is circular: {path} -> {}", base.value);
            return Err(at_extends(message));
        }
    }
}

impl MergedFiles {
    /// Reads the files of the dialect `NAME@VERSION`, or of the newest version of `NAME`, and of its bases.
    ///
    /// # Errors
    /// Every mistake in how the files are written, with its place; or that there is no such dialect, with the known ones.
    pub fn load(source: &DialectSource, id: &str) -> Result<Self, Vec<Error>> {
        let ((root, file), newer) = chain(source, id)?;
        let oldest = MergedFiles::read(source, root, file)?;
        newer.into_iter().try_fold(oldest, |base, (root, file)| {
            MergedFiles::read(source, root, file)?.over(base)
        })
    }

    /// Reads the other files in the folder of a `dialect.yaml`.
    fn read(source: &DialectSource, root: Node, file: DialectFile) -> Result<Self, Vec<Error>> {
        let (name, version) = (&file.name, &file.version);
        let ordering_root = yaml(source, name, version, "ordering.yaml")?;
        let ordering = ordering_root
            .as_ref()
            .map_or(Ok(Ordering::default()), Ordering::read)?;
        let mut clauses = Vec::new();
        if let Some(node) = yaml(source, name, version, "clauses.yaml")? {
            let own = Clause::read(&node)?.into_iter();
            clauses.extend(own.map(|clause| (clause, node.clone())));
        }
        let published = published_schema(source, &root, &file)?;
        Ok(MergedFiles {
            published,
            events: schema(source, name, version, "events.json")?,
            commands: schema(source, name, version, "commands.json")?,
            schema_path: root.source().path.with_file_name("events.json"),
            file,
            root,
            ordering,
            ordering_root,
            clauses,
            bases: Vec::new(),
        })
    }

    /// The files of a delta, merged with those of its base.
    fn over(self, mut base: MergedFiles) -> Result<Self, Vec<Error>> {
        let MergedFiles {
            file,
            root,
            ordering,
            ordering_root,
            ..
        } = self;
        let inherited = rename_sections(base.clauses, &file.sections, &root)?;
        let removed = removed_clauses(&file, &inherited, &root)?;
        check_state_kinds(&ordering, &base.ordering)?;
        let id = base.file.id();
        let InheritanceFile { keep, drop, rename } = file.scenarios.clone();
        let tools = file.tools.clone();
        let members = base.file.members.clone().unwrap_or_default();
        let file = merge_dialect_files(file, base.file);
        let names_at = names_in_steps(&file);
        let inheritance = Inheritance {
            call_ids: None,
            keep,
            drop,
            rename,
            members,
            tools,
            without_clauses: removed.clone(),
            names_at: (names_at.events, names_at.commands),
        };
        let mut bases = vec![Base { id, inheritance }];
        bases.append(&mut base.bases);
        Ok(MergedFiles {
            file,
            ordering_root: ordering_root.or(base.ordering_root),
            root,
            ordering: ordering.over(base.ordering.without_clauses(&removed)),
            clauses: merge_clauses(inherited, &removed, self.clauses),
            events: merge_definitions(base.events, self.events),
            commands: merge_definitions(base.commands, self.commands),
            published: self.published.or(base.published),
            schema_path: self.schema_path,
            bases,
        })
    }
}

/// Where commands and matchers of scenarios hold the name of a frame.
fn names_in_steps(file: &DialectFile) -> Discriminator {
    let by_structure = file.naming.as_ref().map(|_| Discriminator {
        events: STEP_NAME.to_owned(),
        commands: STEP_NAME.to_owned(),
    });
    by_structure
        .or(file.discriminator.clone())
        .unwrap_or_default()
}

fn yaml(
    source: &DialectSource,
    name: &str,
    version: &str,
    file: &str,
) -> Result<Option<Node>, Vec<Error>> {
    match source.read(name, version, file).map_err(|e| vec![e])? {
        None => Ok(None),
        Some((path, text)) => spanned_yaml::load_yaml(path, &text)
            .map(Some)
            .map_err(|e| vec![e]),
    }
}

/// The schema file that a `dialect.yaml` names.
fn published_schema(
    source: &DialectSource,
    root: &Node,
    file: &DialectFile,
) -> Result<Option<(PathBuf, Value)>, Vec<Error>> {
    let Some(name) = &file.published.file else {
        return Ok(None);
    };
    let read = source.read(&file.name, &file.version, &name.value);
    let (path, text) = read.map_err(|error| vec![error])?.ok_or_else(|| {
        let message = format!(
            "there is no `{}` next to this file: put the protocol's schema file there, unchanged, with its license",
            name.value
        );
        vec![root.error_at(name.span, message)]
    })?;
    json_of(path.clone(), &text).map(|schema| Some((path, schema)))
}

fn schema(
    source: &DialectSource,
    name: &str,
    version: &str,
    file: &str,
) -> Result<Value, Vec<Error>> {
    let Some((path, text)) = source.read(name, version, file).map_err(|e| vec![e])? else {
        return Ok(json!({ "$defs": {} }));
    };
    json_of(path, &text)
}

fn json_of(path: PathBuf, text: &str) -> Result<Value, Vec<Error>> {
    serde_json::from_str(text).map_err(|e| {
        let mut error = Error::of_file(path, format!("not JSON: {e}"));
        error.span.line = u32::try_from(e.line()).unwrap_or(0);
        error.span.column = u32::try_from(e.column()).unwrap_or(0);
        vec![error]
    })
}
