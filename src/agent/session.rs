//! A session: what commands act upon, and the turns that they start.

use super::approval::{Approvals, Decision, Mode};
use super::compaction::{Compaction, Reason};
use super::config::Settings;
use super::dialogue::Dialogue;
use super::errands::Errands;
use super::event::{Call, Code, Event, Failure, Hello};
use super::faults::{Bug, Faults};
use super::ids::CallIds;
use super::mcp::{Server, Servers};
use super::model::{Endpoint, Model};
use super::queues::Queues;
use super::retry::{Next, Retry};
use super::shells::Shells;
use super::tools::{Toolbox, Workspace};
use super::turn::{Prompt, Turn};
use super::voice::Voice;
use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use tokio::sync::Notify;

/// How many commands may wait for those before them.
const WAITING: usize = 64;

/// A session. Commands call in from the input loop while a turn is at work.
pub(super) struct Session {
    pub(super) voice: Voice,
    pub(super) model: Model,
    pub(super) tools: Toolbox,
    pub(super) workspace: Workspace,
    pub(super) settings: Settings,
    pub(super) approvals: RefCell<Approvals>,
    pub(super) dialogue: RefCell<Dialogue>,
    pub(super) call_ids: RefCell<CallIds>,
    /// The model of the turns to come, as its API knows it.
    pub(super) model_name: RefCell<String>,
    turns: RefCell<Turns>,
    /// Shell commands of the host's own.
    shells: Shells,
    /// MCP servers that the host adds.
    servers: Servers,
    /// What the host says while a turn is at work.
    pub(super) queues: Queues,
    pub(super) retry: Retry,
    /// What fronts do beside the turns.
    pub(super) errands: Errands,
    /// Whether a context that is nearly full is compacted unasked.
    pub(super) auto_compaction: Cell<bool>,
    /// The tokens of the latest request and its reply; 0 if unknown.
    pub(super) context: Cell<u64>,
    /// How many sub-agents there have been.
    pub(super) helpers: Cell<u64>,
    pub(super) faults: Rc<Faults>,
    prompted: Notify,
    closing: Cell<bool>,
    leaving: Cell<bool>,
    closed: Notify,
    /// Something that was at work is over.
    settled: Notify,
}

/// The turn at work and those that wait.
#[derive(Default)]
struct Turns {
    current: Option<Rc<Turn>>,
    /// The compaction at work; never beside a turn.
    compaction: Option<Rc<Compaction>>,
    waiting: VecDeque<Task>,
    /// The ids of all turns so far.
    known: HashSet<String>,
}

impl Turns {
    fn is_new(&self, id: &str) -> Result<(), Failure> {
        if !self.known.contains(id) {
            return Ok(());
        }
        let why = format!("The id {id:?} was used before");
        Err(Failure::lasting(Code::Protocol, why))
    }
}

/// What waits for the turn at work to end.
enum Task {
    Turn(Prompt),
    Compact(Compaction),
}

/// Why a turn is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// The host wants it.
    Stop,
    /// The agent is about to exit.
    Exit,
}

/// Whether one more may wait.
fn room(waiting: usize) -> Result<(), Failure> {
    if waiting < WAITING {
        return Ok(());
    }
    Err(Failure {
        retryable: true,
        ..Failure::lasting(Code::Protocol, "Too many messages are waiting")
    })
}

impl Session {
    #[expect(clippy::too_many_arguments, reason = "each is a part of its own")]
    pub(super) fn new(
        voice: Voice,
        model: Model,
        tools: Toolbox,
        workspace: Workspace,
        settings: Settings,
        mode: Mode,
        dialogue: Dialogue,
        faults: Rc<Faults>,
    ) -> Self {
        Session {
            voice,
            model,
            tools,
            workspace,
            model_name: RefCell::new(settings.model.clone()),
            helpers: Cell::default(),
            settings,
            approvals: RefCell::new(Approvals::new(mode)),
            call_ids: RefCell::new(CallIds::of(&dialogue.messages)),
            dialogue: RefCell::new(dialogue),
            turns: RefCell::default(),
            shells: Shells::default(),
            servers: Servers::default(),
            queues: Queues::default(),
            retry: Retry::default(),
            errands: Errands::default(),
            auto_compaction: Cell::new(true),
            context: Cell::new(0),
            faults,
            prompted: Notify::new(),
            closing: Cell::new(false),
            leaving: Cell::new(false),
            closed: Notify::new(),
            settled: Notify::new(),
        }
    }

