//! Command-line flags of the protocol pi: those of its specification, and others that hosts pass.

use super::first_session::LATEST;
use super::models::{LEVELS, MAX_LEVEL};
use crate::config::options::{
    FAULT_FLAG, Flag, IgnoredFlag, PACE_FLAG, PROTOCOL_FLAG, SCRIPT_FLAG, SEED_FLAG, text,
};
use crate::protocols::adapter::OtherCommand;

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
        _ => Err(format!(
            "{mode:?} is not rpc, the only mode that mock-agent plays"
        )),
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

/// A flag with two names.
macro_rules! both {
    ($short:literal, $flag:expr) => {
        Flag {
            name: $short,
            ..$flag
        }
    };
}

const CONTINUE: Flag = Flag {
    name: "--continue",
    value: None,
    help: "Resume the latest session",
    set: |options, _| {
        options.resume = Some(LATEST.into());
        Ok(())
    },
};

const NAME: Flag = text!("--name", "NAME", name, "The name of the session");

const EXTENSION: Flag = several!(
    "--extension",
    "FILE",
    extensions,
    "Do what dialogs.json in the workspace scripts; the file itself is not run"
);

/// The flags of 0.14.
pub(super) const FLAGS_V0_14: &[Flag] = &[
    MODE,
    NO_SESSION,
    CONTINUE,
    both!("-c", CONTINUE),
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
    PACE_FLAG,
    SEED_FLAG,
    PROTOCOL_FLAG,
    FAULT_FLAG,
];

/// The flags of 0.73 and later.
pub(super) const FLAGS: &[Flag] = &[
    MODE,
    NO_SESSION,
    CONTINUE,
    both!("-c", CONTINUE),
    text!(
        "--session",
        "PATH|ID",
        resume,
        "Resume the session in this file, or with this part of an id"
    ),
    text!(
        "--session-id",
        "ID",
        session_id,
        "Resume the session with this id; a new one if there is none"
    ),
    text!(
        "--fork",
        "PATH|ID",
        fork,
        "Start a session with the entries of another one"
    ),
    NAME,
    both!("-n", NAME),
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
        help: "off, minimal, low, medium, high, xhigh or max",
        set: |options, level| match LEVELS.contains(&level.as_str()) || level == MAX_LEVEL {
            true => {
                options.thinking = Some(level);
                Ok(())
            }
            false => Err(format!("{level:?} is none of {}", LEVELS.join(", "))),
        },
    },
    EXTENSION,
    both!("-e", EXTENSION),
    several!("--prompt-template", "FILE", templates, "A prompt template"),
    several!("--skill", "FOLDER", skills, "A skill"),
    SYSTEM_PROMPT,
    SCRIPT_FLAG,
    PACE_FLAG,
    SEED_FLAG,
    PROTOCOL_FLAG,
    FAULT_FLAG,
];

/// Commands of the real agent that do not speak RPC.
pub(super) const OTHER_COMMANDS: &[OtherCommand] = &[
    OtherCommand {
        name: "install",
        output: "Installed {}",
    },
    OtherCommand {
        name: "remove",
        output: "Removed {}",
    },
    OtherCommand {
        name: "uninstall",
        output: "Removed {}",
    },
    OtherCommand {
        name: "update",
        output: "Updated packages",
    },
    OtherCommand {
        name: "list",
        output: "No packages installed.",
    },
    OtherCommand {
        name: "config",
        output: "",
    },
    OtherCommand {
        name: "auth",
        output: "",
    },
];

/// Flags of the real agent without effect here.
pub(super) const IGNORED_FLAGS: &[IgnoredFlag] = &[
    IgnoredFlag::value(&["--append-system-prompt", "--theme", "--tools", "-t"]),
    IgnoredFlag::value(&["--exclude-tools", "-xt", "--use-theme", "--tui-mode"]),
    IgnoredFlag::switch(&["--resume", "-r"]),
    IgnoredFlag::switch(&["--no-tools", "-nt", "--no-builtin-tools", "-nbt"]),
    IgnoredFlag::switch(&["--no-extensions", "-ne", "--no-skills", "-ns"]),
    IgnoredFlag::switch(&["--no-prompt-templates", "-np", "--no-themes"]),
    IgnoredFlag::switch(&["--no-context-files", "-nc", "--verbose", "--offline"]),
    IgnoredFlag::switch(&["--approve", "-a", "--no-approve", "-na"]),
    IgnoredFlag::optional(&["--print", "-p"]),
    IgnoredFlag::value(&["--export"]),
];
