//! Sources of scenario files: the executable, or files and folders of the user; with the scenarios that a dialect inherits.

use super::inheritance::inherit;
use super::load;
use super::load::load_built_in;
use super::types::Scenario;
use crate::trials::cores;
use conform_judge::dialect::{Base, Dialect, Inheritance};
use include_dir::{Dir, include_dir};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, load_yaml, unknown};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// The text of one scenario file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Its path below the folder, without `.yaml`.
    pub id: String,
    /// Its path, for messages.
    pub path: PathBuf,
    /// Its text.
    pub text: Cow<'static, str>,
    /// How it is rewritten, step by step, for the dialect that it is played with.
    pub inheritance: Vec<Arc<Inheritance>>,
}

/// A set of scenario files, sorted by id.
#[derive(Debug, Clone, Default)]
pub struct ScenarioSource {
    files: Vec<SourceFile>,
}

impl ScenarioSource {
    /// The embedded scenarios of a dialect, without inherited ones.
    #[must_use]
    pub fn embedded(name: &str, version: &str) -> Self {
        let folder = Path::new(name).join(version);
        let mut files = Vec::new();
        if let Some(dir) = EMBEDDED.get_dir(&folder) {
            collect_embedded(dir, &folder, &mut files);
        }
        Self::sorted(files)
    }

    /// Every `.yaml` file in a folder and its subfolders, or a single file.
    ///
    /// # Errors
    /// Something cannot be read, or there is no `.yaml` file.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let root = if path.is_dir() {
            path
        } else {
            path.parent().unwrap_or(path)
        };
        let files = yaml_files(path)?.into_iter().map(|file| read(&file, root));
        Ok(Self::sorted(files.collect::<Result<_, _>>()?))
    }

    /// These scenarios, and those of a base with other ids.
    #[must_use]
    pub fn over(self, base: ScenarioSource) -> Self {
        let by_id =
            |source: ScenarioSource| source.files.into_iter().map(|file| (file.id.clone(), file));
        let mut files: IndexMap<_, _> = by_id(base).collect();
        files.extend(by_id(self));
        Self::sorted(files.into_values().collect())
    }

    /// These scenarios as a delta inherits them.
    ///
    /// # Errors
    /// The delta keeps or drops a scenario that does not exist.
    pub fn inherited(mut self, inheritance: &Inheritance) -> Result<Self, Vec<Error>> {
        let named = |node: &Node| node.as_str().unwrap_or_default().to_owned();
        let listed = inheritance.keep.iter().chain(&inheritance.drop);
        let missing = listed.filter(|node| !self.files.iter().any(|f| f.id == named(node)));
        let error = |node: &Node| {
            let known = self.files.iter().map(|file| file.id.as_str());
            node.error(unknown("scenario of the base", &named(node), known))
        };
        let errors: Vec<_> = missing.map(error).collect();
        let contains = |nodes: &[Node], id: &str| nodes.iter().any(|node| named(node) == id);
        self.files.retain(|file| {
            (inheritance.keep.is_empty() || contains(&inheritance.keep, &file.id))
                && !contains(&inheritance.drop, &file.id)
        });
        let inheritance = Arc::new(inheritance.clone());
        for file in &mut self.files {
            file.inheritance.push(Arc::clone(&inheritance));
        }
        errors.is_empty().then_some(self).ok_or(errors)
    }

    /// The embedded scenarios of a dialect, with those that it inherits from its bases (nearest first).
    ///
    /// # Errors
    /// A delta keeps or drops a scenario that its base does not have.
    pub fn find(name: &str, version: &str, bases: &[Base]) -> Result<Self, Vec<Error>> {
        let mut all = ScenarioSource::default();
        for base in bases.iter().rev() {
            let (name, version) = base.id.split_once('@').unwrap_or((&base.id, ""));
            all = Self::embedded(name, version)
                .over(all)
                .inherited(&base.inheritance)?;
        }
        Ok(Self::embedded(name, version).over(all))
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Loads and lints every scenario. With a dialect, the names in it are checked too.
    ///
    /// # Errors
    /// Every mistake in every file, including scenarios with the same name.
    pub fn load(&self, dialect: Option<&Dialect>) -> Result<Vec<Scenario>, Vec<Error>> {
        self.load_wanted(dialect, |_| true)
    }

    /// The same, of the scenarios in the executable only those with a wanted id. Those of the user are all loaded: their mistakes are
    /// reported.
    ///
    /// # Errors
    /// As for [`ScenarioSource::load`].
    pub fn load_wanted(
        &self,
        dialect: Option<&Dialect>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Scenario>, Vec<Error>> {
        let (mut scenarios, mut errors) = (Vec::new(), Vec::new());
        let mut names = UniqueNames::default();
        let is_wanted = |file: &&SourceFile| !file.is_built_in() || wanted(&file.id);
        let files: Vec<_> = self.files.iter().filter(is_wanted).collect();
        for (file, LoadedFile { name, scenario }) in files.iter().zip(load_each(&files, dialect)) {
            let added = name.map(|name| names.add_name(&name, &file.id));
            errors.extend(added.and_then(Result::err));
            match scenario {
                Ok(scenario) => scenarios.push(Scenario {
                    embedded: file.is_built_in(),
                    ..scenario
                }),
                Err(found) => errors.extend(found),
            }
        }
        errors.is_empty().then_some(scenarios).ok_or(errors)
    }

    fn sorted(mut files: Vec<SourceFile>) -> Self {
        files.sort_by(|a, b| a.id.cmp(&b.id));
        ScenarioSource { files }
    }
}

impl SourceFile {
    /// Its content, rewritten for the dialect that it is played with.
    ///
    /// # Errors
    /// It is not YAML.
    pub fn read(&self) -> Result<Node, Error> {
        self.read_as(Node::clone)
    }

    /// The same, of a file that was changed before.
    pub(crate) fn read_as(&self, change: impl Fn(&Node) -> Node) -> Result<Node, Error> {
        let node = change(&load_yaml(&self.path, &self.text)?);
        let steps = self.inheritance.iter();
        Ok(steps.fold(node, |node, inheritance| inherit(&node, inheritance)))
    }

    fn is_built_in(&self) -> bool {
        matches!(self.text, Cow::Borrowed(_))
    }

    fn load(&self, dialect: Option<&Dialect>) -> LoadedFile {
        let is_checked = self.is_built_in() && dialect.is_some_and(|dialect| dialect.is_built_in);
        let load = if is_checked { load_built_in } else { load };
        match self.read() {
            Ok(node) => LoadedFile {
                name: node.get("name").cloned(),
                scenario: load(&node, &self.id, dialect),
            },
            Err(error) => LoadedFile {
                name: None,
                scenario: Err(vec![error]),
            },
        }
    }
}

/// Loads each file, on all cores.
fn load_each(files: &[&SourceFile], dialect: Option<&Dialect>) -> Vec<LoadedFile> {
    let load_part = |part: &[&SourceFile]| -> Vec<_> {
        let files = part.iter();
        files.map(|file| file.load(dialect)).collect()
    };
    let length = files.len().div_ceil(cores().get()).max(1);
    std::thread::scope(|scope| {
        let parts = files.chunks(length);
        let threads: Vec<_> = parts
            .map(|part| scope.spawn(move || load_part(part)))
            .collect();
        let loaded = threads.into_iter().flat_map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        loaded.collect()
    })
}

/// A file that was loaded: its name as written, and the scenario or its mistakes.
struct LoadedFile {
    name: Option<Node>,
    scenario: Result<Scenario, Vec<Error>>,
}

/// The names of the scenarios so far, to detect duplicates.
#[derive(Debug, Clone, Default)]
pub struct UniqueNames {
    seen: IndexMap<String, String>,
}

impl UniqueNames {
    /// Adds the name of the scenario file `id`.
    ///
    /// # Errors
    /// Another scenario has the same name.
    pub fn add(&mut self, file: &Node, id: &str) -> Result<(), Error> {
        let name = file.get("name");
        name.map_or(Ok(()), |name| self.add_name(name, id))
    }

    fn add_name(&mut self, name: &Node, id: &str) -> Result<(), Error> {
        let Some(text) = name.as_str() else {
            return Ok(());
        };
        match self.seen.insert(text.to_owned(), id.to_owned()) {
            Some(other) if other != id => {
                Err(name.error(format!("the scenario `{other}` has the same name")))
            }
            _ => Ok(()),
        }
    }
}

fn is_scenario(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension == "yaml" || extension == "yml")
}

