//! What the session tells of itself that does not fit what it told before.

use super::{event, response};
use crate::faults::{Fault, Op};
use serde_json::{Value, json};

const STATE: super::When = &[("/command", "get_state"), ("/success", "true")];
const STATS: super::When = &[("/command", "get_session_stats"), ("/success", "true")];
const RETRIED: super::When = &[("/success", "true")];

/// The last message is of another time.
fn rewrite(response: &mut Value) {
    if let Some(last) = response
        .pointer_mut("/data/messages")
        .and_then(Value::as_array_mut)
        .and_then(|messages| messages.last_mut())
    {
        last["timestamp"] = json!(1_764_547_299_999_u64);
    }
}

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
    response("steer-unanswered", "`steer` is not answered", &[("/command", "steer"), ("/success", "true")], Op::Drop, &["queued-answered", "answered", "scenario:queue/steer-after-the-tools", "scenario:queue/steers-one-at-a-time"]).later(),
    response("change-of-session-unanswered", "`new_session` is not answered", &[("/command", "new_session")], Op::Drop, &["session-answered", "scenario:session/new", "answered"]).later(),
    response("compact-unanswered", "`compact` is not answered", &[("/command", "compact"), ("/success", "true")], Op::Drop, &["compact-answered", "scenario:compact/manual", "answered"]).later(),
    event("manual-end-untold", "the end of a compaction that was asked for is not told", "compaction_end", Op::Drop, &["compaction-told", "compaction-envelope", "scenario:compact/manual"]).when(&[("/reason", "manual")]).later(),
    event("empty-queue-untold", "that the queue is empty again is not told", "queue_update", Op::Drop, &["state-of-queue"]).when(&[("/steering", "[]"), ("/followUp", "[]")]).every().later(),
    event("queued-twice", "the queue holds a message twice", "queue_update", Op::Set("/steering", r#"["backwards now","backwards now"]"#), &["queue-contents"]).when(&[("/steering/0", "backwards now")]),
    response("pending-of-nothing", "the state counts messages that nobody queued", STATE, Op::Set("/data/pendingMessageCount", "4"), &["nothing-pending"]),
    response("model-of-another-provider", "`set_model` tells another provider's model", &[("/command", "set_model"), ("/success", "true")], Op::Set("/data/provider", "\"nobody\""), &["model-as-asked", "scenario:model/set"]),
    response("session-of-another-id", "the statistics are of another session", STATS, Op::Set("/data/sessionId", "\"another\""), &["same-session"]),
    response("history-rewritten", "the conversation tells another message than its run did", &[("/command", "get_messages"), ("/id", "m"), ("/success", "true")], Op::Change(rewrite), &["history-told"]),
    response("fork-of-another-text", "a fork tells another message than was chosen", &[("/command", "fork"), ("/data/cancelled", "false")], Op::Set("/data/text", "\"another\""), &["fork-text", "scenario:session/fork"]),
    response("messages-do-not-add-up", "there are fewer messages in all than of the user", &[("/command", "get_session_stats"), ("/data/userMessages", "1")], Op::Set("/data/totalMessages", "0"), &["stats-add-up", "scenario:session/stats"]),
    event("retry-success-untold", "retries that worked do not end", "auto_retry_end", Op::Drop, &["retry-success-told", "retry-ends", "retry-envelope"]).when(RETRIED).later(),
    event("retries-miscounted", "`auto_retry_end` counts an attempt that never started", "auto_retry_end", Op::Set("/attempt", "3"), &["retry-end-attempt"]).when(RETRIED),
    event("failure-is-success", "retries that failed end with success", "auto_retry_end", Op::Set("/success", "true"), &["retry-end-success", "schema/auto_retry_end"]).when(&[("/success", "false")]),
];
