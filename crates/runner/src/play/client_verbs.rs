//! What the client does for a request of the agent: the verbs of its standing answers.

use super::client::{Outcome, error_of};
use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use crate::client::files::FileError;
use crate::client::form;
use crate::client::terminal::{Terminal, TerminalCommand, TerminalEnd};
use conform_dialect::client::{AnswerVerb, Choose, ClientError, ReadFile, StartTerminal};
use conform_judge::dialect::{Client, StandingAnswer, merge};
use json_matcher::{Captures, Template};
use serde_json::Value;
use std::ffi::OsString;

/// The error of a request without the text that it needs.
type Refusal = (ClientError, String);

impl ScenarioPlayer {
    /// Does what a standing answer says, and gives the outcome.
    pub(super) fn act(
        &mut self,
        client: &Client,
        answer: &StandingAnswer,
        request: &Value,
        word: Option<&str>,
    ) -> Result<Outcome, EarlyStop> {
        let Some(verb) = &answer.verb else {
            return Ok(Outcome::Result(filled(&answer.result, [])));
        };
        let method = request["method"].as_str().unwrap_or_default();
        let values = match verb {
            AnswerVerb::Choose(choose) => match self.chosen(answer, choose, request, word) {
                Ok(option) => Ok(vec![("option", option)]),
                Err(why) => return self.stuck(client, why),
            },
            AnswerVerb::FillForm(form) => {
                let schema = request.pointer(&form.schema).unwrap_or(&Value::Null);
                match form::values_for(schema) {
                    Some(values) => Ok(vec![("values", values)]),
                    None => {
                        let why = format!(
                            "the client found no values for the form of `{method}`: answer it under `answers`"
                        );
                        return self.stuck(client, why);
                    }
                }
            }
            AnswerVerb::ReadFile(read) => self.read_file(read, request),
            AnswerVerb::WriteFile(write) => self.write_file(&write.path, &write.text, request),
            AnswerVerb::StartTerminal(start) => self.start_terminal(start, request),
            AnswerVerb::WaitForTerminal(of) => match self.terminal(&of.terminal, request) {
                Ok((_, terminal)) if let Some(end) = terminal.end() => Ok(end_values(&end)),
                Ok((name, _)) => return Ok(Outcome::AfterEnd(name)),
                Err(refusal) => Err(refusal),
            },
            AnswerVerb::TerminalOutput(of) => {
                let read = self.terminal(&of.terminal, request);
                let read = read.map(|(_, terminal)| terminal.output());
                match read {
                    Ok((output, is_truncated, end)) => {
                        let values = [
                            ("output", output.into()),
                            ("truncated", is_truncated.into()),
                        ];
                        let mut result = filled(&answer.result, values);
                        if let (Some(end), Some(exited)) = (end, &answer.exited) {
                            merge(&mut result, &filled(exited, end_values(&end)));
                        }
                        return Ok(Outcome::Result(result));
                    }
                    Err(refusal) => Err(refusal),
                }
            }
            AnswerVerb::KillTerminal(of) => {
                let found = self.terminal(&of.terminal, request);
                found
                    .map(|(_, terminal)| terminal.kill())
                    .map(|()| Vec::new())
            }
            AnswerVerb::ReleaseTerminal(of) => {
                let found = self.terminal(&of.terminal, request).map(|(name, _)| name);
                found.map(|name| {
                    let terminals = self.session.client.as_mut().map(|own| &mut own.terminals);
                    drop(terminals.and_then(|all| all.shift_remove(&name)));
                    Vec::new()
                })
            }
        };
        Ok(match values {
            Ok(values) => Outcome::Result(filled(&answer.result, values)),
            Err((error, message)) => {
                if error == ClientError::Refused {
                    self.note_client(format!("the client refused `{method}`: {message}"));
                }
                error_of(client, error, message)
            }
        })
    }

    /// The outcome of a request that waited for the end of a process.
    pub(super) fn end_of(&self, request: &Value, end: &TerminalEnd) -> Outcome {
        let method = request["method"].as_str().unwrap_or_default();
        let client = self.suite.dialect.client.as_ref();
        let answers = client.and_then(|client| client.answers.get(method));
        let answer = answers
            .into_iter()
            .flatten()
            .find(|answer| answer.fits(request));
        let result = answer.map(|answer| filled(&answer.result, end_values(end)));
        Outcome::Result(result.unwrap_or_default())
    }

    /// Where only rules judge, a request that cannot be answered gets an error; else the scenario ends.
    fn stuck(&mut self, client: &Client, why: String) -> Result<Outcome, EarlyStop> {
        if self.scenario.rules_only {
            return Ok(error_of(client, ClientError::Failed, why));
        }
        Err(self.client_is_stuck(why))
    }

