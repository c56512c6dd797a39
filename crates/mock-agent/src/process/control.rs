//! Control from a test (`--control`): carries out the commands that arrive on the control socket.

use crate::control::{Gates, Journal, MAX_BYTES, Recorded};
use crate::faults::Faults;
use crate::os::clock::{self, Clock};
use crate::os::stdout::Outbox;
use control_socket::{Command, ControlAddress, ControlServer, Incoming, Responses};
use frame_faults::{KillSignal, Output};
use json_matcher::{Captures, Matcher};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// The variable for `--control`.
pub(super) const VARIABLE: &str = "MOCK_AGENT_CONTROL";

/// The flag for the folder of control sockets.
pub(super) const FLAG: &str = "--control";

/// How long a gate holds if there is a controller that can release it.
const GATE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a gate holds if nothing can release it.
const UNCONTROLLED_GATE_TIMEOUT: Duration = Duration::from_millis(200);

/// How long the host may take to read the rest of the output before a crash.
const CRASH_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a prompt may take to arrive that names a gate which the script does not have.
const UNKNOWN_GATE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long output may take to be written while the clock is advanced.
const SETTLE_TIMEOUT: Duration = Duration::from_millis(100);

/// What waits for the clock.
const WAITS: &str = "retries (of some protocols only if MOCK_AGENT_RETRIES is set), delays of the script and the pace wait for it";

/// The number of commands of the host that an error shows, and the length of each.
const SHOWN_COMMANDS: usize = 3;
const SHOWN_CHARACTERS: usize = 120;

/// The parts that every agent has, whether a test controls it or not.
pub(super) struct Controls {
    pub(super) gates: Rc<Gates>,
    pub(super) journal: Rc<Journal>,
    pub(super) clock: Arc<Clock>,
    /// The registration and the commands, if there is a control folder.
    listening: RefCell<Option<(ControlServer, UnboundedReceiver<Incoming>)>>,
    pub(super) responses: Responses,
    folder: Option<String>,
    name: String,
}

/// Plays the script of a file from now on, or returns what is wrong with it.
pub(super) type ReplaceScript = Box<dyn Fn(&Path) -> Result<(), String>>;

/// The target of the commands of a test.
pub(super) struct ControlTarget {
    pub(super) outbox: Rc<Outbox>,
    pub(super) faults: Rc<Faults>,
    /// Plays the script of a file from now on, if the replies come from a script.
    pub(super) replace_script: Option<ReplaceScript>,
    pub(super) session: Option<String>,
}

impl Controls {
    /// Registers in the folder that the flag or the variable names, if there is one.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub(super) fn new(
        folder: Option<String>,
        name: &str,
        clock: Arc<Clock>,
    ) -> Result<Self, String> {
        if folder.is_none() && clock.is_stopped() {
            let variable = clock::VARIABLE;
            return Err(format!(
                "{variable}=stopped needs {VARIABLE}, the folder through which a test advances the clock"
            ));
        }
        let limit = if folder.is_some() { MAX_BYTES } else { 0 };
        let journal = Rc::new(Journal::new(limit));
        let listening = match &folder {
            None => None,
            Some(text) => {
                let address = ControlAddress::parse(text);
                let started = ControlServer::start(&address, name);
                Some(started.map_err(|error| format!("{FLAG} {text}: {error}"))?)
            }
        };
        let responses = listening
            .as_ref()
            .map(|(server, _)| server.responses.clone());
        Ok(Controls {
            gates: Rc::new(Gates::new(Rc::clone(&journal))),
            journal,
            clock,
            responses: responses.unwrap_or_default(),
            listening: RefCell::new(listening),
            folder,
            name: name.to_owned(),
        })
    }

    /// Records in the control folder why the agent does not start.
    pub(super) fn note_failed_start(&self, why: &str) {
        note_failed_start(self.folder.as_deref(), why);
    }

    /// How long a gate holds: the user's setting, or long if a test can release it.
    pub(super) fn gate_timeout(&self, given: Option<Duration>) -> Duration {
        let is_controlled = self.journal.is_kept();
        given.unwrap_or(if is_controlled {
            GATE_TIMEOUT
        } else {
            UNCONTROLLED_GATE_TIMEOUT
        })
    }

    /// Carries out commands until the process ends. Needs a `LocalSet`.
    pub(super) fn serve(&self, target: ControlTarget) {
        let Some((server, mut commands)) = self.listening.borrow_mut().take() else {
            return;
        };
        let control = Rc::new(Control {
            server: RefCell::new(Some(server)),
            gates: Rc::clone(&self.gates),
            journal: Rc::clone(&self.journal),
            name: self.name.clone(),
            target,
        });
        tokio::task::spawn_local(async move {
            while let Some(Incoming { command, mut reply }) = commands.recv().await {
                // What follows may be the end of the session.
                if matches!(command, Command::Advance { .. }) {
                    reply.hold();
                }
                let control = Rc::clone(&control);
                tokio::task::spawn_local(
                    reply.with(async move { control.carry_out(command).await }),
                );
            }
        });
    }
}

