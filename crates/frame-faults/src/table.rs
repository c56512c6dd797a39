//! The faults of a dialect: its `faults.yaml`, merged with those of its bases.

use crate::compile::{Context, compile_fault, pattern};
use crate::fault::Fault;
use crate::file::{FaultPart, FaultsFile, FramesFile, Names};
use crate::only_entry::only_entry;
use crate::operation::Operation;
use crate::references::names_in;
use crate::selector::NestedKinds;
use frame_language::{FrameName, Pattern};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, Span, Spanned, decode_all, unknown};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The faults of a dialect, in their order.
#[derive(Debug, Default)]
pub struct FaultTable {
    faults: Vec<Fault>,
    pub(crate) references: Vec<Reference>,
    /// Accepted interpretations that no variant plays, and why.
    unplayed: IndexMap<String, String>,
}

/// A name in a file that something else must know.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) kind: ReferenceKind,
    pub(crate) name: Spanned<String>,
    pub(crate) file: Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    /// A rule, or `scenario:ID`.
    Catcher,
    /// The same, or `scenario:FOLDER/*`.
    Listed,
    /// A kind of event, `>command`, or neither.
    Frames,
    Behavior,
}

/// The files of a dialect as they are merged. Each part keeps its file, for errors.
#[derive(Default)]
struct Merged {
    rules: IndexMap<String, (Names, Node)>,
    frames: IndexMap<String, (FramesFile, Node)>,
    /// The patterns of the named frames.
    names: frame_language::Names,
    nested: Arc<NestedKinds>,
    faults: IndexMap<String, Entry>,
}

struct Entry {
    id: Spanned<String>,
    /// The fault itself, and the parts under `also`.
    parts: Vec<FaultPart>,
    caught_by: (Names, Node),
}

impl FaultTable {
    /// Reads the files of a dialect: that of its oldest base first, its own last.
    ///
    /// # Errors
    /// Every mistake, with its place.
    pub fn load(files: &[(PathBuf, String)], nested: NestedKinds) -> Result<Self, Vec<Error>> {
        let mut merged = Merged {
            nested: Arc::new(nested),
            ..Merged::default()
        };
        let mut errors = Vec::new();
        let own = files.last().and_then(|(path, _)| path.parent());
        let mut own_files = Vec::new();
        let mut unplayed = IndexMap::new();
        for (path, text) in files {
            let node = spanned_yaml::load_yaml(path.clone(), text).map_err(|error| vec![error])?;
            let file: FaultsFile = decode_all(&node)?;
            errors.extend(merged.add(file.clone(), &node));
            if path.parent() == own {
                let topics = file.unplayed.iter();
                unplayed.extend(topics.map(|(topic, why)| (topic.value.clone(), why.clone())));
                own_files.push((file, node));
            }
        }
        errors.extend(merged.read_frames());
        let mut table = FaultTable {
            unplayed,
            ..FaultTable::default()
        };
        for entry in merged.faults.values() {
            match merged.compile(entry) {
                Ok(fault) => table.faults.push(fault),
                Err(more) => errors.extend(more),
            }
        }
        for (file, node) in &own_files {
            errors.extend(merged.unused(file, node));
        }
        if !errors.is_empty() {
            errors.sort_by_key(|error| (error.file.clone(), error.span.line, error.span.column));
            errors.dedup();
            return Err(errors);
        }
        table.references = merged.references();
        Ok(table)
    }

    /// Reads one fault or variant of these files, without reading the others; `None` if there is none, or if it is not written in the usual
    /// layout or has a mistake, which [`FaultTable::load`] reports.
    #[must_use]
    pub fn load_one(files: &[(PathBuf, String)], id: &str, nested: NestedKinds) -> Option<Fault> {
        let mut merged = Merged {
            nested: Arc::new(nested),
            ..Merged::default()
        };
        for (path, text) in files {
            let Some(text) = only_entry(text, id) else {
                continue;
            };
            let node = spanned_yaml::load_yaml(path.clone(), &text).ok()?;
            let mut file: FaultsFile = decode_all(&node).ok()?;
            file.remove.retain(|removed| removed.value == id);
            if !merged.add(file, &node).is_empty() {
                return None;
            }
        }
        if !merged.read_frames().is_empty() {
            return None;
        }
        merged.compile(merged.faults.get(id)?).ok()
    }

    /// A table of faults that do not come from a file.
    #[must_use]
    pub fn new(faults: Vec<Fault>) -> Self {
        FaultTable {
            faults,
            ..FaultTable::default()
        }
    }

