//! The configuration from flags and environment.

use super::options::approval_mode;
use crate::config::{AgentConfig, CliOptions, Env, SessionStorage, StartError, WORKSPACE_SESSIONS};
use crate::core::RetryPolicy;

/// The number of sessions in a page.
const PAGE: u32 = 20;

/// The agent's own instructions, without what depends on the session.
const SYSTEM_PROMPT: &str = "You are an AI assistant that can use tools to help with tasks.";

pub(super) fn configure(mut options: CliOptions, env: Env<'_>) -> Result<AgentConfig, StartError> {
    let mode = options.first_mode.take();
    let requires_login = options.login || env("MOCK_AGENT_LOGIN").as_deref() == Some("true");
    let page = options.page.unwrap_or(PAGE);
    if options.mcp.is_none() && env("MOCK_AGENT_MCP").is_none() {
        options.mcp = Some("none".into());
    }
    let system = options.system_prompt.take();
    options.system_prompt = Some(system.unwrap_or_else(|| SYSTEM_PROMPT.into()));
    let mut config = AgentConfig::new(options, env)?;
    if let Some(mode) = mode.and_then(|name| approval_mode(&name)) {
        config.mode = mode;
    }
    let folder = match std::mem::replace(&mut config.sessions, SessionStorage::Off) {
        SessionStorage::Workspace => Some(
            std::path::absolute(&config.workspace)
                .unwrap_or_else(|_| config.workspace.clone())
                .join(WORKSPACE_SESSIONS),
        ),
        SessionStorage::Folder(folder) => Some(folder),
        SessionStorage::Off => None,
    };
    let host = &mut config.settings.host_options;
    host.session_folder = folder;
    host.seed = config.seed;
    host.requires_login = requires_login;
    host.page = page as usize;
    config.settings.turn_retries =
        config
            .settings
            .request_retries
            .take()
            .map(|attempts| RetryPolicy {
                attempts,
                delay: std::time::Duration::from_secs(1),
                summaries: false,
            });
    Ok(config)
}
