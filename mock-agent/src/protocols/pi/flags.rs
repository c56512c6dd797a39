//! The flags of the page, and those that hosts pass besides.

use super::models::LEVELS;
use crate::config::options::PROTOCOL_FLAG as PROTOCOL;
use crate::config::options::{Flag, text};

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
    help: "Keep no session on disk",
    set: |options, _| {
        options.no_session = true;
        Ok(())
    },
};

const PROVIDER: Flag = text!(
    "--provider",
    "NAME",
    provider,
    "A provider of models.json; the first if left out"
);

const API_KEY: Flag = text!(
    "--api-key",
    "KEY",
    api_key,
    "The key, in place of the provider's"
);

const SYSTEM_PROMPT: Flag = text!(
    "--system-prompt",
    "TEXT",
    system_prompt,
    "What the model is told first"
);

const SCRIPT: Flag = text!(
    "--script",
    "FILE",
    script,
    "What the model answers: a model script or a scenario"
);

const FAULT: Flag = text!(
    "--fault",
    "ID[@turn=N]",
    fault,
    "Enable a fault, from turn N on"
);

/// The flags of 0.14.
pub(super) const FLAGS_V0_14: &[Flag] = &[
    MODE,
    NO_SESSION,
    Flag {
        name: "--continue",
        value: None,
        help: "Go on with the latest session",
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
        "A model of the provider's; the first if left out"
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
    SCRIPT,
    PROTOCOL,
    FAULT,
];

/// The flags of 0.73 and later.
pub(super) const FLAGS: &[Flag] = &[
    MODE,
    NO_SESSION,
    text!("--name", "NAME", name, "The session's name"),
    text!(
        "--session-dir",
        "PATH",
        session_dir,
        "Where sessions are kept"
    ),
    PROVIDER,
    text!(
        "--model",
        "PATTERN",
        model,
        "A model, or PROVIDER/MODEL, with :LEVEL behind it for how much it thinks"
    ),
    text!(
        "--models",
        "PATTERNS",
        scope,
        "The models that cycle_model goes through, as PROVIDER/MODEL, with commas between"
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
    SCRIPT,
    PROTOCOL,
    FAULT,
];