struct Control {
    /// Dropped before the process ends itself, so that its socket is removed.
    server: RefCell<Option<ControlServer>>,
    gates: Rc<Gates>,
    journal: Rc<Journal>,
    name: String,
    target: ControlTarget,
}

impl Control {
    async fn carry_out(&self, command: Command) -> Result<Value, String> {
        let timeout = command.timeout();
        let target = &self.target;
        match command {
            Command::Status => Ok(self.status()),
            Command::WaitGate { gate, .. } => {
                let reached = || self.gates.reached(&gate);
                let early = timeout.min(UNKNOWN_GATE_TIMEOUT);
                if tokio::time::timeout(early, reached()).await.is_err() {
                    if let Some(why) = self.gates.why_not(&gate) {
                        return Err(why);
                    }
                    let what = format!("no reply was held at the gate `{gate}`");
                    self.within(timeout, early, reached(), &what).await?;
                }
                Ok(json!({ "gate": gate }))
            }
            Command::Release { gate } => {
                if let Some(why) = self.gates.why_not(&gate) {
                    return Err(why);
                }
                self.gates.release(&gate);
                Ok(json!({ "gate": gate }))
            }
            Command::WaitCommand { matches, after, .. } => {
                let matcher = matcher(&matches)?;
                let accepts = |recorded: &Recorded| {
                    let command = recorded.command();
                    command
                        .is_some_and(|frame| matcher.matches(&frame, &Captures::default()).is_ok())
                };
                let found = self.journal.find(after, accepts);
                let what = format!("the host has sent no command that matches {matches}");
                self.within(timeout, Duration::ZERO, found, &what).await
            }
            Command::Advance { by_ms, .. } => {
                let clock = &target.outbox.clock;
                if !clock.is_stopped() {
                    let variable = clock::VARIABLE;
                    return Err(format!(
                        "the clock of this agent runs by itself: start the agent with {variable}=stopped (an option `clock` of the clients)"
                    ));
                }
                let what = "nothing has waited for the clock";
                let wait = self.within(timeout, Duration::ZERO, clock.is_awaited(), what);
                wait.await.map_err(|why| format!("{why}; {WAITS}"))?;
                let settled = async || {
                    clock.idle().await;
                    let _ = tokio::time::timeout(SETTLE_TIMEOUT, target.outbox.written()).await;
                    clock.idle().await;
                };
                clock.advance(Duration::from_millis(by_ms), settled).await;
                Ok(json!({ "waits_ms": waits(clock) }))
            }
            Command::Journal { after } => {
                Ok(json!({ "entries": self.journal.after(after), "last": self.journal.last() }))
            }
            Command::Send { frame } => {
                if !frame.is_object() {
                    return Err(format!("an event is an object, not {frame}"));
                }
                target.outbox.send(frame);
                Ok(Value::Null)
            }
            Command::SendRaw { text } => {
                target.outbox.write_bytes(text.into_bytes());
                Ok(Value::Null)
            }
            Command::Fault { id } => {
                let fault = target.faults.dialect.frame_fault(&id)?;
                target.faults.play_now(fault);
                Ok(json!({ "fault": id, "after": self.journal.last() }))
            }
            Command::Crash { signal, status } => self.crash(signal.as_deref(), status),
            Command::Reset { script } => self.reset(Path::new(&script)),
        }
    }

