//! Responses: the stream, the document, and errors.
//!
//! Sources: <https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse>, and recorded responses in
//! <https://github.com/FirebaseExtended/vertexai-sdk-test-data>.

use serde_json::{Value, json};

use super::parts::{PartWriter, merge};
use crate::answer::{AnswerMessage, Chunk, HttpError, Piece, Usage};
use crate::request::{AnswerForm, Wire};
use crate::script::{Stop, StreamError};
use crate::wire::dispatch::message_id;
use crate::wire::encoder::{Encoder, EventBuffer, WireContext};

/// A message as a stream of responses.
pub(in crate::wire) struct GeminiStream<'a> {
    context: &'a WireContext<'a>,
    message: &'a AnswerMessage,
    parts: PartWriter,
    is_array: bool,
    started: bool,
    has_ended: bool,
    /// The call at the end of the message, whose response also has the reason of the end.
    last_call: Option<(usize, Stop)>,
}

impl<'a> GeminiStream<'a> {
    pub(in crate::wire) fn new(context: &'a WireContext<'a>, message: &'a AnswerMessage) -> Self {
        GeminiStream {
            context,
            message,
            parts: PartWriter::default(),
            is_array: context.request.form == AnswerForm::Array,
            started: false,
            has_ended: false,
            last_call: match message.pieces.as_slice() {
                [
                    ..,
                    Piece::Chunk(Chunk::End { index }),
                    Piece::Chunk(Chunk::Stop(stop)),
                ] => Some((*index, *stop)),
                _ => None,
            },
        }
    }

    /// Writes a response: an event, or an element of the array.
    fn response(&mut self, document: &Value, is_last: bool, out: &mut EventBuffer) {
        if !self.is_array {
            return out.data().json(document).end();
        }
        let is_first = !std::mem::replace(&mut self.started, true);
        out.raw(if is_first { "[" } else { ",\r\n" }).json(document);
        out.whole(if is_last { b"\n]\n" } else { b"\n" });
    }
}

impl Encoder for GeminiStream<'_> {
    fn chunk(&mut self, chunk: &Chunk, out: &mut EventBuffer) {
        let part = self.parts.part(chunk);
        let last = self.last_call.filter(|_| part.is_some());
        let stop = match (chunk, last) {
            (Chunk::Stop(_), _) if self.has_ended => return,
            (Chunk::Stop(stop), _) => Some(*stop),
            (Chunk::End { index }, Some((call, stop))) if *index == call => Some(stop),
            _ => None,
        };
        self.has_ended = stop.is_some();
        let empty = || json!({ "text": "" });
        let parts: Vec<Value> = part.or_else(|| stop.map(|_| empty())).into_iter().collect();
        if !parts.is_empty() {
            let document = self.document(parts, stop);
            self.response(&document, stop.is_some(), out);
        }
    }

    /// In a stream of events, an error is a document between the events: <https://github.com/googleapis/js-genai/issues/461>,
    /// <https://github.com/googleapis/python-genai/issues/1162>.
    fn error(&mut self, StreamError { kind, message }: &StreamError, out: &mut EventBuffer) {
        let (kind, _) = Wire::Gemini.error_words(kind);
        let error = HttpError::new(Wire::Gemini.status_of(&kind), kind, message);
        let document = error_document(&error);
        if self.is_array {
            return self.response(&document, true, out);
        }
        let text = format!("{document:#}\n");
        out.whole(text.as_bytes());
    }

    /// A blank line: the SDKs of the vendor cannot read comments.
    fn ping(&self, out: &mut EventBuffer) {
        out.whole(b"\n");
    }
}

