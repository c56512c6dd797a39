//! The end of a session: shutdown on request, exit, crash, kill, timeout.

use super::evidence::end_text;
use crate::frame::{Body, End, Frame};
use crate::rules::monitor::EndCircumstances;
use crate::signals;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The kill signal. It does not ask the agent to end: a host that sends it has given up.
pub(super) const KILL: &str = "SIGKILL";

/// The exit code of a Rust program that panicked.
const PANIC: i32 = 101;

/// Shells report a signal that ended their command as an exit code: this, plus the number of the signal.
const SHELL_SIGNAL_BASE: i32 = 128;

/// Signals of a crash.
const CRASH_SIGNALS: &[&str] = &[
    "SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS",
];

/// A stack trace on stderr that is older than this at the end, in microseconds, is not the reason for the end.
const MAX_TRACE_AGE: u64 = 1_000_000;

/// The grace period, in microseconds, of an agent that was asked to end. A kill within it shows nothing about the agent.
const GRACE: u64 = 1_000_000;

/// Why conform kills an agent that may have had no time to end: the machine was too busy for it, or the user interrupted the run.
const UNJUDGED_KILLS: [&str; 2] = ["starved", "interrupted"];

/// What the frames before the end show about a shutdown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ShutdownFacts {
    /// The host closed the agent's stdin.
    stdin_closed: bool,
    /// The host sent a signal that asks the agent to end.
    signalled: bool,
    /// The host sent a command to quit.
    quit: bool,
    /// The host killed the agent.
    killed: bool,
    /// The host itself sent a signal that otherwise means a crash.
    crash_signal_sent: bool,
    /// When the agent was first asked to end, in microseconds.
    asked_at: Option<u64>,
    /// When the stack trace of an uncaught error last came on stderr, in microseconds.
    trace_at: Option<u64>,
}

impl ShutdownFacts {
    /// Notes a frame. `quit`: whether it is a command to quit.
    pub(super) fn note(&mut self, frame: &Frame, quit: bool) {
        self.quit |= quit;
        match &frame.body {
            Body::StdinClosed => self.stdin_closed = true,
            Body::Signal(name) if name == KILL => self.killed = true,
            Body::Signal(name) => {
                self.signalled = true;
                self.crash_signal_sent |= CRASH_SIGNALS.contains(&name.as_str());
            }
            Body::Stderr(line) if is_trace(&line.text()) => self.trace_at = Some(frame.at),
            _ => {}
        }
        if self.is_asked() {
            self.asked_at.get_or_insert(frame.at);
        }
    }

    /// Whether the agent was asked to end.
    pub(super) fn is_asked(self) -> bool {
        self.stdin_closed || self.signalled || self.quit
    }

    /// The end of the process; a kill if the host's own kill signal ended it.
    fn end(self, end: &End) -> Cow<'_, End> {
        let number = signals::find(KILL).map(|signal| signal.as_raw());
        let by_kill = match end {
            End::Signalled { signal, .. } => Some(*signal) == number,
            End::Exited { code, .. } => Some(code - SHELL_SIGNAL_BASE) == number,
            End::Killed { .. } | End::Open => false,
        };
        if self.killed && by_kill {
            Cow::Owned(End::Killed {
                why: KILL.to_owned(),
            })
        } else {
            Cow::Borrowed(end)
        }
    }

    /// Whether the process crashed, independent of what the host had asked for.
    fn is_crash(self, end: &End, at: u64) -> bool {
        let is_crash_signal = |signal: i32| CRASH_SIGNALS.contains(&signals::name(signal).as_str());
        match end {
            End::Signalled { signal, .. } => is_crash_signal(*signal) && !self.crash_signal_sent,
            End::Exited { code: 0, .. } | End::Killed { .. } | End::Open => false,
            End::Exited { code, .. } => {
                // Some runtimes print a stack trace for a signal too.
                let traced = !self.signalled
                    && self
                        .trace_at
                        .is_some_and(|trace| at.saturating_sub(trace) <= MAX_TRACE_AGE);
                *code == PANIC
                    || traced
                    || (is_crash_signal(code - SHELL_SIGNAL_BASE) && !self.crash_signal_sent)
            }
        }
    }

    /// The circumstances of the end, for rules that wait for frames.
    pub(super) fn circumstances(self, end: &End, at: u64) -> EndCircumstances {
        let end = &*self.end(end);
        let ended = matches!(end, End::Exited { .. } | End::Signalled { .. });
        let waited = self
            .asked_at
            .is_some_and(|asked| at.saturating_sub(asked) >= GRACE);
        let exited = matches!(end, End::Exited { code: 0, .. });
        EndCircumstances {
            by_itself: ended && !self.is_asked(),
            out_of_time: matches!(end, End::Killed { why }
                if why.starts_with("budget") || waited && !UNJUDGED_KILLS.contains(&why.as_str())),
            orderly: exited && (self.stdin_closed || self.quit) && !self.signalled,
            ended,
        }
    }
}

