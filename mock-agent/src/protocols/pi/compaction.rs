//! "Compaction events" of the page, and the answers to `compact`.

use super::messages::{bare_frame, totalled, usage};
use super::responses::response;
use super::session_log::LogEntry;
use super::state::PiState;
use crate::core::compaction::ABORTED;
use crate::core::event::CompactionReason;
use crate::core::event::{Summary, SummaryRetry};
use crate::core::failure::Failure;
use serde_json::{Value, json};

/// The average size of a token in bytes.
const BYTES_PER_TOKEN: usize = 4;

impl PiState {
    pub(super) fn compacted(&mut self, summary: &Summary) -> Vec<Value> {
        let reason = self.compacting.take().unwrap_or(CompactionReason::Manual);
        let usage = usage(summary.usage, self.model_info.rates);
        if self.version.counts_compactions() {
            let log = &mut self.log;
            let removed = log.entries.iter().map(|entry| &entry.message["usage"]);
            log.removed_usage
                .extend(removed.filter(|usage| usage.is_object()).cloned());
            log.removed_usage.push(usage.clone());
        }
        self.log.entries.clear();
        let (timestamp, id) = (self.clock.tick(), self.next_id());
        let more = json!({ "summary": summary.text, "firstKeptEntryId": id, "tokensBefore": summary.before });
        self.append_entry("compaction", &id, more);
        let message = json!({
            "role": "compactionSummary",
            "summary": summary.text,
            "tokensBefore": summary.before,
            "timestamp": timestamp,
        });
        self.log.entries.push(LogEntry { id, message });
        self.log.unmeasured = true;
        let first = self.log.entries.first().map(|entry| entry.id.clone());
        let mut result = json!({
            "summary": summary.text,
            "firstKeptEntryId": first,
            "tokensBefore": summary.before,
            "details": {},
        });
        if self.version.counts_compactions() {
            result["estimatedTokensAfter"] = json!(summary.text.len().div_ceil(BYTES_PER_TOKEN));
            result["usage"] = totalled(usage);
        }
        let mut frames = vec![json!({
            "type": "compaction_end",
            "reason": reason_name(reason),
            "result": result,
            "aborted": false,
            "willRetry": reason == CompactionReason::Overflow,
        })];
        if reason == CompactionReason::Manual && !self.pending_compacts.is_empty() {
            let id = self.pending_compacts.remove(0);
            frames.push(response(id.as_ref(), "compact", Ok(Some(result))));
        }
        frames.extend(self.work_ended());
        frames
    }

    pub(super) fn compaction_failed(
        &mut self,
        reason: CompactionReason,
        failure: &Failure,
    ) -> Vec<Value> {
        let aborted = failure.message == ABORTED;
        let mut end = json!({
            "type": "compaction_end",
            "reason": reason_name(reason),
            "result": null,
            "aborted": aborted,
            "willRetry": false,
        });
        if self.version.omits_nulls()
            && let Some(end) = end.as_object_mut()
        {
            end.remove("result");
        }
        if !aborted {
            end["errorMessage"] = json!(failure.message);
        }
        let mut frames = vec![end];
        if reason == CompactionReason::Manual && !self.pending_compacts.is_empty() {
            let id = self.pending_compacts.remove(0);
            let why = Err(failure.message.clone());
            frames.push(response(id.as_ref(), "compact", why));
        }
        frames.extend(self.work_ended());
        frames
    }
}

/// "compaction_start".
pub(super) fn compaction_start(reason: CompactionReason) -> Value {
    json!({ "type": "compaction_start", "reason": reason_name(reason) })
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
            "reason": reason_name(*reason),
        }),
        SummaryRetry::Finished => bare_frame("summarization_retry_finished"),
    }
}

fn reason_name(reason: CompactionReason) -> &'static str {
    match reason {
        CompactionReason::Manual => "manual",
        CompactionReason::Threshold => "threshold",
        CompactionReason::Overflow => "overflow",
    }
}
