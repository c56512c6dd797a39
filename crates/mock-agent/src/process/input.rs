//! The input: takes commands line by line until it ends, or a command shuts the agent down.

use super::serve::ShutdownReason;
use crate::control::Recorded;
use crate::core::Session;
use crate::faults::{Bug, Faults};
use crate::os::stdin::{Input, InputLines};
use crate::protocols::session::Connection;
use std::rc::Rc;
use std::time::Duration;

/// [`Bug::LongLineIsBad`] rejects longer lines, in bytes.
const MEBIBYTE: usize = 1 << 20;

/// [`Bug::LimitTooLow`] rejects longer lines, in bytes.
const LOW_LIMIT: usize = 64 << 10;

/// An end of input within this time counts as the end right after the last command.
const RIGHT_AFTER: Duration = Duration::from_millis(100);

/// Takes commands until there are no more, or one of them shuts the agent down.
pub(super) async fn take_commands(
    connection: &Rc<dyn Connection>,
    session: &Rc<Session>,
    input: &mut InputLines,
) -> ShutdownReason {
    let outbox = &session.events.outbox;
    while !session.exit_requested.get() {
        let Some(line) = input.next(outbox).await else {
            return ShutdownReason::EndOfInput;
        };
        if let Input::Line(bytes) | Input::Rest(bytes) = &line {
            let journal = &outbox.journal;
            journal.add(|| Recorded::Host(bytes.as_slice().into()));
        }
        if loses_last_command(input, &session.faults).await {
            return ShutdownReason::EndOfInput;
        }
        match understood(line, &session.faults) {
            Some(line) => Rc::clone(connection).take(session, line),
            None => return ShutdownReason::EndOfInput,
        }
    }
    ShutdownReason::Command
}

/// Whether a fault loses the latest command because the input ends right after it.
async fn loses_last_command(input: &InputLines, faults: &Faults) -> bool {
    if !faults.is_armed(Bug::LosesLastCommand) {
        return false;
    }
    tokio::time::sleep(RIGHT_AFTER).await;
    input.is_at_end() && faults.triggers(Bug::LosesLastCommand)
}

/// A line as the agent understands it; `None` is the end of input.
fn understood(input: Input, faults: &Faults) -> Option<Input> {
    let input = match input {
        Input::Rest(_) if faults.triggers(Bug::LosesLastLine) => return None,
        Input::Rest(line) => Input::Line(line),
        input => input,
    };
    let Input::Line(line) = &input else {
        return Some(input);
    };
    let blank = line.iter().all(u8::is_ascii_whitespace);
    if std::str::from_utf8(line).is_err() && faults.triggers(Bug::InvalidUtf8IsEof) {
        return None;
    }
    if line.ends_with(b"\r") && faults.triggers(Bug::CrLfIsBad)
        || blank && faults.triggers(Bug::BlankLineIsBad)
    {
        return Some(Input::Line(b"?".to_vec()));
    }
    let long = line.len() > MEBIBYTE;
    if long && faults.triggers(Bug::LongLineIsBad) {
        return Some(Input::TooLong);
    }
    let too_long = !(long && faults.triggers(Bug::NoLimit))
        && (line.len() == MEBIBYTE && faults.triggers(Bug::LimitIsExclusive)
            || line.len() > LOW_LIMIT && faults.triggers(Bug::LimitTooLow));
    Some(if too_long { Input::TooLong } else { input })
}
