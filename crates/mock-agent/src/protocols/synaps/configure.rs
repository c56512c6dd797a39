//! The configuration from flags, environment and the settings file.

use super::settings_file::SettingsFile;
use crate::config::{
    AgentConfig, CliOptions, Env, ModelSource, SessionStorage, StartError, parse_number,
};
use crate::core::ModelProvider;
use crate::model::{Endpoint, Wire};
use std::path::{Path, PathBuf};

const MODEL: &str = "local/mock-model";

const PROVIDER: &str = "local";

/// The provider whose models are named without it, and that has a wire of its own.
const ANTHROPIC: &str = "anthropic";

/// The variable with the base URL of that provider.
const ANTHROPIC_URL: &str = "SYNAPS_ANTHROPIC_BASE_URL";

pub(super) fn configure(mut options: CliOptions, env: Env<'_>) -> Result<AgentConfig, StartError> {
    let base = base(env);
    let file = base.as_ref().map(|base| match &options.profile {
        Some(profile) => base.join(profile).join("config"),
        None => base.join("config"),
    });
    let settings = read_settings(file.as_deref())?;
    let retries = settings
        .get("api_retries")
        .map(|count| parse_number("api_retries", count))
        .transpose()?;
    let chosen = options
        .model
        .take()
        .or_else(|| settings.get("model").map(str::to_owned))
        .unwrap_or_else(|| MODEL.into());
    let mut offers = offers(&settings)?;
    offers.extend(anthropic(env)?);
    let known = |name: &str| offers.iter().find(|offer| offer.provider == name);
    let (provider, model) = match chosen.split_once('/') {
        Some(named) => named,
        None if known(ANTHROPIC).is_some() => (ANTHROPIC, &*chosen),
        None => (PROVIDER, &*chosen),
    };
    let offer = known(provider);
    let endpoint = offer.and_then(|offer| offer.endpoint.clone());
    let wire = offer.map_or(Wire::OpenAiChat, |offer| offer.wire);

    options.model = Some(model.to_owned());
    options.provider = Some("openai".into());
    options.keyless = true;
    options.auto_approve = true;
    options.system_prompt = options.system_prompt.map(system_prompt);
    if options.mcp.is_none() && env("MOCK_AGENT_MCP").is_none() {
        options.mcp = Some("none".into());
    }
    let own = |name: &str| env(name).filter(|_| name != "OPENAI_BASE_URL");
    let mut config = AgentConfig::new(options, &own)?;
    config.wire = wire;
    if let (ModelSource::Echo, Some(endpoint)) = (&config.source, endpoint) {
        config.source = ModelSource::Endpoint(endpoint);
    }
    if let (SessionStorage::Workspace, Some(base)) = (&config.sessions, base) {
        config.sessions = SessionStorage::Folder(base.join("sessions"));
    }
    config.settings.request_retries = config.settings.request_retries.or(retries).or(Some(0));
    config.settings.no_retry_after_output = true;
    config.settings.providers = offers;
    config.settings.model_info.provider = provider.to_owned();
    config.settings.model_info.model = chosen;
    Ok(config)
}

/// The folder of settings and sessions, if the host names one that exists. The real agent's folder in HOME is not used: it has the keys
/// and sessions of the user.
fn base(env: Env<'_>) -> Option<PathBuf> {
    let named = env("SYNAPS_BASE_DIR").map(PathBuf::from);
    named.filter(|base| base.is_dir())
}

