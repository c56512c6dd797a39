//! `models.json`: providers, their models, endpoints and prices.

use crate::config::{AgentConfig, Env, StartError};
use crate::core::{ListedModel, ModelInfo, Rates};
use crate::model::{Endpoint, UrlError, Wire, api_name};
use crate::protocols::frames::extended;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use thiserror::Error;

#[derive(Deserialize)]
struct ModelsFile {
    providers: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProviderEntry {
    base_url: String,
    #[serde(default)]
    api_key: String,
    api: String,
    #[serde(default)]
    models: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModelEntry {
    id: String,
    context_window: Option<u64>,
    max_tokens: Option<u32>,
    #[serde(default)]
    cost: Rates,
}

/// Why `models.json` cannot be used.
#[derive(Debug, Error)]
enum ModelsError {
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("{provider}: {source}")]
    Entry {
        provider: String,
        source: serde_json::Error,
    },
    #[error("{provider}: the base URL {source}")]
    Url { provider: String, source: UrlError },
}

/// The context window of a model without one, in tokens.
const WINDOW: u64 = 128_000;

/// The longest reply of a model without a limit, in tokens.
const MAX_TOKENS: u32 = 16_384;

/// Every model of `models.json` in the agent's folder whose API this agent speaks. Empty if there is no file.
///
/// # Errors
/// The file is not valid.
pub(super) fn list(
    agent: Option<&Path>,
    key: Option<&str>,
    env: Env<'_>,
) -> Result<Vec<ListedModel>, StartError> {
    let Some(path) = agent.map(|folder| folder.join("models.json")) else {
        return Ok(Vec::new());
    };
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(ModelsError::from),
    };
    let listed = text.and_then(|text| models_in(&text, key, env));
    listed.map_err(|why| StartError::AgentFile(format!("{}: {why}", path.display())))
}

fn models_in(text: &str, key: Option<&str>, env: Env<'_>) -> Result<Vec<ListedModel>, ModelsError> {
    let file: ModelsFile = serde_json::from_str(text)?;
    let spoken = |entry: &Value| wire(entry["api"].as_str().unwrap_or_default());
    let models = file.providers.iter().filter_map(|(name, entry)| {
        let wire = spoken(entry)?;
        Some(models_of(name, entry, wire, key, env))
    });
    Ok(models.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The model of the list that the flags name, or the first one. None if the list is empty.
///
/// # Errors
/// The list does not have the requested model.
pub(super) fn choose<'a>(
    models: &'a [ListedModel],
    provider: Option<&str>,
    model: Option<&str>,
) -> Result<Option<&'a ListedModel>, StartError> {
    let is_of = |listed: &&ListedModel| provider.is_none_or(|p| p == listed.model_info.provider);
    let mut offered = models.iter().filter(is_of).peekable();
    let is_known = offered.peek().is_some();
    let found = offered.find(|listed| model.is_none_or(|m| m == listed.model_info.model));
    if found.is_some() || models.is_empty() {
        return Ok(found);
    }
    let (kind, asked) = if is_known {
        ("model", model)
    } else {
        ("provider", provider)
    };
    let why = format!("there is no {kind} {:?}", asked.unwrap_or_default());
    Err(StartError::AgentFile(why))
}

fn models_of(
    name: &str,
    entry: &Value,
    wire: Wire,
    key: Option<&str>,
    env: Env<'_>,
) -> Result<Vec<ListedModel>, ModelsError> {
    let provider = || name.to_owned();
    let invalid = |source| ModelsError::Entry {
        provider: provider(),
        source,
    };
    let entry = ProviderEntry::deserialize(entry).map_err(invalid)?;
    let key = key
        .map(str::to_owned)
        .or_else(|| env(&entry.api_key))
        .unwrap_or(entry.api_key);
    let wrong_url = |source| ModelsError::Url {
        provider: provider(),
        source,
    };
    let endpoint = Endpoint::new(&entry.base_url, key).map_err(wrong_url)?;
    let models = entry.models.into_iter().map(|mut shown| {
        let model = ModelEntry::deserialize(&shown).map_err(invalid)?;
        let max_tokens = model.max_tokens.unwrap_or(MAX_TOKENS);
        let model_info = ModelInfo {
            api: entry.api.clone(),
            provider: provider(),
            model: model.id,
            window: model.context_window.unwrap_or(WINDOW),
            rates: model.cost,
        };
        for (name, value) in defaults(&model_info, max_tokens) {
            if shown.get(&name).is_none() {
                shown[name] = value;
            }
        }
        shown["api"] = json!(entry.api);
        shown["provider"] = json!(name);
        shown["baseUrl"] = json!(entry.base_url);
        Ok(ListedModel {
            has_reasoning: shown["reasoning"] == true,
            model_info,
            max_tokens,
            wire,
            endpoint: endpoint.clone(),
            description: shown,
        })
    });
    models.collect()
}

