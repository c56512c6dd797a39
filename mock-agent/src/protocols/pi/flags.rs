//! The flags of the page, and those that hosts give besides.

use crate::config::options::PROTOCOL_FLAG as PROTOCOL;
use crate::config::options::{Flag, text};

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
    Flag {
        name: "--continue",
        value: None,
        help: "Go on with the latest session",
        set: |options, _| {
            options.resume = Some("latest".into());
            Ok(())
        },
    },
    text!(
        "--provider",
        "NAME",
        provider,
        "A provider of models.json; the first if left out"
    ),
    text!(
        "--model",
        "ID",
        model,
        "A model of the provider's; the first if left out"
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
        set: |_, level| match LEVELS.contains(&level.as_str()) {
            true => Ok(()),
            false => Err(format!("{level:?} is none of {}", LEVELS.join(", "))),
        },
    },
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

/// How hard the model may think. The scripted model thinks as it is told.
const LEVELS: [&str; 6] = ["off", "minimal", "low", "medium", "high", "xhigh"];
