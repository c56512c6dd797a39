//! From options and environment to what the agent runs with.

use super::options::{Env, Options};
use super::provider::KnownProvider;
use crate::core::approval::Mode;
use crate::core::model_info::{self, ModelInfo};
use crate::core::retry::RetryPolicy;
use crate::model::message::Message;
use crate::model::{Endpoint, ModelRequest, ToolSpec, Wire, api_name};
use crate::store::Choice;
use crate::tools::{DEMO_MCP, McpTool, load_mcp};
use std::path::PathBuf;
use std::time::Duration;

/// Everything that is settled before the session begins.
#[derive(Debug)]
pub(crate) struct AgentConfig {
    pub(crate) settings: Settings,
    pub(crate) wire: Wire,
    pub(crate) source: ModelSource,
    pub(crate) gate: Duration,
    pub(crate) mode: Mode,
    pub(crate) workspace: PathBuf,
    pub(crate) session: Choice,
    /// Where sessions are kept instead of the workspace.
    pub(crate) sessions: SessionStorage,
    pub(crate) mcp: Vec<McpTool>,
    pub(crate) seed: u64,
}

/// A provider of models that the host may choose from.
#[derive(Debug, Clone)]
pub(crate) struct ModelProvider {
    pub(crate) provider: String,
    /// The wire of its models.
    pub(crate) wire: Wire,
    /// Where its models are served; none if they are scripted.
    pub(crate) endpoint: Option<Endpoint>,
    /// The models that are known by name.
    pub(crate) models: Vec<String>,
}

impl ModelProvider {
    /// Whether its models go by their bare names, whatever these are.
    pub(crate) fn accepts_any_model(&self) -> bool {
        self.wire == Wire::AnthropicMessages
    }
}

/// What a host may choose from, or name, in dialects that know of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct HostOptions {
    /// Every model that there is.
    pub(crate) models: Vec<ListedModel>,
    /// Which of them the host cycles through; all if none are named.
    pub(crate) scope: Vec<String>,
    /// How much the model thinks.
    pub(crate) level: Option<String>,
    /// Files of prompt templates.
    pub(crate) templates: Vec<PathBuf>,
    /// Folders of skills.
    pub(crate) skills: Vec<PathBuf>,
    /// Whether extensions are loaded.
    pub(crate) extended: bool,
    /// The session's first name.
    pub(crate) name: Option<String>,
    /// Whether what is queued is gone on with when a turn was stopped.
    pub(crate) goes_on: bool,
    /// Where sessions are kept; none if they are not.
    pub(crate) sessions: Option<PathBuf>,
}

/// A model that the host may choose.
#[derive(Debug, Clone)]
pub(crate) struct ListedModel {
    pub(crate) model_info: ModelInfo,
    pub(crate) wire: Wire,
    pub(crate) endpoint: Endpoint,
    pub(crate) reasons: bool,
    /// As the host is told of it.
    pub(crate) shown: serde_json::Value,
}

/// Where sessions are kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SessionStorage {
    /// In the workspace.
    Workspace,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    Off,
}

/// Where the model's replies come from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ModelSource {
    /// A script file.
    Script(PathBuf),
    /// The echo model.
    Echo,
    /// HTTP.
    Endpoint(Endpoint),
}

/// How the model is asked, and how long and how often.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) system: String,
    pub(crate) max_tokens: u32,
    pub(crate) max_turns: u32,
    /// The longest silence of the model.
    pub(crate) patience: Duration,
    pub(crate) retries: Option<u32>,
    /// Whether a reply that broke off is not asked for again, as what was said of it cannot be taken back.
    pub(crate) says_once: bool,
    /// How turns that failed are tried again; none: they are not.
    pub(crate) again: Option<RetryPolicy>,
    pub(crate) host_options: HostOptions,
    /// Whether the calls of a reply run one after the other.
    pub(crate) one_at_a_time: bool,
    pub(crate) model_info: ModelInfo,
    /// The context's size from which on it is compacted unasked; none: never.
    pub(crate) compact_at: Option<u64>,
    /// The folder for long outputs of the host's commands.
    pub(crate) outputs: PathBuf,
    pub(crate) providers: Vec<ModelProvider>,
}