/// The members of a model's description that its entry can leave out.
fn defaults(model_info: &ModelInfo, max_tokens: u32) -> Map<String, Value> {
    let rates = model_info.rates;
    let cost = json!({ "input": rates.input, "output": rates.output, "cacheRead": rates.cache_read, "cacheWrite": rates.cache_write });
    Map::from_iter([
        ("name".to_owned(), json!(model_info.model)),
        ("reasoning".to_owned(), json!(false)),
        ("input".to_owned(), json!(["text"])),
        ("cost".to_owned(), cost),
        ("contextWindow".to_owned(), json!(model_info.window)),
        ("maxTokens".to_owned(), json!(max_tokens)),
    ])
}

/// The model API with this name, if this agent speaks it.
fn wire(api: &str) -> Option<Wire> {
    let mut known = Wire::ALL.iter().copied();
    known.find(|wire| api_name(*wire) == api)
}

/// The address of the built-in model in descriptions. Nothing is sent there: its replies are scripted.
const BUILT_IN_URL: &str = "http://127.0.0.1:9";

/// The model of a script or of the echo, with the names of the flags, as a model of the file is listed.
///
/// # Errors
/// Its address is not valid.
pub(super) fn built_in(config: &AgentConfig) -> Result<ListedModel, StartError> {
    let model_info = config.settings.model_info.clone();
    let max_tokens = config.settings.max_tokens;
    let description = json!({
        "id": model_info.model, "name": model_info.model, "api": model_info.api,
        "provider": model_info.provider, "baseUrl": BUILT_IN_URL,
    });
    Ok(ListedModel {
        wire: config.wire,
        endpoint: Endpoint::new(BUILT_IN_URL, String::new())?,
        has_reasoning: false,
        description: extended(description, defaults(&model_info, max_tokens).into()),
        max_tokens,
        model_info,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"providers":{
        "a":{"baseUrl":"http://127.0.0.1:9","apiKey":"KEY_A","api":"anthropic-messages","models":[
            {"id":"m","contextWindow":1000,"maxTokens":10,"cost":{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75}}]},
        "o":{"baseUrl":"http://127.0.0.1:9/v1","apiKey":"plain","api":"openai-completions","models":[
            {"id":"n","contextWindow":2000,"maxTokens":20,"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}}]},
        "x":{"baseUrl":"http://127.0.0.1:9","apiKey":"k","api":"telepathy","models":[
            {"id":"m","contextWindow":1000,"maxTokens":10,"cost":{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75}}]}}}"#;

    fn listed(text: &str) -> Vec<ListedModel> {
        let env = |name: &str| (name == "KEY_A").then(|| "secret".into());
        models_in(text, None, &env).unwrap()
    }

    #[test]
    fn a_model_is_found_by_its_name_and_that_of_its_provider() {
        let models = listed(FILE);
        let one = (Wire::AnthropicMessages, 10, "http://127.0.0.1:9", "secret");
        let other = (Wire::OpenAiChat, 20, "http://127.0.0.1:9/v1", "plain");
        for (provider, model, expected) in [
            (None, None, one),
            (Some("a"), None, one),
            (Some("o"), Some("n"), other),
            (None, Some("n"), other),
        ] {
            let chosen = choose(&models, provider, model).unwrap().unwrap();
            let (wire, max_tokens, url, key) = expected;
            assert_eq!((chosen.wire, chosen.max_tokens), (wire, max_tokens));
            assert_eq!(chosen.endpoint, Endpoint::new(url, key.into()).unwrap());
        }
        for (provider, model, expected) in [
            (Some("z"), None, "there is no provider \"z\""),
            (Some("x"), None, "there is no provider \"x\""),
            (Some("a"), Some("z"), "there is no model \"z\""),
        ] {
            let why = choose(&models, provider, model).unwrap_err();
            assert_eq!(why.to_string(), expected);
        }
    }

    #[test]
    fn a_model_needs_only_an_id() {
        let minimal = r#"{"providers":{"l":{"baseUrl":"http://127.0.0.1:9/v1","api":"openai-completions","models":[{"id":"m"}]}}}"#;
        let listed = listed(minimal);

        let shown = &listed[0].description;
        assert_eq!(shown["name"], "m");
        assert_eq!(shown["contextWindow"], 128_000);
        assert_eq!(shown["maxTokens"], 16_384);
        assert_eq!(shown["input"], json!(["text"]));
        assert_eq!(shown["cost"]["input"], 0.0);
    }
}
