//! The event loop of a scripted agent: commands, replies in their order, the end of input, signals.

use super::conversation::{Received, capture};
use super::reply::{Reply, ReplyEnd};
use super::script::{AgentScript, Part, WhileBusy};
use super::stage::{QueuedReply, Stage};
use crate::control::{Gates, Recorded};
use crate::os::signals::ShutdownSignals;
use crate::os::stdin::{Input, InputLines, UNREAD_TIMEOUT};
use crate::os::stdout::Outbox;
use json_matcher::Captures;
use serde_json::{Map, Value};
use std::rc::Rc;
use std::time::Duration;
use tokio::task::{Id, JoinError, JoinSet};

/// The timeout for the host to read the rest of the output.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Exit status of a scripted agent whose script failed.
const FAILED: u8 = 1;

/// The session of a scripted agent.
#[derive(Clone)]
pub(crate) struct ScriptedSession(Rc<Stage>);

impl ScriptedSession {
    /// A session that plays a script. `gate_timeout` is how long a gate holds unless the script says otherwise.
    pub(crate) fn new(
        script: AgentScript,
        outbox: Rc<Outbox>,
        gates: Rc<Gates>,
        gate_timeout: Duration,
    ) -> Self {
        ScriptedSession(Rc::new(Stage::new(outbox, gates, gate_timeout, script)))
    }

    /// Plays another script from the next command on, with all gates closed. What it has for the start is not played.
    pub(crate) fn replace_script(&self, script: AgentScript) {
        self.0.replace_script(script);
    }
}

/// Plays the script until the end; returns the exit status. Needs a `LocalSet`.
pub(crate) async fn play(
    session: ScriptedSession,
    mut input: InputLines,
    mut signals: ShutdownSignals,
) -> u8 {
    let mut player = Player {
        stage: session.0,
        replies: JoinSet::new(),
    };
    let status = player.session(&mut input, &mut signals).await;
    player.stage.outbox.finish(FLUSH_TIMEOUT).await;
    status
}

struct Player {
    stage: Rc<Stage>,
    replies: JoinSet<Result<(), ReplyEnd>>,
}

/// What a reply that ended was.
type Joined = Result<(Id, Result<(), ReplyEnd>), JoinError>;

impl Player {
    async fn session(&mut self, input: &mut InputLines, signals: &mut ShutdownSignals) -> u8 {
        self.begin(Part::Start, true);
        // Commands that it does not expect are answered beside it.
        self.begin(Part::Session, false);
        let mut is_open = true;
        while is_open || !self.replies.is_empty() {
            tokio::select! {
                biased;
                _ = signals.next() => return self.terminate(signals).await,
                () = self.stage.outbox.closed() => return 0,
                () = self.stage.outbox.unread_for(UNREAD_TIMEOUT), if !is_open => return 0,
                Some(joined) = self.replies.join_next_with_id() => {
                    if let Some(status) = self.ended(joined) {
                        return status;
                    }
                }
                line = input.next(&self.stage.outbox), if is_open => match line {
                    Some(line) => {
                        self.input(line);
                        // The reply begins before the next command is taken.
                        tokio::task::yield_now().await;
                    }
                    None => {
                        is_open = false;
                        self.stage.end_input();
                    }
                }
            }
        }
        self.last_reply(Part::EndOfInput, signals).await
    }

    /// Stops every reply, and plays what the script has for a signal.
    async fn terminate(&mut self, signals: &mut ShutdownSignals) -> u8 {
        self.stage.clear_queue();
        self.stage.stop_reply();
        self.replies.shutdown().await;
        self.last_reply(Part::Terminate, signals).await
    }

    /// Plays the last reply; returns the exit status. A signal ends it.
    async fn last_reply(&mut self, part: Part, signals: &mut ShutdownSignals) -> u8 {
        self.begin(part, true);
        let stage = Rc::clone(&self.stage);
        let ended = async {
            while let Some(joined) = self.replies.join_next_with_id().await {
                if let Some(status) = self.ended(joined) {
                    return status;
                }
            }
            0
        };
        tokio::select! {
            _ = signals.next() => 0,
            () = stage.outbox.closed() => 0,
            () = stage.outbox.unread_for(UNREAD_TIMEOUT) => 0,
            status = ended => status,
        }
    }

    fn input(&mut self, input: Input) {
        let (Input::Line(line) | Input::Rest(line)) = input else {
            return self.malformed(b"");
        };
        self.stage
            .outbox
            .journal()
            .add(|| Recorded::Host(line.as_slice().into()));
        if line.trim_ascii().is_empty() {
            return;
        }
        match serde_json::from_slice::<Map<String, Value>>(&line) {
            Ok(command) => self.command(Value::Object(command)),
            Err(_) => self.malformed(&line),
        }
    }

