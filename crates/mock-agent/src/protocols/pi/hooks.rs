//! Hooks: the decisions of this adapter that deliberate faults override. Without a fault each gives the correct behavior.

use super::responses::PiSession;
use super::state::PiState;
use crate::core::queues::{Queue, Queues};
use crate::core::session::Session;
use crate::faults::{Bug, Faults};
use crate::model::message::Message;
use std::path::Path;

fn plays(session: &Session, bug: Bug) -> bool {
    Faults::of(session).triggers(bug)
}

// Models

/// Whether a run uses the model that the run before used.
pub(super) fn keeps_model(session: PiSession<'_>) -> bool {
    let has_run = session.state().log.of_role("user").next().is_some();
    !has_run || !plays(&session, Bug::ModelForOneRun)
}

/// Whether the model gets the thinking level.
pub(super) fn sends_effort(session: &Session) -> bool {
    !plays(session, Bug::ThinkingLevelNotSent)
}

// Retries and queues

/// Whether `abort_retry` stops the wait for the next attempt.
pub(super) fn stops_retry(session: &Session) -> bool {
    !plays(session, Bug::RetryNotCancelled)
}

/// The mode of one queue has changed.
pub(super) fn queue_mode_changed(session: &Session, changed: &Queue) {
    if plays(session, Bug::QueuesShareMode) {
        let Queues {
            steering,
            follow_up,
        } = &session.queues;
        let together = changed.together.get();
        steering.together.set(together);
        follow_up.together.set(together);
    }
}

// Sessions

/// Whether `new_session` starts a session.
pub(super) fn starts_session(session: &Session) -> bool {
    !plays(session, Bug::NewSessionKeepsConversation)
}

/// Whether `switch_session` loads the session.
pub(super) fn loads_session(session: &Session) -> bool {
    !plays(session, Bug::SwitchLoadsNothing)
}

/// The messages of the model in a fork: those before the chosen message, of all of them.
pub(super) fn forked_messages(
    session: &Session,
    all: Vec<Message>,
    before: Vec<Message>,
) -> Vec<Message> {
    match plays(session, Bug::ForkKeepsAll) {
        true => all,
        false => before,
    }
}

/// Whether a clone has the messages of its original.
pub(super) fn clones_messages(session: &Session) -> bool {
    !plays(session, Bug::CloneIsEmpty)
}

/// Whether a session that the host leaves is remembered.
pub(super) fn remembers_session(session: &Session, state: &PiState, file: &Path) -> bool {
    !state.saved.contains_key(file) || !plays(session, Bug::ResumedStaysUnsaved)
}

/// Whether an export has the session's messages.
pub(super) fn exports_messages(session: &Session) -> bool {
    !plays(session, Bug::ExportsNothing)
}

// Extensions

/// Whether an extension can shut the agent down.
pub(super) fn obeys_shutdown(session: &Session) -> bool {
    !plays(session, Bug::ShutdownForgotten)
}

/// Whether a request that needs no answer waits for one.
pub(super) fn waits_for_notice(session: &Session) -> bool {
    plays(session, Bug::NoticesAwaitAnswer)
}

/// Whether a dialog ends at its timeout.
pub(super) fn applies_timeout(session: &Session) -> bool {
    !plays(session, Bug::DialogsNeverTimeOut)
}

/// The id of the dialog that an answer with this id belongs to.
pub(super) fn answered_dialog(session: PiSession<'_>, id: &str) -> String {
    let first = match plays(&session, Bug::AnswerGoesToFirstDialog) {
        true => session.state().dialogs.keys().min().cloned(),
        false => None,
    };
    first.unwrap_or_else(|| id.to_owned())
}
