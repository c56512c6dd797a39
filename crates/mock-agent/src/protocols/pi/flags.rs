//! Command-line flags of the protocol pi: those of its specification, and others that hosts pass.

use super::first_session::LATEST;
use super::models::ALL_LEVELS;
use crate::config::flags::FlagEffect::{Ignored, OneOf, Switch, Text, Texts};
use crate::config::flags::FlagValue::{No, Optional, Required};
use crate::config::flags::flags;
use crate::config::{Flags, Question};

pub(super) const FLAGS_V0_14: &[Flags] = &[FIRST, IGNORED];

pub(super) const FLAGS_V0_73: &[Flags] = &[FIRST, SINCE_V0_73, IGNORED];

const FIRST: Flags = flags! {
    "--mode MODE" => OneOf(&["rpc"], |o| &mut o.mode), "rpc";
    "--no-session" => Switch(|o| o.no_session = true), "Do not save the session";
    "--continue -c" => Switch(|o| o.resume = Some(LATEST.into())), "Resume the latest session";
    "--provider NAME" => Text(|o| &mut o.provider), "A provider of models.json; by default the first";
    "--model NAME" => Text(|o| &mut o.model), "A model of the provider; after 0.14 also PROVIDER/MODEL, followed by :LEVEL for its thinking level";
    "--api-key KEY" => Text(|o| &mut o.api_key), "The API key, instead of the one of the provider";
    "--thinking LEVEL" => OneOf(&ALL_LEVELS, |o| &mut o.thinking), "off, minimal, low, medium, high, xhigh or max; without effect in 0.14";
    "--system-prompt TEXT" => Text(|o| &mut o.system_prompt), "The system prompt";
    "--list-models" => Switch(|o| o.question = Some(Question::Models)), "List the models";
};

const SINCE_V0_73: Flags = flags! {
    "--session PATH|ID" => Text(|o| &mut o.resume), "Resume the session in this file, or with this part of an id";
    "--session-id ID" => Text(|o| &mut o.session_id), "Resume the session with this id; a new one if there is none";
    "--fork PATH|ID" => Text(|o| &mut o.fork), "Start a session with the entries of another one";
    "--name -n NAME" => Text(|o| &mut o.name), "The name of the session";
    "--session-dir PATH" => Text(|o| &mut o.session_dir), "The folder for sessions";
    "--models PATTERNS" => Text(|o| &mut o.scope), "The models that cycle_model goes through, as PROVIDER/MODEL, separated by commas";
    "--extension -e FILE" => Texts(|o| &mut o.extensions), "Do what dialogs.json in the workspace scripts; the file itself is not run";
    "--prompt-template FILE" => Texts(|o| &mut o.templates), "A prompt template";
    "--skill FOLDER" => Texts(|o| &mut o.skills), "A skill";
};

const IGNORED: Flags = flags! {
    "--append-system-prompt --theme --tools -t" => Ignored(Required);
    "--exclude-tools -xt --use-theme --tui-mode" => Ignored(Required);
    "--resume -r" => Ignored(No);
    "--no-tools -nt --no-builtin-tools -nbt" => Ignored(No);
    "--no-extensions -ne --no-skills -ns" => Ignored(No);
    "--no-prompt-templates -np --no-themes" => Ignored(No);
    "--no-context-files -nc --verbose --offline" => Ignored(No);
    "--approve -a --no-approve -na" => Ignored(No);
    "--print -p" => Ignored(Optional);
    "--export" => Ignored(Required);
};

/// Commands of the real agent that do not speak RPC.
pub(super) const OTHER_COMMANDS: &[(&str, &str)] = &[
    ("install", "Installed {}"),
    ("remove uninstall", "Removed {}"),
    ("update", "Updated packages"),
    ("list", "No packages installed."),
    ("config auth", ""),
];