    /// The faults, in their order.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|fault| fault.legal.is_none())
    }

    /// The legal variants, in their order.
    pub fn variants(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(|fault| fault.legal.is_some())
    }

    /// The accepted interpretations that no variant plays, and why.
    #[must_use]
    pub fn unplayed(&self) -> &IndexMap<String, String> {
        &self.unplayed
    }

    /// The fault or variant of this id.
    ///
    /// # Errors
    /// There is none; the message suggests one.
    pub fn find(&self, id: &str) -> Result<&Fault, String> {
        let found = self.faults.iter().find(|fault| fault.id == id);
        found.ok_or_else(|| unknown("fault", id, self.faults.iter().map(|fault| &*fault.id)))
    }
}

/// A version may replace a name of its base; its own two files share one.
fn defined_twice(name: &Spanned<String>, file: &Node, other: &Node) -> Option<Error> {
    let other = &other.source().path;
    let same_folder = file.source().path.parent() == other.parent();
    same_folder.then(|| {
        let message = format!("{} already defines `{}`", other.display(), name.value);
        file.error_at(name.span, message)
    })
}

impl Merged {
    /// Adds the file of a newer version.
    fn add(&mut self, file: FaultsFile, node: &Node) -> Vec<Error> {
        let mut errors = Vec::new();
        for (name, list) in file.rules {
            let replaced = self.rules.insert(name.value.clone(), (list, node.clone()));
            errors.extend(replaced.and_then(|(_, other)| defined_twice(&name, node, &other)));
        }
        for (name, frames) in file.frames {
            let frames = (frames, node.clone());
            let replaced = self.frames.insert(name.value.clone(), frames);
            errors.extend(replaced.and_then(|(_, other)| defined_twice(&name, node, &other)));
        }
        let inherited = |faults: &IndexMap<String, Entry>, id: &Spanned<String>| {
            let known = faults.keys().map(String::as_str);
            node.error_at(id.span, unknown("inherited fault", id, known))
        };
        for id in &file.remove {
            if self.faults.shift_remove(&id.value).is_none() {
                errors.push(inherited(&self.faults, id));
            }
        }
        for (id, caught_by) in file.caught_by {
            match self.faults.get_mut(&id.value) {
                Some(entry) => entry.caught_by = (caught_by, node.clone()),
                None => errors.push(inherited(&self.faults, &id)),
            }
        }
        let mut faults = IndexMap::new();
        let entries = file.faults.into_iter().map(|entry| (entry, false));
        let variants = file.variants.into_iter().map(|entry| (entry, true));
        for ((id, fault), is_variant) in entries.chain(variants) {
            match FaultPart::decode(&fault, is_variant) {
                Ok(parts) => {
                    let caught_by = parts.first().map(|part| part.file.caught_by.clone());
                    let caught_by = (caught_by.unwrap_or_default(), node.clone());
                    let name = id.value.clone();
                    faults.insert(
                        name,
                        Entry {
                            id,
                            parts,
                            caught_by,
                        },
                    );
                }
                Err(more) => errors.extend(more),
            }
        }
        for (id, entry) in std::mem::take(&mut self.faults) {
            faults.entry(id).or_insert(entry);
        }
        self.faults = faults;
        errors
    }

    /// Reads the patterns of the named frames. One with a mistake stays known, so that its uses are not mistakes too.
    fn read_frames(&mut self) -> Vec<Error> {
        let mut errors = Vec::new();
        let mut classes = HashMap::new();
        for (name, (frames, node)) in &self.frames {
            let read = pattern(&frames.on, node, &self.names);
            let read = read.map_err(|error| errors.push(error));
            classes.insert(name.clone(), read.unwrap_or_default());
        }
        self.names.classes = classes;
        errors
    }

    /// The patterns of the named frames and of the faults, each with its place.
    fn patterns(&self) -> impl Iterator<Item = (Pattern, Span, &Node)> {
        let frames = self.frames.iter().filter_map(|(name, (frames, file))| {
            let pattern = self.names.classes.get(name)?;
            Some((pattern.clone(), frames.on.span, file))
        });
        let parts = self.faults.values().flat_map(|entry| &entry.parts);
        let parts = parts.filter_map(|part| {
            let on = part.file.on.as_ref()?;
            let pattern = pattern(on, &part.node, &self.names).ok()?;
            Some((pattern, on.span, &part.node))
        });
        frames.chain(parts)
    }

