//! Commands on the session that do not have their effect.

use super::conditions::NEW_SESSION;
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    start(
        "set-model-changes-nothing",
        "`set_model` is acknowledged, and the model stays what it was",
        FaultEffect::Bug(Bug::IgnoresSetModel),
    )
    .caught_by(&["scenario:session/set-model-switches", "model-current"]),
    start(
        "set-model-refuses-known",
        "`set_model` refuses a model that it knows",
        FaultEffect::Command(|command| {
            if command["type"] == "set_model" {
                command["model"] = json!("");
            }
        }),
    )
    .caught_by(&["scenario:session/set-model-switches"]),
    start(
        "new-session-keeps-history",
        "`new_session` is acknowledged, and the conversation goes on",
        FaultEffect::Bug(Bug::NewSessionKeepsConversation),
    )
    .caught_by(&["scenario:session/new-session-forgets"]),
    start(
        "new-session-keeps-its-id",
        "`new_session` gives the id of the session before",
        FaultEffect::Bug(Bug::NewSessionKeepsId),
    )
    .caught_by(&["session-id-unique"]),
    start(
        "new-session-exits",
        "`new_session` ends the process",
        FaultEffect::Bug(Bug::NewSessionExits),
    )
    .caught_by(&["stays-alive"]),
    bug(
        "abort-forgets",
        "an abort clears the conversation",
        Bug::StopForgets,
    )
    .caught_by(&["scenario:abort/keeps-the-conversation"]),
    bug(
        "failure-forgets",
        "a turn that fails clears the conversation",
        Bug::ProviderErrorForgets,
    )
    .caught_by(&["scenario:errors/keeps-the-conversation"]),
    start(
        "compact-does-nothing",
        "`compact` is acknowledged, and the history stays as long",
        FaultEffect::Bug(Bug::CompactsNothing),
    )
    .caught_by(&["scenario:session/compact-shortens"]),
    start(
        "compact-forgets-all",
        "`compact` leaves nothing of the conversation, and no summary",
        FaultEffect::Bug(Bug::CompactForgetsAll),
    )
    .caught_by(&["scenario:session/compact-shortens", "history-kept"]),
    start(
        "failed-compact-forgets",
        "a `compact` that fails clears the conversation",
        FaultEffect::Bug(Bug::FailedCompactForgets),
    )
    .caught_by(&["history-kept"]),
    start(
        "new-session-keeps-stats",
        "`new_session` goes on counting the tokens of the session before",
        FaultEffect::Bug(Bug::NewSessionKeepsStats),
    )
    .caught_by(&["stats-are-sums"]),
    start(
        "compact-hangs",
        "`compact` is never answered",
        FaultEffect::Bug(Bug::CompactHangs),
    )
    .caught_by(&[
        "scenario:session/compact-is-answered",
        "answered-before-exit",
        "answered-in-time",
    ]),
    start(
        "follow-up-is-unknown",
        "`follow_up` is refused",
        FaultEffect::Command(|command| {
            if command["type"] == "follow_up" {
                command["type"] = json!("?");
            }
        }),
    ),
    bug(
        "forgets-old-results",
        "a later turn knows nothing of what tools were called with, and gave",
        Bug::ForgetsOldResults,
    )
    .caught_by(&[
        "scenario:tools/stay-in-the-conversation",
        "scenario:prompt/everything-stays-in-the-conversation",
    ]),
    bug(
        "forgets-files",
        "a later turn knows nothing of what was attached",
        Bug::ForgetsFiles,
    )
    .caught_by(&["scenario:prompt/everything-stays-in-the-conversation"]),
    bug(
        "failure-resets-the-model",
        "a turn that fails puts the model back to that of the start",
        Bug::FailureResetsModel,
    )
    .caught_by(&[
        "scenario:session/model-stays-after-a-failure",
        "model-current",
    ]),
    start(
        "new-session-resets-the-model",
        "`new_session` puts the model back to that of the start",
        FaultEffect::Bug(Bug::NewSessionResetsModel),
    )
    .caught_by(&[
        "scenario:session/model-stays-after-a-failure",
        "model-current",
    ]),
    bug(
        "forgets-turns",
        "each turn begins without the ones before",
        Bug::ForgetsTurns,
    )
    .caught_by(&["scenario:session/follow-up-continues", "history-kept"]),
    bug(
        "exits-after-turn",
        "the process ends by itself after a turn",
        Bug::ExitsAfterTurn,
    )
    .caught_by(&["stays-alive"]),
    bug(
        "follow-up-forgets",
        "a follow-up knows nothing of what was said before",
        Bug::FollowUpForgets,
    )
    .caught_by(&["scenario:session/follow-up-continues", "history-kept"]),
    bug(
        "forgets-first-turn",
        "of a longer conversation the first turn is dropped",
        Bug::ForgetsFirstTurn,
    )
    .caught_by(&[
        "scenario:prompt/everything-stays-in-the-conversation",
        "history-kept",
    ]),
    bug(
        "set-model-lasts-one-turn",
        "the model of `set_model` is asked for one turn only",
        Bug::ModelLastsOneTurn,
    )
    .caught_by(&["scenario:session/set-model-switches", "usage-model"]),
    bug(
        "set-model-forgets",
        "another model knows nothing of what was said",
        Bug::ModelChangeForgets,
    )
    .caught_by(&["scenario:session/set-model-switches", "history-kept"]),
    start(
        "new-session-has-an-old-id",
        "every other session has the same id",
        FaultEffect::Bug(Bug::NewSessionReportsOldId),
    )
    .caught_by(&["session-id-unique"]),
    frame(
        "new-session-says-ready",
        "`ready` comes again with a new session",
        "response",
        Op::After(r#"{"type":"ready","session_id":"again","model":"local/mock-model","protocol_version":1}"#),
    )
    .when(NEW_SESSION)
    .at_start()
    .caught_by(&["ready-first", "model-current"]),
    start(
        "compact-loses-the-summary",
        "`compact` puts nothing in the place of the history",
        FaultEffect::Bug(Bug::CompactionLosesSummary),
    )
    .caught_by(&["scenario:session/compact-shortens"]),
];
