//! Sources of dialect folders: the executable, or a folder of the user (`--dialect-dir`).

use crate::agents::{KnownAgent, REFERENCE};
use include_dir::{Dir, include_dir};
use spanned_yaml::{Error, unknown};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a dialect.
pub(crate) const DIALECT: &str = "dialect.yaml";

/// The file of a base: what versions of a dialect share. It is not a version, so it is neither listed nor run.
pub(crate) const BASE: &str = "base.yaml";

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/schemas");

/// The dialects of the executable and of a folder with `NAME/VERSION/`.
#[derive(Debug, Clone, Default)]
pub struct DialectSource {
    folder: Option<PathBuf>,
    agent: AgentChoice,
}

/// The agent whose file goes with a dialect.
#[derive(Debug, Clone, Default)]
enum AgentChoice {
    /// The reference agent.
    #[default]
    Reference,
    /// An agent of which nothing is known.
    Unknown,
    /// An agent with a file.
    Known(Arc<KnownAgent>),
}

impl DialectSource {
    /// The embedded dialects, and those of the user's folder, which take precedence.
    pub fn new(folder: Option<PathBuf>) -> Self {
        DialectSource {
            folder,
            agent: AgentChoice::Reference,
        }
    }

    /// The same dialects for an agent with this file, or for one of which nothing is known; without this, for the reference agent.
    #[must_use]
    pub fn for_agent(&self, agent: Option<Arc<KnownAgent>>) -> Self {
        DialectSource {
            folder: self.folder.clone(),
            agent: agent.map_or(AgentChoice::Unknown, AgentChoice::Known),
        }
    }

    /// The agent file that goes with a dialect.
    ///
    /// # Errors
    /// The mistakes in how it is written.
    pub fn agent(&self, name: &str, version: &str) -> Result<Option<Arc<KnownAgent>>, Vec<Error>> {
        Ok(match &self.agent {
            AgentChoice::Reference => {
                KnownAgent::of_dialect(self, name, version, REFERENCE)?.map(Arc::new)
            }
            AgentChoice::Known(agent) if agent.speaks(name, version) => Some(Arc::clone(agent)),
            AgentChoice::Unknown | AgentChoice::Known(_) => None,
        })
    }

    /// The names of the YAML files in a folder of a dialect, without `.yaml`, sorted.
    pub(crate) fn files_in(&self, name: &str, version: &str, folder: &str) -> Vec<String> {
        let below = Path::new(name).join(version);
        let own = self.folder.as_ref().map(|own| own.join(&below));
        let paths: Vec<PathBuf> = match own.filter(|own| own.is_dir()) {
            Some(own) => {
                let entries = std::fs::read_dir(own.join(folder)).into_iter().flatten();
                entries.flatten().map(|entry| entry.path()).collect()
            }
            None => {
                let files = EMBEDDED.get_dir(below.join(folder)).into_iter();
                files
                    .flat_map(Dir::files)
                    .map(|file| file.path().to_owned())
                    .collect()
            }
        };
        let is_yaml = |path: &&PathBuf| path.extension().is_some_and(|end| end == "yaml");
        let mut names: Vec<String> = paths
            .iter()
            .filter(is_yaml)
            .map(|path| last(&path.with_extension("")))
            .collect();
        names.sort();
        names
    }

    /// Whether all dialects are those of the executable, whose files the project's tests check.
    pub fn is_built_in(&self) -> bool {
        self.folder.is_none()
    }

