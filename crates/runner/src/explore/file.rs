//! The format of `explore.yaml`. The doc comments are the descriptions in the JSON Schema that editors show.

use crate::scenario::{StepKeys, StepVerb};
use conform_judge::finding::Level;
use indexmap::IndexMap;
use json_matcher::AnyValueSchema;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned, WithVerbs};

/// What a host and a model can do with an agent, and at which moments: the moves of which `conform explore` makes sessions.
///
/// Texts of `starts` and `moves` may contain `{#}`, the number of the move among those that have it (`{#n}` where it must stay a number), and the names of drawn data, of `set` and of
/// `add` in braces. A text that is one such name becomes the value itself, of any type.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "conform exploration")]
pub struct ExploreFile {
    /// The moments of a session. It begins at the first one, and ends there or at one that is `final`.
    pub moments: IndexMap<Spanned<String>, MomentFile>,
    /// What can become of a command besides being taken, and the steps that show it: the first that fits, up to the next command.
    pub outcomes: IndexMap<Spanned<String>, Vec<SignFile>>,
    /// Situations that `conform coverage --situations` does not ask for.
    pub impossible: Vec<ImpossibleFile>,
    /// Classes of data that `conform coverage --situations` does not ask for at some places.
    pub left_out: Vec<LeftOutFile>,
    /// How a session can begin; one is chosen.
    pub starts: IndexMap<Spanned<String>, MoveFile>,
    /// What can be done, by name.
    pub moves: IndexMap<Spanned<String>, MoveFile>,
    /// Data of this dialect beside the common pools: those with the name of a common pool are added to it. The tamest comes first.
    pub pools: IndexMap<Spanned<String>, Vec<Datum>>,
    /// How the scenarios of the dialect are spliced into sessions.
    pub spliced: Option<SplicedFile>,
    /// Inherited starts and moves that this version does not have.
    pub remove: Vec<Spanned<String>>,
}

/// A moment of a session.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Moment")]
pub struct MomentFile {
    /// What is going on then, in a few words.
    pub summary: String,
    /// `true`: a session may end here; no move leads out of it but those that say so.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Another moment that it is for the agent: situations at it count there.
    pub same_as: Option<Spanned<String>>,
    /// The steps that show that it has come. Between moves it comes as the moves say.
    pub signs: Vec<SignFile>,
    /// In a dialect with `naming: json-rpc`, instead of signs: the requests that are open then, those of the host with `>`. It has come while all
    /// of them are; of several such moments, the one with the most requests.
    pub open: Option<Words>,
}

/// A step that shows a moment, or what became of a command.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sign")]
pub struct SignFile {
    /// A matcher on the step: `{ expect: EVENT }` for each event that a step waits for, and every other step as it is written.
    #[schemars(with = "AnyValueSchema")]
    pub step: Node,
    /// Only at these moments.
    #[serde(default)]
    pub from: Option<Words>,
    /// Only behind these commands.
    #[serde(default)]
    pub of: Option<Words>,
}

/// Commands at moments that cannot be. What is left out stands for all.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Impossible")]
pub struct ImpossibleFile {
    /// The moments.
    #[serde(default)]
    pub at: Option<Words>,
    /// The commands.
    #[serde(default)]
    pub command: Option<Words>,
    /// The outcomes.
    #[serde(default)]
    pub outcome: Option<Words>,
    /// The reason.
    pub why: String,
}

/// Classes of data that do not come at some places.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LeftOut")]
pub struct LeftOutFile {
    /// A matcher on the place: a command, `model` or `files`, with the names of the members that lead there, such as `prompt message`.
    #[schemars(with = "AnyValueSchema")]
    pub at: Node,
    /// The classes; all if left out.
    #[serde(default)]
    pub class: Option<Spanned<Words>>,
    /// The reason.
    pub why: String,
}

