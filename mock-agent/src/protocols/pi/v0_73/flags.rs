//! The flags of the page, and those that hosts give besides.

use super::model::LEVELS;
use crate::config::options::PROTOCOL_FLAG as PROTOCOL;
use crate::config::options::{Flag, text};

/// A flag that may come more than once.
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

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: "--mode",
        value: Some("MODE"),
        help: "rpc",
        set: |_, mode| match mode.as_str() {
            "rpc" => Ok(()),
            _ => Err(format!("{mode:?} is not rpc")),
        },
    },
    Flag {
        name: "--no-session",
        value: None,
        help: "Keep no session on disk",
        set: |options, _| {
            options.no_session = true;
            Ok(())
        },
    },
    text!("--name", "NAME", name, "The session's name"),
    text!(
        "--session-dir",
        "PATH",
        session_dir,
        "Where sessions are kept"
    ),
    text!(
        "--provider",
        "NAME",
        provider,
        "A provider of models.json; the first if left out"
    ),
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
    text!(
        "--api-key",
        "KEY",
        api_key,
        "The key, in place of the provider's"
    ),
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
    text!(
        "--system-prompt",
        "TEXT",
        system_prompt,
        "What the model is told first"
    ),
    text!(
        "--script",
        "FILE",
        script,
        "What the model answers: a model script or a scenario"
    ),
    PROTOCOL,
    text!(
        "--fault",
        "ID[@turn=N]",
        fault,
        "Play a fault, from turn N on"
    ),
];
