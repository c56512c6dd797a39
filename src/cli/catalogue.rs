//! The catalogue of dialects, each with its scenarios, rules, clauses and faults.

use super::args::DialectArgs;
use conform_judge::dialect::{self, Dialect, DialectSource, Inheritance, ToolName};
use conform_judge::rules::rule::Rule;
use conform_runner::scenario::{Scenario, ScenarioSource};
use conform_runner::selection::Selection;
use frame_faults::{Fault, KnownNames};
use indexmap::IndexMap;
use serde_json::Value;
use spanned_yaml::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// A dialect and its scenarios.
#[derive(Debug)]
pub(super) struct KnownDialect {
    pub(super) dialect: Arc<Dialect>,
    pub(super) files: ScenarioSource,
    /// Those of them that were selected.
    pub(super) scenarios: Vec<Scenario>,
    /// Its faults; none if the command does not need them.
    pub(super) faults: Vec<Fault>,
    /// Its legal variants; likewise.
    pub(super) variants: Vec<Fault>,
    /// Its accepted interpretations that no variant plays, and why; likewise.
    pub(super) unplayed: IndexMap<String, String>,
}

/// Loads the dialect asked for, or all of them, with their faults.
///
/// # Errors
/// The mistakes in the files, or that there is no such dialect.
pub(super) fn load(args: &DialectArgs) -> Result<Vec<KnownDialect>, Vec<Error>> {
    ids(args).iter().map(|id| by_id(args, id)).collect()
}

/// The id of the dialect asked for, or of all of them, the newest version of a dialect last.
pub(super) fn ids(args: &DialectArgs) -> Vec<String> {
    match &args.dialect {
        Some(id) => vec![id.clone()],
        None => DialectSource::new(args.dialect_dir.clone()).ids(),
    }
}

/// Loads one of these dialects, with its faults.
///
/// # Errors
/// The mistakes in the files, or that there is no such dialect.
pub(super) fn by_id(args: &DialectArgs, id: &str) -> Result<KnownDialect, Vec<Error>> {
    known_with_faults(&DialectSource::new(args.dialect_dir.clone()), id)
}

/// Which scenarios of a dialect to load, and how the agent names things in them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScenarioChoice<'a> {
    /// Scenarios of the user that replace the built-in ones; none keeps these.
    pub(super) own: &'a [PathBuf],
    /// The names that the agent has for tools.
    pub(super) tools: Option<&'a IndexMap<String, ToolName>>,
    /// The wire on which the agent calls its model.
    pub(super) wire: Option<&'a str>,
    /// Which of the built-in scenarios are needed, if not all are.
    pub(super) selection: Option<&'a Selection>,
}

/// Loads one dialect without its faults.
///
/// # Errors
/// The mistakes in the files, or that there is no such dialect.
pub(super) fn one(
    source: &DialectSource,
    id: &str,
    choice: ScenarioChoice<'_>,
) -> Result<KnownDialect, Vec<Error>> {
    let mut dialect = dialect::load(source, id)?;
    let mut files = ScenarioSource::default();
    for path in choice.own {
        let more = ScenarioSource::at(path).map_err(|error| vec![error])?;
        files = more.over(files);
    }
    if choice.own.is_empty() {
        files = built_in(&dialect)?;
    }
    check_smoke(&dialect, &files, choice.own)?;
    if let Some(inheritance) = agent_names(&dialect, choice.tools, choice.wire) {
        if let (Some(dialect), Some(tools)) = (Arc::get_mut(&mut dialect), choice.tools) {
            ToolName::rename_all(&mut dialect.optional_tools, tools);
        }
        files = files.inherited(&inheritance)?;
    }
    KnownDialect::of(dialect, files, choice.selection)
}

/// The scenarios with the agent's names for tools, and with the wire's form of call ids; `None` if both are
/// unchanged.
pub(super) fn agent_names(
    dialect: &Dialect,
    tools: Option<&IndexMap<String, ToolName>>,
    wire: Option<&str>,
) -> Option<Inheritance> {
    let tools = tools.filter(|tools| !tools.is_empty());
    let of_agent = || dialect.agent.as_ref()?.file.call_ids.clone();
    let call_ids = wire.and_then(|wire| dialect.launch.wires.get(wire)?.call_ids.clone());
    let call_ids = call_ids.or_else(of_agent);
    (tools.is_some() || call_ids.is_some()).then(|| Inheritance {
        members: dialect.members.clone(),
        tools: tools.cloned().unwrap_or_default(),
        call_ids,
        ..Inheritance::default()
    })
}

/// Checks that the smoke scenario of a dialect exists: among the built-in ones, among these files of the user, or next to them where only
/// a part of a suite was given.
fn check_smoke(
    dialect: &Dialect,
    files: &ScenarioSource,
    own: &[PathBuf],
) -> Result<(), Vec<Error>> {
    let is_beside = |smoke: &str| {
        let file = format!("{smoke}.yaml");
        let mut paths = own.iter().filter_map(|path| std::path::absolute(path).ok());
        paths.any(|path| path.ancestors().any(|folder| folder.join(&file).is_file()))
    };
    if dialect.smoke_id().is_some_and(is_beside) {
        return Ok(());
    }
    let built_in = built_in(dialect)?;
    let all = files.files().iter().chain(built_in.files());
    let ids: Vec<_> = all.map(|file| file.id.as_str()).collect();
    if ids.is_empty() {
        Ok(())
    } else {
        dialect.check_smoke(ids).map_err(|error| vec![error])
    }
}

