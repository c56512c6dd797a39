//! The event loop: takes commands from standard input while the session works, and shuts down in order.

use crate::control::Recorded;
use crate::core::failure::{Failure, FailureSource, Halt};
use crate::core::session::Session;
use crate::faults::Faults;
use crate::os::signals::ShutdownSignals;
use crate::os::stdin::{self, Input, InputLines};
use crate::protocols::adapter::Adapter;
use crate::protocols::session::Connection;
use std::rc::Rc;
use std::time::Duration;

/// What an exit status adds to the number of a signal.
const SIGNALLED: u8 = 128;

/// After the end of input, the agent shuts down once a turn has sent nothing for this long.
const QUIET_TIMEOUT: Duration = Duration::from_millis(250);

/// After the end of input, the timeout for a turn as a whole.
const LAST_TURN_TIMEOUT: Duration = Duration::from_secs(3);

/// The timeout for a turn that is stopped at shutdown.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Why the agent shuts down.
enum ShutdownReason {
    EndOfInput,
    Command,
    /// A signal with this number.
    Signal(u8),
    /// The host has closed the agent's standard output.
    HostGone,
}

/// Serves the host until shutdown; returns the exit status.
pub(crate) async fn serve(
    (adapter, connection): (&Adapter, Rc<dyn Connection>),
    session: &Session,
    faults: &Faults,
    mut signals: ShutdownSignals,
) -> u8 {
    let mut input = stdin::spawn_reader(faults.line_limit(adapter.line_limit));
    session.emit_ready();
    if faults.reports_failure_at_start() {
        let why = "Something may go wrong";
        session
            .events
            .emit_failure(&Failure::permanent(FailureSource::Internal, why));
    }
    let work = session.run();
    tokio::pin!(work);
    let reason = tokio::select! {
        biased;
        signal = shutdown_signal(&mut signals, session, faults) => ShutdownReason::Signal(signal),
        () = session.events.outbox.closed() => ShutdownReason::HostGone,
        reason = take_commands(&connection, session, faults, &mut input) => reason,
        () = &mut work => ShutdownReason::EndOfInput,
    };
    if matches!(reason, ShutdownReason::EndOfInput) {
        tokio::select! {
            _ = shutdown_signal(&mut signals, session, faults) => {}
            () = faults.outlives_input(session.awaits_approval()) => {}
        }
    }
    session.close();
    if matches!(reason, ShutdownReason::EndOfInput) {
        let done = tokio::select! {
            biased;
            _ = shutdown_signal(&mut signals, session, faults) => false,
            () = session.events.outbox.closed() => false,
            () = quiet(session) => false,
            () = tokio::time::sleep(LAST_TURN_TIMEOUT) => false,
            () = &mut work => true,
        };
        if done {
            return faults.exit_status();
        }
    }
    session.clear_queue();
    session.stop(Halt::Exit);
    if !matches!(reason, ShutdownReason::HostGone) {
        let _ = tokio::time::timeout(STOP_TIMEOUT, work).await;
    }
    match (reason, faults.exit_status()) {
        (ShutdownReason::Signal(signal), 0) if adapter.exits_by_signal => SIGNALLED + signal,
        (_, status) => status,
    }
}

/// Takes commands until there are no more, or one of them shuts the agent down.
async fn take_commands(
    connection: &Rc<dyn Connection>,
    session: &Session,
    faults: &Faults,
    input: &mut InputLines,
) -> ShutdownReason {
    while !session.exit_requested() {
        let Some(line) = input.next(&session.events.outbox).await else {
            return ShutdownReason::EndOfInput;
        };
        if let Input::Line(bytes) | Input::Rest(bytes) = &line {
            session
                .events
                .outbox
                .journal()
                .add(|| Recorded::Host(bytes.as_slice().into()));
        }
        if faults.loses_last_command(input).await {
            return ShutdownReason::EndOfInput;
        }
        match faults.input(line) {
            Some(line) => Rc::clone(connection).take(session, line),
            None => return ShutdownReason::EndOfInput,
        }
    }
    ShutdownReason::Command
}

/// Waits for a signal that the agent does not ignore; returns its number.
async fn shutdown_signal(signals: &mut ShutdownSignals, session: &Session, faults: &Faults) -> u8 {
    loop {
        let signal = signals.next().await;
        if !faults.ignores_signal(session.has_open_calls()) {
            return signal;
        }
    }
}

/// Waits until nothing was sent for a while.
async fn quiet(session: &Session) {
    loop {
        let before = session.events.outbox.sent();
        tokio::time::sleep(QUIET_TIMEOUT).await;
        if session.events.outbox.sent() == before {
            return;
        }
    }
}
