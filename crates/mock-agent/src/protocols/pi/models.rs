//! "Model" and "Thinking" of the specification: the commands that choose the model and its thinking level.

use super::responses::data;
use super::{Answer, PiCommand, PiSession, Reply, V0_87};
use crate::core::ListedModel;
use crate::faults::Bug;
use crate::model::Effort;
use serde_json::{Value, json};

/// The levels that commands and flags accept. No model here has the last one, which is taken as the highest of the model.
pub(super) const ALL_LEVELS: [&str; 7] =
    ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

pub(super) const LEVELS: &[&str] = ALL_LEVELS.split_at(6).0;

/// How many of the levels a model with reasoning has.
const LEVELS_WITH_REASONING: usize = 5;

/// The model of `models.json` with these names.
fn find<'a>(session: PiSession<'a>, provider: &str, model: &str) -> Option<&'a ListedModel> {
    let mut models = session.core().settings.host_options.models.iter();
    models.find(|listed| listed.model_info.provider == provider && listed.model_info.model == model)
}

/// The current model, if `models.json` lists it.
fn current(session: PiSession<'_>) -> Option<&ListedModel> {
    let model = &session.state().model_info;
    find(session, &model.provider, &model.model)
}

/// The current model as the host sees it.
pub(super) fn current_model(session: PiSession<'_>) -> Value {
    current(session).map_or(Value::Null, |listed| listed.description.clone())
}

fn apply(session: PiSession<'_>, listed: &ListedModel) {
    session.set_model(&listed.model_info.model, Some(&listed.endpoint));
    session.model.wire.set(listed.wire);
    session.state().model_info = listed.model_info.clone();
}

/// Uses the model and the thinking level of the session that was opened.
pub(super) fn restore(session: PiSession<'_>) {
    let last = |kind: &str, member: &str| {
        let state = session.state();
        let change = state.log.tree.of_type(kind).next_back()?;
        Some(change[member].as_str().unwrap_or_default().to_owned())
    };
    if let Some(level) = last("thinking_level_change", "thinkingLevel") {
        session.state().thinking_level = level;
    }
    let model = last("model_change", "provider").zip(last("model_change", "modelId"));
    if let Some(listed) = model.and_then(|(provider, model)| find(session, &provider, &model)) {
        apply(session, listed);
    }
    send_effort(session);
}

fn choose(session: PiSession<'_>, listed: &ListedModel) {
    apply(session, listed);
    session.state().append_model_change();
    if listed.has_reasoning {
        send_effort(session)
    } else {
        change_level(session, LEVELS[0])
    }
}

pub(super) fn before_run(session: PiSession<'_>) {
    let has_run = session.state().log.of_role("user").next().is_some();
    if has_run && session.faults.triggers(Bug::ModelForOneRun) {
        apply(session, &session.settings.host_options.models[0]);
        send_effort(session);
    }
}

/// Sets the level. 0.87 reports it if it is a new one.
fn change_level(session: PiSession<'_>, level: &str) {
    let mut state = session.state();
    if state.thinking_level != level {
        level.clone_into(&mut state.thinking_level);
        state.append_level_change();
        if state.version >= V0_87 {
            session.send(json!({ "type": "thinking_level_changed", "level": level }));
        }
    }
    drop(state);
    send_effort(session);
}

/// Sets the effort of the model by the level, if the model has reasoning.
pub(super) fn send_effort(session: PiSession<'_>) {
    if !session.faults.triggers(Bug::ThinkingLevelNotSent) {
        let level = session.state().thinking_level.clone();
        let effort = has_reasoning(session).then(|| Effort::named(&level));
        session.model.effort.set(effort);
    }
}

pub(super) fn set_model(command: &PiCommand<'_>) -> Answer {
    let (provider, id) = (command.text("provider")?, command.text("modelId")?);
    let listed = find(command.session, provider, id)
        .ok_or_else(|| format!("Model not found: {provider}/{id}"))?;
    choose(command.session, listed);
    data(listed.description.clone())
}

pub(super) fn cycle_model(command: &PiCommand<'_>) -> Answer {
    let session = command.session;
    let host_options = &session.core().settings.host_options;
    let named = |listed: &&ListedModel| {
        let name = format!("{}/{}", listed.model_info.provider, listed.model_info.model);
        host_options.scope.is_empty() || host_options.scope.contains(&name)
    };
    let models: Vec<_> = host_options.models.iter().filter(named).collect();
    if models.len() < 2 {
        return data(Value::Null);
    }
    let now = current(session)
        .and_then(|now| models.iter().position(|m| m.description == now.description));
    let next = models[now.map_or(0, |now| now + 1) % models.len()];
    choose(session, next);
    data(json!({
        "model": next.description,
        "thinkingLevel": session.state().thinking_level,
        "isScoped": !host_options.scope.is_empty(),
    }))
}

pub(super) fn available_models(command: &PiCommand<'_>) -> Answer {
    let models = command.session.settings.host_options.models.iter();
    let descriptions: Vec<_> = models.map(|listed| &listed.description).collect();
    data(json!({ "models": descriptions }))
}

fn has_reasoning(session: PiSession<'_>) -> bool {
    current(session).is_some_and(|listed| listed.has_reasoning)
}

pub(super) fn set_level(command: &PiCommand<'_>) -> Answer {
    let level = command.text("level")?;
    if !ALL_LEVELS.contains(&level) {
        return Err(format!("Unknown thinking level: {level}"));
    }
    let levels = levels(command.session);
    let level = levels.iter().find(|one| **one == level);
    change_level(command.session, level.unwrap_or(&levels[levels.len() - 1]));
    Ok(Reply::Done)
}

pub(super) fn cycle_level(command: &PiCommand<'_>) -> Answer {
    let session = command.session;
    if !has_reasoning(session) {
        return data(Value::Null);
    }
    let levels = levels(session);
    let current = session.state().thinking_level.clone();
    let now = levels.iter().position(|level| *level == current);
    let next = levels[now.map_or(0, |now| now + 1) % levels.len()];
    change_level(session, next);
    data(json!({ "level": next }))
}

pub(super) fn available_levels(command: &PiCommand<'_>) -> Answer {
    data(json!({ "levels": levels(command.session) }))
}

/// The level of a model with reasoning that comes next to this one.
pub(super) fn highest_up_to(level: &str) -> &str {
    if LEVELS[..LEVELS_WITH_REASONING].contains(&level) {
        level
    } else {
        LEVELS[LEVELS_WITH_REASONING - 1]
    }
}

/// The levels of the current model. A model without reasoning has only the first.
fn levels(session: PiSession<'_>) -> &'static [&'static str] {
    if has_reasoning(session) {
        &LEVELS[..LEVELS_WITH_REASONING]
    } else {
        &LEVELS[..1]
    }
}
