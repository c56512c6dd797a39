//! The journal of the model alone: a JSON object a line, in the words of a transcript.

use crate::cli::exit::ExitStatus;
use mock_provider::server::{JournalEntry, JournalEvent};
use mock_provider::{FailureKind, ScriptFailure};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Writes the journal, and remembers whether anything was wrong.
pub(super) struct JournalWriter {
    started: Instant,
    out: Mutex<Box<dyn Write + Send>>,
    failed: AtomicBool,
    unforeseen: AtomicBool,
}

impl JournalWriter {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        JournalWriter {
            started: Instant::now(),
            out: Mutex::new(out),
            failed: AtomicBool::new(false),
            unforeseen: AtomicBool::new(false),
        }
    }

    /// Keeps the journal waiting until the guard is dropped.
    pub(super) fn hold(&self) -> MutexGuard<'_, Box<dyn Write + Send>> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the requests come to: a request that the script does not foresee is no violation, but the script was left.
    pub(super) fn status(&self) -> ExitStatus {
        if self.failed.load(Ordering::Acquire) {
            ExitStatus::Violations
        } else if self.unforeseen.load(Ordering::Acquire) {
            ExitStatus::Incomplete
        } else {
            ExitStatus::Conformant
        }
    }

    /// Writes what happened.
    pub(super) fn note(&self, entry: &JournalEntry) {
        let at = entry.at.duration_since(self.started).as_micros();
        self.write(match &entry.event {
            JournalEvent::Request(arrived) => json!({
                "at": at, "dir": "llm_request", "n": arrived.n, "method": arrived.method, "path": arrived.path, "body": arrived.json(),
            }),
            JournalEvent::Failure(failure) if failure.kind == FailureKind::SideRequest => return,
            JournalEvent::Failure(failure) => {
                let flag = match failure.kind {
                    FailureKind::Exhausted | FailureKind::Unmatched => &self.unforeseen,
                    _ => &self.failed,
                };
                flag.store(true, Ordering::Release);
                told(at, failure)
            }
            JournalEvent::Waiting { .. } => return,
            JournalEvent::Reply { n, status, reply, end } => json!({
                "at": at, "dir": "llm_reply", "n": n, "status": status, "end": end.as_str(), "reply": reply,
            }),
        });
    }

    /// Writes that a reply was not asked for, which is no failure of a model that was only ended early.
    pub(super) fn unused(&self, failure: &ScriptFailure) {
        self.write(told(self.started.elapsed().as_micros(), failure));
    }

    fn write(&self, record: Value) {
        let mut out = self.hold();
        // A reader that went away does not end the model.
        let _ = writeln!(out, "{record}").and_then(|()| out.flush());
    }
}

fn told(at: u128, failure: &ScriptFailure) -> Value {
    json!({
        "at": at, "failure": failure.kind.as_str(), "n": failure.request, "pointer": failure.pointer, "message": failure.message,
        "expected": failure.expected, "actual": failure.actual,
    })
}
