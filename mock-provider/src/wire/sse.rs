//! Writes server-sent events (SSE).

/// A writer of server-sent events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sse {
    /// The end of a line.
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

    /// An event with only data.
    pub(crate) fn data(self, data: &str) -> Vec<u8> {
        format!("data: {data}{0}{0}", self.eol).into_bytes()
    }

    /// A comment, which clients ignore.
    pub(crate) fn comment(self, text: &str) -> Vec<u8> {
        format!(": {text}{0}{0}", self.eol).into_bytes()
    }
}
