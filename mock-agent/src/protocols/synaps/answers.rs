//! The bodies of responses. The page leaves them free; these are what hosts know.

use super::events::Events;
use super::history::told;
use crate::core::session::Session;
use crate::faults::{Bug, Faults};
use serde_json::{Map, Value, json};

type Body = Map<String, Value>;

pub(super) fn messages(session: &Session) -> Body {
    let messages = told(&session.conversation.borrow().messages);
    body(json!({ "messages": messages }))
}

pub(super) fn state(session: &Session) -> Body {
    let busy = session.is_busy();
    let sticks = Faults::of(session).triggers(Bug::StopLeavesStreaming);
    let count = session.conversation.borrow().messages.len();
    asked(session, |events| {
        json!({
            "streaming": busy || sticks && events.seen.abort,
            "model": events.model,
            "session_id": events.session,
            "message_count": count,
        })
    })
}

pub(super) fn stats(session: &Session) -> Body {
    let count = session.conversation.borrow().messages.len();
    asked(session, |events| {
        json!({
            "input_tokens": events.spent.input,
            "output_tokens": events.spent.output,
            "cache_read_input_tokens": events.spent.cache_read,
            "cache_creation_input_tokens": events.spent.cache_write,
            "cost": 0.0,
            "message_count": count,
            "model": events.model,
            "session_id": events.session,
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

/// Takes any model of a provider that is known; a model without its provider must be one of those on offer, or is of the provider that
/// lists none.
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
    let deaf = Faults::of(session).triggers(Bug::SetsNoModel);
    if !deaf {
        session.set_model(name, offer.endpoint.as_ref());
        session.model.set_wire(offer.wire);
    }
    let model = match offer.accepts_any_model() {
        true => name.to_owned(),
        false => format!("{}/{name}", offer.provider),
    };
    Ok(asked(session, |events| {
        if !deaf {
            events.model.clone_from(&model);
        }
        json!({ "model": model })
    }))
}

pub(super) fn new_session(session: &Session) -> Body {
    if Faults::of(session).triggers(Bug::RenewExits) {
        session.events.outbox.exit(0);
    }
    let keeps = Faults::of(session).triggers(Bug::RenewsNothing);
    if !keeps {
        session.renew();
    }
    if Faults::of(session).triggers(Bug::RenewResetsModel) {
        session.set_model(&session.settings.model, None);
    }
    let id = session.conversation.borrow().id().map(str::to_owned);
    let id = id.filter(|_| !keeps);
    let same = Faults::of(session).triggers(Bug::RenewsNoId);
    let counts_on = Faults::of(session).triggers(Bug::RenewsNoStats);
    let old = Faults::of(session).triggers(Bug::RenewsOldId);
    asked(session, |events| {
        let before = events.session.clone();
        let id = if same { Some(&*before) } else { id.as_deref() };
        let spent = events.spent;
        events.begin_session(id);
        if counts_on {
            events.spent = spent;
        }
        if old {
            events.alternate_session();
        }
        json!({ "session_id": events.session })
    })
}

fn asked(session: &Session, answer: impl FnOnce(&mut Events) -> Value) -> Body {
    body(session.events.encoder(answer).unwrap_or_default())
}

fn body(value: Value) -> Body {
    match value {
        Value::Object(body) => body,
        _ => Body::new(),
    }
}