/// A move: a piece of a scenario that leads from one moment to another. A start has the same keys, but for `from`, `when` and `once`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Move")]
pub struct MoveFile {
    /// What happens, in a few words.
    pub summary: String,
    /// The moments at which it can be made: one, a list, or `any` for all that are not final.
    pub from: Option<Spanned<Words>>,
    /// The moment it leads to; the same one if left out, and the first one for a start.
    pub to: Option<Spanned<String>>,
    /// It can be made only if these variables of the session have this value, or one of these; `null` is a variable that was not set.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub when: IndexMap<Spanned<String>, Node>,
    /// Data for its texts: a name, and the pool or pools that one datum is taken from.
    pub draw: IndexMap<Spanned<String>, Spanned<Words>>,
    /// Variables of the session for later moves; `null` unsets one.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub set: IndexMap<String, Node>,
    /// What is added to counters of the session, which start at 0.
    pub add: IndexMap<String, i64>,
    /// `true`: at most once in a session.
    pub once: bool,
    /// How often it is chosen, compared with others; 1 if left out.
    pub weight: Option<u32>,
    /// The severity of its failed steps, if they have none of their own: `must` if left out.
    pub level: Option<Level>,
    /// The clauses that its steps check.
    pub clauses: Vec<Spanned<String>>,
    /// Capabilities that the agent must declare.
    pub needs: Vec<Spanned<String>>,
    /// Tags of the scenario.
    pub tags: Vec<Spanned<String>>,
    /// The model API, by its name in the launch recipe.
    pub wire: Option<Spanned<String>>,
    /// How the agent is started, as in a scenario.
    #[schemars(with = "Option<IndexMap<String, AnyValueSchema>>")]
    pub agent: Option<Node>,
    /// The abilities that the client declares, as in a scenario.
    #[schemars(with = "Option<AnyValueSchema>")]
    pub client: Option<Node>,
    /// `false`: without the steps that the dialect puts before those of each scenario; a name: with the parts up to this one.
    #[schemars(with = "Option<AnyValueSchema>")]
    pub prelude: Option<Node>,
    /// `false`: without the steps that the dialect puts behind those of each scenario.
    pub ending: Option<bool>,
    /// Files in the workspace before the start.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub files: IndexMap<String, Node>,
    /// MCP servers, by name, as in a scenario.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub mcp: IndexMap<String, Node>,
    /// The replies of the model, in the order of the requests that the move causes.
    #[schemars(with = "Vec<IndexMap<String, AnyValueSchema>>")]
    pub model: Vec<Node>,
    /// Commands that are sent automatically; they hold for the whole session, so `on` names an id of the move.
    #[schemars(with = "Vec<IndexMap<String, AnyValueSchema>>")]
    pub answers: Vec<Node>,
    /// What the host does and expects.
    #[schemars(with = "Vec<WithVerbs<StepKeys, StepVerb>>")]
    pub steps: Vec<Node>,
    /// The state that files must have after the session; that of a later move counts.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub files_after: IndexMap<String, Node>,
}

/// How scenarios are spliced: their bodies are played one after the other in one process, and only rules judge.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Spliced")]
pub struct SplicedFile {
    /// The members of commands with an id that may come once in a session.
    pub ids: Vec<String>,
    /// Matchers on steps after which no scenario can follow, because the session of the dialect's prelude is closed.
    #[schemars(with = "Vec<AnyValueSchema>")]
    pub closes: Vec<Node>,
    /// Matchers on steps that open it again.
    #[schemars(with = "Vec<AnyValueSchema>")]
    pub reopens: Vec<Node>,
    /// Moves at the end of a session and between scenarios, by name, which look at the state of the agent. They have no `from`.
    pub epilogue: IndexMap<Spanned<String>, MoveFile>,
}

/// A word, or a list of words.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a word or a list of words")]
pub enum Words {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

/// A value with the class that it stands for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Datum {
    /// What is special about it, in a word or two; values of one class are interchangeable.
    pub class: String,
    /// The value.
    #[schemars(with = "AnyValueSchema")]
    pub value: Node,
    /// A matcher on values of this class, by which `conform coverage --situations` finds them in scenarios.
    #[serde(default)]
    #[schemars(with = "Option<AnyValueSchema>")]
    pub sign: Option<Node>,
}

impl Words {
    /// The words.
    #[must_use]
    pub fn all(&self) -> &[String] {
        match self {
            Words::One(word) => std::slice::from_ref(word),
            Words::Several(words) => words,
        }
    }
}