    /// Gives a reply what it expects. Says on stderr what the session does not expect, if nothing else answers that.
    fn is_expected(&self, received: Received<'_>, is_answered: bool) -> bool {
        let is_expected = self.stage.offer(received);
        if !is_expected
            && !is_answered
            && let Some(next) = self.stage.why_not(received)
        {
            let shown = match received {
                Received::Command(command) => command.to_string(),
                Received::Line(line) => String::from_utf8_lossy(line).into_owned(),
            };
            tracing::warn!("the session does not expect {shown}; {next}");
        }
        is_expected
    }

    fn malformed(&mut self, line: &[u8]) {
        let is_answered = !self.stage.script().is_empty(Part::Malformed);
        if self.is_expected(Received::Line(line), is_answered) {
            return;
        }
        let mut names = Captures::default();
        names.set("line", String::from_utf8_lossy(line).into_owned());
        self.reply_in_order(Part::Malformed, names);
    }

    fn command(&mut self, command: Value) {
        let script = self.stage.script();
        let entry = self.entry(&script, &command);
        let is_answered = entry.is_some() || !script.is_empty(Part::Unknown);
        if self.is_expected(Received::Command(&command), is_answered) {
            return;
        }
        let Some((index, while_busy)) = entry else {
            let mut names = Captures::default();
            names.set("command", command);
            return self.reply_in_order(Part::Unknown, names);
        };
        let mut names = match while_busy {
            WhileBusy::Only => self.stage.names_in_progress(),
            _ => Captures::default(),
        };
        capture(&script.entries[index].capture, &command, &mut names);
        names.set("command", command);
        match while_busy {
            WhileBusy::Now | WhileBusy::Only if self.stage.is_busy() => {
                let part = Part::Entry(index);
                let reply = QueuedReply {
                    script,
                    part,
                    names,
                };
                self.spawn(reply, false);
            }
            _ => self.reply_in_order(Part::Entry(index), names),
        }
    }

    /// The first entry that matches a command.
    fn entry(&self, script: &AgentScript, command: &Value) -> Option<(usize, WhileBusy)> {
        let is_busy = self.stage.is_busy();
        let found = script.entries.iter().position(|entry| {
            let fits = match entry.while_busy {
                WhileBusy::Only => is_busy,
                WhileBusy::Never => !is_busy,
                WhileBusy::Queue | WhileBusy::Now => true,
            };
            fits && entry.on.matches(command, &Captures::default()).is_ok()
        })?;
        Some((found, script.entries[found].while_busy))
    }

    /// Begins a reply now, or after the reply in progress.
    fn reply_in_order(&mut self, part: Part, names: Captures) {
        let script = self.stage.script();
        if script.is_empty(part) {
            return;
        }
        let reply = QueuedReply {
            script,
            part,
            names,
        };
        match self.stage.is_busy() {
            true => self.stage.enqueue(reply),
            false => self.spawn(reply, true),
        }
    }

    fn begin(&mut self, part: Part, is_main: bool) {
        let reply = QueuedReply {
            script: self.stage.script(),
            part,
            names: Captures::default(),
        };
        self.spawn(reply, is_main);
    }

    fn spawn(&mut self, reply: QueuedReply, is_main: bool) {
        let QueuedReply {
            script,
            part,
            names,
        } = reply;
        let conversation = self.stage.begin(&script, part, names);
        let reply = Reply {
            stage: Rc::clone(&self.stage),
            conversation: Rc::clone(&conversation),
            is_main,
        };
        let played = async move { reply.play(&script.actions(part).list).await };
        let task = self.replies.spawn_local(played);
        if is_main {
            self.stage.set_in_progress(task, conversation);
        }
    }

    /// Takes note of a reply that ended, and begins the next one; returns the exit status if the process ends with it.
    fn ended(&mut self, joined: Joined) -> Option<u8> {
        match joined {
            Ok((_, Err(ReplyEnd::Exit(status)))) => return Some(status),
            Ok((_, Err(ReplyEnd::Failed(why)))) => {
                eprintln!("mock-agent: {why}");
                return Some(FAILED);
            }
            Ok((task, Ok(()) | Err(ReplyEnd::InputOver))) => {
                if self.stage.finish(task)
                    && let Some(reply) = self.stage.dequeue()
                {
                    self.spawn(reply, true);
                }
            }
            Err(error) if error.is_cancelled() => {}
            Err(error) => {
                eprintln!("mock-agent: a reply failed: {error}");
                return Some(FAILED);
            }
        }
        None
    }
}
