//! The journal of `conform provider`: one JSON object on each line, in the format of a transcript.

use crate::cli::exit::ExitStatus;
use mock_provider::server::{ExchangeEnd, JournalEntry, JournalEvent, body_json};
use mock_provider::{FailureKind, ScriptFailure};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Writes the journal, and remembers whether a request failed.
pub(super) struct JournalWriter {
    started: Instant,
    out: Mutex<Box<dyn Write + Send>>,
    failed: AtomicBool,
    unscripted: AtomicBool,
}

impl JournalWriter {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        JournalWriter {
            started: Instant::now(),
            out: Mutex::new(out),
            failed: AtomicBool::new(false),
            unscripted: AtomicBool::new(false),
        }
    }

    /// Locks the journal: nothing is written until the guard is dropped.
    pub(super) fn lock(&self) -> MutexGuard<'_, Box<dyn Write + Send>> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exit status: a request without a reply in the script is not a violation, but the run is incomplete.
    pub(super) fn status(&self) -> ExitStatus {
        if self.failed.load(Ordering::Acquire) {
            ExitStatus::Violations
        } else if self.unscripted.load(Ordering::Acquire) {
            ExitStatus::Incomplete
        } else {
            ExitStatus::Conformant
        }
    }

    /// Writes an event of the model server.
    pub(super) fn note(&self, entry: &JournalEntry) {
        let at = entry.at.duration_since(self.started).as_micros();
        match &entry.event {
            JournalEvent::Request(arrived) => self.write(&RequestRecord {
                at,
                dir: "llm_request",
                n: arrived.n,
                method: &arrived.method,
                path: &arrived.path,
                body: RequestBody::new(&arrived.body),
            }),
            JournalEvent::Failure(failure) if failure.kind == FailureKind::SideRequest => {}
            JournalEvent::Failure(failure) => {
                let flag = match failure.kind {
                    FailureKind::NotServed => None,
                    FailureKind::Exhausted | FailureKind::Unmatched => Some(&self.unscripted),
                    _ => Some(&self.failed),
                };
                if let Some(flag) = flag {
                    flag.store(true, Ordering::Release);
                }
                self.write(&failure_record(at, failure));
            }
            JournalEvent::Waiting { .. } => {}
            JournalEvent::Reply {
                n,
                status,
                reply,
                end,
                ..
            } => self.write(&ReplyRecord {
                at,
                dir: "llm_reply",
                n: *n,
                status: *status,
                end: *end,
                reply: *reply,
            }),
        }
    }

    /// Writes that a reply was not requested. That does not change the status, since the model may have been ended early.
    pub(super) fn unused(&self, failure: &ScriptFailure) {
        self.write(&failure_record(self.started.elapsed().as_micros(), failure));
    }

    /// Writes a line, at once: a file is not buffered.
    fn write(&self, record: &impl Serialize) {
        // All keys of a record are strings, so this cannot fail.
        let mut line = serde_json::to_vec(record).unwrap_or_default();
        line.push(b'\n');
        let mut out = self.lock();
        // A closed pipe does not end the model.
        let _ = out.write_all(&line).and_then(|()| out.flush());
    }
}

/// The line of a request.
#[derive(Serialize)]
struct RequestRecord<'a> {
    at: u128,
    dir: &'static str,
    n: u64,
    method: &'a str,
    path: &'a str,
    body: RequestBody<'a>,
}

/// The line of a reply.
#[derive(Serialize)]
struct ReplyRecord {
    at: u128,
    dir: &'static str,
    n: u64,
    status: u16,
    end: ExchangeEnd,
    reply: Option<usize>,
}

/// The body of a request: unchanged if it is JSON on one line, so that it need not be parsed.
#[derive(Serialize)]
#[serde(untagged)]
enum RequestBody<'a> {
    AsSent(&'a RawValue),
    Read(Value),
}

impl<'a> RequestBody<'a> {
    fn new(body: &'a [u8]) -> Self {
        match serde_json::from_slice(body) {
            Ok(sent) if !body.iter().any(|byte| matches!(byte, b'\n' | b'\r')) => {
                RequestBody::AsSent(sent)
            }
            _ => RequestBody::Read(body_json(body)),
        }
    }
}

fn failure_record(at: u128, failure: &ScriptFailure) -> Value {
    json!({
        "at": at, "failure": failure.kind, "n": failure.request, "pointer": failure.pointer, "message": failure.message,
        "expected": failure.expected, "actual": failure.actual,
    })
}
