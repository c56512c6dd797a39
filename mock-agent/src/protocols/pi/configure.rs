//! What the agent runs with.

use super::models::{Wish, choose};
use crate::config::options::Options;
use crate::config::{Config, Env, Sessions, Source};
use crate::core::approval::Mode;
use std::path::PathBuf;

/// What the context is kept free for the reply: "reserveTokens" of the page.
const RESERVE: u64 = 20_000;

/// The variable that says where the agent keeps its things.
const AGENT_DIR: &str = "PI_CODING_AGENT_DIR";

/// Settles everything. The dialect asks for no approvals, retries nothing, and runs tools one after the other.
pub(super) fn configure(mut options: Options, env: Env<'_>) -> Result<Config, String> {
    let folder = agent_dir(env);
    let (provider, model) = (options.provider.take(), options.model.take());
    let wish = Wish {
        provider: provider.as_deref(),
        model: model.as_deref(),
        api_key: options.api_key.as_deref(),
    };
    let chosen = match &folder {
        Some(folder) => choose(&folder.join("models.json"), wish, env)?,
        None => None,
    };
    let no_session = options.no_session;
    let mut config = Config::new(options, env)?;
    config.mode = Mode::Yolo;
    config.mcp.clear();
    config.sessions = match (&folder, config.sessions) {
        _ if no_session => Sessions::Off,
        (Some(folder), Sessions::Workspace) => Sessions::Folder(folder.join("sessions")),
        (_, elsewhere) => elsewhere,
    };
    let settings = &mut config.settings;
    settings.retries = Some(0);
    settings.max_turns = u32::MAX;
    settings.one_at_a_time = true;
    if let Some(folder) = folder {
        settings.outputs = folder.join("outputs");
    }
    match chosen {
        Some(chosen) => {
            settings.model_info = chosen.model_info;
            settings.max_tokens = chosen.max_tokens;
            config.wire = chosen.wire;
            if config.source == Source::BuiltIn {
                config.source = Source::Endpoint(chosen.endpoint);
            }
        }
        None => {
            let model_info = &mut settings.model_info;
            model_info.provider = provider.unwrap_or_else(|| model_info.provider.clone());
            model_info.model = model.unwrap_or_else(|| model_info.model.clone());
        }
    }
    settings.model = settings.model_info.model.clone();
    settings.compact_at = Some(settings.model_info.window.saturating_sub(RESERVE));
    Ok(config)
}

pub(super) fn agent_dir(env: Env<'_>) -> Option<PathBuf> {
    let given = |name: &str| env(name).filter(|value| !value.is_empty());
    given(AGENT_DIR)
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(given("HOME")?).join(".pi/agent")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(options: Options, vars: &[(&str, &str)]) -> Config {
        let env = |name: &str| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        configure(options, &env).unwrap()
    }

    #[test]
    fn without_models_the_script_answers_under_the_names_that_were_asked_for() {
        let options = Options {
            provider: Some("mocka".into()),
            model: Some("mock-a".into()),
            ..Options::default()
        };
        let config = configured(options, &[(AGENT_DIR, "/nowhere")]);

        assert_eq!(config.source, Source::BuiltIn);
        assert_eq!(config.settings.model_info.provider, "mocka");
        assert_eq!(config.settings.model, "mock-a");
        assert_eq!(config.settings.compact_at, Some(180_000));
    }

    #[test]
    fn sessions_are_kept_in_the_agents_folder_unless_they_are_not_wanted() {
        let sessions = |no_session, vars: &[_]| {
            let options = Options {
                no_session,
                ..Options::default()
            };
            configured(options, vars).sessions
        };

        let folder = |path: &str| Sessions::Folder(path.into());
        assert_eq!(sessions(false, &[(AGENT_DIR, "/a")]), folder("/a/sessions"));
        assert_eq!(
            sessions(false, &[("HOME", "/h")]),
            folder("/h/.pi/agent/sessions")
        );
        assert_eq!(sessions(true, &[(AGENT_DIR, "/a")]), Sessions::Off);
    }
}