const MODEL: &str = "mock-model";
const MAX_TOKENS: u32 = 8192;
const MAX_TURNS: u32 = 50;
const PATIENCE: Duration = Duration::from_secs(120);
const GATE: Duration = Duration::from_millis(200);

/// How often an interrupted stream is asked for again where the environment does not say.
const STREAM_RETRIES: u32 = 2;

impl AgentConfig {
    /// Settles everything.
    ///
    /// # Errors
    /// What is missing or cannot be.
    pub(crate) fn new(options: Options, env: Env<'_>) -> Result<Self, String> {
        let env = &|name: &str| env(name).filter(|value| !value.is_empty());
        let provider = KnownProvider::find(options.provider.as_deref().unwrap_or("anthropic"))?;
        let asked = options.provider.is_some() || options.base_url.is_some();
        if asked && !options.keyless {
            provider.check(env)?;
        }
        let workspace = PathBuf::from(options.workspace.as_deref().unwrap_or("."));
        Ok(AgentConfig {
            source: source(&options, provider, env)?,
            wire: provider.wire,
            gate: millis(env, "MOCK_AGENT_GATE_MS")?.unwrap_or(GATE),
            mode: if options.auto_approve {
                Mode::Yolo
            } else {
                Mode::Default
            },
            session: match (options.session_id, options.resume) {
                (Some(id), _) => Choice::Named(id),
                (None, Some(id)) if id == "latest" => Choice::Latest,
                (None, Some(id)) => Choice::Resume(id),
                (None, None) => Choice::New,
            },
            sessions: match env("MOCK_AGENT_SESSIONS") {
                None => SessionStorage::Workspace,
                Some(off) if off == "off" => SessionStorage::Off,
                Some(folder) => SessionStorage::Folder(folder.into()),
            },
            mcp: {
                let list = options.mcp.or_else(|| env("MOCK_AGENT_MCP"));
                load_mcp(list.as_deref().unwrap_or(DEMO_MCP))?
            },
            seed: number(env, "MOCK_AGENT_SEED")?.unwrap_or_default(),
            settings: Settings {
                model_info: ModelInfo {
                    api: api_name(provider.wire).into(),
                    provider: provider.name.into(),
                    model: options.model.clone().unwrap_or_else(|| MODEL.into()),
                    window: model_info::WINDOW,
                    rates: model_info::RATES,
                },
                one_at_a_time: false,
                again: None,
                host_options: HostOptions::default(),
                compact_at: None,
                outputs: std::env::temp_dir().join("mock-agent"),
                says_once: false,
                providers: Vec::new(),
                model: options.model.unwrap_or_else(|| MODEL.into()),
                system: options
                    .system_prompt
                    .unwrap_or_else(|| system_prompt(&workspace)),
                max_tokens: options.max_tokens.unwrap_or(MAX_TOKENS),
                max_turns: options.max_turns.unwrap_or(MAX_TURNS),
                patience: millis(env, "MOCK_AGENT_PATIENCE_MS")?.unwrap_or(PATIENCE),
                retries: number(env, "MOCK_AGENT_RETRIES")?,
            },
            workspace,
        })
    }
}

impl Settings {
    /// How often a request is sent again after it failed.
    pub(crate) fn retries(&self, interrupted: bool) -> u32 {
        self.retries
            .unwrap_or(if interrupted { STREAM_RETRIES } else { 0 })
    }

    pub(crate) fn request<'a>(
        &'a self,
        messages: &'a [Message],
        tools: &'a [ToolSpec],
    ) -> ModelRequest<'a> {
        ModelRequest {
            model: &self.model,
            max_tokens: self.max_tokens,
            system: &self.system,
            messages,
            tools,
        }
    }
}

