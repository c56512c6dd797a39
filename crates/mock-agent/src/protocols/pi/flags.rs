//! Command-line flags of the protocol pi: those of its specification, and others that hosts pass.

use super::first_session::LATEST;
use super::models::{LEVELS, MAX_LEVEL};
use crate::config::options::FlagEffect::{Checked, Switch, Text, Texts};
use crate::config::options::FlagValue::{No, Optional, Required};
use crate::config::options::{CliOptions, Flag, IgnoredFlags};

/// The flags; those of 0.14 come first.
pub(super) const FLAGS: &[Flag] = &[
    Flag::new("--mode", Checked(mode)),
    Flag::new("--no-session", Switch(|o| o.no_session = true)),
    Flag::new("--continue", Switch(resume_latest)),
    Flag::new("-c", Switch(resume_latest)),
    Flag::new("--provider", Text(|o| &mut o.provider)),
    Flag::new("--model", Text(|o| &mut o.model)),
    Flag::new("--api-key", Text(|o| &mut o.api_key)),
    Flag::new("--thinking", Checked(thinking)),
    Flag::new("--system-prompt", Text(|o| &mut o.system_prompt)),
    Flag::new("--session", Text(|o| &mut o.resume)),
    Flag::new("--session-id", Text(|o| &mut o.session_id)),
    Flag::new("--fork", Text(|o| &mut o.fork)),
    Flag::new("--name", Text(|o| &mut o.name)),
    Flag::new("-n", Text(|o| &mut o.name)),
    Flag::new("--session-dir", Text(|o| &mut o.session_dir)),
    Flag::new("--models", Text(|o| &mut o.scope)),
    Flag::new("--extension", Texts(|o| &mut o.extensions)),
    Flag::new("-e", Texts(|o| &mut o.extensions)),
    Flag::new("--prompt-template", Texts(|o| &mut o.templates)),
    Flag::new("--skill", Texts(|o| &mut o.skills)),
];

pub(super) const FLAGS_V0_14: &[Flag] = FLAGS.split_at(9).0;

/// The help on those that only this protocol has.
pub(super) const FLAGS_HELP: &str = "\
--mode MODE              rpc
--no-session             Do not save the session
--continue               Resume the latest session
-c                       Resume the latest session
--provider NAME          A provider of models.json; by default the first
--model NAME             A model of the provider; after 0.14 also PROVIDER/MODEL, followed by :LEVEL for its thinking level
--api-key KEY            The API key, instead of the one of the provider
--thinking LEVEL         off, minimal, low, medium, high, xhigh or max; without effect in 0.14
--system-prompt TEXT     The system prompt
--session PATH|ID        Resume the session in this file, or with this part of an id
--session-id ID          Resume the session with this id; a new one if there is none
--fork PATH|ID           Start a session with the entries of another one
--name NAME              The name of the session
-n NAME                  The name of the session
--session-dir PATH       The folder for sessions
--models PATTERNS        The models that cycle_model goes through, as PROVIDER/MODEL, separated by commas
--extension FILE         Do what dialogs.json in the workspace scripts; the file itself is not run
-e FILE                  Do what dialogs.json in the workspace scripts; the file itself is not run
--prompt-template FILE   A prompt template
--skill FOLDER           A skill
";

fn mode(_: &mut CliOptions, mode: String) -> Result<(), String> {
    match mode.as_str() {
        "rpc" => Ok(()),
        _ => Err(format!(
            "{mode:?} is not rpc, the only mode that mock-agent plays"
        )),
    }
}

fn resume_latest(options: &mut CliOptions) {
    options.resume = Some(LATEST.into());
}

fn thinking(options: &mut CliOptions, level: String) -> Result<(), String> {
    if level != MAX_LEVEL && !LEVELS.contains(&level.as_str()) {
        return Err(format!("{level:?} is none of {}", LEVELS.join(", ")));
    }
    options.thinking = Some(level);
    Ok(())
}

/// Commands of the real agent that do not speak RPC.
pub(super) const OTHER_COMMANDS: &[(&str, &str)] = &[
    ("install", "Installed {}"),
    ("remove uninstall", "Removed {}"),
    ("update", "Updated packages"),
    ("list", "No packages installed."),
    ("config auth", ""),
];

pub(super) const IGNORED_FLAGS: &[IgnoredFlags] = &[
    (
        Required,
        &["--append-system-prompt", "--theme", "--tools", "-t"],
    ),
    (
        Required,
        &["--exclude-tools", "-xt", "--use-theme", "--tui-mode"],
    ),
    (No, &["--resume", "-r"]),
    (No, &["--no-tools", "-nt", "--no-builtin-tools", "-nbt"]),
    (No, &["--no-extensions", "-ne", "--no-skills", "-ns"]),
    (No, &["--no-prompt-templates", "-np", "--no-themes"]),
    (No, &["--no-context-files", "-nc", "--verbose", "--offline"]),
    (No, &["--approve", "-a", "--no-approve", "-na"]),
    (Optional, &["--print", "-p"]),
    (Required, &["--export"]),
];
