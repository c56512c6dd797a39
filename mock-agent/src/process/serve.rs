//! The life of a session: commands are taken and turns are done, until there is no reason to go on.

use super::run::FATAL;
use crate::core::failure::Halt;
use crate::core::failure::{Code, Failure};
use crate::core::session::Session;
use crate::faults::{Bug, Faults};
use crate::os::signals::Signals;
use crate::os::stdin::{self, Input};
use crate::protocols::adapter::Adapter;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;

/// How long a turn may be silent once no more commands can come.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// How long a turn may go on at all once no more commands can come.
const LAST_TURN: Duration = Duration::from_secs(3);

/// How long a turn gets to end in order when it is stopped at the exit.
const FAREWELL: Duration = Duration::from_secs(1);

/// Why the agent does not go on.
enum Over {
    EndOfInput,
    Command,
    Signal,
    HostGone,
}

/// Serves the host; gives the exit status.
pub(crate) async fn serve(adapter: &Adapter, session: &Session, faults: &Faults) -> u8 {
    let Ok(mut signals) = Signals::new() else {
        let why = "Signals cannot be heard";
        session
            .events
            .emit_failure(&Failure::lasting(Code::Internal, why));
        return FATAL;
    };
    let busy = || session.has_open_calls();
    let mut input = stdin::spawn_reader(faults.line_limit(adapter.line_limit));
    session.hello();
    if faults.triggers(Bug::ComplainsFirst) {
        let why = "Something may go wrong";
        session
            .events
            .emit_failure(&Failure::lasting(Code::Internal, why));
    }
    let work = session.work();
    tokio::pin!(work);
    let over = tokio::select! {
        biased;
        () = signals.any(faults, busy) => Over::Signal,
        () = session.events.outbox.closed() => Over::HostGone,
        over = take_commands(adapter, session, faults, &mut input) => over,
        () = &mut work => Over::EndOfInput,
    };
    if matches!(over, Over::EndOfInput) {
        tokio::select! {
            () = signals.any(faults, busy) => {}
            () = faults.outlives_input(session.is_asking()) => {}
        }
    }
    session.close();
    if matches!(over, Over::EndOfInput) {
        let done = tokio::select! {
            biased;
            () = signals.any(faults, busy) => false,
            () = session.events.outbox.closed() => false,
            () = silence(session) => false,
            () = tokio::time::sleep(LAST_TURN) => false,
            () = &mut work => true,
        };
        if done {
            return faults.exit_status();
        }
    }
    session.forget_waiting();
    session.stop(Halt::Exit);
    if !matches!(over, Over::HostGone) {
        let _ = tokio::time::timeout(FAREWELL, work).await;
    }
    faults.exit_status()
}

async fn take_commands(
    adapter: &Adapter,
    session: &Session,
    faults: &Faults,
    input: &mut Receiver<Input>,
) -> Over {
    while !session.is_leaving() {
        session.events.outbox.room_for_answers().await;
        let Some(line) = input.recv().await else {
            return Over::EndOfInput;
        };
        if faults.loses_last_command(input).await {
            return Over::EndOfInput;
        }
        match faults.input(line) {
            Some(line) => (adapter.command)(session, line),
            None => return Over::EndOfInput,
        }
    }
    Over::Command
}

/// Waits until nothing has been said for a while.
async fn silence(session: &Session) {
    loop {
        let before = session.events.outbox.sent();
        tokio::time::sleep(LAST_WORDS).await;
        if session.events.outbox.sent() == before {
            return;
        }
    }
}