impl GeminiStream<'_> {
    /// The response with these parts.
    fn document(&self, parts: Vec<Value>, stop: Option<Stop>) -> Value {
        let (context, message) = (self.context, self.message);
        let is_blocked = stop == Some(Stop::Refusal) && message.starts().next().is_none();
        let mut document = if is_blocked {
            json!({ "promptFeedback": { "blockReason": "SAFETY" } })
        } else {
            json!({ "candidates": [self.candidate(parts, stop)] })
        };
        document["usageMetadata"] = usage_document(message.usage, stop.is_some() && !is_blocked);
        document["modelVersion"] = context.request.model().into();
        document["responseId"] = message_id(Wire::Gemini, context.seed, message).into();
        document
    }

    fn candidate(&self, parts: Vec<Value>, stop: Option<Stop>) -> Value {
        let mut candidate = json!({ "content": { "parts": parts, "role": "model" } });
        if parts_are_missing(&candidate) {
            candidate["content"] = json!({ "role": "model" });
        }
        match (stop, &self.parts.malformed) {
            (Some(_), Some(call)) => {
                candidate["content"] = json!({});
                candidate["finishReason"] = "MALFORMED_FUNCTION_CALL".into();
                candidate["finishMessage"] = format!("Malformed function call: {call}").into();
            }
            (Some(stop), None) => candidate["finishReason"] = finish_reason(stop).into(),
            (None, _) => {}
        }
        candidate["index"] = 0.into();
        candidate
    }
}

fn parts_are_missing(candidate: &Value) -> bool {
    candidate["content"]["parts"] == json!([])
}

/// A message as one document.
pub(in crate::wire) fn whole(context: &WireContext, message: &AnswerMessage) -> Value {
    let mut stream = GeminiStream::new(context, message);
    let mut parts = Vec::new();
    for chunk in message.chunks() {
        if let Some(part) = stream.parts.part(chunk) {
            merge(&mut parts, part);
        }
    }
    stream.document(parts, Some(message.stop().unwrap_or(Stop::EndTurn)))
}

/// Source: <https://ai.google.dev/api/generate-content#FinishReason>.
fn finish_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::StopSequence | Stop::PauseTurn | Stop::ToolUse => "STOP",
        Stop::MaxTokens | Stop::ModelContextWindowExceeded => "MAX_TOKENS",
        Stop::Refusal => "SAFETY",
    }
}

/// Source: <https://ai.google.dev/api/generate-content#UsageMetadata>. Thoughts are not counted among the candidates.
fn usage_document(used: Usage, with_output: bool) -> Value {
    let prompt = used.all_input();
    let mut document = json!({ "promptTokenCount": prompt });
    if with_output {
        document["candidatesTokenCount"] = used.output.saturating_sub(used.reasoning).into();
    }
    let output = if with_output { used.output } else { 0 };
    document["totalTokenCount"] = (prompt + output).into();
    if used.cache_read > 0 {
        document["cachedContentTokenCount"] = used.cache_read.into();
    }
    document["promptTokensDetails"] = json!([{ "modality": "TEXT", "tokenCount": prompt }]);
    if with_output && used.reasoning > 0 {
        document["thoughtsTokenCount"] = used.reasoning.into();
    }
    document
}

/// The document of an error: <https://google.aip.dev/193>.
pub(in crate::wire) fn error_document(error: &HttpError) -> Value {
    let HttpError {
        status,
        kind,
        message,
        details,
    } = error;
    let detail = |kind: &str, mut members: Value| {
        members["@type"] = format!("type.googleapis.com/google.rpc.{kind}").into();
        members
    };
    let reason = details.code.as_ref().map(|reason| {
        let metadata = json!({ "service": "generativelanguage.googleapis.com" });
        let members = json!({ "reason": reason, "domain": "googleapis.com", "metadata": metadata });
        detail("ErrorInfo", members)
    });
    let violation = details.param.as_ref().map(|field| {
        let violations = json!([{ "field": field, "description": message }]);
        detail("BadRequest", json!({ "fieldViolations": violations }))
    });
    let retry = crate::headers::text(&details.headers, "retry-after");
    let retry =
        retry.map(|seconds| detail("RetryInfo", json!({ "retryDelay": format!("{seconds}s") })));
    let details: Vec<Value> = [reason, violation, retry].into_iter().flatten().collect();
    let mut document = json!({ "code": status, "message": message, "status": kind });
    if !details.is_empty() {
        document["details"] = details.into();
    }
    json!({ "error": document })
}
