//! The format of `ordering.yaml`: its YAML keys. Expressions are still text here. The doc comments are the descriptions in the JSON
//! Schema that editors show; docs/rules.md defines each key with an example.

use super::json_schema::{ConditionSchema, OperandSchema, SliceKeySchema};
use super::variables::{SettingFile, StateFile};
use crate::requirement::{Blame, Level, Source};
use frame_language::Pointer;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned, WithVerbs};

/// Rules about the order and the content of the frames of a session, and the state that they use.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "conform ordering rules")]
pub struct OrderingFile {
    /// Named groups of frame patterns.
    #[schemars(with = "IndexMap<String, Vec<String>>")]
    pub classes: IndexMap<String, Vec<Node>>,
    /// Named conditions; the bare name stands wherever a condition may stand.
    #[schemars(with = "IndexMap<String, ConditionSchema>")]
    pub conditions: IndexMap<String, Node>,
    /// Parts of the history that have no id of their own, such as a turn; their names can stand in `each`.
    pub scopes: IndexMap<String, ScopeFile>,
    /// The state variables.
    pub state: IndexMap<String, StateFile>,
    /// What the variables of the kind `setting` share; their own keys replace these.
    #[schemars(with = "Option<SettingFile>")]
    pub settings: Option<SettingFile>,
    /// Events that answer commands: they show how far the agent has read.
    pub acknowledgements: Vec<AcknowledgementFile>,
    /// How frames become the conversation that the model must see, for the rules of the form `conversation`.
    pub conversation: Option<ConversationFile>,
    /// The rules, by name. With the name of the dialect in front, the name is the rule's id.
    #[schemars(with = "IndexMap<String, WithVerbs<RuleFile, Form>>")]
    pub rules: IndexMap<String, Node>,
    /// Rules that share a guard, a level, a source or clauses. The name of a group is not part of the ids of its rules.
    pub groups: IndexMap<String, GroupFile>,
    /// Former names of rules, with the present ones.
    pub aliases: IndexMap<String, Spanned<String>>,
    /// In a version that extends another one: rules of the base that do not hold here.
    pub remove: Vec<Spanned<String>>,
}

/// A part of the history that has no id of its own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeFile {
    /// The pattern of the frame that opens it and belongs to it.
    #[schemars(with = "String")]
    pub open: Node,
    /// The pattern of the frame that closes it and belongs to it.
    #[schemars(with = "String")]
    pub close: Node,
}

/// An event that answers a command.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcknowledgementFile {
    /// The pattern of the event.
    #[schemars(with = "String")]
    pub event: Node,
    /// The pattern of the command.
    #[schemars(with = "String")]
    pub to: Node,
    /// The id that both share; without it the event answers the oldest open command.
    #[schemars(with = "Option<OperandSchema>")]
    pub key: Option<Node>,
}

/// How frames become the conversation that the model must see.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConversationFile {
    /// Commands with texts for the model.
    pub said: Vec<SaidFile>,
    /// Frames at which a conversation begins, with nothing in it.
    pub begun: Vec<OfFile>,
    /// Frames after which a conversation may hold what others do.
    pub joined: Vec<OfFile>,
    /// Events that show texts of a conversation again.
    pub replayed: Vec<SaidFile>,
    /// Events with the result of a tool.
    pub shown: Vec<ShownFile>,
    /// Events with texts of the model.
    pub told: Vec<SaidFile>,
    /// Events with thinking of the model.
    pub thought: Vec<SaidFile>,
    /// Events with a call of the model.
    pub called: Vec<CalledFile>,
    /// Events at the end of a turn with the tokens that it has used.
    pub used: Vec<UsedFile>,
    /// The pattern of events before which all texts of a turn are told.
    #[schemars(with = "Option<String>")]
    pub ended: Option<Node>,
    /// The pattern of commands that bring attachments.
    #[schemars(with = "Option<String>")]
    pub attached: Option<Node>,
    /// The pattern of frames after which the newest turn may be missing.
    #[schemars(with = "Option<String>")]
    pub undone: Option<Node>,
    /// The pattern of commands after which the turn that is open may be missing.
    #[schemars(with = "Option<String>")]
    pub stopped: Option<Node>,
    /// The pattern of frames after which it is unknown what the model must see.
    #[schemars(with = "Option<String>")]
    pub forgotten: Option<Node>,
}

