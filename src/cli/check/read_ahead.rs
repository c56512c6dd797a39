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
    let mut result = Ok(());
    for frame in reader {
        match frame {
            Ok(frame) => {
                bytes += weight(&frame);
                batch.push(frame.into());
            }
            Err(error) => result = Err(error),
        }
        if batch.len() == BATCH_FRAMES || bytes >= BATCH_BYTES {
            if batches.send(std::mem::take(&mut batch)).is_err() {
                // The judge has panicked.
                return result;
            }
            bytes = 0;
            used.try_iter().for_each(drop);
        }
    }
    let _ = batches.send(batch);
    result
}

/// The bytes of a frame. A request or a reply of the model can hold a whole conversation, so it counts as a batch of its own.
fn weight(frame: &Frame) -> usize {
    match &frame.body {
        Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line) => line.bytes.len(),
        Body::LlmRequest(_) | Body::LaneRequest { .. } | Body::LlmReply(_) | Body::Mcp(_) => {
            BATCH_BYTES
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of frames in the batches of a transcript with these records.
    fn batches(records: &[String]) -> Vec<usize> {
        let text = format!("{{\"conform_transcript\":1}}\n{}\n", records.join("\n"));
        let reader = TranscriptReader::new(text.as_bytes()).unwrap();
        let (batches, read) = sync_channel(records.len() + 1);
        let (_give_back, used) = channel();
        read_all(reader, &batches, &used).unwrap();
        drop(batches);
        read.into_iter().map(|batch| batch.len()).collect()
    }

    #[test]
    fn few_frames_wait_for_the_judge_if_they_are_large() {
        let line = |text: &str| format!(r#"{{"at":1,"dir":"from_agent","line":"{text}"}}"#);
        let large = line(&"x".repeat(BATCH_BYTES));
        let request = r#"{"at":1,"dir":"llm_request","n":0,"path":"/v1/messages","body":{}}"#;
        for (records, expected) in [
            (vec![line("x"); BATCH_FRAMES + 2], vec![BATCH_FRAMES, 2]),
            (vec![line("x"), large, line("x")], vec![2, 1]),
            (
                vec![line("x"), request.to_owned(), request.to_owned()],
                vec![2, 1, 0],
            ),
        ] {
            assert_eq!(batches(&records), expected);
        }
    }
}
