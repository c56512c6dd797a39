//! The format of an agent file: how one known agent is recognized and started, its names of tools, its modes and its lanes.

use crate::file::{DialectFile, LaunchRecipe};
use crate::source::DialectSource;
use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, Matcher, MatcherSchema};
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Error, Node, Spanned, TimeSpan, unknown};
use std::path::{Path, PathBuf};

/// The folder of a dialect's agent files.
pub(crate) const FOLDER: &str = "agents";
/// The file of the bundled reference agent, without `.yaml`.
pub const REFERENCE: &str = "mock-agent";
/// The word under `lacks` for a mode in which the agent asks for permission.
pub const ASKS: &str = "asks";

/// A file under `agents/` of a dialect, or `--agent-file`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentFile {
    /// One line for people.
    pub title: String,
    /// The dialect that it speaks, `NAME` or `NAME@VERSION`: for a file outside of the dialect's folder.
    #[schemars(with = "Option<String>")]
    pub dialect: Option<Spanned<String>>,
    /// Names of its program.
    #[schemars(with = "Vec<String>")]
    pub programs: Vec<Spanned<String>>,
    /// Packages that contain its program.
    pub packages: Vec<String>,
    /// A matcher for the event in which it gives its name.
    #[schemars(with = "Option<MatcherSchema>")]
    pub says: Option<Node>,
    /// How it is started. Each key takes the place of the dialect's.
    pub launch: LaunchRecipe,
    /// Timeouts that replace those of the dialect, by name.
    #[schemars(with = "IndexMap<String, TimeSpan>")]
    pub budgets: IndexMap<String, Node>,
    /// Its tools, by the purposes of the dialect.
    #[schemars(with = "IndexMap<String, ToolFile>")]
    pub tools: IndexMap<Spanned<String>, ToolFile>,
    /// The steps that bring it into a mode in which it asks for permission; none if it starts in one.
    #[schemars(with = "Vec<IndexMap<String, AnyValueSchema>>")]
    pub asks: Vec<Node>,
    /// Its own requests to the model, by name.
    #[schemars(with = "IndexMap<String, LaneFile>")]
    pub lanes: IndexMap<Spanned<String>, LaneFile>,
    /// How its events write the id that the model gave a call: a regular expression that contains `{id}`; unchanged if left out.
    pub call_ids: Option<String>,
    /// What it lacks, with the reason: capabilities, purposes, commands, wires, or `asks`.
    #[schemars(with = "IndexMap<String, String>")]
    pub lacks: IndexMap<Spanned<String>, String>,
}

/// A tool of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolFile {
    /// Its name.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// Its names of arguments, by those of the purpose, where they differ.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, String>")]
    pub args: IndexMap<Spanned<String>, String>,
    /// Further arguments. Their texts may hold arguments of the purpose: `{path}`, or `{path|sh}` as one word of a shell. Those are then not
    /// passed by themselves.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub with: IndexMap<String, Node>,
}

/// Requests of an agent to its model that belong to no conversation. All conditions must hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LaneFile {
    /// Texts in the system prompt.
    #[schemars(with = "TextsSchema")]
    pub system: Option<Node>,
    /// Texts in the last message.
    #[schemars(with = "TextsSchema")]
    pub last: Option<Node>,
    /// Texts in the name of the model.
    #[schemars(with = "TextsSchema")]
    pub model: Option<Node>,
    /// `true`: the request offers no tools.
    pub no_tools: bool,
    /// The standing reply, as in a model script; a short text if left out.
    #[schemars(with = "Option<IndexMap<String, AnyValueSchema>>")]
    pub reply: Option<Node>,
    /// Replies in order, for a lane that calls tools of its own: a request that brings results of one gets the next.
    #[schemars(with = "Vec<IndexMap<String, AnyValueSchema>>")]
    pub replies: Vec<Node>,
}

/// The JSON Schema of a text or a list of texts.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum TextsSchema {
    One(String),
    Many(Vec<String>),
}

/// An agent file with its name and place.
#[derive(Debug, Clone)]
pub struct KnownAgent {
    /// The name of the file, without `.yaml`.
    pub name: String,
    /// The dialect that it belongs to: `NAME` or `NAME@VERSION`.
    pub dialect: String,
    /// The contents.
    pub file: AgentFile,
    /// The file, for the places of mistakes.
    pub root: Node,
    /// Whether the user named it.
    pub is_named: bool,
}

