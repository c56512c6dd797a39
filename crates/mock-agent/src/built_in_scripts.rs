//! The built-in scripts, by name. Each is a file of `crates/mock-agent/scripts/`: one for all protocols, or one of the same name for
//! each protocol or version whose tools have names of their own.

use include_dir::{Dir, include_dir};
use serde_json::Value;
use spanned_yaml::Node;
use std::path::Path;
use thiserror::Error;

/// The files of the built-in scripts.
static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/scripts");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScriptFile {
    /// Its path below `crates/mock-agent/scripts/`: `NAME.yaml`, `PROTOCOL/NAME.yaml` or `PROTOCOL@VERSION/NAME.yaml`.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

/// Why a script cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// There is no built-in script of this name.
    #[error("there is no built-in script `{name}`{}", others(.name, .known))]
    Unknown {
        /// The name.
        name: String,
        /// The scripts that there are.
        known: Vec<&'static str>,
    },
    /// The built-in script is not one of the dialect.
    #[error("the built-in script `{name}` shows something that {dialect} does not have; it has {}", .known.join(", "))]
    OtherDialect {
        /// The script.
        name: String,
        /// `NAME@VERSION`.
        dialect: String,
        /// The scripts that the dialect has.
        known: Vec<&'static str>,
    },
    /// The built-in script is not the same in every dialect.
    #[error("the built-in script `{name}` has the tools of one protocol: choose it with --dialect, one of {}", .dialects.join(", "))]
    Ambiguous {
        /// The script.
        name: String,
        /// The dialects that have it.
        dialects: Vec<String>,
    },
    /// There is no such dialect.
    #[error("{0}")]
    UnknownDialect(String),
    /// The file has a mistake.
    #[error("{}", .0.headline())]
    File(#[from] spanned_yaml::Error),
}

fn others(name: &str, known: &[&'static str]) -> String {
    let near = spanned_yaml::did_you_mean(name, known.iter().copied());
    let guess = near.map_or(".".to_owned(), |near| format!("; did you mean `{near}`?"));
    let known = known.join(", ");
    format!("{guess} There are {known} (a file is written with its path, such as ./{name})")
}

/// A protocol with its version.
type Dialect<'a> = (&'a str, &'a str);

impl ScriptFile {
    pub(crate) fn name(&self) -> &'static str {
        let file = self.path.rsplit('/').next().unwrap_or(self.path);
        file.trim_end_matches(".yaml")
    }

    /// The protocol, or the version of it, that the file is for; none for all.
    fn folder(&self) -> Option<&'static str> {
        self.path.split_once('/').map(|(folder, _)| folder)
    }

    /// The file as YAML.
    ///
    /// # Errors
    /// It is not YAML.
    pub(crate) fn node(&self) -> Result<Node, spanned_yaml::Error> {
        let path = Path::new("crates/mock-agent/scripts").join(self.path);
        spanned_yaml::load_yaml(path, self.text)
    }

    /// What happens in it, in one line.
    pub(crate) fn summary(&self) -> String {
        let node = self.node().ok();
        let summary = node.as_ref().and_then(|node| node.get("summary")?.as_str());
        summary.unwrap_or_default().to_owned()
    }

    /// What an extension of the agent does in it, for protocols that have extensions.
    pub(crate) fn extension(&self) -> Option<Value> {
        Some(self.node().ok()?.get("extension")?.to_value())
    }

    /// How closely the file fits a dialect: 3 for a file of its version, 0 if it does not fit.
    fn fit(&self, (protocol, version): Dialect<'_>) -> u8 {
        match self.folder() {
            Some(folder) if folder == format!("{protocol}@{version}") => 3,
            Some(folder) if folder == protocol => 2 * u8::from(self.is_for(protocol, version)),
            Some(_) => 0,
            None => u8::from(self.is_for(protocol, version)),
        }
    }

    /// Whether the `dialects` of the file, if it lists any, include this one.
    fn is_for(&self, protocol: &str, version: &str) -> bool {
        let Ok(node) = self.node() else { return false };
        let Some(dialects) = node.get("dialects").map(Node::to_value) else {
            return true;
        };
        let names = dialects.as_array().into_iter().flatten();
        names
            .filter_map(|name| name.as_str())
            .any(|name| name == protocol || name == format!("{protocol}@{version}"))
    }
}

fn files() -> impl Iterator<Item = ScriptFile> {
    let folders = FILES.dirs().flat_map(Dir::files);
    FILES.files().chain(folders).filter_map(|file| {
        Some(ScriptFile {
            path: file.path().to_str()?,
            text: file.contents_utf8()?,
        })
    })
}

/// Whether a script is given by the name of a built-in one: without a path separator and an extension.
#[must_use]
pub fn is_name(script: &str) -> bool {
    !script.is_empty() && !script.contains(['/', '\\', '.'])
}

/// The script of this name for a dialect.
///
/// # Errors
/// There is none; with the names of those that there are.
pub(crate) fn find(name: &str, dialect: Dialect<'_>) -> Result<ScriptFile, ScriptError> {
    let named = files().filter(|script| script.name() == name);
    let best = named.max_by_key(|script| script.fit(dialect));
    if let Some(script) = best.filter(|script| script.fit(dialect) > 0) {
        return Ok(script);
    }
    let (name, known) = (name.to_owned(), names(Some(dialect)));
    Err(match best {
        Some(_) => ScriptError::OtherDialect {
            name,
            dialect: format!("{}@{}", dialect.0, dialect.1),
            known,
        },
        None => ScriptError::Unknown { name, known },
    })
}

/// The names of the scripts of a dialect, or of all.
pub(crate) fn names(dialect: Option<Dialect<'_>>) -> Vec<&'static str> {
    let fits = |script: &ScriptFile| dialect.is_none_or(|dialect| script.fit(dialect) > 0);
    let mut names: Vec<_> = files().filter(fits).map(|script| script.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The scripts of a dialect, or of these dialects, one a line: name, what happens in it, and where it is not played by all of them.
pub(crate) fn listing(dialects: &[Dialect<'_>]) -> String {
    let all = names(None);
    let width = all.iter().map(|name| name.len()).max().unwrap_or_default();
    let mut lines = String::new();
    for name in all {
        let found: Vec<_> = dialects
            .iter()
            .filter_map(|dialect| Some((dialect, find(name, *dialect).ok()?)))
            .collect();
        let Some((_, script)) = found.first() else {
            continue;
        };
        let mut line = format!("{name:width$}  {}", script.summary());
        if found.len() < dialects.len() {
            let shown = found
                .iter()
                .map(|((name, version), _)| format!("{name}@{version}"));
            line.push_str(&format!(" ({})", shown.collect::<Vec<_>>().join(", ")));
        }
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::ADAPTERS;

    #[test]
    fn a_folder_or_a_listed_dialect_names_a_protocol_that_there_is() {
        let is_known = |name: &str| {
            let (protocol, version) = name.split_once('@').unwrap_or((name, ""));
            let mut adapters = ADAPTERS.iter().filter(|adapter| adapter.name == protocol);
            adapters.any(|adapter| version.is_empty() || adapter.version == version)
        };
        for script in files() {
            let dialects = script.node().unwrap().get("dialects").map(Node::to_value);
            let dialects: Vec<_> = dialects
                .iter()
                .flat_map(|list| list.as_array().unwrap())
                .collect();
            let dialects = dialects.iter().map(|name| name.as_str().unwrap());
            for name in dialects.chain(script.folder()) {
                assert!(is_known(name), "{}: {name}", script.path);
            }
        }
    }
}
