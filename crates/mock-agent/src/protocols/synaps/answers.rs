//! The bodies of responses, and the conversation in them. The specification leaves them open; these are what hosts know.

use super::SynapsSession;
use super::frames::token_counts;
use crate::core::ModelProvider;
use crate::faults::Bug;
use crate::model::{ContentBlock, Message, Role, anthropic};
use crate::protocols::frames::extended;
use serde_json::{Value, json};

pub(super) fn messages(session: SynapsSession<'_>) -> Value {
    let messages = &session.conversation.borrow().messages;
    json!({ "messages": messages.iter().map(message).collect::<Vec<_>>() })
}

pub(super) fn state(session: SynapsSession<'_>) -> Value {
    let state = session.state();
    let stays = state.aborted && session.faults.triggers(Bug::StopLeavesStreaming);
    json!({
        "streaming": session.is_busy() || stays,
        "model": state.model,
        "session_id": state.session,
        "message_count": session.conversation.borrow().messages.len(),
    })
}

pub(super) fn stats(session: SynapsSession<'_>) -> Value {
    let state = session.state();
    let more = json!({
        "cost": 0.0,
        "message_count": session.conversation.borrow().messages.len(),
        "model": state.model,
        "session_id": state.session,
    });
    extended(token_counts(state.spent), more)
}

pub(super) fn models(session: SynapsSession<'_>) -> Value {
    let offers = session.settings.providers.iter();
    let models = offers.flat_map(|offer| {
        offer.models.iter().map(
            |model| json!({ "provider": offer.provider, "model_id": model, "model_name": model }),
        )
    });
    json!({ "models": models.collect::<Vec<_>>() })
}

/// Accepts any model of a known provider. A model without a provider must be listed, or belongs to the provider that lists
/// none.
pub(super) fn set_model(session: SynapsSession<'_>, model: &str) -> Result<Value, String> {
    let mut offers = session.settings.providers.iter();
    let (provider, name) = match model.split_once('/') {
        Some((provider, name)) => (Some(provider), name),
        None => (None, model),
    };
    let offer = match provider {
        Some(provider) => offers.find(|offer| offer.provider == provider),
        None => {
            let lists = |offer: &&ModelProvider| offer.models.iter().any(|known| known == model);
            let any = offers.clone().find(|offer| offer.accepts_any_model());
            offers.find(lists).or(any)
        }
    };
    let offer = offer
        .filter(|_| !name.is_empty())
        .ok_or_else(|| format!("Unknown model: {model}"))?;
    let model = if offer.accepts_any_model() {
        name.to_owned()
    } else {
        format!("{}/{name}", offer.provider)
    };
    if !session.faults.triggers(Bug::IgnoresSetModel) {
        session.set_model(name, offer.endpoint.as_ref());
        session.model.wire.set(offer.wire);
        session.state().model.clone_from(&model);
    }
    Ok(json!({ "model": model }))
}

pub(super) fn new_session(session: SynapsSession<'_>) -> Value {
    let faults = &session.faults;
    session.exit_if(Bug::NewSessionExits);
    let starts = !faults.triggers(Bug::NewSessionKeepsConversation);
    if starts {
        session.start_new_conversation();
    }
    session.reset_model_if(Bug::NewSessionResetsModel);
    let id = session.conversation.borrow().id().map(str::to_owned);
    let mut state = session.state();
    let (id_before, usage_before) = (state.session.clone(), state.spent);
    state.begin_session(id.filter(|_| starts).as_deref());
    if faults.triggers(Bug::NewSessionKeepsId) {
        state.session = id_before;
    }
    if faults.triggers(Bug::NewSessionKeepsStats) {
        state.spent = usage_before;
    }
    if faults.triggers(Bug::NewSessionReportsOldId) {
        state.session = format!("session-{}", state.sessions % 2);
    }
    json!({ "session_id": state.session })
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let content = match (message.role, message.content.as_slice()) {
        (Role::User, [ContentBlock::Text(text)]) => json!(text),
        (_, blocks) => blocks.iter().map(block).collect(),
    };
    json!({ "role": role, "content": content })
}

/// A block as the model's API has it. Arguments that are not JSON stay as the model wrote them.
fn block(block: &ContentBlock) -> Value {
    let mut shown = anthropic::content_block(block);
    match block {
        ContentBlock::Call { args, raw, .. } => {
            shown["input"] = raw.as_ref().map_or_else(|| args.clone(), |raw| json!(raw));
        }
        ContentBlock::Result {
            is_error: false, ..
        } => {
            shown
                .as_object_mut()
                .and_then(|block| block.shift_remove("is_error"));
        }
        _ => {}
    }
    shown
}
