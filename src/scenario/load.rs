//! YAML to a scenario, or to every mistake in it.

use super::context::Context;
use super::file::{AgentFile, AnswerFile, ScenarioFile, Texts};
use super::lint::LINTS;
use super::types::{AgentSetup, Answer, FileState, Scenario};
use super::vocabulary::Vocabulary;
use super::{model, steps};
use crate::matcher::Template;
use indexmap::IndexMap;
use serde_json::Value;
use spanned_yaml::{Error, Kind, Node, Spanned, decode_all};

/// Makes a scenario of a file, and lints it; with a vocabulary, the names it uses too.
///
/// # Errors
/// Every mistake, in the order of the file.
pub fn load(
    node: &Node,
    id: &str,
    vocabulary: Option<&Vocabulary<'_>>,
) -> Result<Scenario, Vec<Error>> {
    let file: ScenarioFile = decode_all(node)?;
    let mut context = Context {
        root: node,
        vocabulary,
        errors: Vec::new(),
    };
    let scenario = build(&file, id, &mut context);
    for lint in LINTS {
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

fn build(file: &ScenarioFile, id: &str, context: &mut Context<'_>) -> Option<Scenario> {
    let script = file.model.as_ref().map(model::check);
    if let Some(script) = script {
        context.take(script);
    }
    let answers: Vec<_> = file
        .answers
        .iter()
        .map(|one| answer(one, context))
        .collect();
    let steps: Vec<_> = file
        .steps
        .iter()
        .map(|step| steps::build(step, context))
        .collect();
    let files_after = context.take(files(&file.files_after));
    Some(Scenario {
        id: id.to_owned(),
        path: context.root.source().path.clone(),
        name: file.name.value.clone(),
        clauses: words(&file.clauses),
        tags: words(&file.tags),
        needs: words(&file.needs),
        level: file.level,
        wire: file.wire.as_ref().map(|wire| wire.value.clone()),
        agent: setup(&file.agent),
        files: texts(&file.files),
        model: file
            .model
            .as_ref()
            .map_or_else(|| Value::Array(Vec::new()), Node::to_value),
        answers: answers.into_iter().collect::<Option<_>>()?,
        steps: steps.into_iter().collect::<Option<_>>()?,
        files_after: files_after?,
        budgets: file
            .budgets
            .iter()
            .map(|(name, span)| (name.value.clone(), span.0))
            .collect(),
    })
}

fn answer(file: &AnswerFile, context: &mut Context<'_>) -> Option<Answer> {
    if let Some(times) = file.times.as_ref().filter(|times| times.value == 0) {
        context.error(times.span, "an answer that is never sent");
    }
    let on = context.take(steps::event(&file.on))?;
    let send = context.take(steps::command(&file.send))?;
    Some(Answer {
        span: file.on.span(),
        on,
        capture: texts(&file.capture),
        send: Template::new(send),
        times: file.times.as_ref().map(|times| times.value),
    })
}

/// The words without their places.
pub(super) fn words(located: &[Spanned<String>]) -> Vec<String> {
    located.iter().map(|word| word.value.clone()).collect()
}

/// The texts without their places.
pub(super) fn texts(located: &Texts) -> IndexMap<String, String> {
    located
        .iter()
        .map(|(name, text)| (name.value.clone(), text.value.clone()))
        .collect()
}

/// How the agent is started.
pub(super) fn setup(file: &AgentFile) -> AgentSetup {
    let env = file
        .env
        .iter()
        .map(|(name, value)| (name.clone(), value.as_ref().map(|text| text.value.clone())));
    AgentSetup {
        args: words(&file.args),
        without_args: file.without_args.clone(),
        env: env.collect(),
    }
}

/// What must be true of files, by path.
pub(super) fn files(
    files: &IndexMap<Spanned<String>, Node>,
) -> Result<IndexMap<String, FileState>, Vec<Error>> {
    let (mut states, mut errors) = (IndexMap::new(), Vec::new());
    for (path, node) in files {
        match state(node) {
            Ok(state) => {
                states.insert(path.value.clone(), state);
            }
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        Ok(states)
    } else {
        Err(errors)
    }
}

fn state(node: &Node) -> Result<FileState, Vec<Error>> {
    let text_under = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let entries = node.as_map().map_or(0, <[_]>::len);
    let state = match node.kind() {
        Kind::Text(word) if word == "absent" => Some(FileState::Absent),
        Kind::Text(word) if word == "present" => Some(FileState::Present),
        Kind::Text(text) => Some(FileState::Equals(text.clone())),
        Kind::Map(_) if entries == 1 => text_under("contains")
            .map(FileState::Contains)
            .or_else(|| text_under("equals").map(FileState::Equals))
            .or_else(|| text_under("holds").map(FileState::Holds)),
        _ => None,
    };
    let wanted = "expected `absent`, `present`, the file's text, `{ contains: text }`, `{ holds: text }` or `{ equals: text }`";
    state.ok_or_else(|| vec![node.error(format!("{wanted}, found {}", node.describe()))])
}
