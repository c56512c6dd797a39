//! A transcript whose first frames can be looked at before it is judged.

use crate::frame::{Body, Frame};
use crate::transcript::{Error, Header, TranscriptReader};
use std::collections::VecDeque;
use std::io::BufRead;

type Input = Box<dyn BufRead>;

/// Reads a transcript; what was looked at comes again.
pub(super) struct PeekReader {
    reader: TranscriptReader<Input>,
    first: VecDeque<Frame>,
    error: Option<Error>,
}

impl PeekReader {
    pub(super) fn new(reader: TranscriptReader<Input>) -> Self {
        PeekReader {
            reader,
            first: VecDeque::new(),
            error: None,
        }
    }

    pub(super) fn header(&self) -> Option<&Header> {
        self.reader.header()
    }

    /// The first frames, at most so many, and at most so many bytes in lines before the last.
    pub(super) fn first(&mut self, most: usize, bytes: usize) -> &[Frame] {
        let mut held = 0;
        while self.first.len() < most && held < bytes && self.error.is_none() {
            match self.reader.next() {
                Some(Ok(frame)) => {
                    held += size(&frame);
                    self.first.push_back(frame);
                }
                Some(Err(error)) => self.error = Some(error),
                None => break,
            }
        }
        self.first.make_contiguous()
    }
}

fn size(frame: &Frame) -> usize {
    match &frame.body {
        Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line) => line.bytes.len(),
        _ => 0,
    }
}

impl Iterator for PeekReader {
    type Item = Result<Frame, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.first.pop_front() {
            Some(frame) => Some(Ok(frame)),
            None => self.error.take().map(Err).or_else(|| self.reader.next()),
        }
    }
}
