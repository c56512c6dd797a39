//! Agent configuration, from command-line options and environment variables.

use super::{CliOptions, Env, KnownProvider, StartError};
use crate::built_in_scripts::is_name;
use crate::core::{
    ApprovalMode, DEFAULT_RATES, DEFAULT_WINDOW, HostOptions, ModelInfo, SessionSettings,
};
use crate::model::{Endpoint, Wire, api_name};
use crate::session_store::SessionChoice;
use crate::tools::{DEMO_MCP, McpTool, load_mcp};
use mock_provider::Pace;
use std::path::PathBuf;
use std::time::Duration;

/// The configuration of the process.
#[derive(Debug)]
pub(crate) struct AgentConfig {
    pub(crate) settings: SessionSettings,
    pub(crate) wire: Wire,
    pub(crate) source: ModelSource,
    /// How long a gate in the script holds, if the user specifies it.
    pub(crate) gate: Option<Duration>,
    pub(crate) mode: ApprovalMode,
    pub(crate) workspace: PathBuf,
    pub(crate) session: SessionChoice,
    pub(crate) sessions: SessionStorage,
    pub(crate) mcp: Vec<McpTool>,
    /// The seed for generated ids.
    pub(crate) seed: u64,
    /// The speed of the replies of a scripted model.
    pub(crate) pace: Pace,
}

/// Where sessions are saved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SessionStorage {
    /// In a folder of the workspace.
    Workspace,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    Off,
}

/// Where the replies of the model come from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ModelSource {
    /// A script file.
    Script(PathBuf),
    /// A built-in script, by its name.
    BuiltIn(String),
    /// The echo model.
    Echo,
    /// An API over HTTP.
    Endpoint(Endpoint),
}

/// The folder for sessions in the workspace.
pub(crate) const WORKSPACE_SESSIONS: &str = ".mock-agent/sessions";

const MODEL: &str = "mock-model";
const MAX_TOKENS: u32 = 8192;
const MAX_TURNS: u32 = 50;
const MODEL_TIMEOUT: Duration = Duration::from_secs(120);

impl AgentConfig {
    /// The configuration for these options.
    ///
    /// # Errors
    /// A value that is missing or invalid.
    pub(crate) fn new(options: CliOptions, env: Env<'_>) -> Result<Self, StartError> {
        let env = &|name: &str| env(name).filter(|value| !value.is_empty());
        let name = options.provider.as_deref().unwrap_or("anthropic");
        let provider = KnownProvider::find(name)?;
        let selected = options.provider.is_some() || options.base_url.is_some();
        if selected && !options.keyless {
            provider.check(env)?;
        }
        let workspace = PathBuf::from(options.workspace.as_deref().unwrap_or("."));
        Ok(AgentConfig {
            source: source(&options, provider, env)?,
            wire: provider.wire,
            gate: gate_timeout(env)?,
            mode: if options.auto_approve {
                ApprovalMode::Yolo
            } else {
                ApprovalMode::Default
            },
            session: match (options.session_id, options.resume) {
                (Some(id), _) => SessionChoice::Named(id),
                (None, Some(id)) if id == "latest" => SessionChoice::Latest,
                (None, Some(id)) => SessionChoice::Resume(id),
                (None, None) => SessionChoice::New,
            },
            sessions: match env("MOCK_AGENT_SESSIONS") {
                None => SessionStorage::Workspace,
                Some(off) if off == "off" => SessionStorage::Off,
                Some(folder) => {
                    std::fs::create_dir_all(&folder).map_err(|error| {
                        StartError::Setting(format!("MOCK_AGENT_SESSIONS: {folder}: {error}"))
                    })?;
                    SessionStorage::Folder(folder.into())
                }
            },
            mcp: {
                let list = options.mcp.or_else(|| env("MOCK_AGENT_MCP"));
                load_mcp(list.as_deref().unwrap_or(DEMO_MCP))?
            },
            seed: match &options.seed {
                Some(text) => parse_number("--seed", text)?,
                None => number(env, "MOCK_AGENT_SEED")?.unwrap_or_default(),
            },
            pace: pace(options.pace.as_deref(), env)?,
            settings: SessionSettings {
                model_info: ModelInfo {
                    api: api_name(provider.wire).into(),
                    provider: provider.name.into(),
                    model: options.model.clone().unwrap_or_else(|| MODEL.into()),
                    window: DEFAULT_WINDOW,
                    rates: DEFAULT_RATES,
                },
                sequential_calls: false,
                turn_retries: None,
                host_options: HostOptions::default(),
                compaction_threshold: None,
                compaction_keeps: 0,
                output_folder: std::env::temp_dir().join("mock-agent"),
                no_retry_after_output: false,
                providers: Vec::new(),
                model: options.model.unwrap_or_else(|| MODEL.into()),
                system_prompt: options
                    .system_prompt
                    .unwrap_or_else(|| system_prompt(&workspace)),
                max_tokens: options.max_tokens.unwrap_or(MAX_TOKENS),
                max_turns: options.max_turns.unwrap_or(MAX_TURNS),
                model_timeout: millis(env, "MOCK_AGENT_PATIENCE_MS")?.unwrap_or(MODEL_TIMEOUT),
                request_retries: number(env, "MOCK_AGENT_RETRIES")?,
            },
            workspace,
        })
    }
}