/// Commands with texts for the model, or events with texts of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaidFile {
    /// The pattern of the frames.
    #[schemars(with = "String")]
    pub on: Node,
    /// JSON Pointers to the texts; all texts in a list or map count.
    pub at: Vec<Pointer>,
    /// The JSON Pointer to the id of their conversation; without it, that of the one that is open.
    #[serde(default)]
    pub of: Option<Pointer>,
}

/// Frames that are about a conversation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfFile {
    /// The pattern of the frames.
    #[schemars(with = "String")]
    pub on: Node,
    /// The JSON Pointer to its id; without it, the one that is open.
    #[serde(default)]
    pub of: Option<Pointer>,
}

/// Events with the result of a tool.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownFile {
    /// The pattern of the events.
    #[schemars(with = "String")]
    pub on: Node,
    /// The JSON Pointer to the id of the call, which is that of the model.
    pub call: Pointer,
    /// The JSON Pointer to the text, or to a list of parts with a `text` each.
    pub text: Pointer,
}

/// Events with a call of the model.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CalledFile {
    /// The pattern of the events.
    #[schemars(with = "String")]
    pub on: Node,
    /// The JSON Pointer to the id of the call. Calls with an id that the model did not give are not compared.
    pub call: Pointer,
    /// The JSON Pointer to its arguments.
    pub input: Pointer,
}

/// Events with the usage of a turn.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsedFile {
    /// The pattern of the events.
    #[schemars(with = "String")]
    pub on: Node,
    /// The JSON Pointer to the input tokens.
    pub input: Pointer,
    /// The JSON Pointer to the output tokens.
    pub output: Pointer,
    /// Whether they may be those of the session so far.
    #[serde(default)]
    pub or_session: bool,
}

/// What a rule of the form `conversation` asks.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConversationCheck {
    /// What an earlier request held is in the next one, unchanged and in order.
    Kept,
    /// What the model answered is in the next request.
    Answered,
    /// What the host said once is in the conversation once.
    Once,
    /// No text of another conversation is in this one.
    Apart,
    /// The model gets of a tool what the host was shown.
    Shown,
    /// The host receives the texts of the model's answers unchanged, in order and once.
    Told,
    /// The host receives the thinking of the model's answers unchanged.
    Thought,
    /// The host receives the arguments of the model's calls unchanged.
    Called,
    /// The end of a turn reports the tokens that the model's answers have used.
    Used,
}

/// A group of rules, with what they share. A rule's own `level`, `source` or `blame` replaces that of the group; `when` and `clauses`
/// of both count.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GroupFile {
    /// The guard of every rule of the group.
    #[schemars(with = "Option<ConditionSchema>")]
    pub when: Option<Node>,
    /// The level of their findings.
    pub level: Option<Level>,
    /// The source of the rules.
    pub source: Option<Source>,
    /// Who is to blame for their findings.
    pub blame: Option<Blame>,
    /// How they slice the history.
    #[schemars(with = "Option<SliceKeySchema>")]
    pub each: Option<Node>,
    /// Clauses that each of them checks.
    pub clauses: Vec<Spanned<String>>,
    /// The rules, by name.
    #[schemars(with = "IndexMap<String, WithVerbs<RuleFile, Form>>")]
    pub rules: IndexMap<String, Node>,
}

/// A rule: what it is about, and exactly one [`Form`].
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RuleFile {
    /// The level of its findings: `must` (the default) is a violation, `should` a warning, `may` a note.
    pub level: Option<Level>,
    /// The source of the rule: `spec` (the default), `host` or `hygiene`.
    pub source: Option<Source>,
    /// The clauses that it checks, by id.
    pub clauses: Vec<Spanned<String>>,
    /// What follows from a finding of it, and is the same mistake: other rules and events by name, `@files` for the files that a scenario
    /// expects, and `@request` for what it expects of requests to the model.
    pub explains: Vec<Spanned<String>>,
    /// What it requires, and why that matters to a host.
    #[schemars(required, with = "String")]
    pub doc: Option<Spanned<String>>,
    /// The message of a finding; `{/pointer}` and `{$state}` are filled in.
    #[schemars(with = "Option<String>")]
    pub message: Option<Node>,
    /// Who is to blame; the sender of the frame that breaks the rule if left out.
    pub blame: Option<Blame>,
    /// How the history is sliced: JSON Pointers, `$state` or scopes. `a | b` takes the first one that is present.
    #[schemars(with = "Option<SliceKeySchema>")]
    pub each: Option<Node>,
    /// The guard: frames for which it does not certainly hold are not judged.
    #[schemars(with = "Option<ConditionSchema>")]
    pub when: Option<Node>,
}

