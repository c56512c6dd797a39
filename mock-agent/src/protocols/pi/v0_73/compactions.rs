//! "Compaction events" of the page.

use super::super::messages::{totalled, usage};
use super::events::kind;
use super::responses::response;
use super::state::{Entry, Modern};
use crate::core::compaction::ABORTED;
use crate::core::event::CompactionReason;
use crate::core::event::{Summary, SummaryRetry};
use crate::core::failure::Failure;
use serde_json::{Value, json};

/// About how many bytes a token has.
const BYTES_OF_TOKEN: usize = 4;

impl Modern {
    pub(super) fn compacted(&mut self, summary: &Summary) -> Vec<Value> {
        let reason = self.compacting.take().unwrap_or(CompactionReason::Manual);
        let usage = usage(summary.usage, self.model_info.rates);
        if self.later.is_some() {
            let log = &mut self.log;
            let told = log.entries.iter().map(|entry| &entry.message["usage"]);
            log.spent
                .extend(told.filter(|usage| usage.is_object()).cloned());
            log.spent.push(usage.clone());
        }
        self.log.entries.clear();
        let (timestamp, id) = (self.clock.tick(), self.next_id());
        if let Some(later) = &mut self.later {
            let more = json!({ "summary": summary.text, "firstKeptEntryId": id, "tokensBefore": summary.before });
            later.ledger.append("compaction", &id, more);
        }
        let message = json!({
            "role": "compactionSummary",
            "summary": summary.text,
            "tokensBefore": summary.before,
            "timestamp": timestamp,
        });
        self.log.entries.push(Entry { id, message });
        self.log.unmeasured = true;
        let first = self.log.entries.first().map(|entry| entry.id.clone());
        let mut result = json!({
            "summary": summary.text,
            "firstKeptEntryId": first,
            "tokensBefore": summary.before,
            "details": {},
        });
        if self.later.is_some() {
            result["estimatedTokensAfter"] = json!(summary.text.len().div_ceil(BYTES_OF_TOKEN));
            result["usage"] = totalled(usage);
        }
        let mut frames = vec![json!({
            "type": "compaction_end",
            "reason": word(reason),
            "result": result,
            "aborted": false,
            "willRetry": reason == CompactionReason::Overflow,
        })];
        if reason == CompactionReason::Manual && !self.compacts.is_empty() {
            let id = self.compacts.remove(0);
            frames.push(response(id.as_ref(), "compact", Ok(Some(result))));
        }
        frames.extend(self.aborted());
        frames
    }

    pub(super) fn not_compacted(
        &mut self,
        reason: CompactionReason,
        failure: &Failure,
    ) -> Vec<Value> {
        let aborted = failure.message == ABORTED;
        let mut end = json!({
            "type": "compaction_end",
            "reason": word(reason),
            "result": null,
            "aborted": aborted,
            "willRetry": false,
        });
        if let (Some(_), Some(end)) = (&self.later, end.as_object_mut()) {
            end.remove("result");
        }
        if !aborted {
            end["errorMessage"] = json!(failure.message);
        }
        let mut frames = vec![end];
        if reason == CompactionReason::Manual && !self.compacts.is_empty() {
            let id = self.compacts.remove(0);
            let why = Err(failure.message.clone());
            frames.push(response(id.as_ref(), "compact", why));
        }
        frames.extend(self.aborted());
        frames
    }
}

/// "compaction_start".
pub(super) fn started(reason: CompactionReason) -> Value {
    json!({ "type": "compaction_start", "reason": word(reason) })
}

/// "summarization_retry_*".
pub(super) fn summary_retry(retry: &SummaryRetry<'_>) -> Value {
    match retry {
        SummaryRetry::Scheduled {
            attempt,
            of,
            delay,
            failure,
        } => json!({
            "type": "summarization_retry_scheduled",
            "attempt": attempt,
            "maxAttempts": of,
            "delayMs": delay.as_millis() as u64,
            "errorMessage": failure.message,
        }),
        SummaryRetry::Starts(reason) => json!({
            "type": "summarization_retry_attempt_start",
            "source": "compaction",
            "reason": word(*reason),
        }),
        SummaryRetry::Finished => kind("summarization_retry_finished"),
    }
}

fn word(reason: CompactionReason) -> &'static str {
    match reason {
        CompactionReason::Manual => "manual",
        CompactionReason::Threshold => "threshold",
        CompactionReason::Overflow => "overflow",
    }
}
