//! "Model" and "Thinking" of the specification: the commands that choose the model and its thinking level.

use super::hooks;
use super::responses::{Answer, PiCommand, data};
use super::state::PiState;
use crate::core::session::Session;
use crate::core::settings::ListedModel;
use crate::model::Effort;
use serde_json::{Value, json};

/// The thinking levels.
pub(super) const LEVELS: [&str; 6] = ["off", "minimal", "low", "medium", "high", "xhigh"];

/// A level that no model here has. `set_thinking_level` takes it as the highest of the model.
pub(super) const MAX_LEVEL: &str = "max";

/// How many of the levels a model with reasoning has.
const LEVELS_WITH_REASONING: usize = 5;

/// The current model, if `models.json` lists it.
pub(super) fn current(session: &Session) -> Option<&ListedModel> {
    let model_info = PiState::with(session, |state| state.model_info.clone())?;
    let models = session.settings.host_options.models.iter();
    models.clone().find(|listed| {
        listed.model_info.provider == model_info.provider
            && listed.model_info.model == model_info.model
    })
}

/// The current model as the host sees it.
pub(super) fn current_model(session: &Session) -> Value {
    current(session).map_or(Value::Null, |listed| listed.description.clone())
}

/// Uses this model from now on.
fn apply(session: &Session, listed: &ListedModel) {
    session.set_model(&listed.model_info.model, Some(&listed.endpoint));
    session.model.set_wire(listed.wire);
    PiState::with(session, |state| {
        state.model_info = listed.model_info.clone()
    });
}

/// Uses the model and the thinking level of the session that was opened.
pub(super) fn restore(session: &Session) {
    let last = PiState::with(session, |state| {
        let tree = &state.log.tree;
        if let Some(change) = tree.of_type("thinking_level_change").next_back() {
            state.thinking_level = change["thinkingLevel"].as_str().unwrap_or_default().into();
        }
        tree.of_type("model_change").next_back().cloned()
    });
    let last = last.flatten().unwrap_or_default();
    let models = &session.settings.host_options.models;
    let listed = models.iter().find(|listed| {
        last["provider"] == *listed.model_info.provider
            && last["modelId"] == *listed.model_info.model
    });
    if let Some(listed) = listed {
        apply(session, listed);
    }
    send_effort(session);
}

fn choose(session: &Session, listed: &ListedModel) {
    apply(session, listed);
    PiState::with(session, PiState::append_model_change);
    match listed.has_reasoning {
        true => send_effort(session),
        false => change_level(session, LEVELS[0]),
    }
}

/// Called before each run.
pub(super) fn before_run(session: &Session) {
    if !hooks::keeps_model(session) {
        apply(session, &session.settings.host_options.models[0]);
        send_effort(session);
    }
}

/// Sets the level. Versions with change events say so if it is a new one.
fn change_level(session: &Session, level: &str) {
    let frame = PiState::with(session, |state| {
        let before = std::mem::replace(&mut state.thinking_level, level.to_owned());
        if before == level {
            return None;
        }
        state.append_level_change();
        let tells = state.version.has_change_events();
        tells.then(|| json!({ "type": "thinking_level_changed", "level": level }))
    });
    if let Some(frame) = frame.flatten() {
        session.events.send_frame(frame);
    }
    send_effort(session);
}

/// Sets the effort of the model by the level, if the model has reasoning.
pub(super) fn send_effort(session: &Session) {
    if !hooks::sends_effort(session) {
        return;
    }
    let level = PiState::with(session, |state| state.thinking_level.clone());
    let effort = level.filter(|_| has_reasoning(session));
    session
        .model
        .set_effort(effort.as_deref().map(Effort::named));
}

pub(super) fn set_model(command: &PiCommand<'_>) -> Answer {
    let (provider, id) = (command.text("provider")?, command.text("modelId")?);
    let models = &command.session.settings.host_options.models;
    let listed = models
        .iter()
        .find(|listed| listed.model_info.provider == provider && listed.model_info.model == id)
        .ok_or_else(|| format!("Model not found: {provider}/{id}"))?;
    choose(command.session, listed);
    data(listed.description.clone())
}

pub(super) fn cycle_model(command: &PiCommand<'_>) -> Answer {
    let session = command.session;
    let host_options = &session.settings.host_options;
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
    let level = PiState::with(session, |state| state.thinking_level.clone());
    data(json!({
        "model": next.description,
        "thinkingLevel": level,
        "isScoped": !host_options.scope.is_empty(),
    }))
}

pub(super) fn available_models(command: &PiCommand<'_>) -> Answer {
    let models = command.session.settings.host_options.models.iter();
    let descriptions: Vec<_> = models.map(|listed| &listed.description).collect();
    data(json!({ "models": descriptions }))
}

/// Whether the current model has reasoning.
fn has_reasoning(session: &Session) -> bool {
    current(session).is_some_and(|listed| listed.has_reasoning)
}

pub(super) fn set_level(command: &PiCommand<'_>) -> Answer {
    let level = command.text("level")?;
    if !LEVELS.contains(&level) && level != MAX_LEVEL {
        return Err(format!("Unknown thinking level: {level}"));
    }
    let levels = levels(command.session);
    let level = levels.iter().find(|one| **one == level);
    change_level(command.session, level.unwrap_or(&levels[levels.len() - 1]));
    Ok(None)
}

pub(super) fn cycle_level(command: &PiCommand<'_>) -> Answer {
    if !has_reasoning(command.session) {
        return data(Value::Null);
    }
    let levels = levels(command.session);
    let now = command.state(|state| {
        levels
            .iter()
            .position(|level| *level == state.thinking_level)
    });
    let next = levels[now.flatten().map_or(0, |now| now + 1) % levels.len()];
    change_level(command.session, next);
    data(json!({ "level": next }))
}

pub(super) fn available_levels(command: &PiCommand<'_>) -> Answer {
    data(json!({ "levels": levels(command.session) }))
}

/// The level of a model with reasoning that comes next to this one.
pub(super) fn highest_up_to(level: &str) -> &str {
    match LEVELS[..LEVELS_WITH_REASONING].contains(&level) {
        true => level,
        false => LEVELS[LEVELS_WITH_REASONING - 1],
    }
}

/// The levels of the current model. A model without reasoning has only the first.
fn levels(session: &Session) -> &'static [&'static str] {
    match has_reasoning(session) {
        false => &LEVELS[..1],
        true => &LEVELS[..LEVELS_WITH_REASONING],
    }
}