/// What a rule checks; it has exactly one form.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Form: the frames of a slice come in the order of this regular expression.
    Order(#[schemars(with = "OrderSchema")] OrderFile),
    /// Form: one frame is followed by another.
    Response(ResponseFile),
    /// Form: a condition holds for certain frames.
    Require(RequireFile),
    /// Form: a condition holds for the end of the process.
    Exit(#[schemars(with = "ConditionSchema")] Node),
    /// Form: the bytes of a line have none of these defects.
    Framing(Vec<Spanned<String>>),
    /// Form: records which reading of an open question the agent follows; never a finding.
    Readings(ReadingsFile),
    /// Form: each request to the model continues the conversation, as `conversation` of the file describes it.
    Conversation(ConversationCheck),
}

/// The form `order`: the expression alone, or a map.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its JSON Schema is used")]
enum OrderSchema {
    /// The expression.
    Expression(String),
    /// The expression with more keys.
    Map(OrderFile),
}

/// The form `order`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderFile {
    /// A regular expression over frame patterns.
    #[schemars(with = "String")]
    pub expression: Node,
    /// The pattern of more frames that count: one of them is a finding where the expression does not allow it.
    #[schemars(with = "Option<String>")]
    pub alphabet: Option<Node>,
    /// The pattern of frames after which an incomplete slice is not a finding.
    #[schemars(with = "Option<String>")]
    pub unless: Option<Node>,
    /// The pattern of frames after which the slice is no longer checked.
    #[schemars(with = "Option<String>")]
    pub disable_on: Option<Node>,
    /// The ends of a session at which missing frames are a finding.
    #[serde(default)]
    pub at_end: AtEnd,
    /// A condition on the end of a session: at a timeout, and after a request to quit, missing frames are a finding only if it holds.
    #[schemars(with = "Option<ConditionSchema>")]
    pub timeout_if: Option<Node>,
}

/// The form `response`: after `from` comes `to`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResponseFile {
    /// The pattern of the frame that asks for the response.
    #[schemars(with = "String")]
    pub from: Node,
    /// The pattern of the response.
    #[schemars(with = "String")]
    pub to: Node,
    /// The pattern of frames that must not come before the response.
    #[schemars(with = "Option<String>")]
    pub before: Option<Node>,
    /// Whether each `from` needs a `to` of its own; otherwise one answers all before it.
    #[serde(default)]
    pub one_for_one: bool,
    /// The pattern of frames after which no response is needed.
    #[schemars(with = "Option<String>")]
    pub unless: Option<Node>,
    /// A budget: `unless` has no effect once it is over.
    pub unless_within: Option<Spanned<String>>,
    /// The ends of a session at which a missing response is a finding.
    #[serde(default)]
    pub at_end: AtEnd,
    /// A condition on the end of a session: at a timeout, and after a request to quit, a missing response is a finding only if it
    /// holds.
    #[schemars(with = "Option<ConditionSchema>")]
    pub timeout_if: Option<Node>,
}

/// The form `require`: `that` holds for every frame that matches `on`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequireFile {
    /// The pattern of the frames.
    #[schemars(with = "String")]
    pub on: Node,
    /// What must hold.
    #[schemars(with = "ConditionSchema")]
    pub that: Node,
    /// A value that is collected over the frames of the slice; `that` reads it as `$fold`.
    pub fold: Option<FoldFile>,
}

/// A value that is collected over the frames of a slice, either as a text or as a number.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoldFile {
    /// The pattern of the frames that have a part of it.
    #[schemars(with = "String")]
    pub on: Node,
    /// The texts to join; the empty text if no frame came.
    #[schemars(with = "Option<OperandSchema>")]
    pub concat: Option<Node>,
    /// The numbers to add up; 0 if no frame came.
    #[schemars(with = "Option<OperandSchema>")]
    pub sum: Option<Node>,
}

/// The form `readings`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadingsFile {
    /// The pattern of the frames that show a reading.
    #[schemars(with = "String")]
    pub on: Node,
    /// The readings, by name; the first whose condition holds is counted.
    #[schemars(with = "IndexMap<String, ConditionSchema>")]
    pub of: IndexMap<String, Node>,
}

/// Which ends of a session are the last chance for frames that must still come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AtEnd {
    /// The agent ended by itself, it exited with status 0 after a request to quit, or a timeout ran out.
    #[default]
    Own,
    /// Any end of the process, except a kill for another reason than a timeout.
    Any,
    /// None: the frames may never come.
    Never,
}