    pub(super) fn hello(&self) {
        let hello = Hello {
            session: self.dialogue.borrow().id().map(str::to_owned),
            mcp: self.tools.has_mcp(),
            mode: self.approvals.borrow().mode,
            card: self.settings.card.clone(),
        };
        self.voice.say(&Event::Ready(&hello));
    }

    /// Starts a turn, or has the prompt wait for its turn.
    ///
    /// # Errors
    /// The turn's id was used before, or too many wait.
    pub(super) fn prompt(&self, prompt: Prompt) -> Result<(), Failure> {
        let mut turns = self.turns.borrow_mut();
        if turns.current.is_some() && self.faults.plays(Bug::DropsWhileBusy) {
            return Ok(());
        }
        turns.is_new(&prompt.turn)?;
        room(turns.waiting.len())?;
        turns.known.insert(prompt.turn.clone());
        turns.waiting.push_back(Task::Turn(prompt));
        drop(turns);
        self.advance();
        Ok(())
    }

    /// Takes an id as used, for a message that is answered without a turn.
    ///
    /// # Errors
    /// It was used before.
    pub(super) fn claim(&self, id: &str) -> Result<(), Failure> {
        let mut turns = self.turns.borrow_mut();
        turns.is_new(id)?;
        turns.known.insert(id.to_owned());
        Ok(())
    }

    /// Makes the next prompt the current turn, if none is at work.
    fn advance(&self) {
        let mut turns = self.turns.borrow_mut();
        let busy = turns.current.is_some() || turns.compaction.is_some();
        if busy || turns.waiting.is_empty() || self.faults.stuck() {
            return;
        }
        let prompt = match turns.waiting.pop_front() {
            Some(Task::Turn(prompt)) => prompt,
            Some(Task::Compact(compaction)) => {
                turns.compaction = Some(Rc::new(compaction));
                return self.prompted.notify_one();
            }
            None => return,
        };
        self.dialogue.borrow_mut().take_asides();
        let turn = Rc::new(Turn::new(prompt, self.model_name.borrow().clone()));
        turns.current = Some(Rc::clone(&turn));
        drop(turns);
        self.faults.turn_begins();
        self.voice.say(&Event::TurnStart {
            turn: turn.id(),
            prompt: turn.prompt(),
        });
        self.prompted.notify_one();
    }

    /// An id for a turn, where the host gives none.
    pub(super) fn next_turn(&self) -> String {
        (self.turns.borrow().known.len() + 1).to_string()
    }

    /// Compacts the conversation, once nothing else is at work.
    ///
    /// # Errors
    /// Too much waits.
    pub(super) fn compact(&self, instructions: Option<String>) -> Result<(), Failure> {
        let mut turns = self.turns.borrow_mut();
        room(turns.waiting.len())?;
        let compaction = Compaction::asked_for(instructions);
        turns.waiting.push_back(Task::Compact(compaction));
        drop(turns);
        self.advance();
        Ok(())
    }

    /// Runs a shell command, beside the turns.
    ///
    /// # Errors
    /// Too many wait.
    pub(super) fn shell(&self, command: String) -> Result<(), Failure> {
        room(self.shells.waiting())?;
        self.shells.add(command);
        Ok(())
    }

    /// Takes to the conversation what the model shall be told from the next turn on.
    pub(super) fn heed(&self, text: String) {
        self.dialogue.borrow_mut().add_aside(text);
        self.take_asides();
    }

    /// Forgets what was said, and goes on as a new session. There must be no turn at work.
    pub(super) fn renew(&self) {
        self.dialogue.borrow_mut().renew();
        self.call_ids.replace(CallIds::default());
    }

    /// Has the turns to come ask this model, where it is served.
    pub(super) fn set_model(&self, name: &str, endpoint: Option<&Endpoint>) {
        self.model_name.replace(name.to_owned());
        if let Some(endpoint) = endpoint {
            self.model.redirect(endpoint);
        }
    }

    /// Whether a turn is at work, or waits to be tried again.
    pub(super) fn has_turn(&self) -> bool {
        self.turns.borrow().current.is_some()
    }

    /// Waits until nothing is at work.
    pub(super) async fn idle(&self) {
        loop {
            let settled = self.settled.notified();
            if !self.is_busy() {
                return;
            }
            settled.await;
        }
    }

