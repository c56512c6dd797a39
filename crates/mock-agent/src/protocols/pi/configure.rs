//! The configuration from flags, environment, `models.json` and `settings.json`.

use super::models::{self, LEVELS};
use super::{ExtensionScript, PiVersion, first_session, models_json};
use crate::config::{
    AgentConfig, CliOptions, Env, ModelSource, SessionStorage, StartError, WORKSPACE_SESSIONS,
};
use crate::core::{ApprovalMode, HostOptions, ListedModel, RetryPolicy};
use crate::session_store::SessionChoice;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The tokens of the context that 0.14 keeps free for the reply: "reserveTokens" of the specification.
const RESERVE_V0_14: u64 = 20_000;

/// The same of later versions, without settings.
const RESERVE: u64 = 16_384;

const LEVEL: &str = "medium";

const AGENT_DIR: &str = "PI_CODING_AGENT_DIR";

/// The configuration of 0.14: no approvals, no retries, one tool at a time.
pub(super) fn configure_v0_14(
    options: CliOptions,
    env: Env<'_>,
) -> Result<AgentConfig, StartError> {
    let agent = agent_dir(env);
    let models = models_json::list(agent.as_deref(), options.api_key.as_deref(), env)?;
    with_models(options, env, &models)
}

/// The same, where these models are known.
fn with_models(
    mut options: CliOptions,
    env: Env<'_>,
    models: &[ListedModel],
) -> Result<AgentConfig, StartError> {
    let folder = agent_dir(env);
    let (provider, model) = (options.provider.take(), options.model.take());
    let chosen = models_json::choose(models, provider.as_deref(), model.as_deref())?;
    let no_session = options.no_session;
    let mut config = AgentConfig::new(options, env)?;
    config.mode = ApprovalMode::Yolo;
    config.mcp.clear();
    config.session = match config.session {
        SessionChoice::Latest if no_session => SessionChoice::New,
        SessionChoice::Latest => SessionChoice::LatestOrNew,
        other => other,
    };
    config.sessions = match (&folder, config.sessions) {
        _ if no_session => SessionStorage::Off,
        (Some(folder), SessionStorage::Workspace) => {
            SessionStorage::Folder(folder.join("sessions"))
        }
        (_, elsewhere) => elsewhere,
    };
    let settings = &mut config.settings;
    settings.request_retries = Some(0);
    settings.max_turns = u32::MAX;
    settings.sequential_calls = true;
    if let Some(folder) = folder {
        settings.output_folder = folder.join("outputs");
    }
    match chosen {
        Some(chosen) => {
            settings.model_info = chosen.model_info.clone();
            settings.max_tokens = chosen.max_tokens;
            config.wire = chosen.wire;
            if config.source == ModelSource::Echo {
                config.source = ModelSource::Endpoint(chosen.endpoint.clone());
            }
        }
        None => {
            let model_info = &mut settings.model_info;
            model_info.provider = provider.unwrap_or_else(|| model_info.provider.clone());
            model_info.model = model.unwrap_or_else(|| model_info.model.clone());
        }
    }
    settings.model = settings.model_info.model.clone();
    settings.compaction_threshold = Some(settings.model_info.window.saturating_sub(RESERVE_V0_14));
    Ok(config)
}