    fn compile(&self, entry: &Entry) -> Result<Fault, Vec<Error>> {
        let (names, file) = &entry.caught_by;
        let caught_by = self.expanded(names, file, 0)?;
        let context = Context {
            frames: &self.frames,
            names: &self.names,
            nested: &self.nested,
        };
        compile_fault(&entry.id, &entry.parts, caught_by, &context)
    }

    /// The names with `$name` replaced by the list of that name.
    fn expanded(
        &self,
        names: &Names,
        file: &Node,
        depth: usize,
    ) -> Result<Vec<String>, Vec<Error>> {
        let mut all = Vec::new();
        for name in names {
            let Some(list) = name.strip_prefix('$') else {
                all.push(name.value.clone());
                continue;
            };
            match self.rules.get(list) {
                Some((_, _)) if depth > self.rules.len() => {
                    let message = format!("the list `{list}` contains itself");
                    return Err(vec![file.error_at(name.span, message)]);
                }
                Some((names, file)) => all.extend(self.expanded(names, file, depth + 1)?),
                None => {
                    let known = self.rules.keys().map(String::as_str);
                    let message = unknown("list of rules", list, known);
                    return Err(vec![file.error_at(name.span, message)]);
                }
            }
        }
        Ok(all)
    }

    /// An error for each name of this file that nothing uses.
    fn unused(&self, file: &FaultsFile, node: &Node) -> Vec<Error> {
        let entries = || self.faults.values();
        let uses_list = |name: &str| {
            let caught_by = entries().flat_map(|entry| &entry.caught_by.0);
            let in_lists = self.rules.values().flat_map(|(list, _)| list);
            let mut names = caught_by.chain(in_lists);
            names.any(|used| used.strip_prefix('$') == Some(name))
        };
        let uses_frames = |name: &str| {
            let mut atoms = self.patterns().flat_map(|(pattern, ..)| pattern.0);
            atoms.any(|atom| atom.class.as_deref() == Some(name))
        };
        let lists = file.rules.keys().filter(|name| !uses_list(name));
        let frames = file.frames.keys().filter(|name| !uses_frames(name));
        let lists = lists.map(|name| (name, "$"));
        let unused = lists
            .chain(frames.map(|name| (name, "")))
            .map(|(name, sign)| {
                let message = format!("no fault uses `{sign}{}`: remove it", name.value);
                node.error_at(name.span, message)
            });
        unused.collect()
    }

    fn references(&self) -> Vec<Reference> {
        let reference = |kind, name: &Spanned<String>, file: &Node| Reference {
            kind,
            name: name.clone(),
            file: file.clone(),
        };
        let is_plain = |name: &&Spanned<String>| !name.starts_with('$');
        let mut all = Vec::new();
        for (names, file) in self.rules.values() {
            let names = names.iter().filter(is_plain);
            all.extend(names.map(|name| reference(ReferenceKind::Catcher, name, file)));
        }
        for (pattern, span, file) in self.patterns() {
            let own = pattern.0.into_iter().filter(|atom| atom.class.is_none());
            for name in own.flat_map(|atom| atom.frames) {
                if let FrameName::Named(value) = name {
                    all.push(reference(
                        ReferenceKind::Frames,
                        &Spanned { value, span },
                        file,
                    ));
                }
            }
        }
        for Entry {
            parts, caught_by, ..
        } in self.faults.values()
        {
            let (names, file) = caught_by;
            let names = names.iter().filter(is_plain);
            all.extend(names.map(|name| reference(ReferenceKind::Catcher, name, file)));
            for part in parts {
                let listed = part.file.listed.keys();
                all.extend(listed.map(|name| reference(ReferenceKind::Listed, name, &part.node)));
                let operations = &part.operations;
                let others = operations
                    .iter()
                    .filter_map(|(_, operation)| match operation {
                        Operation::Late(kind) | Operation::Until(kind) => {
                            Some((ReferenceKind::Frames, kind))
                        }
                        Operation::Behavior(name) => Some((ReferenceKind::Behavior, name)),
                        _ => None,
                    });
                all.extend(others.map(|(kind, name)| reference(kind, name, &part.node)));
                let edits = part.edits.iter().flat_map(|(_, edit)| edit.templates());
                let others = operations.iter().flat_map(|(_, one)| one.templates());
                for name in edits.chain(others).flat_map(names_in) {
                    let (value, span) = (name.to_owned(), part.node.span());
                    let name = Spanned { value, span };
                    all.push(reference(ReferenceKind::Frames, &name, &part.node));
                }
            }
        }
        all
    }
}
