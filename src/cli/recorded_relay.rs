//! The relay between a host and its agent that records each frame and passes it to a judge.

use super::output;
use conform_judge::frame::{Body, Frame};
use conform_relay::{Ending, FrameObserver, RecordStage, Recording, Relay, RelayEnd};
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An observer that passes each frame to a judge.
pub(super) fn observer<J: Send + 'static>(
    judge: &Arc<Mutex<J>>,
    push: fn(&mut J, &Frame),
) -> FrameObserver {
    let judge = Arc::clone(judge);
    Box::new(move |frame| push(&mut locked(&judge), frame))
}

/// The judge itself, when no more frames pass.
pub(super) fn locked<J>(judge: &Mutex<J>) -> MutexGuard<'_, J> {
    judge.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the agent, and relays until it has ended. The agent ends with this process, even if that is killed.
///
/// # Errors
/// The agent cannot be started.
pub(super) fn relay(command: Command, recording: &Recording) -> io::Result<Ending> {
    let signals = recording.clone();
    let relay = Relay {
        command,
        to_agent: Box::new(RecordStage::to_agent(recording)),
        from_agent: Box::new(RecordStage::from_agent(recording)),
        stderr: Box::new(RecordStage::stderr(recording)),
        on_signal: Box::new(move |name| signals.add(Body::Signal(name.to_owned()))),
        guarded: true,
    };
    let RelayEnd { ending, frame } = relay.run()?;
    recording.add(Body::End(frame));
    if let Err(error) = recording.finish() {
        output::warning(format_args!("the transcript is not complete: {error}"));
    }
    Ok(ending)
}