fn id_of(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let parts = below.components();
    let words: Vec<_> = parts
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    words.join("/")
}

fn collect_embedded(dir: &Dir<'static>, root: &Path, files: &mut Vec<SourceFile>) {
    for file in dir.files().filter(|file| is_scenario(file.path())) {
        if let Some(text) = file.contents_utf8() {
            let path = Path::new("scenarios").join(file.path());
            files.push(SourceFile {
                id: id_of(file.path(), root),
                path,
                text: Cow::Borrowed(text),
                inheritance: Vec::new(),
            });
        }
    }
    for inner in dir.dirs() {
        collect_embedded(inner, root, files);
    }
}

/// The YAML files below a folder, sorted; any other path is that of a file.
///
/// # Errors
/// The path cannot be read, or is a folder without YAML files.
pub fn yaml_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let kind = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !kind.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    collect(path, &mut found)?;
    found.sort();
    if found.is_empty() {
        Err(Error::of_file(path, "has no YAML file in it"))
    } else {
        Ok(found)
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.is_dir() && !path.is_symlink() {
            collect(&path, found)?;
        } else if is_scenario(&path) {
            found.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::of_file(path, format!("cannot be read: {error}"))
}

fn read(path: &Path, root: &Path) -> Result<SourceFile, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Ok(SourceFile {
        id: id_of(path, root),
        path: path.to_owned(),
        text: Cow::Owned(text),
        inheritance: Vec::new(),
    })
}
