//! Scenario loader: from a YAML node to a linted [`Scenario`], or to every mistake in it. Also model scripts on their own.

use super::client;
use super::context::LoadContext;
use super::file::{AutoAnswerFile, ScenarioFile, StepFile, StepVerb, texts, words};
use super::lint::{LINTS, Lint};
use super::steps;
use super::types::{AutoAnswer, Scenario};
use super::usual_steps::add_usual_steps;
use conform_judge::dialect::Dialect;
use conform_judge::dialect::agents::{self, by_purpose};
use indexmap::{IndexMap, IndexSet};
use json_matcher::Template;
use mock_provider::Script;
use serde_json::{Value, json};
use spanned_yaml::{Error, Node, Spanned, all_or_mistakes, decode_all};

/// Loads and lints a scenario. With a dialect, the names in it are checked too.
///
/// # Errors
/// Every mistake, in the order of the file.
pub fn load(node: &Node, id: &str, dialect: Option<&Dialect>) -> Result<Scenario, Vec<Error>> {
    load_with(LINTS, node, id, dialect)
}

/// Loads a scenario of the executable for a dialect of the executable: the project's tests have linted it.
///
/// # Errors
/// Every mistake in how it is written, in the order of the file.
pub(super) fn load_built_in(
    node: &Node,
    id: &str,
    dialect: Option<&Dialect>,
) -> Result<Scenario, Vec<Error>> {
    load_with(&[], node, id, dialect)
}

fn load_with(
    lints: &[Lint],
    node: &Node,
    id: &str,
    dialect: Option<&Dialect>,
) -> Result<Scenario, Vec<Error>> {
    let agent = dialect.and_then(|dialect| dialect.agent.as_deref());
    let by_purpose = match dialect {
        Some(dialect) => Some(by_purpose(node, &dialect.purposes, agent)?),
        None => None,
    };
    let node = by_purpose.as_ref().map_or(node, |found| &found.scenario);
    let mut file = read(node)?;
    if let (Some(dialect), Some(found)) = (dialect, &by_purpose) {
        file.unplayable = unplayable(&file, dialect, &found.purposes);
        add_usual_steps(&mut file, node, dialect)?;
    }
    let mut context = LoadContext {
        root: node,
        dialect,
        errors: Vec::new(),
    };
    let scenario = build(&file, id, &mut context);
    for lint in lints {
        lint(&file, &mut context);
    }
    let mut errors = context.errors;
    match scenario {
        Some(scenario) if errors.is_empty() => Ok(scenario),
        _ => {
            errors.sort_by_key(|error| (error.span.line, error.span.column));
            errors.dedup();
            Err(errors)
        }
    }
}

/// Checks the steps under `asks` of the agent file of a dialect, of which this is the first.
///
/// # Errors
/// The mistakes in them.
pub fn check_asks(first: &Node, dialect: &Dialect) -> Result<(), Vec<Error>> {
    let scenario = |asks: bool| {
        let text = format!(
            "{{ name: asks, asks: {asks}, ending: false, steps: [{{ close_stdin: }}, {{ expect_exit: {{}} }}] }}"
        );
        let node = spanned_yaml::load_yaml("asks.yaml", &text).map_err(|error| vec![error])?;
        load(&node.moved_to(first), "asks", Some(dialect))
    };
    let usual = scenario(false).err().unwrap_or_default();
    let mut errors = scenario(true).err().unwrap_or_default();
    errors.retain(|error| !usual.contains(error));
    errors.is_empty().then_some(()).ok_or(errors)
}