fn system_prompt(workspace: &std::path::Path) -> String {
    format!(
        "You are an AI assistant that can use tools to help with tasks.\nWorking directory: {}",
        workspace.display()
    )
}

/// The source of the replies. A script takes precedence over a URL, so that a host can be tested with its usual arguments.
fn source(
    options: &CliOptions,
    provider: &KnownProvider,
    env: Env<'_>,
) -> Result<ModelSource, StartError> {
    if let Some(script) = options.script.clone().or_else(|| env("MOCK_AGENT_SCRIPT")) {
        return Ok(if is_name(&script) {
            ModelSource::BuiltIn(script)
        } else {
            ModelSource::Script(script.into())
        });
    }
    let by_environment = || {
        options.provider.as_ref()?;
        env(provider.base_url?)
    };
    let Some(base) = options.base_url.clone().or_else(by_environment) else {
        return Ok(ModelSource::Echo);
    };
    let Some(key) = provider.key else {
        return Ok(ModelSource::Echo);
    };
    let key = env(key).unwrap_or_default();
    Ok(ModelSource::Endpoint(Endpoint::new(&base, key)?))
}

/// The speed that the flag or the variable chooses.
fn pace(flag: Option<&str>, env: Env<'_>) -> Result<Pace, StartError> {
    let variable = "MOCK_AGENT_PACE";
    let (setting, text) = match (flag, env(variable)) {
        (Some(text), _) => ("--pace", text.to_owned()),
        (None, Some(text)) => (variable, text),
        (None, None) => return Ok(Pace::NONE),
    };
    text.parse()
        .map_err(|why| StartError::Pace { setting, why })
}

fn number<T: std::str::FromStr>(env: Env<'_>, name: &str) -> Result<Option<T>, StartError> {
    env(name)
        .map(|value| parse_number(name, &value))
        .transpose()
}

/// A number, which a flag, a variable or a key of a file sets.
///
/// # Errors
/// The value is something else.
pub(crate) fn parse_number<T: std::str::FromStr>(
    setting: &str,
    value: &str,
) -> Result<T, StartError> {
    value.parse().map_err(|_| StartError::NotANumber {
        setting: setting.to_owned(),
        value: value.to_owned(),
    })
}

/// The delay of every output line.
///
/// # Errors
/// The variable is not a number.
pub(crate) fn latency(env: Env<'_>) -> Result<Duration, StartError> {
    let env = &|name: &str| env(name).filter(|value| !value.is_empty());
    Ok(millis(env, "MOCK_AGENT_LATENCY_MS")?.unwrap_or_default())
}

/// How long a gate holds, if the user specifies it.
///
/// # Errors
/// The variable is not a number.
pub(crate) fn gate_timeout(env: Env<'_>) -> Result<Option<Duration>, StartError> {
    millis(env, "MOCK_AGENT_GATE_MS")
}

fn millis(env: Env<'_>, name: &str) -> Result<Option<Duration>, StartError> {
    Ok(number(env, name)?.map(Duration::from_millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(options: CliOptions, vars: &[(&str, &str)]) -> Result<AgentConfig, StartError> {
        let env = |name: &str| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        AgentConfig::new(options, &env)
    }

    fn provider(name: &str) -> CliOptions {
        CliOptions {
            provider: Some(name.into()),
            ..CliOptions::default()
        }
    }

    #[test]
    fn each_provider_requires_its_variables() {
        let refused =
            |name: &str, vars: &[_]| config(provider(name), vars).unwrap_err().to_string();

        assert_eq!(
            refused("openai", &[("OPENAI_API_KEY", "")]),
            "OPENAI_API_KEY not set"
        );
        assert_eq!(
            refused(
                "bedrock",
                &[("AWS_REGION", "x"), ("AWS_ACCESS_KEY_ID", "x")]
            ),
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE not set"
        );
        assert_eq!(
            refused("vertex", &[("GOOGLE_APPLICATION_CREDENTIALS", "x")]),
            "VERTEX_PROJECT_ID not set"
        );
        let bedrock = [("AWS_REGION", "x"), ("AWS_PROFILE", "x")];
        assert!(config(provider("bedrock"), &bedrock).is_ok());
    }

    #[test]
    fn a_base_url_comes_from_the_flag_or_the_environment() {
        let url = ("OPENAI_BASE_URL", "http://b");
        let key = ("OPENAI_API_KEY", "k");
        let flag = CliOptions {
            base_url: Some("http://a".into()),
            ..provider("openai")
        };
        let source = |options, vars: &[_]| config(options, vars).unwrap().source;

        let at = |base: &str| ModelSource::Endpoint(Endpoint::new(base, "k".into()).unwrap());
        assert_eq!(source(flag, &[key, url]), at("http://a"));
        assert_eq!(source(provider("openai"), &[key, url]), at("http://b"));
        assert_eq!(
            source(CliOptions::default(), &[key, url]),
            ModelSource::Echo
        );
    }
}