fn system_prompt(workspace: &std::path::Path) -> String {
    format!(
        "You are an AI assistant that can use tools to help with tasks.\nWorking directory: {}",
        workspace.display()
    )
}

/// A script that was asked for wins over a URL, so that a host can be tested with the arguments it always gives.
fn source(
    options: &Options,
    provider: &KnownProvider,
    env: Env<'_>,
) -> Result<ModelSource, String> {
    if let Some(script) = options.script.clone().or_else(|| env("MOCK_AGENT_SCRIPT")) {
        return Ok(ModelSource::Script(script.into()));
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
    Endpoint::new(&base, key)
        .map(ModelSource::Endpoint)
        .map_err(|why| format!("The base URL {why}"))
}

fn number<T: std::str::FromStr>(env: Env<'_>, name: &str) -> Result<Option<T>, String> {
    env(name)
        .map(|value| {
            value
                .parse()
                .map_err(|_| format!("{name}: {value:?} is not a number"))
        })
        .transpose()
}

/// How much later than it was made each line leaves.
///
/// # Errors
/// The variable is no number.
pub(crate) fn latency(env: Env<'_>) -> Result<Duration, String> {
    let env = &|name: &str| env(name).filter(|value| !value.is_empty());
    Ok(millis(env, "MOCK_AGENT_LATENCY_MS")?.unwrap_or_default())
}

fn millis(env: Env<'_>, name: &str) -> Result<Option<Duration>, String> {
    Ok(number(env, name)?.map(Duration::from_millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(options: Options, vars: &[(&str, &str)]) -> Result<AgentConfig, String> {
        let env = |name: &str| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        AgentConfig::new(options, &env)
    }

    fn provider(name: &str) -> Options {
        Options {
            provider: Some(name.into()),
            ..Options::default()
        }
    }

    #[test]
    fn nothing_is_needed_where_nothing_is_asked_for() {
        assert_eq!(
            config(Options::default(), &[]).unwrap().source,
            ModelSource::Echo
        );
    }

    #[test]
    fn each_provider_has_its_variables() {
        let refused = |name: &str, vars: &[_]| config(provider(name), vars).unwrap_err();

        assert_eq!(refused("anthropic", &[]), "ANTHROPIC_API_KEY not set");
        assert_eq!(
            refused("openai", &[("OPENAI_API_KEY", "")]),
            "OPENAI_API_KEY not set"
        );
        assert_eq!(refused("bedrock", &[]), "AWS_REGION not set");
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
        assert_eq!(refused("acme", &[]), "Unknown provider: acme");
        let bedrock = [("AWS_REGION", "x"), ("AWS_PROFILE", "x")];
        assert!(config(provider("bedrock"), &bedrock).is_ok());
    }

    #[test]
    fn a_base_url_comes_from_the_flag_or_the_environment() {
        let url = ("OPENAI_BASE_URL", "http://b");
        let key = ("OPENAI_API_KEY", "k");
        let flag = Options {
            base_url: Some("http://a".into()),
            ..provider("openai")
        };
        let source = |options, vars: &[_]| config(options, vars).unwrap().source;

        let at = |base: &str| ModelSource::Endpoint(Endpoint::new(base, "k".into()).unwrap());
        assert_eq!(source(flag, &[key, url]), at("http://a"));
        assert_eq!(source(provider("openai"), &[key, url]), at("http://b"));
        assert_eq!(source(Options::default(), &[key, url]), ModelSource::Echo);
    }

    #[test]
    fn a_script_wins_over_a_base_url() {
        let script = ("MOCK_AGENT_SCRIPT", "s.yaml");
        let key = ("ANTHROPIC_API_KEY", "k");
        let options = Options {
            base_url: Some("https://api.example.com".into()),
            ..Options::default()
        };

        assert_eq!(
            config(options, &[script, key]).unwrap().source,
            ModelSource::Script("s.yaml".into())
        );
    }
}