    /// Waits for the rest of a timeout. The error reports what did not happen, and what the host has sent.
    async fn within<T>(
        &self,
        timeout: Duration,
        passed: Duration,
        wait: impl Future<Output = T>,
        what: &str,
    ) -> Result<T, String> {
        let waited = tokio::time::timeout(timeout.saturating_sub(passed), wait).await;
        waited.map_err(|_| format!("{what} within {timeout:?}; {}", self.last_commands()))
    }

    fn last_commands(&self) -> String {
        let mut entries = self.journal.after(0);
        entries.retain(|entry| entry["dir"] == "host");
        let shown = entries[entries.len().saturating_sub(SHOWN_COMMANDS)..]
            .iter()
            .map(|entry| {
                let sent = entry.get("frame").unwrap_or(&entry["text"]).to_string();
                sent.chars().take(SHOWN_CHARACTERS).collect::<String>()
            });
        let shown = shown.collect::<Vec<_>>().join(", ");
        if shown.is_empty() {
            "the host has sent nothing".to_owned()
        } else {
            format!("the last that the host has sent: {shown}")
        }
    }

    fn status(&self) -> Value {
        let server = self.server.borrow();
        json!({
            "name": self.name,
            "order": server.as_ref().map(|server| server.order),
            "pid": std::process::id(),
            "session": self.target.session,
            "gates": self.gates.holding(),
            "waits_ms": waits(&self.target.outbox.clock),
            "journal": self.journal.last(),
        })
    }

    fn crash(&self, signal: Option<&str>, status: Option<u8>) -> Result<Value, String> {
        let name = signal.unwrap_or("SIGKILL");
        let signal = match name.trim_start_matches("SIG") {
            "KILL" => KillSignal::Kill,
            "ABRT" => KillSignal::Abort,
            "TERM" if status.is_none() => {
                let own = rustix::process::getpid();
                let sent = rustix::process::kill_process(own, rustix::process::Signal::TERM);
                return sent
                    .map(|()| Value::Null)
                    .map_err(|error| error.to_string());
            }
            _ => return Err(format!("{name} is none of SIGKILL, SIGABRT and SIGTERM")),
        };
        let server = self.server.borrow_mut().take();
        drop(server);
        match status {
            Some(status) => self.target.outbox.exit(i32::from(status)),
            None => self.target.outbox.queue(Output::Kill(signal)),
        }
        tokio::task::spawn_local(async move {
            // The host does not read.
            tokio::time::sleep(CRASH_TIMEOUT).await;
            match status {
                Some(status) => {
                    process_list::kill_descendants();
                    std::process::exit(i32::from(status))
                }
                None => process_list::kill_self(),
            }
        });
        Ok(Value::Null)
    }

    fn reset(&self, script: &Path) -> Result<Value, String> {
        let replace = self.target.replace_script.as_ref().ok_or(
            "the replies of this agent come from a model over HTTP: reset its `conform provider`",
        )?;
        replace(script)?;
        self.gates.close_all();
        Ok(Value::Null)
    }
}

/// Records why the agent does not start, if there is a control folder.
pub(super) fn note_failed_start(folder: Option<&str>, why: &str) {
    let noted = folder.map(|folder| ControlAddress::parse(folder).note_failed_start(why));
    if let Some(Err(error)) = noted {
        tracing::warn!("{FLAG}: {error}");
    }
}

/// How long each wait on the clock still takes, in milliseconds.
fn waits(clock: &Clock) -> Vec<u128> {
    clock.waits().iter().map(Duration::as_millis).collect()
}

/// A matcher, with every mistake in one message.
fn matcher(written: &Value) -> Result<Matcher, String> {
    Matcher::compile(written).map_err(|errors| {
        let shown = errors
            .iter()
            .map(|error| format!("{}: {}", error.pointer, error.message));
        shown.collect::<Vec<_>>().join("; ")
    })
}
