//! Command-line options: the flags of the reference agent and their parser.

use FlagEffect::{Checked, Text};
use serde::{Deserialize, Serialize};

/// Reads an environment variable.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The values of the flags, not validated yet. Faults on `#options` change its members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CliOptions {
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) max_turns: Option<u32>,
    pub(crate) base_url: Option<String>,
    pub(crate) system_prompt: Option<String>,
    pub(crate) auto_approve: bool,
    pub(crate) workspace: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) resume: Option<String>,
    pub(crate) fork: Option<String>,
    pub(crate) script: Option<String>,
    pub(crate) mcp: Option<String>,
    pub(crate) pace: Option<String>,
    pub(crate) seed: Option<String>,
    pub(crate) api_key: Option<String>,
    /// Sessions are not saved.
    pub(crate) no_session: bool,
    pub(crate) profile: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) thinking: Option<String>,
    pub(crate) session_dir: Option<String>,
    pub(crate) extensions: Vec<String>,
    pub(crate) templates: Vec<String>,
    pub(crate) skills: Vec<String>,
    /// Arguments of the form `@FILE`, which no protocol accepts.
    pub(crate) files: Vec<String>,
    /// The environment variables of the provider are not required. No flag sets this.
    pub(crate) keyless: bool,
}

/// A command-line flag.
pub(crate) struct Flag {
    pub(crate) name: &'static str,
    pub(crate) effect: FlagEffect,
}

/// What a flag does with its value.
pub(crate) enum FlagEffect {
    /// It has no value.
    Switch(fn(&mut CliOptions)),
    /// The value is a text.
    Text(fn(&mut CliOptions) -> &mut Option<String>),
    /// The flag can be repeated.
    Texts(fn(&mut CliOptions) -> &mut Vec<String>),
    /// The value is a number from 1.
    Count(fn(&mut CliOptions) -> &mut Option<u32>),
    /// The value is checked, and set by the function itself.
    Checked(fn(&mut CliOptions, String) -> Result<(), String>),
}

impl Flag {
    pub(crate) const fn new(name: &'static str, effect: FlagEffect) -> Self {
        Flag { name, effect }
    }

    fn takes_value(&self) -> bool {
        !matches!(self.effect, FlagEffect::Switch(_))
    }

    fn apply(&self, options: &mut CliOptions, value: String) -> Result<(), String> {
        match self.effect {
            FlagEffect::Switch(set) => set(options),
            FlagEffect::Text(member) => *member(options) = Some(value),
            FlagEffect::Texts(member) => member(options).push(value),
            FlagEffect::Count(member) => *member(options) = Some(positive_number(&value)?),
            FlagEffect::Checked(set) => set(options, value)?,
        }
        Ok(())
    }
}

/// Names of flags of the real agent that have no effect here, and whether a value follows them.
pub(crate) type IgnoredFlags = (FlagValue, &'static [&'static str]);

/// Whether a value follows a flag.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FlagValue {
    No,
    Required,
    /// The next argument is its value, unless that is a flag.
    Optional,
}

/// What becomes of an argument that the real agent does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownArguments {
    /// It is an error.
    Refused,
    /// It is logged: extensions of the real agent have flags of their own, and other arguments are prompts for its other modes.
    Ignored,
}

/// The help on the flags of the reference agent that are in the tables of protocols.
pub(crate) const OWN_FLAGS_HELP: &str = "\
--script NAME|FILE       The script of the model: the name of a built-in one, a model script or a scenario
--pace PACE              The speed of replies: none, human, or a multiple of it; by default none
--seed N                 The seed for generated ids and for the pauses of --pace; by default 0
--mcp LIST               Scripted MCP tools: a file, the list itself, or none
--protocol VERSION       The version of the protocol, or NAME@VERSION; by default the one that its hosts speak
--fault ID[@turn=N]      Enable a fault, from turn N on
";

