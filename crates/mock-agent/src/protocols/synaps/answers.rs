//! The bodies of responses, and the conversation in them. The specification leaves them open; these are what hosts know.

use super::hooks;
use super::state::SynapsState;
use crate::core::session::Session;
use crate::model::anthropic;
use crate::model::message::{ContentBlock, Message, Role};
use serde_json::{Map, Value, json};

type Body = Map<String, Value>;

pub(super) fn messages(session: &Session) -> Body {
    let messages = history(&session.conversation.borrow().messages);
    body(json!({ "messages": messages }))
}

pub(super) fn state(session: &Session) -> Body {
    let busy = session.is_busy();
    let count = session.conversation.borrow().messages.len();
    with_state(session, |state| {
        json!({
            "streaming": hooks::is_streaming(session, state, busy),
            "model": state.model,
            "session_id": state.session,
            "message_count": count,
        })
    })
}

pub(super) fn stats(session: &Session) -> Body {
    let count = session.conversation.borrow().messages.len();
    with_state(session, |state| {
        json!({
            "input_tokens": state.spent.input,
            "output_tokens": state.spent.output,
            "cache_read_input_tokens": state.spent.cache_read,
            "cache_creation_input_tokens": state.spent.cache_write,
            "cost": 0.0,
            "message_count": count,
            "model": state.model,
            "session_id": state.session,
        })
    })
}

pub(super) fn models(session: &Session) -> Body {
    let offers = session.settings.providers.iter();
    let models = offers.flat_map(|offer| {
        offer.models.iter().map(
            |model| json!({ "provider": offer.provider, "model_id": model, "model_name": model }),
        )
    });
    body(json!({ "models": models.collect::<Vec<_>>() }))
}

/// Accepts any model of a known provider. A model without a provider must be listed, or belongs to the provider that lists
/// none.
pub(super) fn set_model(session: &Session, model: &str) -> Result<Body, String> {
    let offers = &session.settings.providers;
    let found = match model.split_once('/') {
        Some((provider, name)) => offers
            .iter()
            .find(|offer| offer.provider == provider)
            .map(|offer| (offer, name)),
        None => offers
            .iter()
            .find(|offer| offer.models.iter().any(|known| known == model))
            .or_else(|| offers.iter().find(|offer| offer.accepts_any_model()))
            .map(|offer| (offer, model)),
    };
    let (offer, name) = found
        .filter(|(_, name)| !name.is_empty())
        .ok_or_else(|| format!("Unknown model: {model}"))?;
    let sets = hooks::sets_model(session);
    if sets {
        session.set_model(name, offer.endpoint.as_ref());
        session.model.set_wire(offer.wire);
    }
    let model = match offer.accepts_any_model() {
        true => name.to_owned(),
        false => format!("{}/{name}", offer.provider),
    };
    Ok(with_state(session, |state| {
        if sets {
            state.model.clone_from(&model);
        }
        json!({ "model": model })
    }))
}

pub(super) fn new_session(session: &Session) -> Body {
    let starts = hooks::starts_conversation(session);
    if starts {
        session.start_new_conversation();
    }
    hooks::on_new_session(session);
    let id = session.conversation.borrow().id().map(str::to_owned);
    let id = id.filter(|_| starts);
    with_state(session, |state| {
        let (id_before, usage_before) = (state.session.clone(), state.spent);
        state.begin_session(id.as_deref());
        hooks::on_new_state(session, state, id_before, usage_before);
        json!({ "session_id": state.session })
    })
}

fn with_state(session: &Session, answer: impl FnOnce(&mut SynapsState) -> Value) -> Body {
    body(session.events.encoder(answer).unwrap_or_default())
}

fn body(value: Value) -> Body {
    match value {
        Value::Object(body) => body,
        _ => Body::new(),
    }
}

/// The conversation for `get_messages`.
fn history(messages: &[Message]) -> Vec<Value> {
    messages.iter().map(message).collect()
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
