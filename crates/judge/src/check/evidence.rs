//! Evidence: a ring buffer of the newest frames, quoted in findings.

use crate::finding::Evidence;
use crate::frame::{Body, End, Frame};
use std::borrow::Cow;
use std::collections::VecDeque;

/// How many frames a finding quotes.
const FRAMES: usize = 6;
/// The most bytes of a frame that are quoted.
const TEXT: usize = 600;

/// The newest frames, shortened.
#[derive(Debug, Clone)]
pub(super) struct RecentFrames {
    frames: VecDeque<QuotedFrame>,
    /// The most frames that are kept.
    most: usize,
}

impl Default for RecentFrames {
    fn default() -> Self {
        RecentFrames::new(FRAMES)
    }
}

/// One frame, shortened.
#[derive(Debug, Clone)]
pub(super) struct QuotedFrame {
    frame: u64,
    micros: u64,
    dir: &'static str,
    text: Vec<u8>,
    whole: usize,
}

impl RecentFrames {
    /// Keeps this many frames, those that a finding quotes at least.
    pub(super) fn new(most: usize) -> Self {
        RecentFrames {
            frames: VecDeque::new(),
            most: most.max(FRAMES),
        }
    }

    /// Adds frame number `n`, and forgets the oldest one if there are too many. Its buffer is reused.
    pub(super) fn push(&mut self, n: u64, frame: &Frame) {
        let is_full = self.frames.len() == self.most;
        let oldest = is_full.then(|| self.frames.pop_front()).flatten();
        let buffer = oldest.map(|oldest| oldest.text);
        let quoted = QuotedFrame::new(n, frame, buffer.unwrap_or_default());
        self.frames.push_back(quoted);
    }

    /// Those after frame number `n`.
    pub(super) fn after(&self, n: u64) -> impl Iterator<Item = &QuotedFrame> {
        self.frames.iter().filter(move |quoted| quoted.frame > n)
    }

    /// The number of the newest frame, counted from 1; 0 before the first.
    pub(super) fn newest(&self) -> u64 {
        self.frames.back().map_or(0, |quoted| quoted.frame)
    }

    /// The newest frames as evidence, the newest one marked.
    pub(super) fn quoted(&self) -> Vec<Evidence> {
        let newest = self.newest();
        let each = self
            .frames
            .range(self.frames.len().saturating_sub(FRAMES)..);
        each.map(|quoted| quoted.evidence(quoted.frame == newest))
            .collect()
    }
}

impl QuotedFrame {
    /// Quotes frame number `n`. Its text is stored in `buffer`, which saves an allocation.
    pub(super) fn new(n: u64, frame: &Frame, mut buffer: Vec<u8>) -> Self {
        let text = quote(&frame.body);
        buffer.clear();
        buffer.extend_from_slice(&text[..text.len().min(TEXT)]);
        QuotedFrame {
            frame: n,
            micros: frame.at,
            dir: frame.body.dir(),
            text: buffer,
            whole: text.len(),
        }
    }

    pub(super) fn evidence(&self, here: bool) -> Evidence {
        Evidence {
            frame: self.frame,
            micros: self.micros,
            dir: self.dir.to_owned(),
            text: self.shown(),
            here,
        }
    }

    fn shown(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.text).into_owned();
        if self.whole > TEXT {
            while text.ends_with(char::REPLACEMENT_CHARACTER) {
                text.pop();
            }
            text.push_str(&format!("… ({} bytes)", self.whole));
        }
        text
    }
}

fn quote(body: &Body) -> Cow<'_, [u8]> {
    let text = match body {
        Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line) => {
            return Cow::Borrowed(&line.bytes);
        }
        Body::Signal(name) => return Cow::Borrowed(name.as_bytes()),
        Body::LlmRequest(request) => format!("request {} to {}", request.n, request.path),
        Body::LaneRequest { lane, request } => {
            format!("request {} of the lane {lane}", request.n)
        }
        Body::LlmReply(reply) => {
            let (n, status, end) = (reply.n, reply.status, reply.end.as_str());
            format!("reply {n}: status {status}, {end}")
        }
        Body::Mcp(event) => format!("MCP server {}", event.name()),
        Body::StdinClosed => "closes stdin".to_owned(),
        Body::StdoutClosed => "closes stdout".to_owned(),
        Body::End(end) => end_text(end),
    };
    Cow::Owned(text.into_bytes())
}

/// How a process ended, in words.
pub(super) fn end_text(end: &End) -> String {
    let orphans = |n: &u32| match n {
        0 => String::new(),
        n => format!(", leaving {n} process(es) behind"),
    };
    match end {
        End::Exited { code, orphans: n } => format!("exited with code {code}{}", orphans(n)),
        End::Signalled { signal, orphans: n } => format!("ended by signal {signal}{}", orphans(n)),
        End::Killed { why } => match why.strip_prefix("budget:") {
            Some(budget) => format!("killed by conform: the `{budget}` budget was over"),
            None => format!("killed by conform: {why}"),
        },
        End::Open => "still alive when the recording stopped".to_owned(),
    }
}