/// The script of the model.
pub(crate) const SCRIPT_FLAG: Flag = Flag::new("--script", Text(|o| &mut o.script));

/// Scripted MCP tools; for protocols with MCP.
pub(crate) const MCP_FLAG: Flag = Flag::new("--mcp", Text(|o| &mut o.mcp));

/// The fault that the agent has.
pub(crate) const FAULT_FLAG: Flag = Flag::new("--fault", Checked(|_, _| Ok(())));

/// The folder of dialects, one of which a scripted agent plays.
pub(crate) const DIALECT_DIR_FLAG: &str = "--dialect-dir";

/// Which of them.
pub(crate) const DIALECT_FLAG: &str = "--dialect";

/// Selects a version of the protocol that the other flags select.
pub(crate) const PROTOCOL_FLAG: Flag = Flag::new("--protocol", Checked(|_, _| Ok(())));

/// The environment variable for the same: a version, or `NAME@VERSION`, which applies to one protocol only.
pub const PROTOCOL_VARIABLE: &str = "MOCK_AGENT_PROTOCOL";

/// The environment variable for a folder of dialects, which take precedence over the built-in ones.
pub const DIALECT_DIR_VARIABLE: &str = "MOCK_AGENT_DIALECT_DIR";

/// The flags of the reference agent that every protocol has.
pub(crate) const OWN_FLAGS: &[Flag] = &[
    SCRIPT_FLAG,
    Flag::new("--pace", Text(|o| &mut o.pace)),
    Flag::new("--seed", Text(|o| &mut o.seed)),
    PROTOCOL_FLAG,
    FAULT_FLAG,
];

/// Those that are read before a protocol is chosen.
const OTHER_OWN_FLAGS: [&str; 4] = ["--control", "--judge", "--list-scripts", "--print-script"];

/// Parses a number from 1.
///
/// # Errors
/// The text is something else.
pub(crate) fn positive_number(value: &str) -> Result<u32, String> {
    match value.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!("{value:?} is not a number from 1")),
    }
}

/// Parses arguments: `--flag value` or `--flag=value`. Ignored arguments are logged.
///
/// # Errors
/// The first argument that is unknown, lacks its value or has an invalid one.
pub(crate) fn parse(
    flags: &[Flag],
    ignored: &[IgnoredFlags],
    unknown: UnknownArguments,
    args: &[String],
) -> Result<CliOptions, String> {
    let mut options = CliOptions::default();
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        if arg.starts_with('@') {
            options.files.push(arg.clone());
            continue;
        }
        if arg == "--" && unknown == UnknownArguments::Ignored {
            tracing::info!("the arguments after -- are ignored");
            break;
        }
        let (name, joined) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (arg.as_str(), None),
        };
        if let Some((value, _)) = ignored.iter().find(|(_, names)| names.contains(&name)) {
            tracing::info!("the argument {arg} of the real agent is ignored");
            match value {
                _ if joined.is_some() => {}
                FlagValue::No => {}
                FlagValue::Required => drop(rest.next()),
                FlagValue::Optional => drop(rest.next_if(|next| is_plain(next))),
            }
            continue;
        }
        let mut known = flags.iter().chain(OWN_FLAGS);
        let Some(flag) = known.find(|flag| flag.name == name) else {
            let takes_flags = unknown == UnknownArguments::Ignored;
            let is_short = arg.starts_with('-') && !arg.starts_with("--");
            if !takes_flags || is_short || name == MCP_FLAG.name {
                return Err(unknown_argument(arg, name, flags));
            }
            match near(name, flags) {
                Some(near) => tracing::warn!("the argument {arg} is ignored; did you mean {near}?"),
                None => tracing::info!("the argument {arg} is ignored"),
            }
            if arg.starts_with("--") && joined.is_none() {
                rest.next_if(|next| is_plain(next));
            }
            continue;
        };
        let value = match (flag.takes_value(), joined) {
            (false, None) => String::new(),
            (false, Some(_)) => return Err(format!("{name} takes no value")),
            (true, Some(value)) => value,
            (true, None) => rest
                .next()
                .cloned()
                .ok_or_else(|| format!("{name} needs a value"))?,
        };
        flag.apply(&mut options, value)
            .map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(options)
}

