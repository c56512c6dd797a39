//! The transcript writer.

use super::{header::Header, record};
use crate::frame::Frame;
use std::io::{self, Write};

/// Writes a transcript. Each record goes out in one write, so that a crash can cut at most the last one.
#[derive(Debug)]
pub struct TranscriptWriter<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> TranscriptWriter<W> {
    /// Starts a transcript with its header.
    ///
    /// # Errors
    /// The error of the underlying writer.
    pub fn new(mut out: W, header: &Header) -> io::Result<Self> {
        let mut buffer = header.to_json()?;
        buffer.push(b'\n');
        out.write_all(&buffer)?;
        Ok(TranscriptWriter { out, buffer })
    }

    /// Appends one frame.
    ///
    /// # Errors
    /// The error of the underlying writer.
    pub fn write(&mut self, frame: &Frame) -> io::Result<()> {
        self.buffer.clear();
        record::write(frame, &mut self.buffer)?;
        self.out.write_all(&self.buffer)
    }

    /// Flushes and returns the underlying writer.
    ///
    /// # Errors
    /// The error of the flush.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}
