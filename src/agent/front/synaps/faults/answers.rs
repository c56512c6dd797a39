//! Bodies of responses that hosts cannot use.

use super::kinds::{MESSAGES, MODELS, NEW_SESSION, SET_MODEL, STATE, STATS};
use crate::agent::faults::{Fault, Op, frame};

type When = &'static [(&'static str, &'static str)];

const fn body(id: &'static str, summary: &'static str, command: When, op: Op) -> Fault {
    frame(id, summary, "response", op).when(command).at_start()
}

pub(super) const FAULTS: &[Fault] = &[
    body(
        "no-messages",
        "`get_messages` is answered without messages",
        MESSAGES,
        Op::Remove("/messages"),
    )
    .caught_by(&["body-messages"]),
    body(
        "messages-are-empty",
        "`get_messages` is answered by an empty list in any case",
        MESSAGES,
        Op::Set("/messages", "[]"),
    )
    .every()
    .caught_by(&[
        "scenario:session/messages-of-the-conversation",
        "history-kept",
    ]),
    body(
        "models-are-an-object",
        "`get_available_models` is answered by an object",
        MODELS,
        Op::Set("/models", "{}"),
    )
    .caught_by(&["body-models"]),
    body(
        "models-are-empty",
        "`get_available_models` is answered by an empty list",
        MODELS,
        Op::Set("/models", "[]"),
    )
    .caught_by(&["scenario:session/available-models"]),
    body(
        "state-without-streaming",
        "`get_state` does not say whether a turn runs",
        STATE,
        Op::Remove("/streaming"),
    )
    .caught_by(&["body-state"]),
    body(
        "state-is-always-idle",
        "`get_state` says that no turn runs in any case",
        STATE,
        Op::Set("/streaming", "false"),
    )
    .every()
    .caught_by(&["scenario:prompt/state-while-a-turn-runs"]),
    body(
        "state-of-another-session",
        "`get_state` names another session than the current one",
        STATE,
        Op::Set("/session_id", "\"old\""),
    )
    .caught_by(&["session-id-current"]),
    body(
        "state-of-another-model",
        "`get_state` names another model than the active one",
        STATE,
        Op::Set("/model", "\"other\""),
    )
    .caught_by(&["model-current"]),
    body(
        "stats-are-text",
        "`get_session_stats` gives its counts as text",
        STATS,
        Op::Set("/input_tokens", "\"many\""),
    )
    .caught_by(&["body-stats", "stats-are-sums"]),
    body(
        "stats-are-missing",
        "`get_session_stats` gives no counts",
        STATS,
        Op::Remove("/output_tokens"),
    )
    .caught_by(&["body-stats"]),
    body(
        "stats-are-wrong",
        "`get_session_stats` does not give the sum of the turns",
        STATS,
        Op::Set("/input_tokens", "5"),
    )
    .every()
    .caught_by(&["stats-are-sums"]),
    body(
        "no-new-session-id",
        "`new_session` does not give the id of the new session",
        NEW_SESSION,
        Op::Remove("/session_id"),
    )
    .caught_by(&["body-new-session"]),
    body(
        "set-model-echoes-another",
        "`set_model` is answered by another model than was asked for",
        SET_MODEL,
        Op::Set("/model", "\"local/third\""),
    )
    .caught_by(&["set-model-echoed", "model-current"]),
];
