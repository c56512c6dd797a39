//! Reads the YAML and JSON files of a dialect folder, and merges a delta into its base.

use crate::delta::{
    check_state_kinds, merge_clauses, merge_definitions, merge_dialect_files, removed_clauses,
    rename_sections,
};
use crate::file::{ClauseFile, DialectFile, InheritanceFile};
use crate::ordering::Ordering;
use crate::source::DialectSource;
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
    /// The clauses, each with the file that it stands in.
    pub clauses: Vec<(ClauseFile, Node)>,
    /// The merged `events.json`.
    pub events: Value,
    /// The merged `commands.json`.
    pub commands: Value,
    /// The path of the dialect's own `events.json`.
    pub schema_path: PathBuf,
    /// The dialects that it extends, nearest first.
    pub bases: Vec<Base>,
}

impl MergedFiles {
    /// Reads the files of the dialect `NAME@VERSION`, or of the newest version of `NAME`, and of its bases.
    ///
    /// # Errors
    /// Every mistake in how the files are written, with its place; or that there is no such dialect, with the known ones.
    pub fn of(source: &DialectSource, id: &str) -> Result<Self, Vec<Error>> {
        let (name, version) = source
            .resolve(id)
            .map_err(|message| vec![Error::of_file(id, message)])?;
        let mut chain = vec![(name.clone(), version.clone())];
        let mut files = MergedFiles::read(source, &name, &version, &mut chain)?;
        files.file.name = name;
        files.file.version = version;
        Ok(files)
    }

    /// Reads the files of a dialect and of its bases. `chain` holds the dialects that are being read, to detect a circular `extends`.
    fn read(
        source: &DialectSource,
        name: &str,
        version: &str,
        chain: &mut Vec<(String, String)>,
    ) -> Result<Self, Vec<Error>> {
        let root = yaml(source, name, version, "dialect.yaml")?.ok_or_else(|| {
            vec![Error::of_file(
                format!("{name}/{version}"),
                "has no dialect.yaml",
            )]
        })?;
        let file: DialectFile = spanned_yaml::decode_all(&root)?;
        let base = match &file.extends {
            None => None,
            Some(id) => {
                let at_extends = |message: String| vec![root.error_at(id.span, message)];
                let next = source.resolve(&id.value).map_err(at_extends)?;
                if chain.contains(&next) {
                    let path: Vec<_> = chain.iter().map(|(n, v)| format!("{n}@{v}")).collect();
                    return Err(at_extends(format!(
                        "`extends` is circular: {} -> {}",
                        path.join(" -> "),
                        id.value
                    )));
                }
                chain.push(next.clone());
                Some(MergedFiles::read(source, &next.0, &next.1, chain)?)
            }
        };
        let ordering_root = yaml(source, name, version, "ordering.yaml")?;
        let ordering = ordering_root
            .as_ref()
            .map_or(Ok(Ordering::default()), Ordering::read)?;
        let mut clauses = Vec::new();
        if let Some(node) = yaml(source, name, version, "clauses.yaml")? {
            let list: Vec<ClauseFile> = spanned_yaml::decode_all(&node)?;
            clauses.extend(list.into_iter().map(|clause| (clause, node.clone())));
        }
        let events = schema(source, name, version, "events.json")?;
        let commands = schema(source, name, version, "commands.json")?;
        let own = MergedFiles {
            schema_path: root.source().path.with_file_name("events.json"),
            file,
            root,
            ordering,
            ordering_root,
            clauses,
            events,
            commands,
            bases: Vec::new(),
        };
        match base {
            None => Ok(own),
            Some(base) => own.over(base),
        }
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
        if let Some(root) = &ordering_root {
            check_state_kinds(&ordering, &base.ordering, root)?;
        }
        let id = format!("{}@{}", base.file.name, base.file.version);
        let InheritanceFile { keep, drop, rename } = file.scenarios.clone();
        let tools = file.tools.clone();
        let members = base.file.members.clone().unwrap_or_default();
        let file = merge_dialect_files(file, base.file);
        let names_at = file.discriminator.clone().unwrap_or_default();
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
            schema_path: self.schema_path,
            bases,
        })
    }
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

fn schema(
    source: &DialectSource,
    name: &str,
    version: &str,
    file: &str,
) -> Result<Value, Vec<Error>> {
    let Some((path, text)) = source.read(name, version, file).map_err(|e| vec![e])? else {
        return Ok(json!({ "$defs": {} }));
    };
    serde_json::from_str(&text).map_err(|e| {
        let mut error = Error::of_file(path, format!("not JSON: {e}"));
        error.span.line = u32::try_from(e.line()).unwrap_or(0);
        error.span.column = u32::try_from(e.column()).unwrap_or(0);
        vec![error]
    })
}
