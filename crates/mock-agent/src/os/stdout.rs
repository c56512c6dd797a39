//! Standard output: a queue of frames, written by a thread of its own, with backpressure for turns and commands.

use super::clock::Clock;
use super::stdin::UNREAD_TIMEOUT;
use super::until;
use crate::control::{Journal, Recorded};
use crate::faults::Faults;
use frame_faults::{KillSignal, Output};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use tokio::sync::Notify;

/// The queue of frames for standard output.
pub(crate) struct Outbox {
    faults: Rc<Faults>,
    /// What is written and read.
    pub(crate) journal: Rc<Journal>,
    pub(crate) clock: Arc<Clock>,
    /// What is to be written, and since when.
    queue: RefCell<Option<Sender<(Duration, Output)>>>,
    shared: Arc<WriterState>,
    latency: Duration,
    /// The number of frames sent so far.
    pub(crate) sent: Cell<u64>,
}

/// State that is shared with the writing thread.
#[derive(Default)]
struct WriterState {
    /// Bytes that are not written yet.
    queued: AtomicUsize,
    /// How often something was written.
    writes: AtomicUsize,
    /// The host has closed its end, or everything is written.
    closed: AtomicBool,
    change: Notify,
}

/// A turn waits while this many bytes are queued.
const TURN_LIMIT: usize = 1 << 20;

/// Commands wait while this many bytes are queued.
const COMMAND_LIMIT: usize = 16 << 20;

/// Lines are written together up to about this many bytes.
const WRITE_SIZE: usize = 64 << 10;

impl Outbox {
    /// Starts the writing thread. Every line is delayed by the latency, and recorded in the journal.
    pub(crate) fn open(
        faults: Rc<Faults>,
        latency: Duration,
        journal: Rc<Journal>,
        clock: Arc<Clock>,
    ) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let (queue, waiting) = channel();
        let shared = Arc::new(WriterState::default());
        let report = Arc::clone(&shared);
        let of_writer = Arc::clone(&clock);
        std::thread::spawn(move || {
            write_all(stdout, &waiting, (latency, &of_writer), &report);
            report.closed.store(true, Ordering::SeqCst);
            report.change.notify_waiters();
        });
        Ok(Outbox {
            faults,
            journal,
            clock,
            queue: RefCell::new(Some(queue)),
            shared,
            latency,
            sent: Cell::new(0),
        })
    }

    /// Queues a frame. Never waits.
    pub(crate) fn send(&self, frame: Value) {
        self.sent.set(self.sent.get() + 1);
        let items = self.faults.write(&frame);
        items.into_iter().for_each(|item| self.queue(item));
    }

    /// A command as the faults let the agent read it; `None` if they do not.
    pub(crate) fn taken(&self, command: Value) -> Option<Value> {
        self.faults.command(command, |item| self.queue(item))
    }

    /// Queues bytes that are not a frame. Never waits.
    pub(crate) fn write_bytes(&self, bytes: Vec<u8>) {
        self.queue(Output::Bytes(bytes));
    }

    /// Exits with this status after everything in the queue is written.
    pub(crate) fn exit(&self, code: i32) {
        self.queue(Output::Exit(code));
    }

    /// Queues bytes, a pause, or an end of the process after everything before it is written.
    pub(crate) fn queue(&self, item: Output) {
        if let Output::Bytes(bytes) = &item {
            self.faults.written(bytes);
            self.journal
                .add(|| Recorded::Agent(bytes.as_slice().into()));
        }
        if let Some(queue) = &*self.queue.borrow() {
            self.shared.queued.fetch_add(size(&item), Ordering::SeqCst);
            let _ = queue.send((self.clock.now(), item));
        }
    }

    /// Backpressure: waits until a turn may send more. Lets other tasks work from time to time, also if there is no need to wait.
    pub(crate) async fn ready_for_turn(&self) {
        tokio::task::consume_budget().await;
        self.below(TURN_LIMIT).await;
    }

    /// Backpressure: waits until the next command may be taken.
    pub(crate) async fn ready_for_command(&self) {
        self.below(COMMAND_LIMIT).await;
    }

    /// Waits until the queue was full for this long and the host has read nothing.
    pub(crate) async fn unread_for(&self, length: Duration) {
        let is_full = || self.shared.queued.load(Ordering::SeqCst) >= TURN_LIMIT;
        let writes = || self.shared.writes.load(Ordering::SeqCst);
        loop {
            let before = writes();
            tokio::time::sleep(length).await;
            if is_full() && writes() == before {
                return;
            }
        }
    }

    /// Waits until the host has closed its end.
    pub(crate) async fn closed(&self) {
        until(&self.shared.change, || self.is_closed()).await;
    }

    /// Closes the queue and waits until it is written, as long as the host reads: until it has read nothing for this long.
    pub(crate) async fn finish(&self, limit: Duration) {
        self.queue.borrow_mut().take();
        let writes = || self.shared.writes.load(Ordering::SeqCst);
        let mut before = writes();
        while let Err(_elapsed) = tokio::time::timeout(limit + self.latency, self.closed()).await {
            if writes() == before {
                let left = self.shared.queued.load(Ordering::SeqCst);
                tracing::info!("the host does not read: {left} bytes of output are lost");
                return;
            }
            before = writes();
        }
    }

    fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::SeqCst)
    }

    /// Waits until everything that was sent is written, or the host has not read it for too long.
    pub(crate) async fn written(&self) {
        let _ = tokio::time::timeout(UNREAD_TIMEOUT, self.below(1)).await;
    }

    async fn below(&self, limit: usize) {
        let queued = || self.shared.queued.load(Ordering::SeqCst);
        until(&self.shared.change, || queued() < limit || self.is_closed()).await;
    }
}

