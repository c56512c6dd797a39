//! The client of a scenario: the abilities that it declares, and the requests of the agent that the scenario answers itself.

use super::context::LoadContext;
use super::file::{AutoAnswerFile, ScenarioFile, StepVerb, words};
use conform_judge::dialect::merge;
use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, Template};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use spanned_yaml::{
    Error, Node, Span, Spanned, TimeSpan, WithVerbs, all_or_mistakes, decode_all, decode_verb,
    present,
};
use std::borrow::Cow;
use std::time::Duration;

/// The client of a scenario.
#[derive(Debug, Clone, Default)]
pub struct ScenarioClient {
    /// The JSON with which it declares its abilities.
    pub declared: Value,
    /// The abilities.
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
    /// A result as it is.
    Result(Template),
    /// An error as it is.
    Error(Template),
}

/// The abilities that the client declares.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AbilitiesFile {
    /// The abilities of the dialect.
    #[serde(default)]
    abilities: Vec<Spanned<String>>,
    /// More JSON to declare.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "AnyValueSchema")]
    also: Option<Node>,
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

/// The abilities, or a map with them.
pub(super) struct ClientSchema;

impl JsonSchema for AnswersSchema {
    fn schema_name() -> Cow<'static, str> {
        "Answers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let automatic = generator.subschema_for::<Vec<AutoAnswerFile>>();
        let own = generator.subschema_for::<WithVerbs<OwnKeys, OwnVerb>>();
        let one = json_schema!({ "anyOf": [{ "type": "string" }, own] });
        json_schema!({ "anyOf": [automatic, {
            "type": "object",
            "additionalProperties": { "anyOf": [one, { "type": "array", "items": one }] }
        }] })
    }
}

impl JsonSchema for ClientSchema {
    fn schema_name() -> Cow<'static, str> {
        "Client".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let map = generator.subschema_for::<AbilitiesFile>();
        json_schema!({ "anyOf": [{ "type": "array", "items": { "type": "string" } }, map] })
    }
}

/// The automatic answers under `answers`, if it is a list.
pub(super) fn automatic_answers(written: Option<&Node>) -> Result<Vec<AutoAnswerFile>, Vec<Error>> {
    match written {
        Some(node) if node.as_map().is_none() => {
            let expected = format!(
                "expected a list of answers, or a map by method, found {}",
                node.describe()
            );
            let list = node.as_list().ok_or_else(|| vec![node.error(expected)])?;
            all_or_mistakes(list.iter().map(decode_all))
        }
        _ => Ok(Vec::new()),
    }
}

/// The values of answers of the scenario, as they are written.
pub(super) fn values(file: &ScenarioFile) -> Vec<&Node> {
    let by_method = file.written_answers.as_ref().and_then(Node::as_map);
    let entries = by_method.into_iter().flatten().map(|(_, entry)| entry);
    let each = entries.flat_map(|entry| entry.as_list().unwrap_or(std::slice::from_ref(entry)));
    each.flat_map(|one| one.get("result").into_iter().chain(one.get("error")))
        .collect()
}

