//! What the agent runs with.

use super::super::configure::{agent_dir, configure as base};
use super::super::models;
use super::dialogs::Script;
use super::model::LEVELS;
use crate::config::options::Options;
use crate::config::{Config, Env, Extras, Sessions};
use crate::core::approval::Mode;
use crate::core::retry::RetryPolicy;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the context is kept free for the reply where the settings do not say.
const RESERVE: u64 = 16_384;

/// The retries where the settings do not say.
const PLAN: RetryPolicy = RetryPolicy {
    attempts: 3,
    delay: Duration::from_secs(2),
    summaries: false,
};

/// The level where nobody says.
const LEVEL: &str = "medium";

/// Settles everything. Tools run side by side, and a turn that failed is tried again.
pub(super) fn configure(mut options: Options, env: Env<'_>) -> Result<Config, String> {
    let level = model_pattern(&mut options);
    let paths = |list: &[String]| list.iter().map(PathBuf::from).collect();
    let mut extras = Extras {
        scope: scope(options.scope.as_deref()),
        level: options.thinking.clone().or(level),
        name: options.name.clone(),
        templates: paths(&options.templates),
        skills: paths(&options.skills),
        extended: !options.extensions.is_empty(),
        ..Extras::default()
    };
    let folder = options.session_dir.take().map(PathBuf::from);
    let key = options.api_key.clone();
    let agent = agent_dir(env);
    if let Some(agent) = &agent {
        extras.models = models::list(&agent.join("models.json"), key.as_deref(), env)?;
    }
    let mut config = base(options, env)?;
    extras.sessions = match &config.sessions {
        Sessions::Folder(kept) => Some(folder.unwrap_or_else(|| kept.clone())),
        _ => None,
    };
    config.sessions = Sessions::Off;
    if extras.extended && Script::read().asks_before_tools() {
        config.mode = Mode::Default;
    }
    let settings = &mut config.settings;
    settings.one_at_a_time = false;
    settings.again = Some(plan(agent.as_deref(), &config.workspace));
    settings.compact_at = Some(settings.model_info.window.saturating_sub(RESERVE));
    let model_info = &settings.model_info;
    let mut listed = extras.models.iter();
    let thinks = listed.any(|m| m.model_info == *model_info && m.reasons);
    extras.level = match thinks {
        true => extras.level.or_else(|| Some(LEVEL.to_owned())),
        false => Some(LEVELS[0].to_owned()),
    };
    settings.extras = extras;
    Ok(config)
}

/// Takes `PROVIDER/` and `:LEVEL` off the model's name.
fn model_pattern(options: &mut Options) -> Option<String> {
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
    let patterns = patterns.into_iter().flat_map(|list| list.split(','));
    patterns.map(|pattern| pattern.trim().to_owned()).collect()
}

/// The retries that the settings of the user, or of the project, ask for.
fn plan(agent: Option<&Path>, workspace: &Path) -> RetryPolicy {
    let files = [
        agent.map(|folder| folder.join("settings.json")),
        Some(workspace.join(".pi/settings.json")),
    ];
    let read = |path: PathBuf| -> Option<Value> {
        serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
    };
    let mut plan = PLAN;
    for settings in files.into_iter().flatten().filter_map(read) {
        let number = |name: &str| settings["retry"][name].as_u64();
        if let Some(millis) = number("baseDelayMs") {
            plan.delay = Duration::from_millis(millis);
        }
        if let Some(count) = number("maxRetries") {
            plan.attempts = u32::try_from(count).unwrap_or(u32::MAX);
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(model: &str) -> (Option<String>, Option<String>, Option<String>) {
        let mut options = Options {
            model: Some(model.into()),
            ..Options::default()
        };
        let level = model_pattern(&mut options);
        (options.provider, options.model, level)
    }

    #[test]
    fn a_pattern_has_a_provider_a_model_and_a_level() {
        let some = |text: &str| Some(text.to_owned());

        assert_eq!(pattern("p/m:high"), (some("p"), some("m"), some("high")));
        assert_eq!(pattern("m:8b"), (None, some("m:8b"), None));
    }
}
