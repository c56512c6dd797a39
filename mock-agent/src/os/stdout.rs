//! Standard output: a queue of frames, written by a thread of its own, with backpressure for turns and commands.

use crate::control::{FROM_AGENT, Journal};
use crate::os::process_tree;
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
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Encodes a frame as instructions for the writing thread. Without a fault that is the bytes of its line.
pub(crate) trait FrameWriter {
    fn write(&self, frame: Value, write: &mut dyn FnMut(Output));
}

/// The queue of frames for standard output.
pub(crate) struct Outbox {
    frames: RefCell<Rc<dyn FrameWriter>>,
    journal: Rc<Journal>,
    queue: RefCell<Option<Sender<(Instant, Output)>>>,
    shared: Arc<WriterState>,
    sent: Cell<u64>,
}

/// State that is shared with the writing thread.
#[derive(Default)]
struct WriterState {
    /// Bytes that are not written yet.
    queued: AtomicUsize,
    /// The host has closed its end, or everything is written.
    closed: AtomicBool,
    change: Notify,
}

/// A turn waits while this many bytes are queued.
const TURN_LIMIT: usize = 1 << 20;

/// Commands wait while this many bytes are queued.
const COMMAND_LIMIT: usize = 16 << 20;

impl Outbox {
    /// Starts the writing thread. Every line is delayed by the latency, and recorded in the journal.
    pub(crate) fn open(
        frames: Rc<dyn FrameWriter>,
        latency: Duration,
        journal: Rc<Journal>,
    ) -> io::Result<Self> {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let (queue, waiting) = channel();
        let shared = Arc::new(WriterState::default());
        let report = Arc::clone(&shared);
        std::thread::spawn(move || {
            write_all(stdout, &waiting, latency, &report);
            report.closed.store(true, Ordering::SeqCst);
            report.change.notify_waiters();
        });
        Ok(Outbox {
            frames: RefCell::new(frames),
            journal,
            queue: RefCell::new(Some(queue)),
            shared,
            sent: Cell::new(0),
        })
    }

    /// Queues a frame. Never waits.
    pub(crate) fn send(&self, frame: Value) {
        self.sent.set(self.sent.get() + 1);
        let frames = Rc::clone(&self.frames.borrow());
        frames.write(frame, &mut |item| self.queue(item));
    }

    /// Encodes frames in another way from now on.
    pub(crate) fn set_frames(&self, frames: Rc<dyn FrameWriter>) {
        *self.frames.borrow_mut() = frames;
    }

    /// The journal of what is written and read.
    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Queues bytes that are no frame. Never waits.
    pub(crate) fn write_bytes(&self, bytes: Vec<u8>) {
        self.queue(Output::Bytes(bytes));
    }

    /// The number of frames sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.get()
    }

    /// Exits with this status after everything in the queue is written.
    pub(crate) fn exit(&self, code: i32) {
        self.queue(Output::Exit(code));
    }

    /// Ends the process with this signal after everything in the queue is written.
    pub(crate) fn kill(&self, signal: KillSignal) {
        self.queue(Output::Kill(signal));
    }

    /// Delays everything that is sent from now on. Only a fault does that.
    pub(crate) fn pause(&self, length: Duration) {
        self.queue(Output::Wait(length));
    }

    fn queue(&self, item: Output) {
        if let Output::Bytes(bytes) = &item {
            self.journal.record_bytes(FROM_AGENT, bytes);
        }
        if let Some(queue) = &*self.queue.borrow() {
            self.shared.queued.fetch_add(size(&item), Ordering::SeqCst);
            let _ = queue.send((Instant::now(), item));
        }
    }

    /// Backpressure: waits until a turn may send more.
    pub(crate) async fn ready_for_turn(&self) {
        self.below(TURN_LIMIT).await;
    }

    /// Backpressure: waits until the next command may be taken.
    pub(crate) async fn ready_for_command(&self) {
        self.below(COMMAND_LIMIT).await;
    }

    /// Waits until the host has closed its end.
    pub(crate) async fn closed(&self) {
        self.until(|| self.is_closed()).await;
    }

    /// Closes the queue and waits until it is written, with a timeout.
    pub(crate) async fn finish(&self, limit: Duration) {
        self.queue.borrow_mut().take();
        let _ = tokio::time::timeout(limit, self.closed()).await;
    }

    fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::SeqCst)
    }

    async fn below(&self, limit: usize) {
        let queued = || self.shared.queued.load(Ordering::SeqCst);
        self.until(|| queued() < limit || self.is_closed()).await;
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

fn size(item: &Output) -> usize {
    match item {
        Output::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

fn write_all(
    mut stdout: File,
    queue: &Receiver<(Instant, Output)>,
    latency: Duration,
    report: &WriterState,
) {
    for (sent, item) in queue {
        std::thread::sleep(latency.saturating_sub(sent.elapsed()));
        match &item {
            Output::Bytes(bytes) if stdout.write_all(bytes).is_err() => return,
            Output::Bytes(_) => {}
            Output::Wait(length) => std::thread::sleep(*length),
            Output::Exit(code) => {
                process_tree::kill_descendants();
                std::process::exit(*code)
            }
            Output::Kill(KillSignal::Abort) => std::process::abort(),
            Output::Kill(KillSignal::Kill) => process_tree::kill_self(),
        }
        report.queued.fetch_sub(size(&item), Ordering::SeqCst);
        report.change.notify_waiters();
    }
}
