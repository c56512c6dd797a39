//! The body of an answer, which is recorded while it is streamed to the agent.

use crate::model_script;
use crate::recording::Recording;
use bytes::Bytes;
use conform_judge::frame::{Body as FrameBody, LlmReply, ReplyEnd};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use mock_provider::ContentEncodings;
use serde_json::Value;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The largest recorded body, in bytes. A larger one is not recorded at all.
const BODY_LIMIT: usize = 16 << 20;

/// The record of an answer. It is written when the answer ends, or when it is dropped because the agent has disconnected.
pub(super) struct ReplyNote {
    recording: Recording,
    n: u64,
    path: String,
    /// The HTTP status; 0 before the head of the answer.
    pub(super) status: u16,
    /// How the body is encoded: servers may compress although they were asked not to.
    pub(super) encodings: ContentEncodings,
    /// The body so far; `None` if it is too large.
    body: Option<Vec<u8>>,
    is_written: bool,
}

impl ReplyNote {
    /// The record of the answer to request `n`, which went to `path`.
    pub(super) fn new(recording: Recording, n: u64, path: &str) -> Self {
        ReplyNote {
            recording,
            n,
            path: path.to_owned(),
            status: 0,
            encodings: ContentEncodings::default(),
            body: Some(Vec::new()),
            is_written: false,
        }
    }

    /// Adds a part of the body.
    fn keep(&mut self, part: &[u8]) {
        let fits = |body: &Vec<u8>| body.len() + part.len() <= BODY_LIMIT;
        self.body = self.body.take().filter(fits);
        if let Some(body) = &mut self.body {
            body.extend_from_slice(part);
        }
    }

    /// The body without its encodings, as far as it came: an answer that was cut still has its beginning.
    fn take_body(&mut self) -> Option<Bytes> {
        let body = self.body.take()?;
        Some(self.encodings.decode(body.into(), BODY_LIMIT).bytes)
    }

    /// Records the end of the answer, unless it is already recorded.
    pub(super) fn ended(&mut self, end: ReplyEnd) {
        if !std::mem::replace(&mut self.is_written, true) {
            let mut reply = LlmReply {
                n: self.n,
                status: self.status,
                message: None,
                end,
                body: self.take_body().and_then(|body| document(&body)),
            };
            reply.message = model_script::message_of(&self.path, &reply);
            self.recording.add(FrameBody::LlmReply(reply));
        }
    }
}

/// A body in the form of a transcript: JSON, or its text.
fn document(body: &[u8]) -> Option<Value> {
    if body.is_empty() {
        return None;
    }
    let read: Result<Value, _> = serde_json::from_slice(body);
    let document = read.unwrap_or_else(|_| String::from_utf8_lossy(body).into());
    Some(document).filter(|document| !document.is_null())
}

impl Drop for ReplyNote {
    fn drop(&mut self) {
        self.ended(ReplyEnd::ClientClosed);
    }
}

/// A body that forwards everything and records how it ends.
pub(super) struct RecordedBody {
    inner: Incoming,
    note: ReplyNote,
}

impl RecordedBody {
    /// Wraps the body of the answer that `note` records.
    pub(super) fn new(inner: Incoming, note: ReplyNote) -> Self {
        let mut body = RecordedBody { inner, note };
        body.note_the_end();
        body
    }

    fn note_the_end(&mut self) {
        if self.inner.is_end_stream() {
            self.note.ended(ReplyEnd::Complete);
        }
    }
}

impl Body for RecordedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        match &polled {
            Poll::Ready(None) => self.note.ended(ReplyEnd::Complete),
            Poll::Ready(Some(Err(_))) => self.note.ended(ReplyEnd::Cut),
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(part) = frame.data_ref() {
                    self.note.keep(part);
                }
                self.note_the_end();
            }
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
