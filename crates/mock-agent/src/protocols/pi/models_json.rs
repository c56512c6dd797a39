//! `models.json`: providers, their models, endpoints and prices.

use crate::config::{AgentConfig, Env};
use crate::core::settings::ListedModel;
use crate::core::settings::{ModelInfo, Rates};
use crate::model::{Endpoint, Wire, api_name};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The model to start with.
pub(super) struct ChosenModel {
    pub(super) model_info: ModelInfo,
    pub(super) wire: Wire,
    pub(super) endpoint: Endpoint,
    pub(super) max_tokens: u32,
}

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
    models: Vec<ModelEntry>,
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
    cost: CostEntry,
}

/// The context window of a model without one, in tokens.
fn default_window() -> u64 {
    128_000
}

/// The longest reply of a model without a limit, in tokens.
fn default_max_tokens() -> u32 {
    16_384
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct CostEntry {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

/// Chooses a model from the file. None if there is no file.
///
/// # Errors
/// The file is not valid, or does not have what was asked for.
pub(super) fn choose(
    path: &Path,
    flags: ModelFlags<'_>,
    env: Env<'_>,
) -> Result<Option<ChosenModel>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    read(&text, flags, env)
        .map(Some)
        .map_err(|why| format!("{}: {why}", path.display()))
}

fn read(text: &str, flags: ModelFlags<'_>, env: Env<'_>) -> Result<ChosenModel, String> {
    let models: ModelsFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut providers = models.providers.into_iter();
    let (name, provider) = providers
        .find(|(name, _)| flags.provider.is_none_or(|asked| asked == name))
        .ok_or_else(|| missing("provider", flags.provider))?;
    let provider: ProviderEntry =
        serde_json::from_value(provider).map_err(|error| format!("{name}: {error}"))?;
    let mut models = provider.models.into_iter();
    let model = models
        .find(|model| flags.model.is_none_or(|asked| asked == model.id))
        .ok_or_else(|| missing("model", flags.model))?;
    let wire = wire(&provider.api)
        .ok_or_else(|| format!("{name}: this agent does not speak {}", provider.api))?;
    let key = match flags.api_key {
        Some(key) => key.to_owned(),
        None => env(&provider.api_key).unwrap_or(provider.api_key),
    };
    let endpoint = Endpoint::new(&provider.base_url, key)
        .map_err(|why| format!("{name}: the base URL {why}"))?;
    Ok(ChosenModel {
        model_info: ModelInfo {
            api: provider.api,
            provider: name,
            model: model.id,
            window: model.context_window,
            rates: Rates {
                input: model.cost.input,
                output: model.cost.output,
                cache_read: model.cost.cache_read,
                cache_write: model.cost.cache_write,
            },
        },
        wire,
        endpoint,
        max_tokens: model.max_tokens,
    })
}

/// The model API with this name, if this agent speaks it.
fn wire(api: &str) -> Option<Wire> {
    let mut known = [
        Wire::AnthropicMessages,
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
    ]
    .into_iter();
    known.find(|wire| api_name(*wire) == api)
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
    let Ok(text) = std::fs::read_to_string(path) else {
        return Ok(Vec::new());
    };
    let failed = |why: String| format!("{}: {why}", path.display());
    let models: ModelsFile =
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let mut listed = Vec::new();
    for (name, provider) in models.providers {
        if wire(provider["api"].as_str().unwrap_or_default()).is_none() {
            continue;
        }
        let shown = provider["models"].as_array().cloned().unwrap_or_default();
        for mut shown in shown {
            let flags = ModelFlags {
                provider: Some(&name),
                model: shown["id"].as_str(),
                api_key: key,
            };
            let chosen = read(&text, flags, env).map_err(failed)?;
            let rates = chosen.model_info.rates;
            let defaults = json!({
                "name": shown["id"], "reasoning": false, "input": ["text"],
                "cost": { "input": rates.input, "output": rates.output, "cacheRead": rates.cache_read, "cacheWrite": rates.cache_write },
                "contextWindow": chosen.model_info.window, "maxTokens": chosen.max_tokens,
            });
            if let (Value::Object(defaults), Some(shown)) = (defaults, shown.as_object_mut()) {
                for (name, value) in defaults {
                    shown.entry(name).or_insert(value);
                }
            }
            shown["api"] = provider["api"].clone();
            shown["provider"] = name.as_str().into();
            shown["baseUrl"] = provider["baseUrl"].clone();
            listed.push(ListedModel {
                has_reasoning: shown["reasoning"] == true,
                model_info: chosen.model_info,
                wire: chosen.wire,
                endpoint: chosen.endpoint,
                description: shown,
            });
        }
    }
    Ok(listed)
}

/// The address of the built-in model in descriptions. Nothing is sent there: its replies are scripted.
const BUILT_IN_URL: &str = "http://127.0.0.1:9";

/// The model of a script or of the echo, with the names of the flags, as a model of the file is listed.
///
/// # Errors
/// Its address is not valid.
pub(super) fn built_in(config: &AgentConfig) -> Result<ListedModel, String> {
    let model_info = config.settings.model_info.clone();
    let rates = model_info.rates;
    let description = json!({
        "id": model_info.model, "name": model_info.model, "api": model_info.api, "provider": model_info.provider,
        "baseUrl": BUILT_IN_URL, "reasoning": false, "input": ["text"],
        "cost": { "input": rates.input, "output": rates.output, "cacheRead": rates.cache_read, "cacheWrite": rates.cache_write },
        "contextWindow": model_info.window, "maxTokens": config.settings.max_tokens,
    });
    Ok(ListedModel {
        wire: config.wire,
        endpoint: Endpoint::new(BUILT_IN_URL, String::new())?,
        has_reasoning: false,
        description,
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

    fn chosen(provider: Option<&str>, model: Option<&str>) -> Result<ChosenModel, String> {
        let flags = ModelFlags {
            provider,
            model,
            api_key: None,
        };
        read(FILE, flags, &|name| {
            (name == "KEY_A").then(|| "secret".into())
        })
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
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.json");
        let minimal = r#"{"providers":{"l":{"baseUrl":"http://127.0.0.1:9/v1","api":"openai-completions","models":[{"id":"m"}]}}}"#;
        std::fs::write(&path, minimal).unwrap();

        let listed = list(&path, None, &|_| None).unwrap();

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
