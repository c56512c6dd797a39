//! What the client does for a request of the agent: the verbs of its standing answers.

use super::client::Outcome;
use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use crate::client::files::FileError;
use crate::client::form;
use crate::client::terminal::{Terminal, TerminalCommand, TerminalEnd};
use conform_dialect::client::{AnswerVerb, ClientError};
use conform_judge::dialect::{Client, StandingAnswer, merge};
use json_matcher::{Captures, Template};
use serde_json::Value;
use spanned_yaml::Node;
use std::ffi::OsString;

/// The values of a verb for the result, or why there are none.
type Values = Result<Vec<(&'static str, Value)>, Refusal>;
type Refusal = (ClientError, String);

/// A request of the agent, with the names that its members have in the verb.
#[derive(Clone, Copy)]
struct Asked<'a> {
    answer: &'a StandingAnswer,
    request: &'a Value,
}

impl<'a> Asked<'a> {
    fn get(self, name: &str) -> Option<&'a Value> {
        self.answer.member(name, self.request)
    }

    /// A member as this type reads it; `None` if it is missing.
    fn read<T>(self, name: &str, read: fn(&'a Value) -> Option<T>) -> Result<Option<T>, Refusal> {
        let value = self
            .get(name)
            .map(|value| read(value).ok_or_else(|| self.invalid(name)));
        value.transpose()
    }

    fn text(self, name: &str) -> Result<&'a str, Refusal> {
        let text = self.read(name, Value::as_str)?;
        text.ok_or_else(|| self.invalid(name))
    }

    fn invalid(self, name: &str) -> Refusal {
        let at = self.answer.pointer(name).unwrap_or(name);
        let message = format!("Invalid params: {at} is missing or has another type");
        (ClientError::InvalidParams, message)
    }
}

fn count(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = value.as_array()?.iter();
    texts.map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Variables as a map, or as a list of names and values.
fn variables(env: &Value) -> Option<Vec<(OsString, OsString)>> {
    let pair = |name: Option<&str>, value: &Value| Some((name?.into(), value.as_str()?.into()));
    match env {
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| pair(Some(name), value))
            .collect(),
        Value::Array(list) => list
            .iter()
            .map(|one| pair(one["name"].as_str(), &one["value"]))
            .collect(),
        _ => None,
    }
}

impl ScenarioPlayer {
    /// Does what a standing answer says.
    pub(super) fn act(
        &mut self,
        client: &Client,
        answer: &StandingAnswer,
        request: &Value,
        word: &str,
    ) -> Result<Outcome, EarlyStop> {
        let asked = Asked { answer, request };
        let method = request["method"].as_str().unwrap_or_default();
        let values = match &answer.verb {
            None => Ok(Vec::new()),
            Some(AnswerVerb::Choose(_)) => match chosen(asked, word) {
                Ok(option) => Ok(vec![("option", option)]),
                Err(why) => {
                    let why = format!("{why} in `{method}`");
                    if self.scenario.rules_only {
                        return Ok(Outcome::error(client, ClientError::Failed, &why));
                    }
                    return Err(EarlyStop::Skipped(why));
                }
            },
            Some(AnswerVerb::FillForm(_)) => {
                match form::values_for(asked.get("schema").unwrap_or(&Value::Null)) {
                    Some(values) => Ok(vec![("values", values)]),
                    None => {
                        let why = format!(
                            "no values were found that fit the form of `{method}`: answer it under `answers`"
                        );
                        return self.client_is_stuck(client, why);
                    }
                }
            }
            Some(AnswerVerb::ReadFile(_)) => self.read_file(asked),
            Some(AnswerVerb::WriteFile(_)) => self.write_file(asked),
            Some(AnswerVerb::StartTerminal(_)) => self.start_terminal(asked),
            Some(AnswerVerb::WaitForTerminal(_)) => match self.terminal(asked) {
                Ok((name, terminal)) => match terminal.output() {
                    (_, _, Some(end)) => Ok(end_values(&end)),
                    _ => return Ok(Outcome::AfterEnd(name.to_owned())),
                },
                Err(refusal) => Err(refusal),
            },
            Some(AnswerVerb::TerminalOutput(_)) => match self.terminal(asked) {
                Ok((_, terminal)) => return Ok(output_of(answer, terminal)),
                Err(refusal) => Err(refusal),
            },
            Some(AnswerVerb::KillTerminal(_)) => self
                .terminal(asked)
                .map(|(_, terminal)| terminal.kill())
                .map(|()| Vec::new()),
            Some(AnswerVerb::ReleaseTerminal(_)) => {
                let name = self.terminal(asked).map(|(name, _)| name);
                name.map(|name| {
                    let client = self.session.client.as_mut();
                    drop(client.and_then(|own| own.terminals.shift_remove(name)));
                    Vec::new()
                })
            }
        };
        Ok(match values {
            Ok(values) => Outcome::result(filled(&answer.keys.result, values)),
            Err((error, message)) => {
                if error == ClientError::Refused {
                    self.note_client(format!("the client refused `{method}`: {message}"));
                }
                Outcome::error(client, error, &message)
            }
        })
    }