fn known_with_faults(source: &DialectSource, id: &str) -> Result<KnownDialect, Vec<Error>> {
    let mut known = known(source, id)?;
    let table = dialect::faults(source, &known.dialect.fault_sources())?;
    if let Some(table) = table {
        known.faults = table.faults().cloned().collect();
        known.variants = table.variants().cloned().collect();
        known.unplayed = table.unplayed().clone();
    }
    Ok(known)
}

fn known(source: &DialectSource, id: &str) -> Result<KnownDialect, Vec<Error>> {
    let dialect = dialect::load(source, id)?;
    let files = built_in(&dialect)?;
    KnownDialect::of(dialect, files, None)
}

/// The scenarios of a dialect in the executable.
fn built_in(dialect: &Dialect) -> Result<ScenarioSource, Vec<Error>> {
    ScenarioSource::find(&dialect.name, &dialect.version, &dialect.bases)
}

/// The names that the faults of a dialect may use. Scenarios and behaviors of the reference agent are not part of it: the caller adds them.
pub(super) fn names_for_faults(dialect: &Dialect) -> KnownNames {
    let prefix = format!("{}/", dialect.name);
    let own = |id: &str| id.strip_prefix(&prefix).unwrap_or(id).to_owned();
    KnownNames {
        rules: dialect.rules.iter().map(|rule| own(&rule.id)).collect(),
        events: dialect.events.all().collect(),
        commands: dialect.commands.all().collect(),
        ..KnownNames::default()
    }
}

/// The errors of a file as one message, without the word `error` before the first.
pub(super) fn render_errors(errors: &[Error]) -> String {
    let text = spanned_yaml::render_all(errors);
    text.strip_prefix("error: ")
        .unwrap_or(&text)
        .trim_end()
        .to_owned()
}

impl KnownDialect {
    /// A dialect with the scenarios of these files, or the selected ones of them, without its faults.
    fn of(
        dialect: Arc<Dialect>,
        files: ScenarioSource,
        selection: Option<&Selection>,
    ) -> Result<Self, Vec<Error>> {
        conform_runner::lanes::lanes(&dialect)?;
        let is_wanted = |id: &str| {
            let is_selected = |one: &Selection| one.matches_id(&format!("{}/{id}", dialect.id()));
            selection.is_none_or(is_selected)
        };
        Ok(KnownDialect {
            scenarios: files.load_wanted(Some(&dialect), is_wanted)?,
            dialect,
            files,
            faults: Vec::new(),
            variants: Vec::new(),
            unplayed: IndexMap::new(),
        })
    }

    /// The full id of one of its scenarios.
    pub(super) fn scenario_id(&self, scenario: &Scenario) -> String {
        format!("{}/{}", self.dialect.id(), scenario.id)
    }

    /// The tools that the model calls in its scenarios, except of scenarios about tools that do not exist, and those that an agent may lack.
    pub(super) fn tools(&self) -> Vec<String> {
        let mut tools = self.dialect.optional_tools.clone();
        let unknown = |scenario: &&Scenario| scenario.tags.iter().any(|tag| tag == UNKNOWN_TOOL);
        let of_tools = self.scenarios.iter().filter(|one| !unknown(one));
        let models = of_tools.map(|scenario| &scenario.model);
        models.for_each(|model| add_called_tools(model, &mut tools));
        tools
    }

    /// The rules that check a clause.
    pub(super) fn rules_for<'a>(&'a self, clause: &'a str) -> impl Iterator<Item = &'a Rule> {
        let rules = self.dialect.rules.iter();
        rules.filter(move |rule| rule.clauses.iter().any(|id| id == clause))
    }

    /// The scenarios that check a clause.
    pub(super) fn scenarios_for<'a>(
        &'a self,
        clause: &'a str,
    ) -> impl Iterator<Item = &'a Scenario> {
        let scenarios = self.scenarios.iter();
        scenarios.filter(move |scenario| scenario.clauses.iter().any(|id| id == clause))
    }

    /// The full ids of the rules and scenarios that must catch a fault.
    pub(super) fn catchers(&self, fault: &Fault) -> Vec<String> {
        let full = |id: &String| match id.strip_prefix("scenario:") {
            Some(scenario) => format!("{}/{scenario}", self.dialect.id()),
            None => format!("{}/{id}", self.dialect.name),
        };
        fault.caught_by.iter().map(full).collect()
    }

    /// The faults that a rule or a scenario, by its full id, must catch.
    pub(super) fn caught_by(&self, id: &str) -> impl Iterator<Item = &Fault> {
        let own = |prefix: &str| Some(id.strip_prefix(prefix)?.strip_prefix('/')?.to_owned());
        let (rule, scenario) = (own(&self.dialect.name), own(&self.dialect.id()));
        let is_named = move |catcher: &String| match catcher.strip_prefix("scenario:") {
            Some(catcher) => scenario.as_deref() == Some(catcher),
            None => rule.as_ref() == Some(catcher),
        };
        let faults = self.faults.iter();
        faults.filter(move |fault| fault.caught_by.iter().any(&is_named))
    }
}

/// The tag of scenarios whose model calls a tool that no agent has.
const UNKNOWN_TOOL: &str = "unknown-tool";

/// Adds the names of the tools that a model script calls, at any depth.
fn add_called_tools(model: &Value, tools: &mut Vec<String>) {
    match model {
        Value::Array(items) => items.iter().for_each(|item| add_called_tools(item, tools)),
        Value::Object(members) => {
            let calls = members.get("tool_calls").and_then(Value::as_array);
            let called = calls.into_iter().flatten();
            let names = called.filter_map(|call| call.get("name")?.as_str());
            tools.extend(names.map(str::to_owned));
            let values = members.values();
            values.for_each(|value| add_called_tools(value, tools));
        }
        _ => {}
    }
}
