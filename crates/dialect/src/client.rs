//! The format of the section `client` of `dialect.yaml`: what a client can do, and how it answers the requests of an agent.

use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, MatcherSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use spanned_yaml::{Error, Node, Spanned, WithVerbs, decode_all, names_of, take_verbs};
use std::borrow::Cow;

/// How a client of the protocol behaves. With it, conform answers each request of the agent.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ClientFile {
    /// What a client can declare: a name and its JSON. The merged JSON of those that a scenario lists is the placeholder `{abilities}`.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub abilities: IndexMap<String, Node>,
    /// The codes of errors that differ from the usual ones.
    pub errors: IndexMap<ClientError, i64>,
    /// The notification with which the agent takes back a request.
    pub cancel: Option<CancelFile>,
    /// The standing answers by method: one, or a list of which the first one that fits is given.
    #[schemars(with = "IndexMap<String, AnswersSchema>")]
    pub answers: IndexMap<Spanned<String>, Node>,
}

/// Why a client answers with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientError {
    /// It does not have the method, or did not declare it: -32601.
    MethodNotFound,
    /// A parameter is missing or of another type, or the client did not declare this form of the method: -32602.
    InvalidParams,
    /// The system refused it: -32603.
    Failed,
    /// The agent took the request back: -32800.
    Cancelled,
    /// The path leads out of the workspace: -32602.
    Refused,
    /// There is no such file or terminal: -32603.
    Missing,
}

impl ClientError {
    /// The usual code.
    #[must_use]
    pub fn code(self) -> i64 {
        match self {
            Self::MethodNotFound => -32601,
            Self::InvalidParams | Self::Refused => -32602,
            Self::Failed | Self::Missing => -32603,
            Self::Cancelled => -32800,
        }
    }
}

/// The notification with which the agent takes back a request.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelFile {
    /// Its method.
    pub notification: Spanned<String>,
    /// The JSON Pointer to the id of the request.
    pub id: Spanned<String>,
}

/// A standing answer: one verb, or none for an answer that is always the same.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StandingAnswer")]
pub struct AnswerKeys {
    /// A matcher on the requests that it is for; all if left out.
    #[serde(default)]
    #[schemars(with = "Option<MatcherSchema>")]
    pub when: Option<Node>,
    /// The abilities of which the client must declare one, else it does not have the method.
    #[serde(default)]
    pub needs: Vec<Spanned<String>>,
    /// The result. Its texts may hold the values of the verb.
    #[schemars(with = "AnyValueSchema")]
    pub result: Node,
    /// With `terminal_output`: merged into the result once the process has ended.
    #[serde(default)]
    #[schemars(with = "Option<AnyValueSchema>")]
    pub exited: Option<Node>,
    /// Other results, by name.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub replies: IndexMap<String, Node>,
    /// With `choose`: names for several kinds, of which the first one that is offered is chosen.
    #[serde(default)]
    pub policies: IndexMap<String, Vec<Spanned<String>>>,
    /// What is answered if the scenario says nothing: a kind, a policy or the name of a reply. `result` if left out.
    #[serde(default)]
    pub reply: Option<Spanned<String>>,
    /// The replies to the requests that are open when the host sends this command, or that come between it and the next prompt.
    #[serde(default)]
    pub after: IndexMap<Spanned<String>, Spanned<String>>,
    /// The JSON Pointer to the member that such a command and its requests share, such as the id of a session; all if left out.
    #[serde(default)]
    pub same: Option<Spanned<String>>,
}

/// What a client does for an answer. Members of the request are JSON Pointers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerVerb {
    /// Reads a file of the workspace: `{text}`.
    ReadFile(ReadFile),
    /// Writes a file of the workspace.
    WriteFile(WriteFile),
    /// Starts a process: `{terminal}` is the id.
    StartTerminal(StartTerminal),
    /// The output of a process so far: `{output}`, `{truncated}`, and in `exited` also `{code}` and `{signal}`.
    TerminalOutput(OfTerminal),
    /// Waits for the end of a process: `{code}`, `{signal}`.
    WaitForTerminal(OfTerminal),
    /// Kills a process, whose output stays.
    KillTerminal(OfTerminal),
    /// Kills a process and forgets it.
    ReleaseTerminal(OfTerminal),
    /// Chooses an option by its kind: `{option}`.
    Choose(Choose),
    /// Fills in a form: `{values}`.
    FillForm(FillForm),
}

