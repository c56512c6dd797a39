//! A transcript reader that can peek at the first frames before they are judged.

use conform_judge::frame::{Body, Frame};
use conform_judge::transcript::{Header, TranscriptError, TranscriptReader};
use std::collections::VecDeque;
use std::io::BufRead;

type Input = Box<dyn BufRead>;

/// Reads a transcript. Frames that were peeked at are returned again.
pub(super) struct PeekReader {
    reader: TranscriptReader<Input>,
    peeked: VecDeque<Frame>,
    error: Option<TranscriptError>,
}

impl PeekReader {
    pub(super) fn new(reader: TranscriptReader<Input>) -> Self {
        PeekReader {
            reader,
            peeked: VecDeque::new(),
            error: None,
        }
    }

    pub(super) fn header(&self) -> Option<&Header> {
        self.reader.header()
    }

    /// Peeks at the first frames: at most `most` frames, and none after `bytes` bytes of lines.
    pub(super) fn peek(&mut self, most: usize, bytes: usize) -> &[Frame] {
        let mut read = 0;
        while self.peeked.len() < most && read < bytes && self.error.is_none() {
            match self.reader.next() {
                Some(Ok(frame)) => {
                    read += size(&frame);
                    self.peeked.push_back(frame);
                }
                Some(Err(error)) => self.error = Some(error),
                None => break,
            }
        }
        self.peeked.make_contiguous()
    }
}

fn size(frame: &Frame) -> usize {
    match &frame.body {
        Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line) => line.bytes.len(),
        _ => 0,
    }
}

impl Iterator for PeekReader {
    type Item = Result<Frame, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.peeked.pop_front() {
            Some(frame) => Some(Ok(frame)),
            None => self.error.take().map(Err).or_else(|| self.reader.next()),
        }
    }
}