fn size(item: &Output) -> usize {
    match item {
        Output::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

fn write_all(
    mut stdout: File,
    queue: &Receiver<(Duration, Output)>,
    (latency, clock): (Duration, &Clock),
    report: &WriterState,
) {
    let mut next = None;
    while let Some((sent, item)) = next.take().or_else(|| queue.recv().ok()) {
        clock.block((sent + latency).saturating_sub(clock.now()));
        let size = match item {
            Output::Bytes(mut bytes) => {
                next = append_lines(&mut bytes, queue, (latency, clock));
                if stdout.write_all(&bytes).is_err() {
                    return;
                }
                bytes.len()
            }
            Output::Wait(length) => {
                clock.block(length);
                0
            }
            Output::Exit(code) => {
                process_list::kill_descendants();
                std::process::exit(code)
            }
            Output::Kill(KillSignal::Abort) => std::process::abort(),
            Output::Kill(KillSignal::Kill) => return process_list::kill_self(),
        };
        report.queued.fetch_sub(size, Ordering::SeqCst);
        report.writes.fetch_add(1, Ordering::SeqCst);
        report.change.notify_waiters();
    }
}

/// Appends the lines that are due by now, so that many short lines cost few writes. Pieces of a line are written one by one, as a fault
/// has divided them. Returns the first item that was not appended.
fn append_lines(
    bytes: &mut Vec<u8>,
    queue: &Receiver<(Duration, Output)>,
    (latency, clock): (Duration, &Clock),
) -> Option<(Duration, Output)> {
    while is_line(bytes) && bytes.len() < WRITE_SIZE {
        match queue.try_recv().ok()? {
            (sent, Output::Bytes(line)) if is_line(&line) && sent + latency <= clock.now() => {
                bytes.extend_from_slice(&line);
            }
            other => return Some(other),
        }
    }
    None
}

fn is_line(bytes: &[u8]) -> bool {
    bytes.len() > 1 && bytes.ends_with(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_wait_are_written_at_once_and_pieces_of_a_line_one_by_one() {
        let written = |items: &[&str]| {
            let clock = Clock::new(None).unwrap();
            let (sender, queue) = channel();
            for item in items {
                let bytes = Output::Bytes(item.as_bytes().to_vec());
                sender.send((clock.now(), bytes)).unwrap();
            }
            drop(sender);
            let mut writes = Vec::new();
            let mut next = None;
            while let Some((_, item)) = next.take().or_else(|| queue.recv().ok()) {
                let Output::Bytes(mut bytes) = item else {
                    panic!("{item:?}")
                };
                next = append_lines(&mut bytes, &queue, (Duration::ZERO, &clock));
                writes.push(String::from_utf8(bytes).unwrap());
            }
            writes
        };
        assert_eq!(written(&["a\n", "b\n", "c\n"]), ["a\nb\nc\n"]);
        assert_eq!(
            written(&["a\n", "b", "c", "\n", "d\n"]),
            ["a\n", "b", "c", "\n", "d\n"]
        );
    }

    #[test]
    fn a_line_that_is_not_due_yet_is_not_written() {
        let clock = Clock::new(None).unwrap();
        let (sender, queue) = channel();
        let line = Output::Bytes(b"b\n".to_vec());
        sender.send((clock.now(), line)).unwrap();
        let mut bytes = b"a\n".to_vec();
        let next = append_lines(&mut bytes, &queue, (Duration::from_secs(3600), &clock));
        assert_eq!((bytes, next.is_some()), (b"a\n".to_vec(), true));
    }
}
