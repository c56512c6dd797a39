//! Server-sent events: bytes to data fields, under any chunking.

/// Splits an event stream. The `event:` line is dropped: both wires repeat it in the data or do without.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    line: Vec<u8>,
    data: Option<String>,
    after_cr: bool,
}

/// The longest line that is kept.
const LIMIT: usize = 32 << 20;

/// A line beyond the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Splitter {
    /// Takes the next bytes; gives the data of every event that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let lf_of_crlf = self.after_cr && byte == b'\n';
            self.after_cr = byte == b'\r';
            match byte {
                _ if lf_of_crlf => {}
                b'\n' | b'\r' => events.extend(self.line_end()),
                _ if self.line.len() == LIMIT => return Err(TooLong),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    fn line_end(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take();
        }
        let value = line.strip_prefix(b"data:")?;
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value)).into_owned();
        self.data = Some(match self.data.take() {
            Some(before) => format!("{before}\n{value}"),
            None => value,
        });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, size: usize) -> Vec<String> {
        let mut splitter = Splitter::default();
        text.as_bytes()
            .chunks(size)
            .flat_map(|chunk| splitter.push(chunk).expect("short lines"))
            .collect()
    }

    #[test]
    fn events_come_out_the_same_under_any_chunking() {
        let text = "event: a\ndata: {\"x\":\"ä\"}\n\n: comment\r\ndata:one\r\ndata: two\r\n\r\nid: 7\n\ndata: [DONE]\n\n";
        for size in 1..text.len() {
            assert_eq!(
                split(text, size),
                ["{\"x\":\"ä\"}", "one\ntwo", "[DONE]"],
                "{size}"
            );
        }
    }

    #[test]
    fn an_event_without_its_blank_line_is_not_whole() {
        assert_eq!(split("data: cut\n", 3), [""; 0]);
    }
}
