//! Modes and configuration options of a session.

use super::rpc::RpcError;
use super::state::{AcpSession, AcpState, update_frame};
use crate::core::ApprovalMode;
use crate::faults::Bug;
use crate::model::Effort;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// Each mode: its id, its name, and what it does.
const MODES: [(&str, &str, &str, ApprovalMode); 3] = [
    (
        "ask",
        "Ask",
        "Ask before files are changed and commands are run",
        ApprovalMode::Default,
    ),
    (
        "auto-edit",
        "Edit",
        "Change files without asking",
        ApprovalMode::AutoEdit,
    ),
    ("bypass", "Bypass", "Never ask", ApprovalMode::Yolo),
];

const LEVELS: [&str; 3] = ["off", "low", "high"];

/// The approval mode of a mode.
pub(super) fn approval_mode(id: &str) -> Option<ApprovalMode> {
    let mode = MODES.iter().find(|(known, ..)| *known == id);
    mode.map(|(.., approval)| *approval)
}

/// The mode in which the agent has this approval mode.
pub(super) fn mode_id(mode: ApprovalMode) -> &'static str {
    MODES[mode as usize].0
}

pub(super) fn modes(session: &AcpSession) -> Value {
    let modes = MODES.iter().map(
        |(id, name, description, _)| json!({ "id": id, "name": name, "description": description }),
    );
    json!({ "currentModeId": session.mode, "availableModes": modes.collect::<Vec<_>>() })
}

/// The models that the client can choose.
fn models(state: &AcpState) -> [String; 2] {
    let first = state.model_info.model.clone();
    let second = format!("{first}-2");
    [first, second]
}

pub(super) fn config_options(state: &AcpState, session: &AcpSession) -> Value {
    let select = |id: &str, name: &str, category: &str, current: &str, values: &[(&str, &str)]| {
        let options = values
            .iter()
            .map(|(value, name)| json!({ "value": value, "name": name }));
        json!({
            "id": id, "name": name, "category": category, "type": "select",
            "currentValue": current, "options": options.collect::<Vec<_>>(),
        })
    };
    let models = models(state);
    let models: Vec<_> = models.iter().map(|model| (&**model, &**model)).collect();
    let modes = MODES.map(|(id, name, ..)| (id, name));
    let mut options = vec![
        select("mode", "Mode", "mode", &session.mode, &modes),
        select("model", "Model", "model", &session.model, &models),
        select(
            "thinking",
            "Thinking",
            "thought_level",
            &session.thinking,
            &LEVELS.map(|level| (level, level)),
        ),
    ];
    if state.can("/session/configOptions/boolean") {
        options.push(json!({
            "id": "stream", "name": "Stream", "category": "model_config", "type": "boolean",
            "currentValue": session.streams,
        }));
    }
    options.into()
}

/// Sets an option. Returns the updates about it.
///
/// # Errors
/// There is no such session, option or value.
pub(super) fn set(
    shared: &Rc<RefCell<AcpState>>,
    id: &str,
    option: &str,
    value: &Value,
) -> Result<Vec<Value>, RpcError> {
    let mut borrowed = shared.borrow_mut();
    let state = &mut *borrowed;
    let known_models = models(state);
    let has_switch = state.can("/session/configOptions/boolean");
    let session = state.session(id)?;
    let core = Rc::clone(&session.core);
    let unknown = |what: &str| RpcError::invalid_params(format!("Unknown {what}: {value}"));
    if core.faults.triggers(Bug::OptionNotApplied) {
        return Ok(vec![]);
    }
    let name = value.as_str().unwrap_or_default();
    let mut changed = None;
    match option {
        "mode" => {
            changed = Some(approval_mode(name).ok_or_else(|| unknown("mode"))?);
            session.mode = name.to_owned();
        }
        "model" if known_models.iter().any(|known| known == name) => {
            name.clone_into(&mut session.model)
        }
        "thinking" if LEVELS.contains(&name) => name.clone_into(&mut session.thinking),
        "stream" if has_switch && value.is_boolean() => session.streams = value == true,
        "model" | "thinking" | "stream" => return Err(unknown("value")),
        _ => {
            return Err(RpcError::invalid_params(format!(
                "Unknown option: {option}"
            )));
        }
    }
    let (model, thinking) = (session.model.clone(), session.thinking.clone());
    let mut updates = Vec::new();
    if option == "mode" {
        updates.push(json!({ "sessionUpdate": "current_mode_update", "currentModeId": name }));
    }
    let session = &state.sessions[id];
    let options = config_options(state, session);
    updates.push(json!({ "sessionUpdate": "config_option_update", "configOptions": options }));
    drop(borrowed);
    if let Some(mode) = changed {
        core.set_mode(mode);
    }
    apply(&core, &model, &thinking);
    Ok(updates
        .into_iter()
        .map(|update| update_frame(id, update))
        .collect())
}

/// Lets the next turns of a session use this model and this level.
pub(super) fn apply(core: &crate::core::Session, model: &str, thinking: &str) {
    core.set_model(model, None);
    let effort = (thinking != "off").then(|| Effort::named(thinking));
    core.model.effort.set(effort);
}
