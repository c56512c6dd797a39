//! The transcript reader: reads transcripts and plain captures of stdout, one frame at a time.

use super::record::{self, ReadRecord};
use super::{Header, Problem, TranscriptError};
use crate::frame::{Body, Eol, Frame, Line};
use crate::framing::{Framer, LINE_LIMIT};
use std::io::BufRead;

/// The longest record that the reader accepts: a line at its limit with every byte escaped as `\u00XX`, and some room for the rest.
const RECORD_LIMIT: usize = 6 * LINE_LIMIT + (64 << 10);

/// Reads a transcript frame by frame, in bounded memory. As an iterator it ends after the first error.
#[derive(Debug)]
pub struct TranscriptReader<R> {
    input: R,
    header: Option<Header>,
    first: Option<Line>,
    line: u64,
    done: bool,
}

impl<R: BufRead> TranscriptReader<R> {
    /// Reads the header, if there is one.
    ///
    /// # Errors
    /// A header that is broken, cut or of an unknown version; any error of reading the input.
    pub fn new(input: R) -> Result<Self, TranscriptError> {
        let mut reader = TranscriptReader {
            input,
            header: None,
            first: None,
            line: 0,
            done: false,
        };
        let Some(line) = reader.next_line(LINE_LIMIT)? else {
            return Ok(reader);
        };
        match Header::from_line(&line.bytes) {
            None => reader.first = Some(line),
            Some(Ok(header)) => reader.header = Some(header),
            Some(Err(problem)) if problem.is_syntax && line.eol == Eol::None => {
                return Err(reader.error(Problem::cut(None)));
            }
            Some(Err(problem)) => return Err(reader.error(problem)),
        }
        Ok(reader)
    }

    /// The header; `None` for a plain capture.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    fn next_frame(&mut self) -> Result<Option<Frame>, TranscriptError> {
        if self.header.is_none() {
            let line = match self.first.take() {
                Some(line) => Some(line),
                None => self.next_line(LINE_LIMIT)?,
            };
            return Ok(line.map(|line| Frame {
                at: 0,
                body: Body::FromAgent(line),
            }));
        }
        loop {
            let Some(read) = self.next_record()? else {
                return Ok(None);
            };
            if let Some(frame) = read.map_err(|problem| self.error(problem))? {
                return Ok(Some(frame));
            }
        }
    }

    /// The next record; `None` at the end of the input.
    fn next_record(&mut self) -> Result<Option<ReadRecord>, TranscriptError> {
        if let Some(read) = self.buffered_record() {
            return Ok(Some(read));
        }
        let Some(line) = self.next_line(RECORD_LIMIT)? else {
            return Ok(None);
        };
        if line.dropped > 0 {
            let length = line.bytes.len() as u64 + line.dropped;
            let message = format!("a record of {length} bytes is longer than any that can be held");
            return Err(self.error(Problem::new(message)));
        }
        Ok(Some(match record::read(&line.bytes) {
            Err(problem) if problem.is_syntax && line.eol == Eol::None => {
                Err(Problem::cut(Some(line.bytes.len() + 1)))
            }
            read => read,
        }))
    }

    /// The next record, parsed in the input buffer, if the buffer has its whole line.
    fn buffered_record(&mut self) -> Option<ReadRecord> {
        let chunk = self.input.fill_buf().ok()?;
        let end = memchr::memchr(b'\n', chunk).filter(|end| *end <= RECORD_LIMIT)?;
        let line = &chunk[..end];
        let read = record::read(line.strip_suffix(b"\r").unwrap_or(line));
        self.input.consume(end + 1);
        self.line += 1;
        Some(read)
    }

    fn next_line(&mut self, limit: usize) -> Result<Option<Line>, TranscriptError> {
        let mut framer = Framer::new(limit);
        let mut line = None;
        self.line += 1;
        while line.is_none() {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(self.error(Problem::new(format!("cannot be read: {error}"))));
                }
            };
            if chunk.is_empty() {
                framer.finish(&mut |last| line = Some(last));
                return Ok(line);
            }
            let end = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |newline| newline + 1);
            framer.push(&chunk[..end], &mut |next| line = Some(next));
            self.input.consume(end);
        }
        Ok(line)
    }

    fn error(&self, problem: Problem) -> TranscriptError {
        let line = self.line;
        TranscriptError { line, problem }
    }
}

impl<R: BufRead> Iterator for TranscriptReader<R> {
    type Item = Result<Frame, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = self.next_frame().transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next
    }
}
