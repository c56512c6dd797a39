//! "Model" and "Thinking" of the page.

use super::commands::{Command, data};
use super::responses::Answer;
use super::state::Modern;
use super::v0_87::{level_told, levels};
use crate::config::Listed;
use crate::core::session::Session;
use crate::faults::Bug;
use crate::model::Effort;
use serde_json::{Value, json};

/// How much a model may think.
pub(super) const LEVELS: [&str; 6] = ["off", "minimal", "low", "medium", "high", "xhigh"];

/// The level beyond those, which later versions know of.
const MOST: &str = "max";

/// The model that is asked now, if it is a listed one.
pub(super) fn current(session: &Session) -> Option<&Listed> {
    let model_info = Modern::of(session, |modern| modern.model_info.clone())?;
    let models = session.settings.extras.models.iter();
    models.clone().find(|listed| {
        listed.model_info.provider == model_info.provider
            && listed.model_info.model == model_info.model
    })
}

/// As the host is told of the model that is asked now.
pub(super) fn shown(session: &Session) -> Value {
    current(session).map_or(Value::Null, |listed| listed.shown.clone())
}

fn choose(session: &Session, listed: &Listed) {
    session.set_model(&listed.model_info.model, Some(&listed.endpoint));
    session.model.set_wire(listed.wire);
    Modern::of(session, |modern| {
        modern.model_info = listed.model_info.clone()
    });
    match listed.reasons {
        true => tell_level(session),
        false => think(session, LEVELS[0]),
    }
}

/// A run begins.
pub(super) fn before_run(session: &Session) {
    let again = Modern::of(session, |modern| {
        let entries = modern.log.entries.iter();
        entries
            .filter(|entry| entry.message["role"] == "user")
            .count()
            > 0
    });
    if again == Some(true) && session.faults.plays(Bug::ModelForOneRun) {
        choose(session, &session.settings.extras.models[0]);
    }
}

/// Sets the level, and tells of it where it is another one.
fn think(session: &Session, level: &str) {
    let told = Modern::of(session, |modern| {
        let before = std::mem::replace(&mut modern.level, level.to_owned());
        level_told(modern, &before)
    });
    if let Some(frame) = told.flatten() {
        session.events.send_frame(frame);
    }
    tell_level(session);
}

/// Has the model think as much as the level says, if it can.
pub(super) fn tell_level(session: &Session) {
    if session.faults.plays(Bug::LevelStaysUntold) {
        return;
    }
    let level = Modern::of(session, |modern| modern.level.clone());
    let effort = level.filter(|_| reasons(session));
    session
        .model
        .set_effort(effort.as_deref().map(Effort::named));
}

pub(super) fn set(command: &Command<'_>) -> Answer {
    let (provider, id) = (command.text("provider")?, command.text("modelId")?);
    let models = &command.session.settings.extras.models;
    let listed = models
        .iter()
        .find(|listed| listed.model_info.provider == provider && listed.model_info.model == id)
        .ok_or_else(|| format!("Model not found: {provider}/{id}"))?;
    choose(command.session, listed);
    data(listed.shown.clone())
}

pub(super) fn cycle(command: &Command<'_>) -> Answer {
    let session = command.session;
    let extras = &session.settings.extras;
    let named = |listed: &&Listed| {
        let name = format!("{}/{}", listed.model_info.provider, listed.model_info.model);
        extras.scope.is_empty() || extras.scope.contains(&name)
    };
    let models: Vec<_> = extras.models.iter().filter(named).collect();
    if models.len() < 2 {
        return data(Value::Null);
    }
    let now = current(session).and_then(|now| models.iter().position(|m| m.shown == now.shown));
    let next = models[now.map_or(0, |now| now + 1) % models.len()];
    choose(session, next);
    let level = Modern::of(session, |modern| modern.level.clone());
    data(json!({
        "model": next.shown,
        "thinkingLevel": level,
        "isScoped": !extras.scope.is_empty(),
    }))
}

pub(super) fn available(command: &Command<'_>) -> Answer {
    let models = command.session.settings.extras.models.iter();
    let shown: Vec<_> = models.map(|listed| &listed.shown).collect();
    data(json!({ "models": shown }))
}

/// Whether the model that is asked now can think.
pub(super) fn reasons(session: &Session) -> bool {
    current(session).is_some_and(|listed| listed.reasons)
}

pub(super) fn set_level(command: &Command<'_>) -> Answer {
    let level = command.text("level")?;
    if !LEVELS.contains(&level) && level != MOST {
        return Err(format!("Unknown thinking level: {level}"));
    }
    let levels = available_levels(command.session);
    let level = levels.iter().find(|one| **one == level);
    think(command.session, level.unwrap_or(&levels[levels.len() - 1]));
    Ok(None)
}

pub(super) fn cycle_level(command: &Command<'_>) -> Answer {
    if !reasons(command.session) {
        return data(Value::Null);
    }
    let levels = available_levels(command.session);
    let now = Modern::of(command.session, |modern| {
        levels.iter().position(|level| *level == modern.level)
    });
    let next = levels[now.flatten().map_or(0, |now| now + 1) % levels.len()];
    think(command.session, next);
    data(json!({ "level": next }))
}

/// The levels of the model that is asked now.
fn available_levels(session: &Session) -> &'static [&'static str] {
    levels(reasons(session))
}