fn read_settings(file: Option<&Path>) -> Result<SettingsFile, StartError> {
    let Some(file) = file.filter(|file| file.exists()) else {
        return Ok(SettingsFile::default());
    };
    let failed = |error| StartError::AgentFile(format!("{}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(failed)?;
    Ok(SettingsFile::read(&text))
}

/// The models to choose from. The scripted one if there are no others.
fn offers(settings: &SettingsFile) -> Result<Vec<ModelProvider>, StartError> {
    let names = settings.providers();
    if names.is_empty() {
        return Ok(vec![ModelProvider {
            provider: PROVIDER.into(),
            wire: Wire::OpenAiChat,
            endpoint: None,
            models: vec!["mock-model".into()],
        }]);
    }
    let offers = names.into_iter().map(|name| {
        let value = |key| settings.of_provider(name, key);
        let key = value("key").or(value("api_key")).unwrap_or_default();
        let endpoint = value("url").map(|url| {
            let invalid = |why| StartError::AgentFile(format!("provider.{name}.url: {why}"));
            Endpoint::new(url, key.to_owned()).map_err(invalid)
        });
        let models = value("models")
            .unwrap_or_default()
            .split(',')
            .map(str::trim);
        let named = models.filter(|model| !model.is_empty());
        Ok(ModelProvider {
            endpoint: endpoint.transpose()?,
            provider: name.to_owned(),
            wire: Wire::OpenAiChat,
            models: named.map(str::to_owned).collect(),
        })
    });
    offers.collect()
}

/// The provider without settings, if the environment has its base URL.
fn anthropic(env: Env<'_>) -> Result<Option<ModelProvider>, StartError> {
    let url = env(ANTHROPIC_URL).filter(|url| !url.is_empty());
    let offer = url.map(|url| {
        let invalid = |why| StartError::AgentFile(format!("{ANTHROPIC_URL}: {why}"));
        let endpoint = Endpoint::new(&url, "none".into()).map_err(invalid)?;
        Ok(ModelProvider {
            provider: ANTHROPIC.into(),
            wire: Wire::AnthropicMessages,
            endpoint: Some(endpoint),
            models: Vec::new(),
        })
    });
    offer.transpose()
}

/// The flag holds the prompt, or the path of a file with it.
fn system_prompt(given: String) -> String {
    std::fs::read_to_string(&given).unwrap_or(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(
        file: &str,
        script: Option<&str>,
        anthropic: Option<&str>,
    ) -> Result<AgentConfig, StartError> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config"), file).unwrap();
        let base = dir.path().to_string_lossy().into_owned();
        let options = CliOptions {
            script: script.map(str::to_owned),
            ..CliOptions::default()
        };
        configure(options, &|name| match name {
            "SYNAPS_BASE_DIR" => Some(base.clone()),
            ANTHROPIC_URL => anthropic.map(str::to_owned),
            _ => None,
        })
    }

    #[test]
    fn the_endpoint_of_a_model_is_that_of_its_provider() {
        let file = "model = b/x\nprovider.a.url = http://one/v1\nprovider.b.url = http://two/v1\n";
        let config = configured(file, None, None).unwrap();

        let two = Endpoint::new("http://two/v1", String::new()).unwrap();
        assert_eq!(config.source, ModelSource::Endpoint(two));
        assert_eq!(config.settings.model, "x");
        assert_eq!(config.settings.model_info.model, "b/x");
    }

    #[test]
    fn a_model_without_a_provider_has_the_endpoint_of_the_environment() {
        let file = "provider.local.url = http://one/v1\nmodel = ";
        let two = || ModelSource::Endpoint(Endpoint::new("http://two", "none".into()).unwrap());
        for (model, url, wire, elsewhere) in [
            ("m", Some("http://two"), Wire::AnthropicMessages, true),
            ("local/m", Some("http://two"), Wire::OpenAiChat, false),
            ("m", None, Wire::OpenAiChat, false),
        ] {
            let config = configured(&format!("{file}{model}"), None, url).unwrap();
            assert_eq!(config.wire, wire, "{model}");
            assert_eq!(config.source == two(), elsewhere, "{model}");
            assert_eq!(config.settings.model_info.model, model);
        }
    }

    #[test]
    fn a_script_takes_precedence_over_the_settings() {
        let file = "provider.local.url = http://one/v1\n";

        let config = configured(file, Some("s.yaml"), None).unwrap();

        assert_eq!(config.source, ModelSource::Script("s.yaml".into()));
    }

    #[test]
    fn an_invalid_value_is_reported_with_its_key() {
        for (line, key) in [
            ("provider.local.url = nowhere\n", "provider.local.url: "),
            (
                "api_retries = many",
                "api_retries: \"many\" is not a number",
            ),
        ] {
            let why = configured(line, None, None).unwrap_err();
            assert!(why.to_string().starts_with(key), "{why}");
        }
    }
}
