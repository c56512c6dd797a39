//! The linter: checks files one by one, and collects names that must be unique or consistent across them.

use super::kinds::{self, FileKind, FileShape};
use super::unused_names::unused_names;
use crate::cli::args::DialectArgs;
use crate::cli::catalogue::{names_for_faults, render_errors};
use conform_dialect::version_of_base;
use conform_judge::dialect::{self, Dialect, DialectSource, KnownAgent};
use conform_report::reporter::text::count;
use conform_runner::explore::MoveTable;
use conform_runner::mutation::bad_hosts;
use conform_runner::scenario::{self, ScenarioSource, UniqueNames};
use frame_faults::{FaultTable, KnownNames};
use indexmap::IndexMap;
use mock_provider::Script;
use spanned_yaml::{Error, Node, Span, load_file};
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The result of linting.
pub(super) struct LintReport {
    pub(super) errors: Vec<Error>,
    pub(super) warnings: Vec<String>,
    /// One line with the number of files of each kind and the number of mistakes.
    pub(super) summary: String,
}

/// A dialect that was linted as a whole.
struct LintedDialect {
    dialect: Arc<Dialect>,
    faults: FaultTable,
    /// The names that the faults may use.
    known: KnownNames,
}

/// Lints files one by one.
#[derive(Default)]
pub(super) struct Linter {
    args: DialectArgs,
    source: DialectSource,
    /// Dialects by id; `None` for one that could not be loaded, which is reported once.
    dialects: IndexMap<String, Option<Arc<Dialect>>>,
    /// The dialect that each folder with scenarios or scripts belongs to.
    dialect_of_folder: IndexMap<PathBuf, Option<String>>,
    /// Dialect folders that were linted as a whole.
    folders: Vec<PathBuf>,
    /// Those dialects.
    linted: Vec<LintedDialect>,
    /// The scenarios that were linted, by their paths without extension.
    scenarios: Vec<String>,
    /// Names of scenarios, by dialect.
    names: IndexMap<String, UniqueNames>,
    /// The number of files of each kind, by its name.
    counts: IndexMap<&'static str, u64>,
    errors: Vec<Error>,
    warnings: Vec<String>,
    without_dialect: usize,
}

impl Linter {
    pub(super) fn new(args: DialectArgs) -> Self {
        Linter {
            source: DialectSource::new(args.dialect_dir.clone()),
            args,
            ..Linter::default()
        }
    }

    /// Adds an error.
    pub(super) fn refuse(&mut self, error: Error) {
        self.errors.push(error);
    }

    /// Lints one file.
    pub(super) fn file(&mut self, path: &Path) {
        let node = match load_file(path) {
            Ok(node) => node,
            Err(error) => {
                self.count("unreadable file");
                return self.refuse(error);
            }
        };
        let Some(FileShape(kind, name, _)) = kinds::shape(&node) else {
            self.count("unknown file");
            return self.refuse(node.error(kinds::unknown(&node)));
        };
        self.count(name);
        match kind {
            FileKind::Scenario => self.scenario(path, &node),
            FileKind::Script => self.take(Script::of_file(&node).map(drop)),
            FileKind::AgentScript => self.agent_script(path, &node),
            FileKind::Agent => {
                let found = self.agent_file(path);
                self.take(found);
            }
            FileKind::Dialect => self.dialect_file(path, &node),
        }
    }

    /// The result.
    pub(super) fn finish(mut self) -> LintReport {
        for LintedDialect {
            dialect,
            faults,
            mut known,
        } in std::mem::take(&mut self.linted)
        {
            let paths = self.scenarios.iter();
            known
                .scenarios
                .extend(paths.flat_map(|path| path_ends(path)));
            // A version may lack names that a version it extends uses: those are checked where they are written. It has all names of its base.
            let in_folder_of = |error: &Error, id: &str| {
                let folder = error.file.parent();
                folder.is_some_and(|folder| folder.ends_with(id.replace('@', "/")))
            };
            let is_checked = |error: &Error| {
                let base = dialect.bases.first();
                in_folder_of(error, &dialect.id())
                    || base.is_some_and(|base| in_folder_of(error, &base.id))
                        && error.file.parent().is_some_and(is_base)
            };
            let errors = faults.check(&known).into_iter();
            self.errors.extend(errors.filter(is_checked));
            let scenarios = known.scenarios.iter().map(String::as_str);
            self.errors.extend(dialect.check_smoke(scenarios).err());
        }
        // The mistakes of a file come once for each dialect that reads it, and for each path that the user has named it by.
        let (mut places, mut errors) = (HashSet::new(), self.errors);
        errors.retain(|error| places.insert(place(error)));
        let counts = self.counts.iter();
        let kinds: Vec<_> = counts.map(|(name, number)| count(*number, name)).collect();
        let files = count(self.counts.values().sum(), "file");
        let mistakes = match errors.len() {
            0 => "no mistakes".to_owned(),
            many => count(many as u64, "mistake"),
        };
        let list = if kinds.is_empty() {
            String::new()
        } else {
            format!(" ({})", kinds.join(", "))
        };
        if self.without_dialect > 0 {
            let warning = "the names of events, commands and clauses were not checked: give --dialect NAME[@VERSION]";
            self.warnings.push(warning.to_owned());
        }
        LintReport {
            summary: format!("checked {files}{list}: {mistakes}"),
            warnings: self.warnings,
            errors,
        }
    }

