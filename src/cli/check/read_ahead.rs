//! Reads and parses a transcript on a thread of its own, while the frames before are judged.

use conform_judge::frame::{Body, Frame};
use conform_judge::framing::ParsedFrame;
use conform_judge::transcript::{TranscriptError, TranscriptReader};
use std::io::BufRead;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::{panic, thread};

/// Frames that are handed over at once.
type Batch = Vec<ParsedFrame>;

/// A batch ends with this many frames, or with the line at which it reaches this many bytes.
const BATCH_FRAMES: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

/// How many batches may wait for the judge.
const WAITING: usize = 2;

/// Passes each frame of a transcript to `judge`, in order.
///
/// # Errors
/// The transcript cannot be read beyond the frames passed so far.
pub(super) fn each_frame<R: BufRead + Send>(
    reader: TranscriptReader<R>,
    mut judge: impl FnMut(&ParsedFrame),
) -> Result<(), TranscriptError> {
    let (batches, read) = sync_channel(WAITING);
    let (give_back, used) = channel();
    thread::scope(|scope| {
        let reader = scope.spawn(move || read_all(reader, &batches, &used));
        for batch in read {
            batch.iter().for_each(&mut judge);
            // The thread that made the frames frees them, which is faster; it may have ended.
            let _ = give_back.send(batch);
        }
        reader
            .join()
            .unwrap_or_else(|why| panic::resume_unwind(why))
    })
}

fn read_all<R: BufRead>(
    reader: TranscriptReader<R>,
    batches: &SyncSender<Batch>,
    used: &Receiver<Batch>,
) -> Result<(), TranscriptError> {
    let (mut batch, mut bytes) = (Batch::new(), 0);
    // The judge ends first only if it panics.
    let pass_on = |batch: Batch| {
        let _ = batches.send(batch);
        used.try_iter().for_each(drop);
    };
    let mut result = Ok(());
    for frame in reader {
        match frame {
            Ok(frame) => {
                bytes += length(&frame);
                batch.push(frame.into());
            }
            Err(error) => result = Err(error),
        }
        if batch.len() == BATCH_FRAMES || bytes >= BATCH_BYTES {
            pass_on(std::mem::take(&mut batch));
            bytes = 0;
        }
    }
    pass_on(batch);
    result
}

fn length(frame: &Frame) -> usize {
    match &frame.body {
        Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line) => line.bytes.len(),
        _ => 0,
    }
}