/// The configuration of 0.73 and later: tools run in parallel, and a failed turn is retried.
pub(super) fn configure(
    version: PiVersion,
    mut options: CliOptions,
    env: Env<'_>,
) -> Result<AgentConfig, StartError> {
    let level = model_pattern(&mut options);
    let paths = |list: &[String]| list.iter().map(PathBuf::from).collect();
    let mut host_options = HostOptions {
        scope: scope(options.scope.as_deref()),
        thinking_level: options.thinking.clone().or(level),
        session_name: options.name.clone(),
        templates: paths(&options.templates),
        skills: paths(&options.skills),
        has_extensions: !options.extensions.is_empty(),
        ..HostOptions::default()
    };
    let folder = options.session_dir.take().map(PathBuf::from);
    let CliOptions {
        fork,
        resume,
        session_id,
        ..
    } = &mut options;
    let session_flags = [fork, resume, session_id].map(Option::take);
    let agent = agent_dir(env);
    host_options.models = models_json::list(agent.as_deref(), options.api_key.as_deref(), env)?;
    let mut config = with_models(options, env, &host_options.models)?;
    let own = config.workspace.join(WORKSPACE_SESSIONS);
    host_options.session_folder = match &config.sessions {
        SessionStorage::Folder(kept) => Some(folder.unwrap_or_else(|| kept.clone())),
        SessionStorage::Workspace => folder.or_else(|| std::path::absolute(own).ok()),
        SessionStorage::Off => None,
    };
    let kept = host_options.session_folder.as_deref();
    host_options.first_session = first_session::choose(session_flags, kept)?;
    config.sessions = SessionStorage::Off;
    if host_options.has_extensions && ExtensionScript::read().asks_before_tools() {
        config.mode = ApprovalMode::Default;
    }
    if host_options.models.is_empty() {
        host_options.models.push(models_json::built_in(&config)?);
    }
    let files = settings_files(agent.as_deref(), &config.workspace);
    let settings = &mut config.settings;
    settings.sequential_calls = false;
    let attempts = number(&files, "/retry/maxRetries");
    settings.turn_retries = Some(RetryPolicy {
        attempts: attempts.map_or(3, |count| u32::try_from(count).unwrap_or(u32::MAX)),
        delay: Duration::from_millis(number(&files, "/retry/baseDelayMs").unwrap_or(2000)),
        summaries: version >= PiVersion::V0_87,
    });
    settings.compaction_keeps = number(&files, "/compaction/keepRecentTokens").unwrap_or(0);
    settings.compaction_threshold = Some(settings.model_info.window.saturating_sub(RESERVE));
    let model_info = &settings.model_info;
    let mut listed = host_options.models.iter();
    let reasoning = listed.any(|m| m.model_info == *model_info && m.has_reasoning);
    host_options.thinking_level = if reasoning {
        host_options
            .thinking_level
            .map(|level| models::highest_up_to(&level).to_owned())
            .or_else(|| Some(LEVEL.to_owned()))
    } else {
        Some(LEVELS[0].to_owned())
    };
    host_options.keeps_queue_after_stop = version >= PiVersion::V0_87;
    settings.host_options = host_options;
    Ok(config)
}

/// Splits `PROVIDER/` and `:LEVEL` off the model's name. Returns the level.
fn model_pattern(options: &mut CliOptions) -> Option<String> {
    let pattern = options.model.take()?;
    let (name, level) = match pattern.rsplit_once(':') {
        Some((name, level)) if LEVELS.contains(&level) => (name.to_owned(), Some(level.to_owned())),
        _ => (pattern, None),
    };
    options.model = match name.split_once('/') {
        Some((provider, model)) if options.provider.is_none() => {
            options.provider = Some(provider.to_owned());
            Some(model.to_owned())
        }
        _ => Some(name),
    };
    level
}

fn scope(patterns: Option<&str>) -> Vec<String> {
    let listed = patterns.into_iter().flat_map(|list| list.split(','));
    listed.map(|pattern| pattern.trim().to_owned()).collect()
}

/// `settings.json` of the user and of the project; the latter takes precedence.
fn settings_files(agent: Option<&Path>, workspace: &Path) -> Vec<Value> {
    let files = [
        Some(workspace.join(".pi/settings.json")),
        agent.map(|folder| folder.join("settings.json")),
    ];
    let read = |path: PathBuf| serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok();
    files.into_iter().flatten().filter_map(read).collect()
}

fn number(files: &[Value], pointer: &str) -> Option<u64> {
    files
        .iter()
        .find_map(|settings| settings.pointer(pointer)?.as_u64())
}

/// The folder of models, settings and sessions, if the host names one. The real agent's folder in HOME is not used: it has the keys and
/// sessions of the user.
pub(super) fn agent_dir(env: Env<'_>) -> Option<PathBuf> {
    let given = env(AGENT_DIR).filter(|value| !value.is_empty());
    given.map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_a_provider_a_model_and_a_level() {
        for (pattern, provider, model, expected) in [
            ("p/m:high", Some("p"), "m", Some("high")),
            ("m:8b", None, "m:8b", None),
        ] {
            let mut options = CliOptions {
                model: Some(pattern.into()),
                ..CliOptions::default()
            };
            assert_eq!(model_pattern(&mut options).as_deref(), expected);
            assert_eq!(options.provider.as_deref(), provider);
            assert_eq!(options.model.as_deref(), Some(model));
        }
    }
}