/// Whether an argument is the value of the flag before it, and no flag or file.
fn is_plain(arg: &str) -> bool {
    !arg.starts_with(['-', '@'])
}

fn unknown_argument(arg: &str, name: &str, flags: &[Flag]) -> String {
    match near(name, flags) {
        Some(near) => format!("Unknown argument: {arg}; did you mean {near}?"),
        None => format!("Unknown argument: {arg}"),
    }
}

/// The flag that a misspelt one is like. Every flag begins alike, so the dashes do not count.
fn near(name: &str, flags: &[Flag]) -> Option<String> {
    let name = name.strip_prefix("--")?;
    let known = flags.iter().chain(OWN_FLAGS).map(|flag| flag.name);
    let known = known.chain(OTHER_OWN_FLAGS);
    let known = known.filter_map(|flag| flag.strip_prefix("--"));
    let near = spanned_yaml::did_you_mean(name, known)?;
    Some(format!("--{near}")).filter(|near| near[2..] != *name)
}

#[cfg(test)]
mod tests {
    use super::FlagEffect::{Count, Switch};
    use super::*;

    const FLAGS: &[Flag] = &[
        Flag::new("--auto-approve", Switch(|o| o.auto_approve = true)),
        Flag::new("--model", Text(|o| &mut o.model)),
        Flag::new("--max-tokens", Count(|o| &mut o.max_tokens)),
        Flag::new("--max-turns", Count(|o| &mut o.max_turns)),
    ];

    fn parsed(args: &[&str]) -> Result<CliOptions, String> {
        parsed_with(UnknownArguments::Refused, args)
    }

    fn parsed_with(unknown: UnknownArguments, args: &[&str]) -> Result<CliOptions, String> {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        parse(FLAGS, IGNORED, unknown, &args)
    }

    const IGNORED: &[IgnoredFlags] = &[
        (FlagValue::No, &["--verbose"]),
        (FlagValue::Required, &["--theme", "-t"]),
        (FlagValue::Optional, &["--print", "-p"]),
    ];

    #[test]
    fn flags_of_extensions_and_prompts_are_ignored_where_the_real_agent_takes_them() {
        for args in [
            ["--plan", "strict", "--model", "m"],
            ["--plan=strict", "a prompt", "--model", "m"],
            ["-p", "a prompt", "--model", "m"],
            ["--print", "--model", "m", "--"],
            ["--model", "m", "--", "-p"],
        ] {
            let options = parsed_with(UnknownArguments::Ignored, &args).unwrap();
            assert_eq!(options.model.as_deref(), Some("m"), "{args:?}");
        }
        let refused = |args: &[&str]| parsed_with(UnknownArguments::Ignored, args).unwrap_err();
        assert_eq!(refused(&["-z"]), "Unknown argument: -z");
        assert_eq!(refused(&["--mcp", "none"]), "Unknown argument: --mcp");
    }

    #[test]
    fn an_invalid_argument_is_named() {
        let refused = |args: &[&str]| parsed(args).unwrap_err();

        assert_eq!(refused(&["--fly"]), "Unknown argument: --fly");
        assert_eq!(
            refused(&["--modle", "m"]),
            "Unknown argument: --modle; did you mean --model?"
        );
        assert_eq!(refused(&["--model"]), "--model needs a value");
        assert_eq!(
            refused(&["--auto-approve=x"]),
            "--auto-approve takes no value"
        );
        assert_eq!(
            refused(&["--max-tokens", "0"]),
            "--max-tokens: \"0\" is not a number from 1"
        );
    }
}
