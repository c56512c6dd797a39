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
    /// With `choose`: every kind of option.
    #[serde(default)]
    pub kinds: Vec<String>,
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

/// The members of a request that a verb needs, by name: JSON Pointers.
pub type Members = IndexMap<Spanned<String>, Spanned<String>>;

/// What a client does for an answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerVerb {
    /// Reads the file `path` of the workspace, from the `line` on, which counts from 1, at most `limit` lines: `{text}`.
    ReadFile(Members),
    /// Writes the `text` of the file `path` in the workspace.
    WriteFile(Members),
    /// Starts `command` with `args` and `env` (a map, or a list of `name` and `value`) in the folder `cwd`. The last `limit` bytes of its output
    /// are kept. `{terminal}` is its id.
    StartTerminal(Members),
    /// The output of a `terminal` so far: `{output}`, `{truncated}`, and in `exited` also `{code}` and `{signal}`.
    TerminalOutput(Members),
    /// Waits for the end of the process of a `terminal`: `{code}`, `{signal}`.
    WaitForTerminal(Members),
    /// Kills the process of a `terminal`, whose output stays.
    KillTerminal(Members),
    /// Kills the process of a `terminal`, and forgets it.
    ReleaseTerminal(Members),
    /// Chooses one of the options `from` by its `kind`: `{option}` is what is at `id` in the option.
    Choose(Members),
    /// Finds values for the form with this `schema`: `{values}`.
    FillForm(Members),
}

impl AnswerVerb {
    /// The names of the members that it must have, of those that it may have, and of the values for the result.
    #[must_use]
    pub fn names(&self) -> [&'static [&'static str]; 3] {
        match self {
            Self::ReadFile(_) => [&["path"], &["line", "limit"], &["text"]],
            Self::WriteFile(_) => [&["path", "text"], &[], &[]],
            Self::StartTerminal(_) => [
                &["command"],
                &["args", "env", "cwd", "limit"],
                &["terminal"],
            ],
            Self::TerminalOutput(_) => [&["terminal"], &[], &["output", "truncated"]],
            Self::WaitForTerminal(_) => [&["terminal"], &[], &["code", "signal"]],
            Self::KillTerminal(_) | Self::ReleaseTerminal(_) => [&["terminal"], &[], &[]],
            Self::Choose(_) => [&["from", "kind", "id"], &[], &["option"]],
            Self::FillForm(_) => [&["schema"], &[], &["values"]],
        }
    }

    /// Its members.
    #[must_use]
    pub fn members(&self) -> &Members {
        match self {
            Self::ReadFile(all)
            | Self::WriteFile(all)
            | Self::StartTerminal(all)
            | Self::TerminalOutput(all)
            | Self::WaitForTerminal(all)
            | Self::KillTerminal(all)
            | Self::ReleaseTerminal(all)
            | Self::Choose(all)
            | Self::FillForm(all) => all,
        }
    }
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

/// A standing answer as written, with its keys and its verb.
pub type WrittenAnswer = (Node, AnswerKeys, Option<AnswerVerb>);

/// Decodes the standing answers of a method.
///
/// # Errors
/// Every mistake, at its place.
pub fn standing_answers(node: &Node) -> Result<Vec<WrittenAnswer>, Vec<Error>> {
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
