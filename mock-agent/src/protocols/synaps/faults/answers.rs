//! Wrong bodies of responses.

use super::conditions::{MESSAGES, MODELS, NEW_SESSION, SET_MODEL, STATE, STATS};
use crate::faults::{Fault, Op, frame};
use serde_json::{Value, json};

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
    .caught_by(&["body-messages", "query-tells"]),
    body(
        "messages-are-empty",
        "`get_messages` is answered by an empty list in any case",
        MESSAGES,
        Op::Set("/messages", "[]"),
    )
    .every()
    .caught_by(&["history-kept", "counts-agree"]),
    body(
        "messages-are-stale",
        "`get_messages` leaves out the last two messages",
        MESSAGES,
        Op::Change(|frame| {
            messages(frame, |list| list.truncate(list.len().saturating_sub(2)));
        }),
    )
    .every()
    .caught_by(&["history-kept", "counts-agree"]),
    body(
        "messages-of-the-user-only",
        "`get_messages` tells only what the user said",
        MESSAGES,
        Op::Change(|frame| messages(frame, |list| list.retain(|one| one["role"] == "user"))),
    )
    .every()
    .caught_by(&["history-kept", "counts-agree"]),
    body(
        "messages-in-reverse",
        "`get_messages` tells the newest message first",
        MESSAGES,
        Op::Change(|frame| messages(frame, |list| list.reverse())),
    )
    .every()
    .caught_by(&["history-in-order"]),
    body(
        "messages-of-the-old-session",
        "`get_messages` tells something of the session before",
        MESSAGES,
        Op::Change(|frame| {
            messages(frame, |list| {
                if list.is_empty() {
                    list.push(json!({ "role": "user", "content": "two of them were white" }));
                }
            });
        }),
    )
    .every()
    .later()
    .caught_by(&["history-discarded", "counts-agree"]),
    body(
        "messages-are-untold",
        "`get_messages` is answered by a response without a body",
        MESSAGES,
        Op::Remove("/messages"),
    )
    .every()
    .caught_by(&["query-tells", "history-kept", "body-messages"]),
    body(
        "models-are-an-object",
        "`get_available_models` is answered by an object",
        MODELS,
        Op::Set("/models", "{}"),
    )
    .caught_by(&["body-models", "models-listed"]),
    body(
        "models-are-empty",
        "`get_available_models` is answered by an empty list",
        MODELS,
        Op::Set("/models", "[]"),
    )
    .caught_by(&["models-listed"]),
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
    .caught_by(&["state-streaming"]),
    body(
        "state-is-always-busy",
        "`get_state` says that a turn runs in any case",
        STATE,
        Op::Set("/streaming", "true"),
    )
    .every()
    .later()
    .caught_by(&["state-idle"]),
    body(
        "state-counts-otherwise",
        "`get_state` counts other messages than there are",
        STATE,
        Op::Set("/message_count", "99"),
    )
    .every()
    .later()
    .caught_by(&["counts-agree"]),
    body(
        "stats-of-another-model",
        "`get_session_stats` names another model than the active one",
        STATS,
        Op::Set("/model", "\"other\""),
    )
    .caught_by(&["model-current"]),
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
        "stats-are-swapped",
        "`get_session_stats` has input and output exchanged",
        STATS,
        Op::Change(|frame| {
            let input = frame["input_tokens"].take();
            frame["input_tokens"] = frame["output_tokens"].take();
            frame["output_tokens"] = input;
        }),
    )
    .every()
    .caught_by(&["stats-are-sums"]),
    body(
        "stats-of-the-last-turn",
        "`get_session_stats` forgets all turns but one",
        STATS,
        Op::Set("/input_tokens", "4021"),
    )
    .every()
    .caught_by(&["stats-are-sums"]),
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
    body(
        "stats-are-doubled",
        "`get_session_stats` counts every turn twice",
        STATS,
        Op::Change(|frame| {
            for key in ["input_tokens", "output_tokens"] {
                frame[key] = json!(frame[key].as_u64().unwrap_or_default() * 2);
            }
        }),
    )
    .every()
    .caught_by(&["stats-are-sums"]),
    body(
        "stats-without-cache",
        "`get_session_stats` counts no tokens of the cache",
        STATS,
        Op::Set("/cache_read_input_tokens", "0"),
    )
    .every()
    .caught_by(&["stats-are-sums"]),
];

fn messages(frame: &mut Value, change: impl FnOnce(&mut Vec<Value>)) {
    if let Some(Value::Array(list)) = frame.get_mut("messages") {
        change(list);
    }
}