    /// Waits until the session is closed.
    pub(super) async fn closed(&self) {
        let closed = self.closed.notified();
        if !self.is_closing() {
            closed.await;
        }
    }

    /// Whether a turn or a compaction is at work.
    pub(super) fn is_busy(&self) -> bool {
        let turns = self.turns.borrow();
        turns.current.is_some() || turns.compaction.is_some()
    }

    /// The host wants the process to end.
    pub(super) fn leave(&self) {
        self.leaving.set(true);
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.get()
    }

    /// Stops what is at work, if anything is.
    pub(super) fn stop(&self, why: Halt) {
        let ignored =
            why == Halt::Stop && self.shells.any() && self.faults.plays(Bug::ShellIgnoresStop);
        if !ignored {
            self.shells.cancel();
        }
        if self.retry.stop() {
            return;
        }
        let compaction = self.turns.borrow().compaction.clone();
        if let Some(compaction) = compaction {
            return compaction.stop();
        }
        match self.current() {
            Some(turn) if !self.faults.ignores(why) => self.halt(&turn, why),
            Some(_) => {}
            None => self.faults.idle_stop(),
        }
    }

    fn halt(&self, turn: &Turn, why: Halt) {
        if why == Halt::Stop && self.faults.plays(Bug::StopExits) {
            self.voice.outbox.die(0);
        }
        let asked = turn.calls.all_asked();
        if why == Halt::Stop && !asked.is_empty() && self.faults.plays(Bug::StopRunsTools) {
            for call in asked {
                turn.decide(&call, Decision::Approve { always: false });
            }
            return;
        }
        turn.halt(why);
    }

    /// Hands over the host's answer to a call that asked.
    ///
    /// # Errors
    /// No such call is waiting for one.
    pub(super) fn decide(&self, call: &str, decision: Decision) -> Result<(), Failure> {
        let asked = self.current().and_then(|turn| turn.asked(call));
        let Some((turn, asked)) = asked else {
            if self.faults.intends(Bug::RunsBeforeAnswer) {
                self.late_answer(call, &decision);
                return Ok(());
            }
            let why = format!("No tool request is waiting under the call_id {call:?}");
            return Err(Failure::lasting(Code::Protocol, why));
        };
        let decision = self.faults.decision(decision, &asked.tool);
        if decision == (Decision::Approve { always: true }) {
            for category in self.faults.allowed(asked.category) {
                self.approvals.borrow_mut().allow(category);
            }
        }
        turn.decide(call, decision);
        Ok(())
    }

    /// An answer to a call that has not waited for it.
    fn late_answer(&self, call: &str, decision: &Decision) {
        let known = self.current().and_then(|turn| turn.calls.known(call));
        if let (Some(call), Decision::Approve { always: true }) = (known, decision) {
            self.approvals.borrow_mut().allow(call.category);
        }
    }

    pub(super) fn set_mode(&self, mode: Mode) {
        let mut approvals = self.approvals.borrow_mut();
        approvals.mode = self.faults.mode(approvals.mode, mode);
    }

    /// Whether a call may only run if the host agrees.
    pub(super) fn must_ask(&self, call: &Call) -> bool {
        let approvals = self.approvals.borrow();
        let right = approvals.must_ask(call.category);
        self.faults
            .asks(right, approvals.mode, call.category, &call.tool)
    }

    /// Connects an MCP server.
    ///
    /// # Errors
    /// The user has already said something.
    pub(super) fn connect(&self, server: Server) -> Result<(), Failure> {
        if !self.turns.borrow().known.is_empty() {
            let why = "MCP servers must be added before the first message";
            return Err(Failure::lasting(Code::Protocol, why));
        }
        self.servers.add(server);
        Ok(())
    }

    /// Adds what was said before this session.
    ///
    /// # Errors
    /// The user has already said something.
    pub(super) fn add_history(&self, text: String) -> Result<(), Failure> {
        if !self.turns.borrow().known.is_empty() {
            let why = "History must come before the first message";
            return Err(Failure::lasting(Code::Protocol, why));
        }
        if !self.faults.plays(Bug::LosesHistory) {
            self.dialogue.borrow_mut().add_preface(text);
        }
        Ok(())
    }

