//! "Compaction events" of the specification, and the answers to `compact`.

use super::messages::{bare_frame, usage};
use super::responses::{data, response};
use super::{Answer, LogEntry, PiState, V0_87};
use crate::core::{
    ABORTED, CompactionReason, Failure, FailureSource, ScheduledRetry, Summary, SummaryRetry,
};
use crate::protocols::frames::present;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The average size of a token in bytes.
const BYTES_PER_TOKEN: usize = 4;

const NOTHING: &str = "Nothing to compact (session too small)";

impl PiState {
    pub(super) fn compacted(&mut self, summary: &Summary) -> Vec<Value> {
        let reason = self.compacting.take().unwrap_or(CompactionReason::Manual);
        let id = self.next_id();
        let (summarized, kept) = self
            .log
            .entries
            .split_at(self.first_kept(summary.kept_prompts));
        let mut entry = json!({
            "summary": summary.text,
            "firstKeptEntryId": kept.first().map_or(&id, |entry| &entry.id),
            "tokensBefore": summary.before,
            "details": files(summarized),
        });
        let mut result = entry.clone();
        if self.version >= V0_87 {
            let usage = usage(self.version, summary.usage, self.model_info.rates);
            entry["usage"] = usage.clone();
            entry["fromHook"] = json!(false);
            if let Some(system) = self.log.of_role("system").next() {
                entry["systemMessage"] = system.message.clone();
            }
            result["estimatedTokensAfter"] = json!(summary.text.len().div_ceil(BYTES_PER_TOKEN));
            result["usage"] = usage;
        }
        self.log.tree.append("compaction", &id, entry);
        self.log.entries = self.log.tree.context();
        self.log.unmeasured = true;
        let end = json!({
            "type": "compaction_end",
            "reason": reason,
            "result": result,
            "aborted": false,
            "willRetry": reason == CompactionReason::Overflow,
        });
        self.compaction_ended(reason, end, data(result))
    }

    /// The end of a compaction, and the answer to the command that asked for it.
    fn compaction_ended(
        &mut self,
        reason: CompactionReason,
        end: Value,
        answer: Answer,
    ) -> Vec<Value> {
        let mut frames = vec![end];
        if reason == CompactionReason::Manual && !self.pending_compacts.is_empty() {
            let id = self.pending_compacts.remove(0);
            frames.extend(response(&id, "compact", answer));
        }
        frames.extend(self.work_ended());
        frames
    }

    fn first_kept(&self, prompts: usize) -> usize {
        let entries = &self.log.entries;
        let is_prompt = |place: &usize| {
            let role = &entries[*place].message["role"];
            role == "user" || role == "bashExecution"
        };
        let places = (0..entries.len()).rev().filter(is_prompt).take(prompts);
        places.last().unwrap_or(entries.len())
    }

    pub(super) fn compaction_failed(
        &mut self,
        reason: CompactionReason,
        failure: &Failure,
    ) -> Vec<Value> {
        let aborted = failure.message == ABORTED;
        let mut end = json!({
            "type": "compaction_end",
            "reason": reason,
            "result": null,
            "aborted": aborted,
            "willRetry": false,
        });
        if self.version >= V0_87 {
            end = present(end);
        }
        let why = match failure.source {
            FailureSource::Protocol => NOTHING,
            _ => failure.message.as_str(),
        };
        if !aborted {
            end["errorMessage"] = json!(why);
        }
        self.compaction_ended(reason, end, Err(why.to_owned()))
    }
}

pub(super) fn compaction_v0_14(summary: &Summary) -> Value {
    present(json!({
        "type": "compaction",
        "summary": summary.text,
        "tokensBefore": summary.before,
        "auto": summary.auto.then_some(true),
    }))
}

/// The files that the tool calls of these messages have read, and those that they have changed.
fn files(entries: &[LogEntry]) -> Value {
    let contents = entries.iter().map(|entry| &entry.message["content"]);
    let blocks = contents.flat_map(|content| content.as_array().into_iter().flatten());
    let (mut read, mut modified) = (BTreeSet::new(), BTreeSet::new());
    for call in blocks.filter(|block| block["type"] == "toolCall") {
        let Some(path) = call["arguments"]["path"].as_str() else {
            continue;
        };
        match call["name"].as_str() {
            Some("read") => read.insert(path),
            Some("edit" | "write") => modified.insert(path),
            _ => continue,
        };
    }
    let only_read: Vec<_> = read.difference(&modified).collect();
    json!({ "readFiles": only_read, "modifiedFiles": modified })
}

pub(super) fn compaction_start(reason: CompactionReason) -> Value {
    json!({ "type": "compaction_start", "reason": reason })
}

pub(super) fn summary_retry(retry: &SummaryRetry<'_>) -> Value {
    match retry {
        SummaryRetry::Scheduled(retry) => scheduled("summarization_retry_scheduled", retry),
        SummaryRetry::Starts(reason) => json!({
            "type": "summarization_retry_attempt_start",
            "source": "compaction",
            "reason": reason,
        }),
        SummaryRetry::Finished => bare_frame("summarization_retry_finished"),
    }
}

/// The frame of this type about a retry.
pub(super) fn scheduled(kind: &str, retry: &ScheduledRetry<'_>) -> Value {
    json!({
        "type": kind,
        "attempt": retry.attempt,
        "maxAttempts": retry.of,
        "delayMs": retry.delay.as_millis() as u64,
        "errorMessage": retry.failure.message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_read_and_changed_is_a_changed_file() {
        let call = |name: &str, path: &str| json!({ "type": "toolCall", "name": name, "arguments": { "path": path } });
        let message = |content| LogEntry {
            id: String::new(),
            message: json!({ "role": "assistant", "content": content }),
        };
        let entries = [
            message(json!([{ "type": "text", "text": "x" }, call("read", "b")])),
            message(json!([
                call("read", "a"),
                call("edit", "b"),
                call("bash", "c")
            ])),
        ];

        let expected = json!({ "readFiles": ["a"], "modifiedFiles": ["b"] });
        assert_eq!(files(&entries), expected);
    }
}
