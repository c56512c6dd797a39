//! Command-line flags of the protocol pi: those of its page, and others that hosts pass.

use super::models::LEVELS;
use crate::config::options::{FAULT_FLAG, Flag, IgnoredFlag, PROTOCOL_FLAG, SCRIPT_FLAG, text};

/// A flag that can be repeated.
macro_rules! several {
    ($name:literal, $value:literal, $field:ident, $help:literal) => {
        Flag {
            name: $name,
            value: Some($value),
            help: $help,
            set: |options, value| {
                options.$field.push(value);
                Ok(())
            },
        }
    };
}

const MODE: Flag = Flag {
    name: "--mode",
    value: Some("MODE"),
    help: "rpc",
    set: |_, mode| match mode.as_str() {
        "rpc" => Ok(()),
        _ => Err(format!("{mode:?} is not rpc")),
    },
};

const NO_SESSION: Flag = Flag {
    name: "--no-session",
    value: None,
    help: "Do not save the session",
    set: |options, _| {
        options.no_session = true;
        Ok(())
    },
};

const PROVIDER: Flag = text!(
    "--provider",
    "NAME",
    provider,
    "A provider of models.json; by default the first"
);

const API_KEY: Flag = text!(
    "--api-key",
    "KEY",
    api_key,
    "The API key, instead of the one of the provider"
);

const SYSTEM_PROMPT: Flag = text!(
    "--system-prompt",
    "TEXT",
    system_prompt,
    "The system prompt"
);

/// The flags of 0.14.
pub(super) const FLAGS_V0_14: &[Flag] = &[
    MODE,
    NO_SESSION,
    Flag {
        name: "--continue",
        value: None,
        help: "Resume the latest session",
        set: |options, _| {
            options.resume = Some("latest".into());
            Ok(())
        },
    },
    PROVIDER,
    text!(
        "--model",
        "ID",
        model,
        "A model of the provider; by default the first"
    ),
    API_KEY,
    Flag {
        name: "--thinking",
        value: Some("LEVEL"),
        help: "off, minimal, low, medium, high or xhigh",
        set: |_, level| match LEVELS.contains(&level.as_str()) {
            true => Ok(()),
            false => Err(format!("{level:?} is none of {}", LEVELS.join(", "))),
        },
    },
    SYSTEM_PROMPT,
    SCRIPT_FLAG,
    PROTOCOL_FLAG,
    FAULT_FLAG,
];

/// The flags of 0.73 and later.
pub(super) const FLAGS: &[Flag] = &[
    MODE,
    NO_SESSION,
    text!("--name", "NAME", name, "The name of the session"),
    text!(
        "--session-dir",
        "PATH",
        session_dir,
        "The folder for sessions"
    ),
    PROVIDER,
    text!(
        "--model",
        "PATTERN",
        model,
        "A model, or PROVIDER/MODEL, followed by :LEVEL for its thinking level"
    ),
    text!(
        "--models",
        "PATTERNS",
        scope,
        "The models that cycle_model goes through, as PROVIDER/MODEL, separated by commas"
    ),
    API_KEY,
    Flag {
        name: "--thinking",
        value: Some("LEVEL"),
        help: "off, minimal, low, medium, high or xhigh",
        set: |options, level| match LEVELS.contains(&level.as_str()) {
            true => {
                options.thinking = Some(level);
                Ok(())
            }
            false => Err(format!("{level:?} is none of {}", LEVELS.join(", "))),
        },
    },
    several!(
        "--extension",
        "FILE",
        extensions,
        "Do what dialogs.json in the workspace scripts; the file itself is not run"
    ),
    several!("--prompt-template", "FILE", templates, "A prompt template"),
    several!("--skill", "FOLDER", skills, "A skill"),
    SYSTEM_PROMPT,
    SCRIPT_FLAG,
    PROTOCOL_FLAG,
    FAULT_FLAG,
];

/// Flags of the real agent without effect here.
pub(super) const IGNORED_FLAGS: &[IgnoredFlag] = &[
    IgnoredFlag::value(&["--append-system-prompt", "--theme", "--tools", "-t"]),
    IgnoredFlag::switch(&["--no-tools", "-nt", "--no-builtin-tools", "-nbt"]),
    IgnoredFlag::switch(&["--no-extensions", "-ne", "--no-skills", "-ns"]),
    IgnoredFlag::switch(&["--no-prompt-templates", "-np", "--no-themes"]),
    IgnoredFlag::switch(&["--no-context-files", "-nc", "--verbose", "--offline"]),
    IgnoredFlag::switch(&["--approve", "-a", "--no-approve", "-na"]),
];