    fn count(&mut self, kind: &'static str) {
        *self.counts.entry(kind).or_default() += 1;
    }

    fn take(&mut self, result: Result<(), Vec<Error>>) {
        if let Err(errors) = result {
            self.errors.extend(errors);
        }
    }

    fn scenario(&mut self, path: &Path, node: &Node) {
        let dialect = self.args.dialect.clone().or_else(|| self.dialect_of(path));
        let id = path.with_extension("").to_string_lossy().into_owned();
        self.scenarios.push(id.clone());
        let names = self
            .names
            .entry(dialect.clone().unwrap_or_default())
            .or_default();
        if let Err(error) = names.add(node, &id) {
            self.refuse(error);
        }
        self.without_dialect += usize::from(dialect.is_none());
        let dialect = dialect.and_then(|id| self.dialect(&id));
        self.take(scenario::load(node, &id, dialect.as_deref()).map(drop));
    }

    /// The dialect whose `NAME/VERSION` is in the path of a file.
    fn dialect_of(&mut self, path: &Path) -> Option<String> {
        let folder = path.parent().unwrap_or(path).to_owned();
        if let Some(known) = self.dialect_of_folder.get(&folder) {
            return known.clone();
        }
        let found = self.dialect_in(path);
        self.dialect_of_folder.insert(folder, found.clone());
        found
    }

    fn dialect_in(&self, path: &Path) -> Option<String> {
        let path = std::fs::canonicalize(path).ok()?;
        let normal = |part| match part {
            Component::Normal(word) => std::ffi::OsStr::to_str(word),
            _ => None,
        };
        let words: Vec<&str> = path.components().filter_map(normal).collect();
        let known = self.source.names();
        let pairs = words
            .windows(2)
            .rev()
            .filter_map(|pair| <[&str; 2]>::try_from(pair).ok());
        pairs.into_iter().find_map(|[name, version]| {
            let id = format!("{name}@{version}");
            if known.iter().any(|(n, v)| n == name && v == version) {
                return Some(id);
            }
            version_of_base(&self.source, &id)
        })
    }

    fn dialect(&mut self, id: &str) -> Option<Arc<Dialect>> {
        if let Some(known) = self.dialects.get(id) {
            return known.clone();
        }
        let loaded = dialect::load(&self.source, id)
            .map_err(|errors| self.errors.extend(errors))
            .ok();
        self.dialects.insert(id.to_owned(), loaded.clone());
        loaded
    }

    fn agent_script(&mut self, path: &Path, node: &Node) {
        let named = node.get("dialect").and_then(Node::as_str);
        let named = self.args.dialect.clone().or(named.map(str::to_owned));
        let Some(id) = named.or_else(|| self.dialect_of(path)) else {
            return self.refuse(node.error(
                "an agent script is checked against its dialect: give --dialect NAME[@VERSION]",
            ));
        };
        match mock_agent::check_agent_script(node, &self.source, &id) {
            Ok(errors) => self.errors.extend(errors),
            Err(why) => self.refuse(Error::of_file(path, why)),
        }
    }