    /// The user's folder, as an absolute path if there is one.
    pub fn folder(&self) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(std::path::absolute(folder).unwrap_or_else(|_| folder.clone()))
    }

    /// Every `(name, version)`, sorted.
    pub fn names(&self) -> Vec<(String, String)> {
        let mut found = self.names_in_folder();
        for name in EMBEDDED.dirs() {
            for version in name
                .dirs()
                .filter(|d| d.get_file(d.path().join(DIALECT)).is_some())
            {
                found.push((last(name.path()), last(version.path())));
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Every id `NAME@VERSION`, in the same order.
    pub fn ids(&self) -> Vec<String> {
        let names = self.names().into_iter();
        let ids = names.map(|(name, version)| format!("{name}@{version}"));
        ids.collect()
    }

    /// Every `(name, version)` in the user's folder, sorted.
    pub fn names_in_folder(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for name in folders(self.folder.as_deref()) {
            for version in folders(Some(&name))
                .into_iter()
                .filter(|v| v.join(DIALECT).is_file())
            {
                found.push((last(&name), last(&version)));
            }
        }
        found.sort();
        found
    }

    /// The name and version that an id denotes: `NAME@VERSION`, or `NAME` for its newest version.
    ///
    /// # Errors
    /// There is no such dialect; the message lists the known ones.
    pub fn resolve(&self, id: &str) -> Result<(String, String), String> {
        let all = self.names();
        let (name, version) = id.split_once('@').map_or((id, None), |(n, v)| (n, Some(v)));
        let fits =
            |(n, v): &&(String, String)| n == name && version.is_none_or(|version| v == version);
        let newest = all.iter().filter(fits).max_by_key(|(_, v)| version_key(v));
        newest.cloned().ok_or_else(|| {
            if let Some(version) = version.filter(|version| self.is_base(name, version)) {
                let versions = all.iter().filter(|(n, _)| n == name);
                let versions: Vec<_> = versions.map(|(n, v)| format!("`{n}@{v}`")).collect();
                let versions = versions.join(", ");
                return format!("`{name}@{version}` is only a base: choose one of {versions}");
            }
            if let Some(why) = version.and_then(|version| unknown_version(&all, name, version)) {
                return why;
            }
            let mut known: Vec<_> = match version {
                Some(_) => all.iter().map(|(n, v)| format!("{n}@{v}")).collect(),
                None => all.iter().map(|(n, _)| n.clone()).collect(),
            };
            known.dedup();
            unknown("dialect", id, known.iter().map(String::as_str))
        })
    }

    /// The newest version of a dialect, if this id names a newer one.
    #[must_use]
    pub fn newest_before(&self, id: &str) -> Option<String> {
        let (name, version) = id.split_once('@')?;
        let (_, newest) = self.resolve(name).ok()?;
        (version_key(&newest) < version_key(version)).then(|| format!("{name}@{newest}"))
    }

    /// Whether this folder holds a base.
    pub fn is_base(&self, name: &str, version: &str) -> bool {
        matches!(self.read(name, version, BASE), Ok(Some(_)))
    }

    /// The name and version of what `extends` names: a base `NAME@VERSION`, or a dialect as in [`Self::resolve`].
    pub(crate) fn resolve_extended(&self, id: &str) -> Result<(String, String), String> {
        match id.split_once('@') {
            Some((name, version)) if self.is_base(name, version) => {
                Ok((name.to_owned(), version.to_owned()))
            }
            _ => self.resolve(id),
        }
    }

    /// The path for messages and the text of a file of a dialect; `None` if there is no such file.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn read(
        &self,
        name: &str,
        version: &str,
        file: &str,
    ) -> Result<Option<(PathBuf, Cow<'static, str>)>, Error> {
        let below = Path::new(name).join(version).join(file);
        if let Some(folder) = &self.folder
            && folder.join(name).join(version).is_dir()
        {
            let path = folder.join(&below);
            return match std::fs::read_to_string(&path) {
                Ok(text) => Ok(Some((path, Cow::Owned(text)))),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(e) => Err(Error::of_file(path, format!("cannot be read: {e}"))),
            };
        }
        let text = EMBEDDED.get_file(&below).and_then(|f| f.contents_utf8());
        Ok(text.map(|text| (Path::new("schemas").join(below), Cow::Borrowed(text))))
    }
}

/// Why there is no such version of a known dialect.
fn unknown_version(all: &[(String, String)], name: &str, version: &str) -> Option<String> {
    let mut versions: Vec<_> = all.iter().filter(|(n, _)| n == name).collect();
    versions.sort_by_key(|(_, v)| version_key(v));
    let id = |(name, version): &(String, String)| format!("{name}@{version}");
    let (oldest, newest) = (versions.first()?, versions.last()?);
    let is_before = |known: &&&(String, String)| version_key(&known.1) < version_key(version);
    if is_before(&newest) {
        let newest = id(newest);
        return Some(format!(
            "unknown dialect `{name}@{version}`: it is newer than `{newest}`, the newest version that is known"
        ));
    }
    let near = id(versions.iter().rfind(is_before).unwrap_or(oldest));
    let known: Vec<_> = versions.iter().map(|known| id(known)).collect();
    Some(format!(
        "unknown dialect `{name}@{version}`; did you mean `{near}`? (one of {})",
        known.join(", ")
    ))
}

fn version_key(version: &str) -> Vec<u64> {
    let parts = version.split('.');
    parts.map(|part| part.parse().unwrap_or(0)).collect()
}

fn last(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn folders(path: Option<&Path>) -> Vec<PathBuf> {
    let entries = path.and_then(|p| std::fs::read_dir(p).ok());
    let paths = entries.into_iter().flatten().flatten().map(|e| e.path());
    paths.filter(|p| p.is_dir()).collect()
}
