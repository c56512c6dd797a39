//! The event loop of a scripted agent: commands, replies in their order, the end of input, signals.

use super::expected_commands::capture;
use super::reply::play as play_reply;
use super::script::WhileBusy;
use super::{Actions, AgentScript, COMMAND, Entry, Received, ReplyEnd, Stage};
use crate::control::Recorded;
use crate::os::signals::ShutdownSignals;
use crate::os::stdin::{Input, InputLines, UNREAD_TIMEOUT};
use json_matcher::Captures;
use serde_json::Value;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::{Id, JoinError, JoinSet};

/// The timeout for the host to read the rest of the output.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Exit status of a scripted agent whose script failed.
const FAILED: u8 = 1;

/// Plays the script until the end; returns the exit status. Needs a `LocalSet`.
pub(crate) async fn play(
    stage: Rc<Stage>,
    mut input: InputLines,
    mut signals: ShutdownSignals,
) -> u8 {
    let replies = JoinSet::new();
    let mut player = Player { stage, replies };
    let status = player.session(&mut input, &mut signals).await;
    player.stage.outbox.finish(FLUSH_TIMEOUT).await;
    status
}

struct Player {
    stage: Rc<Stage>,
    replies: JoinSet<Result<(), ReplyEnd>>,
}

/// The kind of a reply that ended.
type Joined = Result<(Id, Result<(), ReplyEnd>), JoinError>;

impl Player {
    async fn session(&mut self, input: &mut InputLines, signals: &mut ShutdownSignals) -> u8 {
        let script = self.stage.script();
        self.spawn(&script.start, Captures::default(), true);
        // Commands that it does not expect are answered in parallel.
        self.spawn(&script.session, Captures::default(), false);
        drop(script);
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
        let last = Rc::clone(&self.stage.script().end_of_input);
        self.last_reply(&last, signals).await
    }

    /// Stops every reply, and plays the actions of the script for a signal.
    async fn terminate(&mut self, signals: &mut ShutdownSignals) -> u8 {
        self.stage.queue.borrow_mut().clear();
        self.stage.stop_reply();
        self.replies.shutdown().await;
        let last = Rc::clone(&self.stage.script().terminate);
        self.last_reply(&last, signals).await
    }

    /// Plays the last reply; returns the exit status. A signal ends it.
    async fn last_reply(&mut self, last: &Rc<Actions>, signals: &mut ShutdownSignals) -> u8 {
        self.spawn(last, Captures::default(), true);
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
            .journal
            .add(|| Recorded::Host(line.as_slice().into()));
        if line.trim_ascii().is_empty() {
            return;
        }
        match json_matcher::read_json(&line) {
            Ok(command) if command.is_object() => {
                let stage = Rc::clone(&self.stage);
                let taken = stage.outbox.taken(command);
                if let Some(command) = taken.map(|command| stage.messages.received(command)) {
                    self.command(command);
                }
            }
            _ => self.malformed(&line),
        }
    }

    /// Gives a reply the input that it expects. Reports input that the session does not expect on stderr, if nothing else answers it.
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
        let script = self.stage.script();
        let is_answered = !script.malformed.list.is_empty();
        if self.is_expected(Received::Line(line), is_answered) {
            return;
        }
        let mut names = Captures::default();
        names.set("line", String::from_utf8_lossy(line).into_owned());
        self.reply_in_order(&script.malformed, names);
    }

    fn command(&mut self, command: Value) {
        let script = self.stage.script();
        let entry = self.entry(&script, &command);
        let is_answered = entry.is_some() || !script.unknown.list.is_empty();
        if self.is_expected(Received::Command(&command), is_answered) {
            return;
        }
        let Some(entry) = entry else {
            let mut names = Captures::default();
            names.set(COMMAND, command);
            return self.reply_in_order(&script.unknown, names);
        };
        let mut names = match entry.while_busy {
            WhileBusy::Only => self.stage.names_in_progress(),
            _ => Captures::default(),
        };
        capture(&entry.capture, &command, &mut names);
        names.set(COMMAND, command);
        match entry.while_busy {
            WhileBusy::Now | WhileBusy::Only if self.stage.is_busy() => {
                self.spawn(&entry.actions, names, false);
            }
            _ => self.reply_in_order(&entry.actions, names),
        }
    }

    /// The first entry that matches a command.
    fn entry<'a>(&self, script: &'a AgentScript, command: &Value) -> Option<&'a Entry> {
        let is_busy = self.stage.is_busy();
        script.entries.iter().find(|entry| {
            let fits = match entry.while_busy {
                WhileBusy::Only => is_busy,
                WhileBusy::Never => !is_busy,
                WhileBusy::Queue | WhileBusy::Now => true,
            };
            fits && entry.on.matches(command, &Captures::default()).is_ok()
        })
    }

    /// Begins a reply now, or after the reply in progress.
    fn reply_in_order(&mut self, actions: &Rc<Actions>, names: Captures) {
        if actions.list.is_empty() {
            return;
        }
        if !self.stage.is_busy() {
            return self.spawn(actions, names, true);
        }
        let mut queue = self.stage.queue.borrow_mut();
        queue.push_back((Rc::clone(actions), names));
    }

    fn spawn(&mut self, actions: &Rc<Actions>, names: Captures, is_main: bool) {
        let conversation = self.stage.begin(actions, names);
        let (stage, of_reply) = (Rc::clone(&self.stage), Rc::clone(&conversation));
        let reply = play_reply(stage, Rc::clone(actions), of_reply, is_main);
        let task = self.replies.spawn_local(reply);
        if is_main {
            self.stage.set_in_progress(task, conversation);
        }
    }

    /// Notes a reply that ended, and begins the next one; returns the exit status if the process ends with it.
    fn ended(&mut self, joined: Joined) -> Option<u8> {
        match joined {
            Ok((_, Err(ReplyEnd::Exit(status)))) => return Some(status),
            Ok((_, Err(ReplyEnd::Failed(why)))) => {
                eprintln!("mock-agent: {why}");
                return Some(FAILED);
            }
            Ok((task, Ok(()) | Err(ReplyEnd::InputOver))) => {
                let next = || self.stage.queue.borrow_mut().pop_front();
                if self.stage.finish(task)
                    && let Some((actions, names)) = next()
                {
                    self.spawn(&actions, names, true);
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
