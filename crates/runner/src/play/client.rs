//! The client of a session: answers the requests of the agent, as the dialect and the scenario say.

use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::skip::expected_by;
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
use json_matcher::Matcher;
use serde_json::{Value, json};
use spanned_yaml::Node;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// What the client of a session has and owes.
#[derive(Debug)]
pub(super) struct SessionClient {
    pub(super) workspace: Workspace,
    pub(super) terminals: IndexMap<String, Terminal>,
    pending: Vec<Pending>,
    /// The replies since a command of the host, until the next prompt, by the method and the member that requests share with the command.
    after: HashMap<(String, Value), String>,
}

/// A request that is answered later.
#[derive(Debug)]
struct Pending {
    request: Value,
    outcome: Outcome,
    delay: Option<Duration>,
    /// How often it is answered.
    times: u32,
    /// The number of the delayed answer.
    number: u64,
}

/// What a request is answered with.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// A `result` or an `error`.
    Answer(Value),
    /// Once the process of this terminal has ended.
    AfterEnd(String),
}

impl Outcome {
    pub(super) fn result(result: Value) -> Self {
        Outcome::Answer(json!({ "result": result }))
    }

    /// An error with its usual code, or that of the dialect.
    pub(super) fn error(client: &Client, error: ClientError, message: &str) -> Self {
        let code = client.code(error);
        Outcome::Answer(json!({ "error": { "code": code, "message": message } }))
    }
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
        let (dialect, scenario) = (Arc::clone(&self.suite.dialect), Arc::clone(&self.scenario));
        let (Some(client), Some(method)) = (&dialect.client, message["method"].as_str()) else {
            return Ok(());
        };
        let known = dialect.events.method(method);
        if message.get("id").is_none() || known.is_some_and(|spec| spec.notification) {
            return self.take_back(client, method, message);
        }
        let asked = self.asked.entry(method.to_owned()).or_default();
        let nth = *asked;
        *asked += 1;
        let own = match scenario.client.answers.get(method) {
            Some(all) => all.get(nth).or(all.last()),
            None if self.is_left_to_steps(method, message) => return Ok(()),
            None => None,
        };
        let (delay, times) = own.map_or((None, 1), |own| (own.delay, own.times));
        let Some(outcome) = self.outcome(client, message, own)? else {
            return Ok(());
        };
        self.answer_with(message.clone(), outcome, delay, times)
    }

    /// Whether a step answers this request: the steps have an answer left for its method, and expect it, as far as they expect any.
    fn is_left_to_steps(&mut self, method: &str, request: &Value) -> bool {
        let scenario = Arc::clone(&self.scenario);
        let count = scenario.client.by_steps.get(method).copied();
        let left = self.left_to_steps.get(method).copied().unwrap_or_default();
        if left >= count.unwrap_or_default() {
            return false;
        }
        let expected = expected_by(&scenario.steps[self.step..]);
        let mut of_method =
            expected.filter(|one| self.event_name(one).is_some_and(|name| name == method));
        let fits = |one: &Matcher| {
            !one.is_filled(&self.captures) || one.matches(request, &self.captures).is_ok()
        };
        let is_left = match of_method.next() {
            Some(first) => fits(first) || of_method.any(fits),
            None => true,
        };
        if is_left {
            *self.left_to_steps.entry(method.to_owned()).or_default() += 1;
        }
        is_left
    }

    /// What a request is answered with; `None` if it is withheld.
    fn outcome(
        &mut self,
        client: &Client,
        request: &Value,
        own: Option<&OwnAnswer>,
    ) -> Result<Option<Outcome>, EarlyStop> {
        let word = match own.map(|own| &own.reply) {
            Some(OwnReply::Withhold) => return Ok(None),
            Some(OwnReply::Literal(answer)) => {
                let span = own.map(|own| own.span).unwrap_or_default();
                let filled = answer.render(&self.captures);
                let filled = filled.map_err(|unknown| self.broken_at(span, &unknown.to_string()));
                return filled.map(Outcome::Answer).map(Some);
            }
            Some(OwnReply::Reply(word)) => Some(word.clone()),
            Some(OwnReply::Standing) | None => None,
        };
        let method = request["method"].as_str().unwrap_or_default();
        let abilities = &self.scenario.client.abilities;
        let all = client.answers.get(method).into_iter().flatten();
        let mut declared = all.filter(|answer| {
            let needs = &answer.keys.needs;
            needs.is_empty() || needs.iter().any(|one| abilities.contains(one))
        });
        let has_others = declared.clone().next().is_some();
        let Some(answer) = declared.find(|answer| answer.fits(request)) else {
            let (error, message) = if has_others {
                (
                    ClientError::InvalidParams,
                    "Invalid params: the client did not declare this form",
                )
            } else {
                (ClientError::MethodNotFound, "Method not found")
            };
            return Ok(Some(Outcome::error(client, error, message)));
        };
        let since = self.session.client.as_ref().and_then(|own| {
            own.after
                .get(&(method.to_owned(), shared(answer, request)))
                .cloned()
        });
        let usual = answer.keys.reply.as_ref().map(|reply| reply.value.clone());
        let word = word.or(since).or(usual).unwrap_or_default();
        match answer.keys.replies.get(&word) {
            Some(reply) => Ok(Some(Outcome::result(reply.to_value()))),
            None => self.act(client, answer, request, &word).map(Some),
        }
    }

    /// Answers a request now or later.
    fn answer_with(
        &mut self,
        request: Value,
        outcome: Outcome,
        delay: Option<Duration>,
        times: u32,
    ) -> Result<(), EarlyStop> {
        let number = match (&outcome, delay) {
            (Outcome::Answer(answer), None) => return self.send_answers(&request, answer, times),
            (Outcome::Answer(_), Some(delay)) => {
                self.client_numbers.1 += 1;
                let (number, queue) = (self.client_numbers.1, Arc::clone(&self.queue));
                let delay = self.budgets.scaled(delay);
                tokio::spawn(async move {
                    tokio::time::sleep(delay).await;
                    queue.add_outer_event(SessionEvent::AnswerDue(number));
                });
                number
            }
            (Outcome::AfterEnd(_), _) => 0,
        };
        if let Some(own) = &mut self.session.client {
            own.pending.push(Pending {
                request,
                outcome,
                delay,
                times,
                number,
            });
        }
        Ok(())
    }

    fn send_answers(
        &mut self,
        request: &Value,
        answer: &Value,
        times: u32,
    ) -> Result<(), EarlyStop> {
        self.tell_model_answer(&answer["result"]);
        let names = &self.suite.dialect.commands;
        let message = names
            .message(answer, request.get("id").cloned())
            .into_owned();
        for _ in 0..times {
            if self.session.process.is_stdin_open() && !self.has_ended() {
                self.send_message(&message)?;
            }
        }
        Ok(())
    }

    /// Answers the requests that waited for the end of this terminal's process.
    pub(super) fn terminal_ended(
        &mut self,
        name: &str,
        end: &TerminalEnd,
    ) -> Result<(), EarlyStop> {
        let waits = |one: &Pending| matches!(&one.outcome, Outcome::AfterEnd(of) if of == name);
        for one in self.take_pending(waits) {
            let outcome = self.end_of(&one.request, end);
            self.answer_with(one.request, outcome, one.delay, one.times)?;
        }
        Ok(())
    }

    /// Gives the delayed answer with this number.
    pub(super) fn answer_due(&mut self, number: u64) -> Result<(), EarlyStop> {
        for one in self.take_pending(|one| one.number == number) {
            self.answer_with(one.request, one.outcome, None, one.times)?;
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
        let cancel = client.file.cancel.as_ref();
        let Some(cancel) = cancel.filter(|cancel| cancel.notification.value == method) else {
            return Ok(());
        };
        let id = message.pointer(&cancel.id);
        for one in self.take_pending(|one| one.request.get("id") == id) {
            let outcome = Outcome::error(client, ClientError::Cancelled, "Request cancelled");
            self.answer_with(one.request, outcome, None, one.times)?;
        }
        Ok(())
    }

    /// After a command of the host: gives open requests the replies that it entails.
    pub(super) fn answer_after(&mut self, command: &Value) -> Result<(), EarlyStop> {
        let dialect = Arc::clone(&self.suite.dialect);
        let (Some(client), Some(session)) = (&dialect.client, &mut self.session.client) else {
            return Ok(());
        };
        let name = dialect.commands.name_in_step(command).unwrap_or_default();
        let is_prompt = dialect.session.prompts.iter().any(|prompt| prompt == name);
        let all = client.answers.iter();
        let all = all.flat_map(|(method, all)| all.iter().map(move |one| (method, one)));
        let mut entailed = Vec::new();
        for (method, answer) in all {
            let key = (method.clone(), shared(answer, command));
            if is_prompt {
                session.after.remove(&key);
            }
            let mut after = answer.keys.after.iter();
            if let Some((_, word)) = after.find(|(command, _)| command.as_str() == name) {
                session.after.insert(key.clone(), word.value.clone());
                let reply = answer.keys.replies.get(&word.value).map(Node::to_value);
                entailed.push((key, answer, Outcome::result(reply.unwrap_or_default())));
            }
        }
        for ((method, value), answer, outcome) in entailed {
            let is_open = |one: &Pending| {
                one.request["method"] == *method && shared(answer, &one.request) == value
            };
            for one in self.take_pending(is_open) {
                self.answer_with(one.request, outcome.clone(), None, one.times)?;
            }
        }
        Ok(())
    }

    fn take_pending(&mut self, which: impl Fn(&Pending) -> bool) -> Vec<Pending> {
        let session = self.session.client.iter_mut();
        let taken = session.flat_map(|own| own.pending.extract_if(.., |one| which(one)));
        taken.collect()
    }

    /// Notes something that the client did not do for the agent. It is no fault.
    pub(super) fn note_client(&mut self, message: String) {
        let is_known = self.findings.iter().any(|one| one.message == message);
        if !is_known && !self.scenario.rules_only {
            let mut note = self.finding(about_client(message));
            note.level = Level::May;
            self.findings.push(note);
        }
    }

    /// The client cannot answer as it should: the scenario ends. Where only rules judge, the agent gets an error.
    pub(super) fn client_is_stuck(
        &mut self,
        client: &Client,
        why: String,
    ) -> Result<Outcome, EarlyStop> {
        if self.scenario.rules_only {
            return Ok(Outcome::error(client, ClientError::Failed, &why));
        }
        Err(self.fail(about_client(why)))
    }

    /// Notes the terminals that the agent has not released, and kills their processes.
    pub(super) fn end_client(&mut self) {
        let session = self.session.client.as_mut();
        let left = session.map(|own| std::mem::take(&mut own.terminals));
        for terminal in left.unwrap_or_default().into_values() {
            let (_, _, end) = terminal.output();
            let killed = if end.is_some() {
                ""
            } else {
                "; its process was still running and was killed"
            };
            self.note_client(format!(
                "the agent did not release its terminal of `{}`{killed}",
                terminal.program
            ));
        }
    }
}

fn about_client(message: String) -> StepFinding {
    StepFinding {
        level: Some(Level::Must),
        clauses: Some(Vec::new()),
        blame: Blame::Host,
        ..StepFinding::new(step_rules::CLIENT, message, DifferenceKind::Condition)
    }
}

/// The member that an answer's requests share with the commands that entail a reply.
fn shared(answer: &StandingAnswer, message: &Value) -> Value {
    let at = answer.keys.same.as_ref();
    at.and_then(|at| message.pointer(at))
        .cloned()
        .unwrap_or_default()
}
