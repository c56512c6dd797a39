//! `models.json`: providers, their models, endpoints and prices.

use crate::config::{AgentConfig, Env};
use crate::core::settings::{ListedModel, ModelInfo, Rates};
use crate::model::{Endpoint, Wire, api_name};
use crate::protocols::frames::extended;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What the user asked for with flags.
#[derive(Clone, Copy, Default)]
pub(super) struct ModelFlags<'a> {
    pub(super) provider: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) api_key: Option<&'a str>,
}

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
    #[serde(default = "default_window")]
    context_window: u64,
    #[serde(default = "default_max_tokens")]
    max_tokens: u32,
    #[serde(default)]
    cost: Rates,
}

/// The context window of a model without one, in tokens.
fn default_window() -> u64 {
    128_000
}

/// The longest reply of a model without a limit, in tokens.
fn default_max_tokens() -> u32 {
    16_384
}

/// The model of the file that the flags name, or the first one. None if there is no file.
///
/// # Errors
/// The file is not valid, or does not have what was asked for.
pub(super) fn choose(
    path: &Path,
    flags: ModelFlags<'_>,
    env: Env<'_>,
) -> Result<Option<ListedModel>, String> {
    with_file(path, |file| file.choose(flags, env))
}

/// Every model of the file whose API this agent speaks. Empty if there is no file.
///
/// # Errors
/// The file is not valid.
pub(super) fn list(
    path: &Path,
    key: Option<&str>,
    env: Env<'_>,
) -> Result<Vec<ListedModel>, String> {
    let listed = with_file(path, |file| file.list(key, env));
    listed.map(Option::unwrap_or_default)
}

fn with_file<T>(
    path: &Path,
    look: impl FnOnce(ModelsFile) -> Result<T, String>,
) -> Result<Option<T>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error.to_string()),
    };
    let file = text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
    let found = file.and_then(look).map(Some);
    found.map_err(|why| format!("{}: {why}", path.display()))
}

impl ModelsFile {
    fn choose(&self, flags: ModelFlags<'_>, env: Env<'_>) -> Result<ListedModel, String> {
        let mut providers = self.providers.iter();
        let (name, provider) = providers
            .find(|(name, _)| flags.provider.is_none_or(|asked| asked == *name))
            .ok_or_else(|| missing("provider", flags.provider))?;
        let mut models = models_of(name, provider, flags.api_key, env)?.into_iter();
        models
            .find(|listed| {
                flags
                    .model
                    .is_none_or(|asked| asked == listed.model_info.model)
            })
            .ok_or_else(|| missing("model", flags.model))
    }

    fn list(&self, key: Option<&str>, env: Env<'_>) -> Result<Vec<ListedModel>, String> {
        let providers = self.providers.iter();
        let spoken = providers
            .filter(|(_, entry)| wire(entry["api"].as_str().unwrap_or_default()).is_some());
        let models = spoken.map(|(name, provider)| models_of(name, provider, key, env));
        Ok(models.collect::<Result<Vec<_>, _>>()?.concat())
    }
}

/// The models of a provider.
fn models_of(
    name: &str,
    entry: &Value,
    key: Option<&str>,
    env: Env<'_>,
) -> Result<Vec<ListedModel>, String> {
    let invalid = |error: serde_json::Error| format!("{name}: {error}");
    let provider = ProviderEntry::deserialize(entry).map_err(invalid)?;
    let wire = wire(&provider.api)
        .ok_or_else(|| format!("{name}: this agent does not speak {}", provider.api))?;
    let key = key.map(str::to_owned);
    let key = key
        .or_else(|| env(&provider.api_key))
        .unwrap_or(provider.api_key);
    let endpoint = Endpoint::new(&provider.base_url, key)
        .map_err(|why| format!("{name}: the base URL {why}"))?;
    let models = provider.models.into_iter().map(|mut shown| {
        let model = ModelEntry::deserialize(&shown).map_err(invalid)?;
        let model_info = ModelInfo {
            api: provider.api.clone(),
            provider: name.to_owned(),
            model: model.id,
            window: model.context_window,
            rates: model.cost,
        };
        for (name, value) in defaults(&model_info, model.max_tokens) {
            if shown.get(&name).is_none() {
                shown[name] = value;
            }
        }
        shown["api"] = json!(provider.api);
        shown["provider"] = json!(name);
        shown["baseUrl"] = json!(provider.base_url);
        Ok(ListedModel {
            has_reasoning: shown["reasoning"] == true,
            model_info,
            max_tokens: model.max_tokens,
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
    let known = [
        Wire::AnthropicMessages,
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
    ];
    known.into_iter().find(|wire| api_name(*wire) == api)
}

/// The address of the built-in model in descriptions. Nothing is sent there: its replies are scripted.
const BUILT_IN_URL: &str = "http://127.0.0.1:9";

/// The model of a script or of the echo, with the names of the flags, as a model of the file is listed.
///
/// # Errors
/// Its address is not valid.
pub(super) fn built_in(config: &AgentConfig) -> Result<ListedModel, String> {
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

fn missing(what: &str, asked: Option<&str>) -> String {
    match asked {
        Some(name) => format!("there is no {what} {name:?}"),
        None => format!("there is no {what}"),
    }
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

    fn chosen(provider: Option<&str>, model: Option<&str>) -> Result<ListedModel, String> {
        let flags = ModelFlags {
            provider,
            model,
            api_key: None,
        };
        let file: ModelsFile = serde_json::from_str(FILE).unwrap();
        file.choose(flags, &|name| (name == "KEY_A").then(|| "secret".into()))
    }

    #[test]
    fn the_first_model_of_the_first_provider_is_the_default() {
        let chosen = chosen(None, None).unwrap();

        assert_eq!(chosen.model_info.provider, "a");
        assert_eq!(chosen.model_info.window, 1000);
        assert_eq!(chosen.wire, Wire::AnthropicMessages);
        let expected = Endpoint::new("http://127.0.0.1:9", "secret".into()).unwrap();
        assert_eq!(chosen.endpoint, expected);
    }

    #[test]
    fn a_provider_and_a_model_are_found_by_name() {
        let chosen = chosen(Some("o"), Some("n")).unwrap();

        assert_eq!(chosen.wire, Wire::OpenAiChat);
        assert_eq!(chosen.max_tokens, 20);
        let expected = Endpoint::new("http://127.0.0.1:9/v1", "plain".into()).unwrap();
        assert_eq!(chosen.endpoint, expected);
    }

    #[test]
    fn a_model_needs_only_an_id() {
        let minimal = r#"{"providers":{"l":{"baseUrl":"http://127.0.0.1:9/v1","api":"openai-completions","models":[{"id":"m"}]}}}"#;
        let file: ModelsFile = serde_json::from_str(minimal).unwrap();

        let listed = file.list(None, &|_| None).unwrap();

        let shown = &listed[0].description;
        assert_eq!(shown["name"], "m");
        assert_eq!(shown["contextWindow"], 128_000);
        assert_eq!(shown["maxTokens"], 16_384);
        assert_eq!(shown["input"], json!(["text"]));
        assert_eq!(shown["cost"]["input"], 0.0);
    }

    #[test]
    fn a_missing_provider_or_model_is_named() {
        let refused = |provider, model| chosen(provider, model).err().unwrap();

        assert_eq!(refused(Some("z"), None), "there is no provider \"z\"");
        assert_eq!(refused(Some("a"), Some("z")), "there is no model \"z\"");
        assert_eq!(
            refused(Some("x"), None),
            "x: this agent does not speak telepathy"
        );
    }
}