    /// Says that a command was none.
    pub(super) fn refuse(&self, failure: &Failure) {
        self.voice.fail(failure);
        self.refused();
    }

    /// A command was refused.
    pub(super) fn refused(&self) {
        if self.faults.plays(Bug::BadCommandExits) {
            self.voice.outbox.die(0);
        }
        if let Some(turn) = self.current()
            && self.faults.plays(Bug::BadCommandEndsTurn)
        {
            turn.halt(Halt::Stop);
        }
    }

    fn current(&self) -> Option<Rc<Turn>> {
        self.turns.borrow().current.clone()
    }

    /// Whether nobody can answer any more.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Whether a call waits for an answer, or runs.
    pub(super) fn has_open_calls(&self) -> bool {
        self.current().is_some_and(|turn| turn.calls.any_open())
    }

    /// Whether a call waits for an answer.
    pub(super) fn is_asking(&self) -> bool {
        self.current()
            .is_some_and(|turn| !turn.calls.all_asked().is_empty())
    }

    /// There will be no more commands: what needs an answer, or has a tool at work, is stopped.
    pub(super) fn close(&self) {
        self.closing.set(true);
        if let Some(turn) = self.current().filter(|turn| turn.calls.any_open()) {
            turn.halt(Halt::Exit);
        }
        self.shells.wake();
        self.errands.wake();
        self.closed.notify_waiters();
        self.prompted.notify_one();
    }

    /// Forgets the prompts that wait.
    pub(super) fn forget_waiting(&self) {
        self.turns.borrow_mut().waiting.clear();
    }

    /// Does all there is to do, until the session is closed and nothing is left.
    pub(super) async fn work(&self) {
        let all = async {
            tokio::join!(
                self.turns(),
                self.shells.work(self),
                self.errands.work(self)
            )
        };
        tokio::select! {
            _ = all => {}
            () = self.servers.work(self) => {}
        }
    }

    /// Does the turns, one after the other.
    async fn turns(&self) {
        loop {
            let (turn, compaction) = {
                let turns = self.turns.borrow();
                (turns.current.clone(), turns.compaction.clone())
            };
            if let Some(turn) = turn {
                self.servers.settled().await;
                self.turn(&turn).await;
                let next = self.retry.after(self, &turn).await;
                self.turns.borrow_mut().current = None;
                match next {
                    Next::Nothing => self.compact_if_full(),
                    Next::Again => self.again(),
                    Next::Compact(compaction) => self.first(Task::Compact(compaction)),
                }
            } else if let Some(compaction) = compaction {
                let again = compaction.run(self).await;
                self.turns.borrow_mut().compaction = None;
                if again {
                    self.again();
                }
            } else if self.is_closing() {
                return;
            } else {
                self.prompted.notified().await;
                continue;
            }
            self.advance();
            self.take_asides();
            self.settled.notify_waiters();
        }
    }

    async fn turn(&self, turn: &Turn) {
        turn.run(self).await;
        if self.faults.plays(Bug::ForgetsMode) {
            self.approvals.borrow_mut().mode = Mode::Default;
        }
        if self.faults.plays(Bug::ExitsAfterTurn) {
            self.voice.outbox.die(0);
        }
        while turn.leaves_busy() && !self.is_closing() {
            self.prompted.notified().await;
        }
    }

    fn compact_if_full(&self) {
        let now = self.context.get();
        let full = |mark: u64| now > self.faults.compact_at(mark, now);
        if self.auto_compaction.get() && self.settings.compact_at.is_some_and(full) {
            self.first(Task::Compact(Compaction::because(Reason::Threshold)));
        }
    }

    /// Has the model asked again where it failed, before anything else.
    fn again(&self) {
        self.first(Task::Turn(Prompt {
            turn: self.next_turn(),
            resumes: true,
            ..Prompt::default()
        }));
    }

    fn first(&self, task: Task) {
        self.turns.borrow_mut().waiting.push_front(task);
    }

    /// Puts what was held back into the conversation, if nothing is at work on it.
    fn take_asides(&self) {
        let turns = self.turns.borrow();
        if turns.current.is_some() || turns.compaction.is_some() {
            return;
        }
        let mut dialogue = self.dialogue.borrow_mut();
        if !dialogue.take_asides() {
            return;
        }
        if let Err(error) = dialogue.save() {
            tracing::warn!("the session could not be saved: {error}");
        }
    }
}
