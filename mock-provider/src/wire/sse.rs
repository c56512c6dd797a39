//! Server-sent events, byte for byte.

/// Writes events into one buffer after another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sse {
    /// What ends a line.
    eol: &'static str,
}

impl Sse {
    pub(crate) fn new(crlf: bool) -> Self {
        Sse {
            eol: if crlf { "\r\n" } else { "\n" },
        }
    }

    /// An event with its name on an `event:` line. The data is one line of JSON.
    pub(crate) fn named(self, name: &str, data: &str) -> Vec<u8> {
        format!("event: {name}{0}data: {data}{0}{0}", self.eol).into_bytes()
    }

    /// An event that is only data.
    pub(crate) fn data(self, data: &str) -> Vec<u8> {
        format!("data: {data}{0}{0}", self.eol).into_bytes()
    }

    /// A comment, which carries nothing.
    pub(crate) fn comment(self, text: &str) -> Vec<u8> {
        format!(": {text}{0}{0}", self.eol).into_bytes()
    }
}
