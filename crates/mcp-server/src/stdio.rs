//! The server on stdin and stdout. It ends with its stdin, whatever it waits for.

use crate::report::{Received, Reporter};
use crate::server::{McpServer, Reaction};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// The longest line that is read, in bytes. The server ends at a longer one.
const LINE_LIMIT: u64 = 8 << 20;
/// The most lines that wait for an answer. The server ends when there are more.
const MAX_WAITING: usize = 64;
/// The most characters that are reported of a line that is no message.
const TEXT_LIMIT: usize = 500;
/// The status of a server that dies by its script.
const DEATH: u8 = 1;
/// The status of a server that cannot go on.
const FAILURE: u8 = 2;

/// Serves stdin until it ends, and returns the status of the process. What comes in is reported, if there is a reporter.
pub fn serve(server: &McpServer, reporter: Option<Reporter>) -> ExitCode {
    if server.dies_at_once() {
        return DEATH.into();
    }
    let (sender, lines) = sync_channel(MAX_WAITING);
    // It is not joined: it may wait for a line forever.
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let read = (&mut input).take(LINE_LIMIT).read_until(b'\n', &mut line);
            let is_whole = line.len() < LINE_LIMIT as usize || line.ends_with(b"\n");
            if !matches!(read, Ok(1..)) || !is_whole || sender.send(line).is_err() {
                return;
            }
        }
    });
    let started = Instant::now();
    let mut session = Session {
        lines,
        waiting: VecDeque::new(),
        reporter,
    };
    match session.serve(server, started + server.start_after()) {
        Ok(status) => status.into(),
        // The client or the runner is gone.
        Err(_) => FAILURE.into(),
    }
}

/// The session with one client.
struct Session {
    lines: Receiver<Vec<u8>>,
    /// The lines that came while the server waited.
    waiting: VecDeque<Vec<u8>>,
    reporter: Option<Reporter>,
}

impl Session {
    fn serve(&mut self, server: &McpServer, from: Instant) -> io::Result<u8> {
        loop {
            let next = self.waiting.pop_front();
            let Some(line) = next.or_else(|| self.lines.recv().ok()) else {
                return Ok(0);
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let message = serde_json::from_slice::<Value>(&line).ok();
            self.report(&line, message.as_ref())?;
            match server.react(message.as_ref()) {
                Reaction::Answer(answer, delay) => {
                    if !self.wait_until(from.max(Instant::now() + delay)) {
                        return Ok(0);
                    }
                    let mut out = io::stdout().lock();
                    writeln!(out, "{answer}")?;
                    out.flush()?;
                }
                Reaction::Nothing => {}
                Reaction::Death => return Ok(DEATH),
            }
        }
    }

    fn report(&mut self, line: &[u8], message: Option<&Value>) -> io::Result<()> {
        let Some(reporter) = &mut self.reporter else {
            return Ok(());
        };
        reporter.report(&match message.filter(|message| message.is_object()) {
            Some(message) => Received::Message(message.clone()),
            None => {
                let text = String::from_utf8_lossy(line);
                Received::Text(text.trim().chars().take(TEXT_LIMIT).collect())
            }
        })
    }

    /// Waits, and keeps the lines that come meanwhile. False if there is no use in waiting on: stdin has ended, or too much came.
    fn wait_until(&mut self, until: Instant) -> bool {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return true;
            }
            match self.lines.recv_timeout(left) {
                Ok(line) => self.waiting.push_back(line),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
            if self.waiting.len() > MAX_WAITING {
                return false;
            }
        }
    }
}