    /// The outcome of a request that waited for the end of a process.
    pub(super) fn end_of(&self, request: &Value, end: &TerminalEnd) -> Outcome {
        let method = request["method"].as_str().unwrap_or_default();
        let client = self.suite.dialect.client.iter();
        let mut answers = client
            .flat_map(|client| client.answers.get(method))
            .flatten();
        let answer = answers.find(|answer| answer.fits(request));
        let result = answer.map(|answer| filled(&answer.keys.result, end_values(end)));
        Outcome::result(result.unwrap_or_default())
    }

    fn read_file(&self, asked: Asked<'_>) -> Values {
        let (path, first) = (asked.text("path")?, asked.read("line", count)?);
        let (first, limit) = (first.unwrap_or(1), asked.read("limit", count)?);
        let client = self.session.client.as_ref();
        let text = client
            .map(|own| own.workspace.read(path, first, limit))
            .transpose();
        Ok(vec![("text", text.map_err(refusal)?.into())])
    }

    fn write_file(&self, asked: Asked<'_>) -> Values {
        let (path, text) = (asked.text("path")?, asked.text("text")?);
        let client = self.session.client.as_ref();
        let written = client
            .map(|own| own.workspace.write(path, text))
            .transpose();
        written.map_err(refusal).map(|_| Vec::new())
    }

    fn start_terminal(&mut self, asked: Asked<'_>) -> Values {
        let mut env = self.sandbox.environment();
        env.extend(asked.read("env", variables)?.unwrap_or_default());
        let Some(session) = &mut self.session.client else {
            return Ok(Vec::new());
        };
        let folder = asked.read("cwd", Value::as_str)?.unwrap_or(".");
        let command = TerminalCommand {
            program: asked.text("command")?.to_owned(),
            args: asked.read("args", texts)?.unwrap_or_default(),
            env: env.into_iter().collect(),
            folder: session.workspace.folder(folder).map_err(refusal)?,
            limit: asked.read("limit", count)?,
        };
        self.client_numbers.0 += 1;
        let name = format!("terminal-{}", self.client_numbers.0);
        let terminal = Terminal::start(&command, name.clone(), &self.queue).map_err(|error| {
            let message = format!("{} cannot be started: {error}", command.program);
            (ClientError::Failed, message)
        })?;
        session.terminals.insert(name.clone(), terminal);
        Ok(vec![("terminal", name.into())])
    }

    fn terminal<'a>(&self, asked: Asked<'a>) -> Result<(&'a str, &Terminal), Refusal> {
        let name = asked.text("terminal")?;
        let client = self.session.client.as_ref();
        let found = client.and_then(|own| own.terminals.get(name));
        let missing = || (ClientError::Missing, format!("there is no terminal {name}"));
        found.ok_or_else(missing).map(|terminal| (name, terminal))
    }
}

/// The option of the kind that a word stands for, or why there is none.
fn chosen(asked: Asked<'_>, word: &str) -> Result<Value, String> {
    let at = |option: &'_ Value, name: &str| {
        let pointer = asked.answer.pointer(name).unwrap_or_default();
        option.pointer(pointer).cloned()
    };
    let wanted = asked.answer.kinds(word);
    let options = asked
        .get("from")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let mut of_kind = wanted.iter().flat_map(|kind| {
        options
            .clone()
            .filter(move |option| at(option, "kind").is_some_and(|own| own == **kind))
    });
    of_kind
        .next()
        .and_then(|option| at(option, "id"))
        .ok_or_else(|| {
            let kinds =
                options.filter_map(|option| at(option, "kind").map(|kind| kind.to_string()));
            let kinds: Vec<_> = kinds.collect();
            let (wanted, kinds) = (wanted.join(" or "), kinds.join(", "));
            format!("there is no option of the kind {wanted} among the kinds [{kinds}]")
        })
}

fn output_of(answer: &StandingAnswer, terminal: &Terminal) -> Outcome {
    let (output, is_truncated, end) = terminal.output();
    let values = vec![
        ("output", output.into()),
        ("truncated", is_truncated.into()),
    ];
    let mut result = filled(&answer.keys.result, values);
    if let (Some(end), Some(exited)) = (end, &answer.keys.exited) {
        merge(&mut result, &filled(exited, end_values(&end)));
    }
    Outcome::result(result)
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
fn filled(result: &Node, values: Vec<(&'static str, Value)>) -> Value {
    let mut all = Captures::default();
    for (name, value) in values {
        all.set(name, value);
    }
    Template::new(result.to_value()).show(&all)
}