impl AnswerVerb {
    /// The placeholders that the result may hold.
    #[must_use]
    pub fn values(&self) -> &'static [&'static str] {
        match self {
            Self::ReadFile(_) => &["text"],
            Self::WriteFile(_) | Self::KillTerminal(_) | Self::ReleaseTerminal(_) => &[],
            Self::StartTerminal(_) => &["terminal"],
            Self::TerminalOutput(_) => &["output", "truncated"],
            Self::WaitForTerminal(_) => &["code", "signal"],
            Self::Choose(_) => &["option"],
            Self::FillForm(_) => &["values"],
        }
    }

    /// The JSON Pointers in it.
    #[must_use]
    pub fn pointers(&self) -> Vec<&Spanned<String>> {
        match self {
            Self::ReadFile(one) => [&one.path]
                .into_iter()
                .chain(&one.line)
                .chain(&one.limit)
                .collect(),
            Self::WriteFile(one) => vec![&one.path, &one.text],
            Self::StartTerminal(one) => [&one.command]
                .into_iter()
                .chain(
                    [&one.args, &one.env, &one.cwd, &one.limit]
                        .into_iter()
                        .flatten(),
                )
                .collect(),
            Self::TerminalOutput(one)
            | Self::WaitForTerminal(one)
            | Self::KillTerminal(one)
            | Self::ReleaseTerminal(one) => vec![&one.terminal],
            Self::Choose(one) => vec![&one.from, &one.kind, &one.id],
            Self::FillForm(one) => vec![&one.schema],
        }
    }
}

/// The members of a request to read a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// The path: absolute, or relative to the workspace.
    pub path: Spanned<String>,
    /// The first line, from 1.
    pub line: Option<Spanned<String>>,
    /// The most lines.
    pub limit: Option<Spanned<String>>,
}

/// The members of a request to write a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// The path: absolute, or relative to the workspace.
    pub path: Spanned<String>,
    /// The text.
    pub text: Spanned<String>,
}

/// The members of a request to start a process.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartTerminal {
    /// The program.
    pub command: Spanned<String>,
    /// Its arguments.
    pub args: Option<Spanned<String>>,
    /// Its variables: a map, or a list of `{ name, value }`.
    pub env: Option<Spanned<String>>,
    /// Its folder.
    pub cwd: Option<Spanned<String>>,
    /// The most bytes of its output that are kept, from the end.
    pub limit: Option<Spanned<String>>,
}

/// The members of a request about a process.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfTerminal {
    /// The id that it got when it was started.
    pub terminal: Spanned<String>,
}

/// The members of a request to choose one of several options.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choose {
    /// The list of options.
    pub from: Spanned<String>,
    /// In an option: its kind.
    pub kind: Spanned<String>,
    /// In an option: what the answer names it by.
    pub id: Spanned<String>,
    /// Every kind.
    pub kinds: Vec<String>,
}

/// The members of a request to fill in a form.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillForm {
    /// The JSON Schema of the values.
    pub schema: Spanned<String>,
}

impl ClientFile {
    /// The section of a delta, with the parts of the base that it does not replace.
    pub(crate) fn merged_with(self, mut base: ClientFile) -> ClientFile {
        base.abilities.extend(self.abilities);
        base.errors.extend(self.errors);
        let is_replaced =
            |method: &Spanned<String>| self.answers.keys().any(|own| **own == **method);
        base.answers.retain(|method, _| !is_replaced(method));
        base.answers.extend(self.answers);
        ClientFile {
            cancel: self.cancel.or(base.cancel),
            ..base
        }
    }
}

/// Decodes the standing answers of a method.
///
/// # Errors
/// Every mistake, at its place.
pub fn standing_answers(
    node: &Node,
) -> Result<Vec<(Node, AnswerKeys, Option<AnswerVerb>)>, Vec<Error>> {
    let one = |node: &Node| {
        let (mut verbs, rest) = take_verbs::<AnswerVerb>(node)?;
        if verbs.len() > 1 {
            let verbs = names_of::<AnswerVerb>().join(", ");
            let message = format!("a standing answer has at most one of {verbs}");
            return Err(vec![node.error(message)]);
        }
        Ok((
            node.clone(),
            decode_all(&rest)?,
            verbs.pop().map(|(_, verb)| verb),
        ))
    };
    let answers = node.as_list().unwrap_or(std::slice::from_ref(node));
    spanned_yaml::all_or_mistakes(answers.iter().map(one))
}

/// A standing answer, or a list of them.
struct AnswersSchema;

impl JsonSchema for AnswersSchema {
    fn schema_name() -> Cow<'static, str> {
        "StandingAnswers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<WithVerbs<AnswerKeys, AnswerVerb>>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}