    /// Lints an agent file, which belongs to the dialect of its folder, the one that it names, or the one that the user names.
    fn agent_file(&self, path: &Path) -> Result<(), Vec<Error>> {
        let absolute = std::fs::canonicalize(path).unwrap_or_default();
        let mut folders = absolute.ancestors().skip(2);
        let name = |path: Option<&Path>| Some(path?.file_name()?.to_string_lossy().into_owned());
        let of_folder = folders
            .next()
            .filter(|folder| is_dialect(folder))
            .and_then(|folder| {
                let (version, protocol) = (name(Some(folder))?, folder.parent()?);
                let id = format!("{}@{version}", name(Some(protocol))?);
                Some((
                    DialectSource::new(protocol.parent().map(Path::to_owned)),
                    id,
                ))
            });
        let own = of_folder.clone().map(|(_, id)| id);
        let asked = own.or_else(|| self.args.dialect.clone());
        let agent = KnownAgent {
            is_named: of_folder.is_none(),
            ..KnownAgent::read(path, asked.as_deref())?
        };
        let (asks, id) = (agent.file.asks.clone(), agent.dialect.clone());
        let source = of_folder.map_or_else(|| self.source.clone(), |(source, _)| source);
        let source = source.for_agent(Some(Arc::new(agent)));
        let dialect = dialect::load(&source, &id)?;
        conform_runner::lanes::lanes(&dialect)?;
        asks.first()
            .map_or(Ok(()), |first| scenario::check_asks(first, &dialect))
    }

    /// Lints the whole folder of a dialect, once, since its files depend on each other.
    fn dialect_file(&mut self, path: &Path, node: &Node) {
        let folder = std::fs::canonicalize(path)
            .ok()
            .and_then(|path| path.parent().map(Path::to_owned));
        let belongs = |folder: &PathBuf| is_dialect(folder) || is_base(folder);
        let Some(folder) = folder.filter(belongs) else {
            return self.refuse(node.error(
                "this file belongs to a dialect, but there is no dialect.yaml in its folder",
            ));
        };
        self.dialect_folder(folder);
    }

    /// Lints the folder of a dialect; of a base, every version of its protocol, since a base is only complete with the rest of a version.
    fn dialect_folder(&mut self, folder: PathBuf) {
        if self.folders.contains(&folder) {
            return;
        }
        self.folders.push(folder.clone());
        let word = |path: Option<&Path>| {
            path.and_then(Path::file_name)
                .map(|name| name.to_string_lossy().into_owned())
        };
        let unused = unused_names(&folder).into_iter();
        let warnings = unused.map(|unused| render_errors(&[unused]));
        self.warnings.extend(warnings);
        if is_base(&folder) {
            let siblings = folder.parent().and_then(|all| all.read_dir().ok());
            let siblings = siblings.into_iter().flatten().flatten();
            let paths = siblings.map(|sibling| sibling.path());
            let versions = paths.filter(|path| is_dialect(path));
            return versions.for_each(|version| self.dialect_folder(version));
        }
        let root = folder.parent().and_then(Path::parent);
        if let (Some(root), Some(name), Some(version)) =
            (root, word(folder.parent()), word(Some(&folder)))
        {
            let source = DialectSource::new(Some(root.to_owned()));
            let linted = dialect::load(&source, &format!("{name}@{version}"))
                .and_then(|dialect| LintedDialect::load(&source, dialect));
            match linted {
                Ok(linted) => self.linted.push(linted),
                Err(errors) => self.errors.extend(errors),
            }
        }
    }
}

/// Where a mistake is, however its file is named, and what it is.
fn place(error: &Error) -> (PathBuf, Span, String) {
    let file = std::fs::canonicalize(&error.file).unwrap_or_else(|_| error.file.clone());
    (file, error.span, error.message.clone())
}

fn is_dialect(folder: &Path) -> bool {
    folder.join("dialect.yaml").is_file()
}

fn is_base(folder: &Path) -> bool {
    folder.join("base.yaml").is_file() && !is_dialect(folder)
}

impl LintedDialect {
    fn load(source: &DialectSource, dialect: Arc<Dialect>) -> Result<Self, Vec<Error>> {
        let faults = dialect::faults(source, &dialect.fault_sources())?.unwrap_or_default();
        bad_hosts::load(source, &dialect).map_err(|error| vec![error])?;
        let files = ScenarioSource::find(&dialect.name, &dialect.version, &dialect.bases)?;
        if let Some(table) = MoveTable::load(source, &dialect, None)? {
            table.check(&dialect)?;
            table.spliced(&files, &dialect)?;
        }
        let scenarios = files.load(Some(&dialect))?;
        let known = KnownNames {
            scenarios: scenarios.into_iter().map(|scenario| scenario.id).collect(),
            behaviors: mock_agent::behaviors(),
            ..names_for_faults(&dialect)
        };
        Ok(LintedDialect {
            dialect,
            faults,
            known,
        })
    }
}

/// The ends of a path that can be the id of a scenario: `c`, `b/c` and `a/b/c` of `a/b/c`.
fn path_ends(path: &str) -> impl Iterator<Item = String> {
    let starts = path.match_indices('/').map(|(slash, _)| slash + 1);
    let ends = std::iter::once(0).chain(starts);
    ends.map(|start| path[start..].to_owned())
}
