//! The client of a scenario: the abilities that it declares, and the requests of the agent that the scenario answers itself.

use super::context::LoadContext;
use super::file::{AutoAnswerFile, ScenarioFile, StepVerb, words};
use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, Template};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};
use spanned_yaml::{Error, Node, Span, Spanned, TimeSpan, WithVerbs};
use spanned_yaml::{all_or_mistakes, decode_all, decode_verb};
use std::borrow::Cow;
use std::slice::from_ref;
use std::time::Duration;

/// The client of a scenario.
#[derive(Debug, Clone, Default)]
pub struct ScenarioClient {
    /// The abilities that it declares.
    pub abilities: Vec<String>,
    /// The answers of the scenario by method, one after the other; the last one stays.
    pub answers: IndexMap<String, Vec<OwnAnswer>>,
    /// How many responses to each method steps send.
    pub by_steps: IndexMap<String, usize>,
}

/// An answer that a scenario gives in place of its client.
#[derive(Debug, Clone)]
pub struct OwnAnswer {
    /// Its location.
    pub span: Span,
    /// What is answered.
    pub reply: OwnReply,
    /// How late.
    pub delay: Option<Duration>,
    /// How often.
    pub times: u32,
}

/// What is answered.
#[derive(Debug, Clone)]
pub enum OwnReply {
    /// What the client answers by itself.
    Standing,
    /// Nothing.
    Withhold,
    /// A reply of the dialect, a kind or a policy.
    Reply(String),
    /// A `result` or an `error` as it is.
    Literal(Template),
}

/// The keys of an answer next to its verb.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "OwnAnswer")]
struct OwnKeys {
    /// How late it comes.
    delay: Option<TimeSpan>,
    /// How often it comes; once if left out.
    #[schemars(range(min = 1))]
    times: Option<u32>,
}

/// What is answered.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OwnVerb {
    /// What the client answers by itself. It has no value.
    Standing,
    /// Nothing: a step answers later, or nobody. It has no value.
    Withhold,
    /// A reply of the dialect by its name, a kind of option or a policy.
    Reply(Spanned<String>),
    /// A result, of any JSON.
    Result(#[schemars(with = "AnyValueSchema")] Node),
    /// An error, of any JSON.
    Error(#[schemars(with = "AnyValueSchema")] Node),
}

/// The automatic answers, or the requests that the scenario answers in place of its client.
pub(super) struct AnswersSchema;

impl JsonSchema for AnswersSchema {
    fn schema_name() -> Cow<'static, str> {
        "Answers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let automatic = generator.subschema_for::<Vec<AutoAnswerFile>>();
        let own = generator.subschema_for::<WithVerbs<OwnKeys, OwnVerb>>();
        let one = json!([{ "type": "string" }, own]);
        let list = json!({ "type": "array", "items": { "anyOf": one } });
        let each = json!({ "anyOf": [{ "type": "string" }, own, list] });
        json_schema!({ "anyOf": [automatic, { "type": "object", "additionalProperties": each }] })
    }
}

/// The automatic answers under `answers`, if it is a list.
pub(super) fn automatic_answers(written: Option<&Node>) -> Result<Vec<AutoAnswerFile>, Vec<Error>> {
    match written.map(|node| (node, node.as_list())) {
        Some((_, Some(list))) => all_or_mistakes(list.iter().map(decode_all)),
        Some((node, None)) if node.as_map().is_none() => Err(vec![node.error(format!(
            "expected a list of answers, or a map by method, found {}",
            node.describe()
        ))]),
        _ => Ok(Vec::new()),
    }
}

/// The answers of the scenario itself: the key of each method, and its answers.
fn by_method(file: &ScenarioFile) -> impl Iterator<Item = (Spanned<String>, &[Node])> {
    let written = file.written_answers.iter().filter_map(Node::as_map);
    written.flatten().map(|(key, entry)| {
        let (value, span) = (key.name.clone(), key.span);
        (
            Spanned { value, span },
            entry.as_list().unwrap_or(from_ref(entry)),
        )
    })
}

