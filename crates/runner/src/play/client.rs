//! The client of a session: answers the requests of the agent, as the dialect and the scenario say.

use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::step_finding::StepFinding;
use crate::client::files::Workspace;
use crate::client::terminal::{Terminal, TerminalEnd};
use crate::event_queue::SessionEvent;
use crate::sandbox::Sandbox;
use crate::scenario::{OwnAnswer, OwnReply};
use crate::step_rules;
use conform_dialect::client::ClientError;
use conform_judge::dialect::{Client, StandingAnswer};
use conform_judge::finding::{Blame, DifferenceKind, Level};
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// What the client of a session has and owes.
#[derive(Debug)]
pub(super) struct SessionClient {
    pub(super) workspace: Workspace,
    pub(super) terminals: IndexMap<String, Terminal>,
    /// The requests that are answered later.
    pending: Vec<Pending>,
    /// The replies to requests of each method since a command of the host, until the next prompt, by the member that they share with it.
    after: HashMap<(String, Value), String>,
}

/// A request that is answered later.
#[derive(Debug)]
struct Pending {
    request: Value,
    until: Until,
    /// How often it is answered.
    times: u32,
}

/// What a request waits for.
#[derive(Debug)]
enum Until {
    /// The end of this terminal's process; the answer then comes after this delay.
    Ended(String, Option<Duration>),
    /// The time of the delayed answer with this number.
    Due(u64, Outcome),
}

/// What a request is answered with.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    Result(Value),
    Error(Value),
    /// Once the process of this terminal has ended.
    AfterEnd(String),
}

impl SessionClient {
    pub(super) fn new(sandbox: &Sandbox) -> io::Result<Self> {
        Ok(SessionClient {
            workspace: Workspace::open(&sandbox.workspace)?,
            terminals: IndexMap::new(),
            pending: Vec::new(),
            after: HashMap::new(),
        })
    }

    /// Whether it has no answer still to give.
    pub(super) fn owes_nothing(&self) -> bool {
        self.pending.is_empty()
    }
}

