//! Splits a stream into lines, in bounded memory and without losing a byte.

/// Splits a stream into lines at `\n`, independent of how it is chunked.
#[derive(Debug)]
pub struct LineSplitter {
    limit: usize,
    line: Vec<u8>,
}

impl LineSplitter {
    /// A splitter of lines of at most `limit` bytes, from 1, without their newline.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        LineSplitter {
            limit: limit.max(1),
            line: Vec::new(),
        }
    }

    /// The lines that these bytes complete, with their newlines. A longer line comes in parts, of which only the last has a newline.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        while !bytes.is_empty() {
            let room = self.limit - self.line.len();
            let reach = bytes.len().min(room.saturating_add(1));
            let newline = bytes[..reach].iter().position(|byte| *byte == b'\n');
            let (part, rest) = bytes.split_at(newline.map_or(reach.min(room), |at| at + 1));
            self.line.extend_from_slice(part);
            bytes = rest;
            if newline.is_some() || !rest.is_empty() {
                lines.push(self.rest());
            }
        }
        lines
    }

    /// What comes after the last newline.
    pub fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.line)
    }
}
