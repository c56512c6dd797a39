//! The event loop: takes commands from standard input while the session works, and shuts down in order.

use super::input::take_commands;
use crate::core::{Failure, FailureSource, Halt, Session};
use crate::faults::{Bug, Faults};
use crate::os::signals::{SIGHUP, ShutdownSignals};
use crate::os::stdin::{self, InputLines};
use crate::protocols::adapter::Adapter;
use crate::protocols::session::Connection;
use std::rc::Rc;
use std::time::Duration;

/// The offset of an exit status from the number of a signal.
const SIGNALLED: u8 = 128;

/// After the end of input, the agent shuts down once a turn has sent nothing for this long.
const QUIET_TIMEOUT: Duration = Duration::from_millis(250);

/// After the end of input, the timeout for a turn as a whole.
const LAST_TURN_TIMEOUT: Duration = Duration::from_secs(3);

/// The timeout for a turn that is stopped at shutdown.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// [`Bug::SkipsWorkAtExit`] exits when the work before the exit has lasted this long.
const STARTED: Duration = Duration::from_millis(100);

/// Even [`Bug::NoLimit`] rejects longer lines, in bytes.
const HIGH_LIMIT: usize = 64 << 20;

/// Why the agent shuts down.
pub(super) enum ShutdownReason {
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
    session: &Rc<Session>,
    mut signals: ShutdownSignals,
) -> u8 {
    let faults = &session.faults;
    let line_limit = if faults.is_armed(Bug::NoLimit) {
        HIGH_LIMIT
    } else {
        adapter.line_limit
    };
    let mut input = stdin::spawn_reader(line_limit);
    session.emit_ready();
    if faults.triggers(Bug::ReportsFailureFirst) {
        let why = "Something may go wrong";
        session
            .events
            .emit_failure(&Failure::permanent(FailureSource::Internal, why));
    }
    let mut events = (&mut signals, &mut input);
    let (reason, status) = work_until_shutdown((adapter, &connection), session, &mut events).await;
    let signal = match reason {
        ShutdownReason::Signal(signal) => Some(signal),
        _ => None,
    };
    let Some(last) = connection.before_exit(!matches!(reason, ShutdownReason::EndOfInput)) else {
        return status;
    };
    if signal == Some(SIGHUP) && faults.triggers(Bug::DiesOfHangup) {
        return status;
    }
    let skipped = async {
        tokio::time::sleep(STARTED).await;
        if !faults.triggers(Bug::SkipsWorkAtExit) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = last => status,
        () = skipped => status,
        signal = forced_exit(&mut signals, signal.is_some(), faults) => SIGNALLED + signal,
        () = input_end(&mut input, session), if signal.is_some() => status,
    }
}

/// Waits for the signal that ends a shutdown at once, the second one in all; returns its number.
async fn forced_exit(signals: &mut ShutdownSignals, signalled: bool, faults: &Faults) -> u8 {
    if !signalled {
        let first = signals.next().await;
        if faults.triggers(Bug::SignalEndsShutdown) {
            return first;
        }
    }
    loop {
        let signal = signals.next().await;
        if !faults.triggers(Bug::SecondSignalIgnored) {
            return signal;
        }
    }
}

/// Never returns, unless a fault has the end of input interrupt a shutdown.
async fn input_end(input: &mut InputLines, session: &Session) {
    while input.next(&session.events.outbox).await.is_some() {}
    if !session.faults.triggers(Bug::EofEndsShutdown) {
        std::future::pending::<()>().await;
    }
}

/// Works until the agent shuts down. Returns why, and the exit status.
async fn work_until_shutdown(
    (adapter, connection): (&Adapter, &Rc<dyn Connection>),
    session: &Rc<Session>,
    (signals, input): &mut (&mut ShutdownSignals, &mut InputLines),
) -> (ShutdownReason, u8) {
    let faults = &session.faults;
    let work = session.run();
    tokio::pin!(work);
    let reason = tokio::select! {
        biased;
        signal = shutdown_signal(signals, session) => ShutdownReason::Signal(signal),
        () = session.events.outbox.closed() => ShutdownReason::HostGone,
        reason = take_commands(connection, session, input) => reason,
        () = &mut work => ShutdownReason::EndOfInput,
    };
    if matches!(reason, ShutdownReason::EndOfInput) {
        tokio::select! {
            _ = shutdown_signal(signals, session) => {}
            () = outlive_input(session) => {}
        }
    }
    session.close();
    let is_input_over = matches!(reason, ShutdownReason::EndOfInput);
    if is_input_over && !(session.is_busy() && faults.triggers(Bug::AbortsAtEof)) {
        let done = tokio::select! {
            biased;
            _ = shutdown_signal(signals, session) => false,
            () = session.events.outbox.closed() => false,
            () = quiet(session) => false,
            () = tokio::time::sleep(LAST_TURN_TIMEOUT) => false,
            () = &mut work => true,
        };
        if done {
            return (reason, exit_status(faults));
        }
    }
    session.clear_queue();
    session.stop(Halt::Exit);
    if !matches!(reason, ShutdownReason::HostGone) {
        let _ = tokio::time::timeout(STOP_TIMEOUT, work).await;
    }
    let status = match (&reason, exit_status(faults)) {
        (ShutdownReason::Signal(signal), 0)
            if adapter.exits_by_signal || faults.triggers(Bug::ExitsBySignal) =>
        {
            SIGNALLED + signal
        }
        (_, status) => status,
    };
    (reason, status)
}

/// Never returns if a fault keeps the agent alive after the end of its input.
async fn outlive_input(session: &Session) {
    let faults = &session.faults;
    if faults.triggers(Bug::IgnoresEof)
        || session.awaits_approval() && faults.triggers(Bug::HangsAtEofDuringApproval)
    {
        std::future::pending::<()>().await;
    }
    while faults.triggers(Bug::SpinsAfterEof) {
        tokio::task::yield_now().await;
    }
}

/// The exit status of an orderly end.
fn exit_status(faults: &Faults) -> u8 {
    if faults.triggers(Bug::PanicsAtEnd) {
        101
    } else if faults.triggers(Bug::ExitsWithThree) {
        3
    } else {
        0
    }
}

/// Waits for a signal that the agent does not ignore; returns its number.
async fn shutdown_signal(signals: &mut ShutdownSignals, session: &Session) -> u8 {
    let faults = &session.faults;
    loop {
        let signal = signals.next().await;
        let ignored = faults.triggers(Bug::IgnoresSigterm)
            || session.has_open_calls() && faults.triggers(Bug::IgnoresSigtermInTool);
        if !ignored {
            return signal;
        }
    }
}

/// Waits until nothing was sent for a while.
async fn quiet(session: &Session) {
    loop {
        let before = session.events.outbox.sent.get();
        tokio::time::sleep(QUIET_TIMEOUT).await;
        if session.events.outbox.sent.get() == before {
            return;
        }
    }
}