impl ScenarioPlayer {
    /// Answers a message of the agent, if it is a request and no step answers it.
    pub(super) fn answer_request(&mut self, message: &Value) -> Result<(), EarlyStop> {
        let dialect = Arc::clone(&self.suite.dialect);
        let Some(client) = &dialect.client else {
            return Ok(());
        };
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return Ok(());
        };
        let known = dialect.events.method(method);
        if message.get("id").is_none() || known.is_some_and(|spec| spec.notification) {
            return self.take_back(client, method, message);
        }
        let asked = self.asked.entry(method.to_owned()).or_default();
        let nth = *asked;
        *asked += 1;
        let scenario = Arc::clone(&self.scenario);
        let own = scenario.client.answers.get(method);
        let own = own.and_then(|all| all.get(nth).or(all.last()));
        let by_steps = scenario.client.by_steps.get(method).copied();
        if own.is_none() && by_steps.is_some_and(|count| nth < count) {
            return Ok(());
        }
        let Some(outcome) = self.outcome(client, method, message, own)? else {
            return Ok(());
        };
        let times = own.map_or(1, |own| own.times);
        self.answer_with(
            message.clone(),
            outcome,
            own.and_then(|own| own.delay),
            times,
        )
    }

    /// What a request is answered with; `None` if it is withheld.
    fn outcome(
        &mut self,
        client: &Client,
        method: &str,
        request: &Value,
        own: Option<&OwnAnswer>,
    ) -> Result<Option<Outcome>, EarlyStop> {
        let render = |template: &json_matcher::Template, own: &OwnAnswer| {
            let filled = template.render(&self.captures);
            filled.map_err(|unknown| self.broken_at(own.span, &unknown.to_string()))
        };
        let word = match own.map(|own| (&own.reply, own)) {
            Some((OwnReply::Withhold, _)) => return Ok(None),
            Some((OwnReply::Result(result), own)) => {
                return Ok(Some(Outcome::Result(render(result, own)?)));
            }
            Some((OwnReply::Error(error), own)) => {
                return Ok(Some(Outcome::Error(render(error, own)?)));
            }
            Some((OwnReply::Reply(word), _)) => Some(word.as_str()),
            Some((OwnReply::Standing, _)) | None => None,
        };
        let answers = client
            .answers
            .get(method)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let is_declared = |answer: &&StandingAnswer| {
            let abilities = &self.scenario.client.abilities;
            answer.needs.is_empty() || answer.needs.iter().any(|one| abilities.contains(one))
        };
        let Some(answer) = answers
            .iter()
            .find(|one| is_declared(one) && one.fits(request))
        else {
            let other = answers.iter().any(|answer| is_declared(&answer));
            let error = if other {
                ClientError::InvalidParams
            } else {
                ClientError::MethodNotFound
            };
            let what = if other {
                "Invalid params: this form of the method was not declared"
            } else {
                "Method not found"
            };
            return Ok(Some(error_of(client, error, what)));
        };
        let shared = shared(answer, request);
        let session = self.session.client.as_ref();
        let since = session.and_then(|own| own.after.get(&(method.to_owned(), shared)));
        let word = word
            .or(since.map(String::as_str))
            .or(answer.reply.as_deref());
        let word = word.map(str::to_owned);
        if let Some(reply) = word.as_ref().and_then(|word| answer.replies.get(word)) {
            return Ok(Some(Outcome::Result(reply.clone())));
        }
        self.act(client, answer, request, word.as_deref()).map(Some)
    }

    /// Answers a request now or later.
    fn answer_with(
        &mut self,
        request: Value,
        outcome: Outcome,
        delay: Option<Duration>,
        times: u32,
    ) -> Result<(), EarlyStop> {
        let until = match (outcome, delay) {
            (Outcome::AfterEnd(terminal), delay) => Until::Ended(terminal, delay),
            (outcome, Some(delay)) => {
                self.client_numbers.1 += 1;
                let (number, queue) = (self.client_numbers.1, Arc::clone(&self.queue));
                let delay = self.budgets.scaled(delay);
                tokio::spawn(async move {
                    tokio::time::sleep(delay).await;
                    queue.add_client_event(SessionEvent::AnswerDue(number));
                });
                Until::Due(number, outcome)
            }
            (outcome, None) => return self.send_outcome(&request, &outcome, times),
        };
        if let Some(session) = &mut self.session.client {
            session.pending.push(Pending {
                request,
                until,
                times,
            });
        }
        Ok(())
    }

    fn send_outcome(
        &mut self,
        request: &Value,
        outcome: &Outcome,
        times: u32,
    ) -> Result<(), EarlyStop> {
        let id = request.get("id").cloned();
        let answer = match outcome {
            Outcome::Result(result) => json!({ "message": "#unknown.result", "result": result }),
            Outcome::Error(error) => json!({ "message": "#unknown.error", "error": error }),
            Outcome::AfterEnd(_) => return Ok(()),
        };
        let message = self
            .suite
            .dialect
            .commands
            .message(&answer, id)
            .into_owned();
        self.tell_model_answer(&answer["result"]);
        for _ in 0..times {
            if !self.session.process.is_stdin_open() || self.has_ended() {
                break;
            }
            self.send_message(&message)?;
        }
        Ok(())
    }

    /// Answers the requests that waited for the end of this terminal's process.
    pub(super) fn terminal_ended(
        &mut self,
        name: &str,
        end: &TerminalEnd,
    ) -> Result<(), EarlyStop> {
        let waits =
            |one: &mut Pending| matches!(&one.until, Until::Ended(terminal, _) if terminal == name);
        for pending in self.take_pending(waits) {
            let Until::Ended(_, delay) = pending.until else {
                continue;
            };
            let outcome = self.end_of(&pending.request, end);
            self.answer_with(pending.request, outcome, delay, pending.times)?;
        }
        Ok(())
    }

    /// Gives the delayed answer with this number.
    pub(super) fn answer_due(&mut self, number: u64) -> Result<(), EarlyStop> {
        for pending in
            self.take_pending(|one| matches!(&one.until, Until::Due(due, _) if *due == number))
        {
            if let Until::Due(_, outcome) = &pending.until {
                self.send_outcome(&pending.request, outcome, pending.times)?;
            }
        }
        Ok(())
    }

    /// Answers a request that the agent takes back with this message, if it is still open.
    fn take_back(
        &mut self,
        client: &Client,
        method: &str,
        message: &Value,
    ) -> Result<(), EarlyStop> {
        let Some((_, at)) = client.cancel.as_ref().filter(|(name, _)| name == method) else {
            return Ok(());
        };
        let id = message.pointer(at).cloned();
        for pending in self.take_pending(|one| one.request.get("id") == id.as_ref()) {
            let outcome = error_of(client, ClientError::Cancelled, "Request cancelled");
            self.send_outcome(&pending.request, &outcome, pending.times)?;
        }
        Ok(())
    }

    /// After a command of the host: gives open requests the replies that it entails.
    pub(super) fn answer_after(&mut self, command: &Value) -> Result<(), EarlyStop> {
        let dialect = Arc::clone(&self.suite.dialect);
        let name = dialect.commands.name_in_step(command).unwrap_or_default();
        let Some(session) = &mut self.session.client else {
            return Ok(());
        };
        let is_prompt = dialect.session.prompts.iter().any(|prompt| prompt == name);
        let all = dialect.client.iter().flat_map(|client| &client.answers);
        let mut entailed = Vec::new();
        for (method, answer) in
            all.flat_map(|(method, all)| all.iter().map(move |one| (method, one)))
        {
            let key = (method.clone(), shared(answer, command));
            if is_prompt {
                session.after.remove(&key);
            }
            if let Some(word) = answer.after.get(name) {
                session.after.insert(key.clone(), word.clone());
                entailed.push((key, answer, answer.replies.get(word).cloned()));
            }
        }
        for ((method, value), answer, reply) in entailed {
            let is_open = |one: &mut Pending| {
                one.request["method"] == *method && shared(answer, &one.request) == value
            };
            for pending in self.take_pending(is_open) {
                let outcome = Outcome::Result(reply.clone().unwrap_or_default());
                self.send_outcome(&pending.request, &outcome, pending.times)?;
            }
        }
        Ok(())
    }

    fn take_pending(&mut self, which: impl FnMut(&mut Pending) -> bool) -> Vec<Pending> {
        let session = self.session.client.as_mut();
        session
            .map(|own| own.pending.extract_if(.., which).collect())
            .unwrap_or_default()
    }

    /// Notes something that the client did not do for the agent. It is no fault.
    pub(super) fn note_client(&mut self, message: String) {
        if self.findings.iter().any(|one| one.message == message) || self.scenario.rules_only {
            return;
        }
        let mut note = self.finding(StepFinding {
            clauses: Some(Vec::new()),
            blame: Blame::Host,
            ..StepFinding::new(step_rules::CLIENT, message, DifferenceKind::Condition)
        });
        note.level = Level::May;
        self.findings.push(note);
    }

    /// Stops the scenario, since the client cannot answer as it should.
    pub(super) fn client_is_stuck(&mut self, message: String) -> EarlyStop {
        self.fail(StepFinding {
            level: Some(Level::Must),
            clauses: Some(Vec::new()),
            blame: Blame::Host,
            ..StepFinding::new(step_rules::CLIENT, message, DifferenceKind::Condition)
        })
    }

    /// Notes the terminals that the agent has not released, and kills their processes.
    pub(super) fn end_client(&mut self) {
        let Some(session) = &mut self.session.client else {
            return;
        };
        for (_, terminal) in std::mem::take(&mut session.terminals) {
            let program = &terminal.program;
            let note = match terminal.end() {
                Some(_) => format!("the agent did not release its terminal of `{program}`"),
                None => format!(
                    "the agent did not release its terminal of `{program}`, whose process was still running and was killed"
                ),
            };
            self.note_client(note);
        }
    }
}

/// An error with its usual code, or that of the dialect.
pub(super) fn error_of(client: &Client, error: ClientError, message: impl Into<String>) -> Outcome {
    let message = message.into();
    Outcome::Error(json!({ "code": client.code(error), "message": message }))
}

/// The member that an answer's requests share with the commands that entail a reply.
fn shared(answer: &StandingAnswer, message: &Value) -> Value {
    let at = answer.same.as_deref();
    at.and_then(|at| message.pointer(at))
        .cloned()
        .unwrap_or_default()
}