    fn chosen(
        &self,
        answer: &StandingAnswer,
        choose: &Choose,
        request: &Value,
        word: Option<&str>,
    ) -> Result<Value, String> {
        let word = word.unwrap_or_default();
        let wanted = answer.kinds(word).unwrap_or_default();
        let options = request.pointer(&choose.from).and_then(Value::as_array);
        let options = options.map(Vec::as_slice).unwrap_or_default();
        let kind_of = |option: &Value| {
            option
                .pointer(&choose.kind)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let of_kind = |kind: &String| {
            options
                .iter()
                .find(|one| kind_of(one).as_ref() == Some(kind))
        };
        let option = wanted.iter().find_map(of_kind);
        let id = option.and_then(|option| option.pointer(&choose.id));
        id.cloned().ok_or_else(|| {
            let offered: Vec<_> = options.iter().filter_map(kind_of).collect();
            let offered = if offered.is_empty() { "none".to_owned() } else { offered.join(", ") };
            let method = request["method"].as_str().unwrap_or_default();
            format!("the agent offers no option of the kind {} in `{method}`; the kinds offered are: {offered}", wanted.join(" or "))
        })
    }

    fn read_file(
        &self,
        read: &ReadFile,
        request: &Value,
    ) -> Result<Vec<(&'static str, Value)>, Refusal> {
        let path = text(request, &read.path)?;
        let number = |at: &Option<spanned_yaml::Spanned<String>>| match at {
            Some(at) => number(request, at),
            None => Ok(None),
        };
        let (first, limit) = (number(&read.line)?.unwrap_or(1), number(&read.limit)?);
        let workspace = self.session.client.as_ref().map(|own| &own.workspace);
        match workspace.map(|own| own.read(path, first, limit)) {
            Some(read) => Ok(vec![("text", read.map_err(refusal)?.into())]),
            None => Ok(Vec::new()),
        }
    }

    fn write_file(
        &self,
        path: &str,
        content: &str,
        request: &Value,
    ) -> Result<Vec<(&'static str, Value)>, Refusal> {
        let (path, content) = (text(request, path)?, text(request, content)?);
        let workspace = self.session.client.as_ref().map(|own| &own.workspace);
        workspace
            .map_or(Ok(()), |own| own.write(path, content))
            .map_err(refusal)?;
        Ok(Vec::new())
    }

    fn start_terminal(
        &mut self,
        start: &StartTerminal,
        request: &Value,
    ) -> Result<Vec<(&'static str, Value)>, Refusal> {
        let at = |pointer: &Option<spanned_yaml::Spanned<String>>| {
            let value = pointer.as_ref().and_then(|at| request.pointer(at));
            value.filter(|value| !value.is_null())
        };
        let invalid = |what: &str| {
            (
                ClientError::InvalidParams,
                format!("Invalid params: {what}"),
            )
        };
        let args = match at(&start.args) {
            None => Some(Vec::new()),
            Some(args) => args.as_array().and_then(|args| {
                args.iter()
                    .map(|arg| arg.as_str().map(str::to_owned))
                    .collect()
            }),
        };
        let own = at(&start.env).map_or(Some(Vec::new()), variables);
        let mut env = self.sandbox.environment();
        env.extend(own.ok_or_else(|| invalid("the variables of a terminal are texts"))?);
        let limit = match &start.limit {
            Some(at) => number(request, at)?,
            None => None,
        };
        let Some(session) = &mut self.session.client else {
            return Ok(Vec::new());
        };
        let folder = match at(&start.cwd) {
            None => self.sandbox.workspace.clone(),
            Some(folder) => {
                let folder = folder
                    .as_str()
                    .ok_or_else(|| invalid("the folder of a terminal is a text"))?;
                session.workspace.folder(folder).map_err(refusal)?
            }
        };
        let command = TerminalCommand {
            program: text(request, &start.command)?.to_owned(),
            args: args.ok_or_else(|| invalid("the arguments of a terminal are texts"))?,
            env: env.into_iter().collect(),
            folder,
            limit,
        };
        self.client_numbers.0 += 1;
        let name = format!("terminal-{}", self.client_numbers.0);
        let terminal = Terminal::start(&command, name.clone(), &self.queue);
        let terminal = terminal.map_err(|error| {
            (
                ClientError::Failed,
                format!("{} cannot be started: {error}", command.program),
            )
        })?;
        session.terminals.insert(name.clone(), terminal);
        Ok(vec![("terminal", name.into())])
    }

    fn terminal(&self, at: &str, request: &Value) -> Result<(String, &Terminal), Refusal> {
        let name = text(request, at)?.to_owned();
        let terminals = self.session.client.as_ref().map(|own| &own.terminals);
        let found = terminals.and_then(|all| all.get(&name));
        let missing = || (ClientError::Missing, format!("there is no terminal {name}"));
        found
            .ok_or_else(missing)
            .map(|terminal| (name.clone(), terminal))
    }
}

fn text<'r>(request: &'r Value, at: &str) -> Result<&'r str, Refusal> {
    let text = request.pointer(at).and_then(Value::as_str);
    text.ok_or_else(|| {
        (
            ClientError::InvalidParams,
            format!("Invalid params: {at} is not a text"),
        )
    })
}

/// A number that may be missing or `null`.
fn number(request: &Value, at: &str) -> Result<Option<usize>, Refusal> {
    match request.pointer(at) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok());
            let invalid = || {
                (
                    ClientError::InvalidParams,
                    format!("Invalid params: {at} is not a count"),
                )
            };
            number.ok_or_else(invalid).map(Some)
        }
    }
}

/// Variables as a map, or as a list of names and values.
fn variables(env: &Value) -> Option<Vec<(OsString, OsString)>> {
    let texts = |name: Option<&str>, value: &Value| Some((name?.into(), value.as_str()?.into()));
    match env {
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| texts(Some(name), value))
            .collect(),
        Value::Array(list) => list
            .iter()
            .map(|one| texts(one["name"].as_str(), &one["value"]))
            .collect(),
        _ => None,
    }
}

fn refusal(error: FileError) -> Refusal {
    let kind = match &error {
        FileError::Outside(_) => ClientError::Refused,
        FileError::Missing(_) => ClientError::Missing,
        FileError::NotAFile(_) | FileError::System(..) => ClientError::Failed,
    };
    (kind, error.to_string())
}

fn end_values(end: &TerminalEnd) -> Vec<(&'static str, Value)> {
    vec![
        ("code", end.code.into()),
        ("signal", end.signal.clone().into()),
    ]
}

/// A result with the values of its verb. The loader has checked that it needs no others.
fn filled(result: &Template, values: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let mut all = Captures::default();
    for (name, value) in values {
        all.set(name, value);
    }
    result.show(&all)
}
