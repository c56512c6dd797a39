//! Hooks: the decisions of this adapter that deliberate faults override. Without a fault each gives the correct behavior.

use super::commands::SynapsSession;
use super::frames::{ok, response};
use super::state::SynapsState;
use crate::core::failure::Halt;
use crate::core::session::Session;
use crate::faults::{Bug, Faults};
use crate::model::message::{ContentBlock, Usage};
use std::borrow::Cow;
use std::time::Duration;

/// How many bad lines end the process.
const TOO_MANY_BAD_LINES: usize = 10;

/// How long an answer takes that a shutdown overtakes.
const SLOW_ANSWER: Duration = Duration::from_millis(300);

/// What is wrong with the path of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathFlaw {
    Relative,
    DotDot,
}

fn plays(session: &Session, bug: Bug) -> bool {
    Faults::of(session).triggers(bug)
}

// Lines

/// A line is too long.
pub(super) fn on_oversized_line(session: &Session) {
    if plays(session, Bug::LongLineExits) {
        session.events.outbox.exit(0);
    }
}

/// The text of a line as it is parsed.
pub(super) fn line_text<'a>(session: &Session, text: &'a str) -> Cow<'a, str> {
    match plays(session, Bug::EscapesAreKept) {
        true => Cow::Owned(text.replace("\\u", "\\\\u")),
        false => Cow::Borrowed(text),
    }
}

/// Whether a command of unknown type is answered with an error.
pub(super) fn rejects_unknown_command(session: &Session) -> bool {
    !plays(session, Bug::IgnoresUnknownCommand)
}

/// A line was answered with an error; `unknown` is its command if that is not known.
pub(super) fn on_rejected_line(
    session: SynapsSession<'_>,
    id: Option<&str>,
    unknown: Option<&str>,
) {
    if plays(&session, Bug::TooManyBadCommandsExit) {
        let memory = &mut session.state().fault_memory;
        memory.bad_lines += 1;
        if memory.bad_lines >= TOO_MANY_BAD_LINES {
            session.events.outbox.exit(1);
        }
    }
    if let Some(name) = unknown
        && plays(&session, Bug::AnswersUnknownCommand)
    {
        session.send(response(id.unwrap_or_default(), name, ok()));
    }
}

// Commands

/// Whether a query is answered.
pub(super) fn answers_query(session: &Session) -> bool {
    if session.is_busy() && plays(session, Bug::IgnoresQueriesWhileBusy) {
        return false;
    }
    if Faults::of(session).is_armed(Bug::QuitDropsAnswers) {
        session.events.outbox.pause(SLOW_ANSWER);
    }
    true
}

/// A command is rejected because a turn is running.
pub(super) fn on_busy(session: &Session) {
    if plays(session, Bug::BusyEndsTurn) {
        session.stop(Halt::Stop);
    }
}

/// Whether a message starts a turn.
pub(super) fn starts_turn(session: SynapsSession<'_>, text: &str) -> bool {
    if session.is_busy() && plays(&session, Bug::DropsWhileBusy) {
        return false;
    }
    let before = std::mem::replace(&mut session.state().fault_memory.message, text.to_owned());
    before != text || !plays(&session, Bug::DropsRepeatedPrompt)
}

/// A follow-up is about to start its turn.
pub(super) fn on_follow_up(session: &Session) {
    if plays(session, Bug::FollowUpForgets) {
        session.conversation.borrow_mut().messages.clear();
    }
}

/// Whether the model gets the attached files.
pub(super) fn keeps_files(session: &Session, blocks: &[ContentBlock]) -> bool {
    blocks.is_empty() || !plays(session, Bug::LosesFiles)
}

/// Whether a path with this flaw is accepted.
pub(super) fn accepts_path(session: &Session, flaw: PathFlaw) -> bool {
    match flaw {
        PathFlaw::Relative => plays(session, Bug::AcceptsRelativePaths),
        PathFlaw::DotDot => plays(session, Bug::AcceptsDotDot),
    }
}

/// Whether `compact` compacts.
pub(super) fn starts_compaction(session: &Session) -> bool {
    !plays(session, Bug::CompactHangs)
}

/// Whether `shutdown` ends the agent.
pub(super) fn obeys_shutdown(session: &Session) -> bool {
    if plays(session, Bug::QuitDropsAnswers) {
        std::process::exit(0);
    }
    if plays(session, Bug::AnswersQuit) {
        session.events.send_frame(response("", "shutdown", ok()));
    }
    let ignored = session.is_busy() && plays(session, Bug::IgnoresQuitInTurn);
    !ignored && !plays(session, Bug::IgnoresQuit)
}

// Answers

/// Whether the state says that a turn is streaming.
pub(super) fn is_streaming(session: &Session, state: &SynapsState, busy: bool) -> bool {
    let stays = plays(session, Bug::StopLeavesStreaming);
    busy || stays && state.fault_memory.aborted
}

/// Whether `set_model` sets the model.
pub(super) fn sets_model(session: &Session) -> bool {
    !plays(session, Bug::IgnoresSetModel)
}

/// Whether `new_session` starts a new conversation.
pub(super) fn starts_conversation(session: &Session) -> bool {
    if plays(session, Bug::NewSessionExits) {
        session.events.outbox.exit(0);
    }
    !plays(session, Bug::NewSessionKeepsConversation)
}

/// A new session has started.
pub(super) fn on_new_session(session: &Session) {
    if plays(session, Bug::NewSessionResetsModel) {
        session.set_model(&session.settings.model, None);
    }
}

/// A new session has an id and a usage of its own; `id` and `usage` are those of the session before.
pub(super) fn on_new_state(session: &Session, state: &mut SynapsState, id: String, usage: Usage) {
    if plays(session, Bug::NewSessionKeepsId) {
        state.session = id;
    }
    if plays(session, Bug::NewSessionKeepsStats) {
        state.spent = usage;
    }
    if plays(session, Bug::NewSessionReportsOldId) {
        state.session = format!("session-{}", state.sessions % 2);
    }
}
