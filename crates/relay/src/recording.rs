//! A recording: the transcript of a relayed session, written as it goes.

use super::redact::{OpenTokens, Redactor};
use super::stage::{Flow, Stage};
use conform_judge::frame::{Body, Frame, Line};
use conform_judge::framing::{Framer, LINE_LIMIT};
use conform_judge::transcript::{Header, TranscriptWriter};
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Called with each frame as it was sent, not redacted.
pub type FrameObserver = Box<dyn FnMut(&Frame) + Send>;

/// The recording of a session, shared by the stages of all directions. Each frame is written before it is passed on, so the
/// transcript has cause and effect in order.
#[derive(Clone)]
pub struct Recording(Arc<Mutex<State>>);

struct State {
    started: Instant,
    /// `None` after a write has failed: the session continues without a transcript.
    transcript: Option<TranscriptWriter<File>>,
    failed: Option<io::Error>,
    redactor: Option<Redactor>,
    open_tokens: OpenTokens,
    observer: Option<FrameObserver>,
    frames: u64,
}

impl Recording {
    /// Starts the transcript.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn new(
        file: File,
        mut header: Header,
        redactor: Option<Redactor>,
        observer: Option<FrameObserver>,
    ) -> io::Result<Self> {
        if let Some(redactor) = &redactor {
            header.agent = redactor.args(&header.agent);
        }
        Ok(Recording(Arc::new(Mutex::new(State {
            started: Instant::now(),
            transcript: Some(TranscriptWriter::new(file, &header)?),
            failed: None,
            redactor,
            open_tokens: OpenTokens::default(),
            observer,
            frames: 0,
        }))))
    }

    /// Records a frame with the current time.
    pub fn add(&self, body: Body) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.add(body);
    }

    /// Ends the recording. Returns the number of frames.
    ///
    /// # Errors
    /// The transcript could not be written to its end.
    pub fn finish(&self) -> io::Result<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.observer = None;
        match state.failed.take() {
            Some(error) => Err(error),
            None => Ok(state.frames),
        }
    }
}

impl State {
    fn add(&mut self, body: Body) {
        let at = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let frame = Frame { at, body };
        if let Some(transcript) = &mut self.transcript {
            let redacted = self.redactor.as_ref().and_then(|redactor| {
                let whole = redactor.frame(&frame);
                let open = &mut self.open_tokens;
                let piece = redactor.piece(whole.as_ref().unwrap_or(&frame), open);
                piece.or(whole)
            });
            match transcript.write(redacted.as_ref().unwrap_or(&frame)) {
                Ok(()) => self.frames += 1,
                Err(error) => {
                    self.transcript = None;
                    self.failed = Some(error);
                }
            }
        }
        if let Some(observer) = &mut self.observer {
            observer(&frame);
        }
    }
}

/// Records the lines of one direction and forwards its bytes unchanged.
pub struct RecordStage {
    recording: Recording,
    framer: Option<Framer>,
    body: fn(Line) -> Body,
    /// The frame for the end of the stream.
    end: Option<Body>,
    /// The frame for a receiver that closes its end first.
    closed: Option<Body>,
}

impl RecordStage {
    /// From the host to the agent.
    #[must_use]
    pub fn to_agent(recording: &Recording) -> Self {
        RecordStage::new(recording, Body::ToAgent, Some(Body::StdinClosed), None)
    }

    /// From the agent's stdout.
    #[must_use]
    pub fn from_agent(recording: &Recording) -> Self {
        RecordStage::new(recording, Body::FromAgent, None, Some(Body::StdoutClosed))
    }

    /// From the agent's stderr.
    #[must_use]
    pub fn stderr(recording: &Recording) -> Self {
        RecordStage::new(recording, Body::Stderr, None, None)
    }

    fn new(
        recording: &Recording,
        body: fn(Line) -> Body,
        end: Option<Body>,
        closed: Option<Body>,
    ) -> Self {
        RecordStage {
            recording: recording.clone(),
            framer: Some(Framer::new(LINE_LIMIT)),
            body,
            end,
            closed,
        }
    }

    fn last_line(&mut self) {
        let (recording, body) = (&self.recording, self.body);
        if let Some(framer) = self.framer.take() {
            framer.finish(&mut |line| recording.add(body(line)));
        }
    }
}

impl Stage for RecordStage {
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow> {
        let (recording, body) = (&self.recording, self.body);
        if let Some(framer) = &mut self.framer {
            framer.push(chunk, &mut |line| recording.add(body(line)));
        }
        out.write_all(chunk).map(|()| Flow::Continue)
    }

    fn end(&mut self, _out: &mut dyn Write) -> io::Result<Flow> {
        self.last_line();
        if let Some(end) = self.end.take() {
            self.recording.add(end);
        }
        Ok(Flow::Continue)
    }

    fn receiver_closed(&mut self) {
        // The rest of the line will not be read, so its beginning is not a line.
        self.framer = None;
        if let Some(closed) = self.closed.take() {
            self.recording.add(closed);
        }
    }
}

impl Drop for RecordStage {
    /// An abandoned stream also has a last line.
    fn drop(&mut self) {
        self.last_line();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::transcript::TranscriptReader;
    use proptest::prelude::*;
    use std::io::{BufReader, Seek};

    fn recorded(chunks: &[Vec<u8>]) -> (Vec<u8>, Vec<Body>) {
        let mut file = tempfile::tempfile().unwrap();
        let written = file.try_clone().unwrap();
        let recording = Recording::new(written, Header::default(), None, None).unwrap();
        let mut stage = RecordStage::to_agent(&recording);
        let mut out = Vec::new();
        for chunk in chunks {
            stage.pass(chunk, &mut out).unwrap();
        }
        stage.end(&mut out).unwrap();
        drop(stage);
        file.rewind().unwrap();
        let reader = TranscriptReader::new(BufReader::new(file)).unwrap();
        (out, reader.map(|frame| frame.unwrap().body).collect())
    }

    proptest! {
        #[test]
        fn the_transcript_and_the_receiver_have_the_bytes_whatever_the_chunks(
            bytes in proptest::collection::vec(prop_oneof![4 => any::<u8>(), 1 => Just(b'\n'), 1 => Just(b'\r')], 0..200),
            size in 1_usize..40,
        ) {
            let chunks: Vec<Vec<u8>> = bytes.chunks(size).map(<[u8]>::to_vec).collect();
            let (out, frames) = recorded(&chunks);
            prop_assert_eq!(&out, &bytes);
            let (_, whole) = recorded(std::slice::from_ref(&bytes));
            prop_assert_eq!(frames, whole);
        }
    }
}
