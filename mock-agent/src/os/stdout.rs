//! Standard output: every frame passes here, and is written by a thread of its own.

use crate::os::process_tree;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// What the writing thread does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OutboxItem {
    /// Write these bytes.
    Bytes(Vec<u8>),
    /// Wait.
    Wait(Duration),
    /// Exit with this status.
    Exit(i32),
    /// Kill the process with this signal.
    Kill(KillSignal),
}

/// A signal that ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KillSignal {
    Abort,
    Kill,
}

/// Turns frames into what the writing thread does.
pub(crate) trait FrameWriter {
    fn write(&self, frame: Value, write: &mut dyn FnMut(OutboxItem));
}

/// Where frames leave.
pub(crate) struct Outbox {
    frames: Rc<dyn FrameWriter>,
    queue: RefCell<Option<Sender<(Instant, OutboxItem)>>>,
    shared: Arc<Shared>,
    sent: Cell<u64>,
}

/// What the writing thread reports.
#[derive(Default)]
struct Shared {
    /// Bytes not yet written.
    queued: AtomicUsize,
    /// The host does not read any more, or everything has been written.
    over: AtomicBool,
    change: Notify,
}

/// A turn waits while so many bytes are queued.
const TURN_WAITS: usize = 1 << 20;

/// Commands wait while so many bytes are queued.
const INPUT_WAITS: usize = 16 << 20;

impl Outbox {
    /// Starts writing to standard output. Everything leaves so long after it was sent.
    pub(crate) fn open(frames: Rc<dyn FrameWriter>, latency: Duration) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let (queue, waiting) = channel();
        let shared = Arc::new(Shared::default());
        let report = Arc::clone(&shared);
        std::thread::spawn(move || {
            write_all(stdout, &waiting, latency, &report);
            report.over.store(true, Ordering::SeqCst);
            report.change.notify_waiters();
        });
        Ok(Outbox {
            frames,
            queue: RefCell::new(Some(queue)),
            shared,
            sent: Cell::new(0),
        })
    }

    /// Sends a frame. Never waits.
    pub(crate) fn send(&self, frame: Value) {
        self.sent.set(self.sent.get() + 1);
        self.frames.write(frame, &mut |item| self.write(item));
    }

    /// How many frames have been sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.get()
    }

    /// Ends the process with this status, once all that was sent is written.
    pub(crate) fn die(&self, code: i32) {
        self.write(OutboxItem::Exit(code));
    }

    /// Holds back for so long what is sent from here on. Only a fault does that.
    pub(crate) fn pause(&self, length: Duration) {
        self.write(OutboxItem::Wait(length));
    }

    fn write(&self, out: OutboxItem) {
        if let Some(queue) = &*self.queue.borrow() {
            self.shared.queued.fetch_add(size(&out), Ordering::SeqCst);
            let _ = queue.send((Instant::now(), out));
        }
    }

    /// Waits until a turn may say more.
    pub(crate) async fn room(&self) {
        self.below(TURN_WAITS).await;
    }

    /// Waits until a command may be answered.
    pub(crate) async fn room_for_answers(&self) {
        self.below(INPUT_WAITS).await;
    }

    /// Waits until the host has gone away.
    pub(crate) async fn closed(&self) {
        self.until(|| self.is_over()).await;
    }

    /// Writes what is queued, for at most so long.
    pub(crate) async fn finish(&self, patience: Duration) {
        self.queue.borrow_mut().take();
        let _ = tokio::time::timeout(patience, self.closed()).await;
    }

    fn is_over(&self) -> bool {
        self.shared.over.load(Ordering::SeqCst)
    }

    async fn below(&self, limit: usize) {
        let queued = || self.shared.queued.load(Ordering::SeqCst);
        self.until(|| queued() < limit || self.is_over()).await;
    }

    async fn until(&self, done: impl Fn() -> bool) {
        loop {
            let change = self.shared.change.notified();
            if done() {
                return;
            }
            change.await;
        }
    }
}

fn size(out: &OutboxItem) -> usize {
    match out {
        OutboxItem::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

fn write_all(
    mut stdout: File,
    queue: &Receiver<(Instant, OutboxItem)>,
    latency: Duration,
    report: &Shared,
) {
    for (sent, out) in queue {
        std::thread::sleep(latency.saturating_sub(sent.elapsed()));
        match &out {
            OutboxItem::Bytes(bytes) if stdout.write_all(bytes).is_err() => return,
            OutboxItem::Bytes(_) => {}
            OutboxItem::Wait(length) => std::thread::sleep(*length),
            OutboxItem::Exit(code) => {
                process_tree::kill_descendants();
                std::process::exit(*code)
            }
            OutboxItem::Kill(KillSignal::Abort) => std::process::abort(),
            OutboxItem::Kill(KillSignal::Kill) => process_tree::kill_self(),
        }
        report.queued.fetch_sub(size(&out), Ordering::SeqCst);
        report.change.notify_waiters();
    }
}
