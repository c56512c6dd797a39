//! A pump: passes the bytes of one direction through a stage, one chunk at a time.

use super::stage::{Flow, Stage};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The most bytes that are read at once. A pump holds no more than one chunk.
pub(super) const CHUNK: usize = 64 << 10;

/// The progress of a pump, for those who wait for it.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The number of bytes passed on.
    bytes: AtomicU64,
    /// Whether the pump holds bytes that the receiver has not taken.
    writing: AtomicBool,
}

impl Progress {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }

    pub(super) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Acquire)
    }
}

/// One direction of the relay. Dropping it closes both of its ends.
pub(super) struct Pump {
    pub(super) source: File,
    pub(super) sink: Arc<File>,
    pub(super) stage: Box<dyn Stage>,
    pub(super) progress: Arc<Progress>,
}

impl Pump {
    /// Forwards everything until the source ends, the receiver closes its end, or the stage ends the session.
    pub(super) fn run(mut self) -> Flow {
        let mut buffer = vec![0; CHUNK];
        let mut sink = Sink(&self.sink);
        loop {
            if !wait_for_data(&self.source, &self.sink) {
                self.stage.receiver_closed();
                return Flow::Continue;
            }
            let passed = match (&self.source).read(&mut buffer) {
                Ok(0) => return self.stage.end(&mut sink).unwrap_or(Flow::Continue),
                Ok(length) => {
                    self.progress.writing.store(true, Ordering::Release);
                    let passed = self.stage.pass(&buffer[..length], &mut sink);
                    self.progress
                        .bytes
                        .fetch_add(length as u64, Ordering::AcqRel);
                    self.progress.writing.store(false, Ordering::Release);
                    passed
                }
                Err(error) if is_temporary(&error) => continue,
                Err(error) => Err(error),
            };
            match passed {
                Ok(Flow::Continue) => {}
                Ok(end) => return end,
                Err(error) => {
                    tracing::debug!(%error, "a direction of the relay is closed");
                    if error.kind() == ErrorKind::BrokenPipe {
                        self.stage.receiver_closed();
                    }
                    return Flow::Continue;
                }
            }
        }
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// Waits until the source has data or has ended. False if the receiver closes its end first, so that the sender notices at once.
fn wait_for_data(source: &File, sink: &File) -> bool {
    let closed = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
    loop {
        let mut ends = [
            PollFd::new(source, PollFlags::IN),
            PollFd::new(sink, PollFlags::empty()),
        ];
        match poll(&mut ends, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            // A file that cannot be polled is read without waiting.
            Err(_) => return true,
        }
        if !ends[0].revents().is_empty() {
            return true;
        }
        if ends[1].revents().intersects(closed) {
            return false;
        }
    }
}

/// A writer that also waits if the other side has set the pipe to non-blocking.
struct Sink<'f>(&'f File);

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let mut end = [PollFd::new(self.0, PollFlags::OUT)];
                    match poll(&mut end, None) {
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::PassOn;
    use super::*;
    use std::os::fd::OwnedFd;

    fn pipe() -> (File, File) {
        let (reader, writer) = io::pipe().unwrap();
        (OwnedFd::from(reader).into(), OwnedFd::from(writer).into())
    }

    #[test]
    fn a_receiver_that_does_not_read_stops_the_sender() {
        let (source, host) = pipe();
        let (agent, sink) = pipe();
        let progress = Arc::<Progress>::default();
        let pump = Pump {
            source,
            sink: Arc::new(sink),
            stage: Box::new(PassOn),
            progress: Arc::clone(&progress),
        };
        rustix::io::ioctl_fionbio(&host, true).unwrap();
        let running = std::thread::spawn(move || pump.run());
        let chunk = vec![b'x'; CHUNK];
        let mut sent = 0;
        // Two pipes and one chunk fit.
        while !(progress.is_writing() && (&host).write(&chunk).is_err()) {
            sent += (&host).write(&chunk).unwrap_or_default();
            assert!(sent < 1 << 20, "{sent} bytes went somewhere");
        }
        drop(agent);
        drop(host);
        assert_eq!(running.join().unwrap(), Flow::Continue);
    }
}