/// The client of a scenario; `None` if there are mistakes.
pub(super) fn build(file: &ScenarioFile, context: &mut LoadContext<'_>) -> Option<ScenarioClient> {
    let mut client = ScenarioClient::default();
    if let Some(node) = &file.client {
        let read = match node.as_list() {
            Some(_) => decode_all(node).map(|abilities| AbilitiesFile {
                abilities,
                also: None,
            }),
            None => decode_all(node),
        };
        let AbilitiesFile { abilities, also } = context.value_or_report(read)?;
        context.no_duplicates("ability", &abilities);
        if let Some(dialect) = context.dialect {
            let known = dialect
                .client
                .iter()
                .flat_map(|client| client.abilities.keys());
            let known: Vec<_> = known.map(String::as_str).collect();
            for ability in &abilities {
                context.known("ability", ability, known.iter().copied());
            }
        }
        client.abilities = words(&abilities);
        client.declared = also.as_ref().map(Node::to_value).unwrap_or_default();
    }
    if let Some(own) = context.dialect.and_then(|dialect| dialect.client.as_ref()) {
        let also = std::mem::replace(&mut client.declared, own.declared(&client.abilities));
        merge(&mut client.declared, &also);
    }
    let by_method = file.written_answers.as_ref().and_then(Node::as_map);
    for (method, entry) in by_method.into_iter().flatten() {
        let method_at = |name: &str| Spanned {
            value: name.to_owned(),
            span: method.span,
        };
        if let Some(dialect) = context.dialect {
            let mistake = match &dialect.client {
                Some(_) => dialect.answer_mistake(&method.name),
                None => Some("a map of answers by method needs a `client` in dialect.yaml: write a list of `on` and `send`".to_owned()),
            };
            if let Some(mistake) = mistake {
                context.error(method.span, mistake);
                continue;
            }
        }
        let entries = entry.as_list().unwrap_or(std::slice::from_ref(entry));
        if entries.is_empty() {
            context.error(
                entry.span(),
                "no answer: write `withhold` if the agent gets none",
            );
        }
        let answers = entries
            .iter()
            .map(|one| own_answer(one, &method_at(&method.name), context));
        let answers: Vec<_> = answers.collect();
        client.answers.insert(
            method.name.clone(),
            answers.into_iter().collect::<Option<_>>()?,
        );
    }
    client.by_steps = by_steps(file, context);
    Some(client)
}

fn own_answer(
    node: &Node,
    method: &Spanned<String>,
    context: &mut LoadContext<'_>,
) -> Option<OwnAnswer> {
    let (keys, verb) = match node.as_str() {
        Some("standing") => (OwnKeys::default(), OwnVerb::Standing),
        Some("withhold") => (OwnKeys::default(), OwnVerb::Withhold),
        Some(word) => {
            let word = Spanned {
                value: word.to_owned(),
                span: node.span(),
            };
            (OwnKeys::default(), OwnVerb::Reply(word))
        }
        None => {
            let read = decode_verb::<OwnKeys, OwnVerb>(node, "an answer");
            let (keys, _, verb) = context.value_or_report(read)?;
            (keys, verb)
        }
    };
    if let (OwnVerb::Reply(word), Some(dialect)) = (&verb, context.dialect) {
        let client = dialect.client.as_ref();
        let words = client
            .map(|client| client.words(method))
            .unwrap_or_default();
        context.known(
            "reply",
            word,
            words.into_iter().chain(["standing", "withhold"]),
        );
    }
    if keys.times == Some(0) {
        context.error(
            node.span(),
            "`times: 0`: write `withhold` if the agent gets no answer",
        );
    }
    Some(OwnAnswer {
        span: node.span(),
        reply: match verb {
            OwnVerb::Standing => OwnReply::Standing,
            OwnVerb::Withhold => OwnReply::Withhold,
            OwnVerb::Reply(word) => OwnReply::Reply(word.value),
            OwnVerb::Result(node) => OwnReply::Result(Template::new(node.to_value())),
            OwnVerb::Error(node) => OwnReply::Error(Template::new(node.to_value())),
        },
        delay: keys.delay.map(|delay| delay.0),
        times: keys.times.unwrap_or(1),
    })
}

/// How many responses to each method of the agent the steps of a scenario send.
fn by_steps(file: &ScenarioFile, context: &LoadContext<'_>) -> IndexMap<String, usize> {
    let mut count = IndexMap::new();
    let Some(dialect) = context.dialect.filter(|dialect| dialect.client.is_some()) else {
        return count;
    };
    for step in &file.steps {
        if let StepVerb::Send(command) = &step.verb
            && let command = command.to_value()
            && let Some(name) = dialect.commands.name_in_step(&command)
            && dialect.commands.is_answer(name)
            && let Some((method, _)) = name.rsplit_once('.')
        {
            *count.entry(method.to_owned()).or_default() += 1;
        }
    }
    count
}
