//! Parser of server-sent events (SSE): from bytes, in any chunking, to the data of each event.

/// Parses an event stream. `event:` lines are ignored: the wires repeat the type in the data, or have none.
#[derive(Debug, Default)]
pub(super) struct SseParser {
    line: Vec<u8>,
    data: Option<String>,
    after_cr: bool,
    /// Whether the first line has ended.
    has_begun: bool,
    /// Whether JSON documents stand between the events, as errors do in streams of Gemini.
    takes_documents: bool,
    /// The lines of a document that is not complete.
    document: String,
}

/// The byte order mark that a stream may begin with.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The data of every event of a whole stream.
pub(crate) fn event_data(bytes: &[u8]) -> Vec<String> {
    SseParser::default().push(bytes).unwrap_or_default()
}

/// The longest line, in bytes.
const LINE_LIMIT: usize = 32 << 20;

/// A line is longer than the limit.
#[derive(Debug)]
pub(super) struct LineTooLong;

impl SseParser {
    pub(super) fn new(takes_documents: bool) -> Self {
        SseParser {
            takes_documents,
            ..SseParser::default()
        }
    }

    /// Parses more bytes: the data of each event that they complete.
    ///
    /// # Errors
    /// A line is too long.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, LineTooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let lf_of_crlf = self.after_cr && byte == b'\n';
            self.after_cr = byte == b'\r';
            match byte {
                _ if lf_of_crlf => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ if self.line.len() == LINE_LIMIT => return Err(LineTooLong),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<String> {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.has_begun, true) && line.starts_with(BOM) {
            line.drain(..BOM.len());
        }
        if line.is_empty() {
            return self.data.take();
        }
        let Some(value) = line.strip_prefix(b"data:") else {
            return self.document_line(&line);
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value)).into_owned();
        self.data = Some(match self.data.take() {
            Some(before) => format!("{before}\n{value}"),
            None => value,
        });
        None
    }

    /// Adds a line to a document between the events. Returns it if the line completes it.
    fn document_line(&mut self, line: &[u8]) -> Option<String> {
        if !self.takes_documents || self.document.is_empty() && !line.starts_with(b"{") {
            return None;
        }
        self.document += &String::from_utf8_lossy(line);
        let is_complete = serde_json::from_str::<serde::de::IgnoredAny>(&self.document).is_ok();
        is_complete.then(|| std::mem::take(&mut self.document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, size: usize) -> Vec<String> {
        let mut parser = SseParser::default();
        text.as_bytes()
            .chunks(size)
            .flat_map(|chunk| parser.push(chunk).expect("short lines"))
            .collect()
    }

    #[test]
    fn events_are_the_same_in_any_chunking() {
        let text = "\u{feff}event: a\ndata: {\"x\":\"ä\"}\n\n: comment\r\ndata:one\r\ndata: two\r\n\r\nid: 7\n\ndata: [DONE]\n\n";
        for size in 1..text.len() {
            assert_eq!(
                parse(text, size),
                ["{\"x\":\"ä\"}", "one\ntwo", "[DONE]"],
                "{size}"
            );
        }
    }

    #[test]
    fn an_event_without_its_blank_line_is_incomplete() {
        assert_eq!(parse("data: cut\n", 3), [""; 0]);
    }
}