/// Why the agent of a dialect cannot play a scenario that needs tools for these purposes.
fn unplayable(
    file: &ScenarioFile,
    dialect: &Dialect,
    purposes: &IndexSet<String>,
) -> Option<String> {
    let Some(agent) = &dialect.agent else {
        let purpose = purposes.first()?;
        return Some(format!(
            "no agent file says which tool is for {purpose}: `conform init` writes one, for --agent-file"
        ));
    };
    let is_step = |step: &StepFile| matches!(step.verb, StepVerb::Asks);
    let asks = file.asks || file.steps.iter().any(is_step);
    let is_foreign = |wire: &&Spanned<String>| !dialect.launch.wires.contains_key(&wire.value);
    let foreign_wire = || {
        let (wire, path) = (file.wire.as_ref().filter(is_foreign)?, agent.path());
        Some(format!(
            "the agent lacks {}: {} does not name it",
            wire.value,
            path.display()
        ))
    };
    let named = file.steps.iter().filter_map(|step| match &step.verb {
        StepVerb::ExpectRequest(request) => steps::of_lane(request).0,
        _ => None,
    });
    let is_missing = |lane: &String| agent.file.lanes.keys().all(|own| own.value != *lane);
    let mut missing_lanes = named.filter(is_missing);
    let mut lacking = purposes.iter().filter_map(|one| agent.lacks_purpose(one));
    lacking
        .next()
        .or_else(|| {
            let (lane, path) = (missing_lanes.next()?, agent.path());
            Some(format!(
                "the agent lacks the lane {lane}: {} does not name it",
                path.display()
            ))
        })
        .or_else(|| agent.lacks(agents::ASKS).filter(|_| asks))
        .or_else(foreign_wire)
}

fn read(node: &Node) -> Result<ScenarioFile, Vec<Error>> {
    let written = node.get("steps").and_then(Node::as_list);
    let read = written.unwrap_or_default().iter().map(StepFile::read);
    let steps = all_or_mistakes(read);
    let answers = client::automatic_answers(node.get("answers"));
    match (decode_all::<ScenarioFile>(node), steps, answers) {
        (Ok(file), Ok(steps), Ok(answers)) => Ok(ScenarioFile {
            steps,
            answers,
            ..file
        }),
        (file, steps, answers) => {
            let errors = file
                .err()
                .into_iter()
                .chain(steps.err())
                .chain(answers.err());
            let mut errors: Vec<_> = errors.flatten().collect();
            errors.sort_by_key(|error| (error.span.line, error.span.column));
            Err(errors)
        }
    }
}

fn build(file: &ScenarioFile, id: &str, context: &mut LoadContext<'_>) -> Option<Scenario> {
    if let Some(model) = &file.model {
        context.value_or_report(Script::of_node(model));
    }
    let answers = file.answers.iter().map(|one| answer(one, context));
    let answers: Vec<_> = answers.collect();
    let client = client::build(file, context);
    let steps = file.steps.iter().map(|one| steps::build(one, context));
    let steps: Vec<_> = steps.collect();
    let files_after = context.value_or_report(steps::file_states(&file.files_after));
    let budgets = file.budgets.iter();
    let budgets = budgets.map(|(name, span)| (name.value.clone(), span.0));
    Some(Scenario {
        id: id.to_owned(),
        path: context.root.source().path.clone(),
        embedded: true,
        name: file.name.value.clone(),
        clauses: words(&file.clauses),
        tags: words(&file.tags),
        needs: words(&file.needs),
        unplayable: file.unplayable.clone(),
        level: file.level,
        rules_only: file.rules_only,
        wire: file.wire.as_ref().map(|wire| wire.value.clone()),
        agent: file.agent.clone(),
        files: texts(&file.files),
        model: file.model.as_ref().map_or(json!([]), Node::to_value),
        mcp: mcp_scripts(context.root),
        client: client?,
        answers: answers.into_iter().collect::<Option<_>>()?,
        steps: steps.into_iter().collect::<Option<_>>()?,
        files_after: files_after?,
        budgets: budgets.collect(),
    })
}

/// The scripts of the MCP servers.
fn mcp_scripts(root: &Node) -> IndexMap<String, Value> {
    let servers = root.get("mcp").and_then(Node::as_map).unwrap_or_default();
    let scripts = servers.iter();
    scripts
        .map(|(name, script)| (name.name.clone(), script.to_value()))
        .collect()
}

fn answer(file: &AutoAnswerFile, context: &mut LoadContext<'_>) -> Option<AutoAnswer> {
    if let Some(times) = file.times.as_ref().filter(|times| times.value == 0) {
        context.error(times.span, "`times: 0`: this answer is never sent");
    }
    let on = context.value_or_report(steps::event(&file.on))?;
    let send = context.value_or_report(steps::command(&file.send))?;
    Some(AutoAnswer {
        span: file.on.span(),
        on,
        capture: texts(&file.capture),
        send: Template::new(send),
        times: file.times.as_ref().map(|times| times.value),
    })
}