/// Whether a line of stderr is the first or the last line that runtimes print for an uncaught error.
fn is_trace(line: &str) -> bool {
    let rust = line.starts_with("thread '") && line.contains("panicked at");
    let starts = [
        "Node.js v",
        "Bun v",
        "error: Uncaught ",
        "Traceback (most recent call last)",
        "Exception in thread ",
        "Unhandled exception",
        "panic: ",
    ];
    rust || starts.iter().any(|start| line.starts_with(start))
}

/// The JSON of an end, as rules see it.
pub(super) fn end_value(end: &End, at: u64, facts: ShutdownFacts) -> Value {
    let end = &*facts.end(end);
    let mut value = json!({
        "by_itself": !facts.is_asked(),
        "after_stdin_closed": facts.stdin_closed,
        "after_signal": facts.signalled,
        "after_quit": facts.quit,
        "crashed": facts.is_crash(end, at),
        "how": end_text(end),
    });
    let more = match end {
        End::Exited { code, orphans } => {
            json!({ "end": "exited", "code": code, "orphans": orphans })
        }
        End::Signalled { signal, orphans } => {
            json!({ "end": "signalled", "signal": signal, "orphans": orphans })
        }
        End::Killed { why } => json!({ "end": "killed", "why": why, "by_itself": false }),
        End::Open => json!({ "end": "open", "by_itself": false }),
    };
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Line;

    fn facts(frames: &[(u64, Body)]) -> ShutdownFacts {
        let mut facts = ShutdownFacts::default();
        for (at, body) in frames {
            let (at, body) = (*at, body.clone());
            facts.note(&Frame { at, body }, false);
        }
        facts
    }

    fn exited(code: i32) -> End {
        End::Exited { code, orphans: 0 }
    }

    fn signalled(signal: i32) -> End {
        End::Signalled { signal, orphans: 0 }
    }

    #[test]
    fn a_crash_is_distinguished_from_an_exit_on_request() {
        let stderr = |text: &str| Body::Stderr(Line::new(text));
        let closed = (10, Body::StdinClosed);
        let rust = stderr("thread 'main' panicked at src/main.rs:1:2:");
        let node = stderr("Node.js v22.1.0");
        let signal = |name: &str| (10, Body::Signal(name.into()));
        for (frames, end, is_crash) in [
            (vec![closed.clone()], exited(101), true),
            (vec![closed.clone()], signalled(11), true),
            (vec![closed.clone()], exited(134), true),
            (vec![closed.clone(), (50, node.clone())], exited(1), true),
            (vec![closed.clone(), (50, rust.clone())], exited(1), true),
            (vec![closed.clone()], exited(1), false),
            (vec![closed, (50, node)], exited(0), false),
            (vec![signal("SIGTERM")], signalled(15), false),
            (vec![signal("SIGABRT")], signalled(6), false),
        ] {
            let value = end_value(&end, 100, facts(&frames));
            assert_eq!(value["crashed"], is_crash, "{frames:?} {end:?}");
        }
        let old = end_value(&exited(1), 5_000_000, facts(&[(50, rust)]));
        assert_eq!(old["crashed"], false);
    }

    #[test]
    fn a_kill_signal_is_not_a_request_to_end() {
        let kill = Body::Signal(KILL.into());
        let end = end_value(&signalled(9), 20, facts(&[(10, kill.clone())]));
        assert_eq!(end["end"], "killed");
        assert_eq!(end["after_signal"], false);

        let late = facts(&[(10, Body::StdinClosed), (2_000_000, kill.clone())]);
        assert!(late.circumstances(&signalled(9), 2_000_100).out_of_time);
        let soon = facts(&[(10, Body::StdinClosed), (500_000, kill)]);
        assert!(!soon.circumstances(&signalled(9), 500_100).out_of_time);
        assert!(facts(&[]).circumstances(&signalled(9), 20).by_itself);
    }
}