/// The JSON of the answers of the scenario itself.
pub(super) fn values(file: &ScenarioFile) -> impl Iterator<Item = &Node> {
    let all = by_method(file).flat_map(|(_, answers)| answers);
    all.flat_map(|one| one.get("result").into_iter().chain(one.get("error")))
}

/// The client of a scenario; `None` if there are mistakes.
pub(super) fn build(file: &ScenarioFile, context: &mut LoadContext<'_>) -> Option<ScenarioClient> {
    let dialect = context.dialect;
    let client = dialect.and_then(|dialect| dialect.client.as_ref());
    context.no_duplicates("ability", &file.client);
    for ability in file.client.iter().filter(|_| dialect.is_some()) {
        let known = client
            .iter()
            .flat_map(|client| client.file.abilities.keys());
        context.known("ability", ability, known.map(String::as_str));
    }
    let mut answers = IndexMap::new();
    for (method, entries) in by_method(file) {
        let mistake = match (dialect, client) {
            (Some(_), None) => Some("answers by method need a `client` in the dialect.yaml: write a list of `on` and `send`".to_owned()),
            (Some(_), _) if entries.is_empty() => Some("no answer: write `withhold` if the agent gets none".to_owned()),
            (Some(dialect), _) => dialect.answer_mistake(&method),
            (None, _) => None,
        };
        if let Some(mistake) = mistake {
            context.error(method.span, mistake);
            continue;
        }
        let words = client.map(|client| client.words(&method));
        let own = entries
            .iter()
            .map(|one| own_answer(one, words.as_deref(), context));
        let own: Vec<_> = own.collect();
        answers.insert(method.value, own.into_iter().collect::<Option<_>>()?);
    }
    Some(ScenarioClient {
        abilities: words(&file.client),
        answers,
        by_steps: by_steps(file, context),
    })
}

fn own_answer(
    node: &Node,
    words: Option<&[&str]>,
    context: &mut LoadContext<'_>,
) -> Option<OwnAnswer> {
    let (keys, verb) = match node.as_str().map(str::to_owned) {
        Some(word) if word == "standing" => (OwnKeys::default(), OwnVerb::Standing),
        Some(word) if word == "withhold" => (OwnKeys::default(), OwnVerb::Withhold),
        Some(value) => {
            let span = node.span();
            (OwnKeys::default(), OwnVerb::Reply(Spanned { value, span }))
        }
        None => {
            let read = decode_verb(node, "an answer");
            let (keys, _, verb) = context.value_or_report(read)?;
            (keys, verb)
        }
    };
    if let (OwnVerb::Reply(word), Some(words)) = (&verb, words) {
        let known = words.iter().copied().chain(["standing", "withhold"]);
        context.known("reply", word, known);
    }
    if keys.times == Some(0) {
        let message = "`times: 0`: write `withhold` if the agent gets no answer";
        context.error(node.span(), message);
    }
    let literal = |key: &str, value: &Node| {
        OwnReply::Literal(Template::new(json!({ key: value.to_value() })))
    };
    Some(OwnAnswer {
        span: node.span(),
        reply: match verb {
            OwnVerb::Standing => OwnReply::Standing,
            OwnVerb::Withhold => OwnReply::Withhold,
            OwnVerb::Reply(word) => OwnReply::Reply(word.value),
            OwnVerb::Result(value) => literal("result", &value),
            OwnVerb::Error(value) => literal("error", &value),
        },
        delay: keys.delay.map(|delay| delay.0),
        times: keys.times.unwrap_or(1),
    })
}

/// How many responses to each method of the agent the steps of a scenario send.
fn by_steps(file: &ScenarioFile, context: &LoadContext<'_>) -> IndexMap<String, usize> {
    let mut count = IndexMap::new();
    for step in &file.steps {
        if let (StepVerb::Send(command), Some(dialect)) = (&step.verb, context.dialect)
            && let Some(Value::String(name)) = command.get("message").map(Node::to_value)
            && dialect.commands.is_answer(&name)
            && let Some((method, _)) = name.rsplit_once('.')
        {
            *count.entry(method.to_owned()).or_default() += 1;
        }
    }
    count
}