impl KnownAgent {
    /// Reads a file that the user names.
    ///
    /// # Errors
    /// Its mistakes; or it names no dialect and `dialect` is none.
    pub fn read(path: &Path, dialect: Option<&str>) -> Result<Self, Vec<Error>> {
        let root = spanned_yaml::load_file(path).map_err(|error| vec![error])?;
        let file: AgentFile = spanned_yaml::decode_all(&root)?;
        let own = file.dialect.as_ref();
        let belongs = match (own, dialect) {
            (None, None) => {
                let message = "`dialect` is missing: write `dialect: NAME` of the dialect that this agent speaks, or give --dialect";
                return Err(vec![root.error(message)]);
            }
            (Some(own), Some(asked)) if name_of(&own.value) != name_of(asked) => {
                let message = format!(
                    "this agent file is for `{}`, and `{asked}` is asked for: give `--dialect {}`, or another --agent-file",
                    own.value, own.value
                );
                return Err(vec![root.error_at(own.span, message)]);
            }
            (Some(own), None) => own.value.clone(),
            (_, Some(asked)) => asked.to_owned(),
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(KnownAgent {
            name: name.into_owned(),
            dialect: belongs,
            file,
            root,
            is_named: true,
        })
    }

    /// The agent files of a dialect `NAME@VERSION`, by name.
    ///
    /// # Errors
    /// The mistakes in how they are written.
    pub fn all(source: &DialectSource, name: &str, version: &str) -> Result<Vec<Self>, Vec<Error>> {
        let names = source.files_in(name, version, FOLDER).into_iter();
        let agents = names.map(|file| Self::of_dialect(source, name, version, &file));
        let agents: Result<Vec<_>, _> = agents.collect();
        Ok(agents?.into_iter().flatten().collect())
    }

    /// The agent file of this name of a dialect, if it has one.
    pub(crate) fn of_dialect(
        source: &DialectSource,
        dialect: &str,
        version: &str,
        name: &str,
    ) -> Result<Option<Self>, Vec<Error>> {
        let path = format!("{FOLDER}/{name}.yaml");
        let read = source.read(dialect, version, &path);
        let Some((path, text)) = read.map_err(|error| vec![error])? else {
            return Ok(None);
        };
        let root = spanned_yaml::load_yaml(path, &text).map_err(|error| vec![error])?;
        let id = format!("{dialect}@{version}");
        let file: AgentFile = spanned_yaml::decode_all(&root)?;
        if let Some(own) = &file.dialect
            && name_of(&own.value) != dialect
        {
            let message = format!("this file is in the folder of `{id}`: leave out `dialect`");
            return Err(vec![root.error_at(own.span, message)]);
        }
        Ok(Some(KnownAgent {
            name: name.to_owned(),
            dialect: id,
            file,
            root,
            is_named: false,
        }))
    }

    /// Whether it belongs to this dialect.
    #[must_use]
    pub fn speaks(&self, name: &str, version: &str) -> bool {
        self.dialect == name || self.dialect == format!("{name}@{version}")
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.root.source().path.clone()
    }

    /// A matcher for the event in which it gives its name.
    ///
    /// # Errors
    /// The mistakes in it.
    pub fn says(&self) -> Result<Option<Matcher>, Vec<Error>> {
        self.file
            .says
            .as_ref()
            .map(json_matcher::compile_node)
            .transpose()
    }

    /// Puts its recipe and its budgets in the place of those of a dialect, and checks its names.
    ///
    /// # Errors
    /// Its mistakes.
    pub fn apply(&self, dialect: &mut DialectFile) -> Result<(), Vec<Error>> {
        let mut errors = self.says().err().unwrap_or_default();
        let AgentFile {
            programs,
            packages,
            says,
            ..
        } = &self.file;
        let is_recognized = !programs.is_empty() || !packages.is_empty() || says.is_some();
        if !self.is_named && self.name != REFERENCE && !is_recognized {
            let message =
                "no agent is recognized by this file: give it `programs`, `packages` or `says`";
            errors.push(self.root.error(message));
        }
        errors.extend(self.check_tools(dialect));
        errors.extend(super::lanes::check(self));
        errors.extend(self.check_lacks(dialect));
        if !errors.is_empty() {
            return Err(errors);
        }
        let base = dialect.launch.take().unwrap_or_default();
        dialect.launch = Some(self.file.launch.clone().in_place_of(base));
        dialect.budgets.extend(self.file.budgets.clone());
        Ok(())
    }

    fn check_tools(&self, dialect: &DialectFile) -> Vec<Error> {
        let mut errors = Vec::new();
        let mut error = |span, message| errors.push(self.root.error_at(span, message));
        let purposes = &dialect.purposes;
        let mut seen: Vec<(&str, &ToolFile)> = Vec::new();
        for (purpose, tool) in &self.file.tools {
            let Some(arguments) = purposes.get(&purpose.value) else {
                let known = purposes.keys().map(String::as_str);
                error(purpose.span, unknown("purpose", purpose, known));
                continue;
            };
            for argument in tool.args.keys() {
                if !arguments.contains(&argument.value) {
                    let known = arguments.iter().map(String::as_str);
                    let of = format!("argument of `{}`", purpose.value);
                    error(argument.span, unknown(&of, argument, known));
                }
            }
            let is_same = |(_, other): &&(&str, &ToolFile)| {
                let values = |tool: &ToolFile| -> Vec<_> {
                    let with = tool.with.iter();
                    with.map(|(name, value)| (name.clone(), value.to_value()))
                        .collect()
                };
                other.name.value == tool.name.value && values(other) == values(tool)
            };
            if let Some((other, _)) = seen.iter().find(is_same) {
                let message = format!(
                    "`{}` is the tool for `{other}` already: name another tool, or say in `with` how one tool serves both",
                    tool.name.value
                );
                error(tool.name.span, message);
            }
            seen.push((&purpose.value, tool));
        }
        errors
    }

    fn check_lacks(&self, dialect: &DialectFile) -> Vec<Error> {
        let wires = dialect.launch.iter().flat_map(|launch| launch.wires.keys());
        let known = dialect.purposes.keys().chain(dialect.capabilities.keys());
        let known = known.chain(dialect.commands.keys()).chain(wires);
        let known: Vec<&str> = known.map(String::as_str).chain([ASKS]).collect();
        let lacks = self.file.lacks.keys();
        let wrong = lacks.filter(|name| !known.contains(&name.as_str()));
        let what = "purpose, capability, command or wire";
        wrong
            .map(|name| {
                let message = unknown(what, name, known.iter().copied());
                self.root.error_at(name.span, message)
            })
            .collect()
    }

    /// Why it has no tool for a purpose; `None` if it has one.
    #[must_use]
    pub fn lacks_purpose(&self, purpose: &str) -> Option<String> {
        if self.file.tools.keys().any(|own| own.value == purpose) {
            return None;
        }
        Some(self.lacks(purpose).unwrap_or_else(|| {
            format!(
                "the agent lacks {purpose}: {} names no tool for it",
                self.path().display()
            )
        }))
    }

    /// Why it lacks what has this name; `None` if its file does not say that.
    #[must_use]
    pub fn lacks(&self, name: &str) -> Option<String> {
        let mut lacks = self.file.lacks.iter();
        let (_, reason) = lacks.find(|(lacked, _)| lacked.value == name)?;
        Some(format!("the agent lacks {name}: {reason}"))
    }
}

/// The name in `NAME` or `NAME@VERSION`.
fn name_of(dialect: &str) -> &str {
    dialect.split('@').next().unwrap_or_default()
}

impl LaunchRecipe {
    /// The recipe of an agent file, completed by the keys of the dialect's that it does not write.
    fn in_place_of(self, base: LaunchRecipe) -> LaunchRecipe {
        fn list<T>(own: Vec<T>, base: Vec<T>) -> Vec<T> {
            if own.is_empty() { base } else { own }
        }
        fn map<T>(own: IndexMap<String, T>, base: IndexMap<String, T>) -> IndexMap<String, T> {
            if own.is_empty() { base } else { own }
        }
        LaunchRecipe {
            env: map(self.env.clone(), base.env.clone()),
            home_files: map(self.home_files.clone(), base.home_files.clone()),
            wires: map(self.wires.clone(), base.wires.clone()),
            lacks: list(self.lacks.clone(), base.lacks.clone()),
            ..self.merged_with(base)
        }
    }
}
