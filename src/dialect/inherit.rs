//! What a delta takes over of its base's scenarios, and under which names.

use super::file::Launch;
use indexmap::IndexMap;
use serde::Deserialize;
use spanned_yaml::Node;

/// A dialect that another one was made from.
#[derive(Debug, Clone)]
pub struct Base {
    /// `NAME@VERSION`.
    pub id: String,
    /// How its scenarios read in the dialect that extends it.
    pub heritage: Heritage,
}

/// How the scenarios of a base read in a delta.
#[derive(Debug, Clone, Default)]
pub struct Heritage {
    /// Ids of the only scenarios that hold here, each where it is written; all, if it is empty.
    pub keep: Vec<Node>,
    /// Ids of scenarios that do not hold here, each where it is written.
    pub drop: Vec<Node>,
    /// Members of frames that have another name here: frame (`>` in front of a command), old name, new name.
    pub rename: IndexMap<String, IndexMap<String, String>>,
    /// Tools that have another name here, by the old one.
    pub tools: IndexMap<String, ToolName>,
    /// Clauses of the base that this version does not have.
    pub without_clauses: Vec<String>,
    /// How events write the id that the model gave a call: a regular expression with `{id}` in it; just so if `None`.
    pub call_ids: Option<String>,
    /// JSON Pointers to the name of an event, and of a command.
    pub names_at: (String, String),
}

/// What a delta says about the scenarios of its base.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeritageFile {
    /// Ids of the only scenarios that hold here; all, if none is given.
    pub keep: Vec<Node>,
    /// Ids of scenarios that do not hold here.
    pub drop: Vec<Node>,
    /// Members of frames that have another name here: frame (`>` in front of a command), old name, new name.
    pub rename: IndexMap<String, IndexMap<String, String>>,
}

/// What a tool is called, and its arguments where their names differ too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolName {
    /// The tool's name.
    pub name: String,
    /// Arguments: the name that scenarios use, and the tool's own.
    #[serde(default)]
    pub args: IndexMap<String, String>,
}

/// Calls tools what they are called now.
pub(super) fn rename(names: &mut [String], tools: &IndexMap<String, ToolName>) {
    for name in names {
        if let Some(tool) = tools.get(name) {
            name.clone_from(&tool.name);
        }
    }
}

impl Launch {
    /// The recipe of a delta over that of its base: a list or a word of its own replaces the base's, files, variables and wires go
    /// name by name.
    pub(super) fn over(self, base: Launch) -> Launch {
        fn list<T>(own: Vec<T>, base: Vec<T>) -> Vec<T> {
            if own.is_empty() { base } else { own }
        }
        fn map<T>(own: IndexMap<String, T>, mut base: IndexMap<String, T>) -> IndexMap<String, T> {
            base.extend(own);
            base
        }
        Launch {
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
    fn a_recipe_says_only_what_differs() {
        let files = |files: &[(&str, &str)]| {
            let files = files.iter();
            files
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect()
        };
        let base = Launch {
            package: Some("old".into()),
            args: vec!["--rpc".into()],
            home_files: files(&[("a", "1"), ("b", "2")]),
            ..Launch::default()
        };
        let delta = Launch {
            package: Some("new".into()),
            home_files: files(&[("b", "3")]),
            ..Launch::default()
        };

        let launch = delta.over(base);

        assert_eq!(launch.package.as_deref(), Some("new"));
        assert_eq!(launch.args, ["--rpc"]);
        assert_eq!(launch.home_files, files(&[("a", "1"), ("b", "3")]));
    }
}
