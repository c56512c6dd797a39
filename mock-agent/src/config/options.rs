//! Command-line options: the flags of the reference agent and their parser.

/// Reads an environment variable.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The values of the flags, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    pub(crate) script: Option<String>,
    pub(crate) mcp: Option<String>,
    pub(crate) fault: Option<String>,
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
    /// The name of the value in the help; none for a flag without a value.
    pub(crate) value: Option<&'static str>,
    pub(crate) help: &'static str,
    pub(crate) set: fn(&mut CliOptions, String) -> Result<(), String>,
}

/// A flag with a text value.
macro_rules! text {
    ($name:literal, $value:literal, $field:ident, $help:literal) => {
        $crate::config::options::Flag {
            name: $name,
            value: Some($value),
            help: $help,
            set: |options, value| {
                options.$field = Some(value);
                Ok(())
            },
        }
    };
}

pub(crate) use text;

/// A flag with a positive number as its value.
macro_rules! count {
    ($name:literal, $field:ident, $help:literal) => {
        Flag {
            name: $name,
            value: Some("N"),
            help: $help,
            set: |options, value| {
                options.$field = Some(count(&value)?);
                Ok(())
            },
        }
    };
}

const SCRIPT: Flag = text!(
    "--script",
    "FILE",
    script,
    "The script of the model: a model script or a scenario"
);

const MCP: Flag = text!(
    "--mcp",
    "LIST",
    mcp,
    "Scripted MCP tools: a file, the list itself, or none"
);

const FAULT: Flag = text!(
    "--fault",
    "ID[@turn=N]",
    fault,
    "Enable a fault, from turn N on"
);

/// Selects a version of the protocol that the other flags select.
pub(crate) const PROTOCOL_FLAG: Flag = Flag {
    name: "--protocol",
    value: Some("VERSION"),
    help: "The version of the protocol; by default the oldest",
    set: |_, _| Ok(()),
};

/// The environment variable for the same: a version, or `NAME@VERSION`, which applies to one protocol only.
pub const PROTOCOL_VARIABLE: &str = "MOCK_AGENT_PROTOCOL";

/// The flags of agents that speak the JSON Stream protocol.
pub(crate) const COMMON: &[Flag] = &[
    Flag {
        name: "--json-stream",
        value: None,
        help: "Speak the JSON Stream protocol on standard input and output",
        set: |_, _| Ok(()),
    },
    text!(
        "--provider",
        "NAME",
        provider,
        "anthropic, openai, bedrock or vertex"
    ),
    text!("--model", "ID", model, "The model to use"),
    count!(
        "--max-tokens",
        max_tokens,
        "The maximum output tokens of a reply"
    ),
    count!(
        "--max-turns",
        max_turns,
        "The maximum number of requests to the model for one message"
    ),
    text!(
        "--base-url",
        "URL",
        base_url,
        "The base URL of the model's API (http:// only)"
    ),
    text!(
        "--system-prompt",
        "TEXT",
        system_prompt,
        "The system prompt"
    ),
    Flag {
        name: "--auto-approve",
        value: None,
        help: "Start in yolo mode",
        set: |options, _| {
            options.auto_approve = true;
            Ok(())
        },
    },
    text!(
        "--workspace",
        "PATH",
        workspace,
        "The folder for file operations"
    ),
    text!(
        "--session-id",
        "ID",
        session_id,
        "The id of the new session"
    ),
    text!(
        "--resume",
        "ID",
        resume,
        "The id of the session to resume, or latest"
    ),
    SCRIPT,
    MCP,
    PROTOCOL_FLAG,
    FAULT,
];

/// The flags of agents whose protocol is a subcommand.
pub(crate) const RPC: &[Flag] = &[
    Flag {
        name: "rpc",
        value: None,
        help: "Speak the bridge's RPC protocol on standard input and output",
        set: |_, _| Ok(()),
    },
    text!(
        "--continue",
        "ID",
        resume,
        "The id of the session to resume"
    ),
    text!(
        "--system",
        "TEXT",
        system_prompt,
        "The system prompt, or a file with it"
    ),
    text!("-s", "TEXT", system_prompt, "Short form"),
    text!("--model", "ID", model, "The model to use"),
    text!("-m", "ID", model, "Short form"),
    text!("--profile", "NAME", profile, "The settings to use"),
    SCRIPT,
    MCP,
    PROTOCOL_FLAG,
    FAULT,
];

fn count(value: &str) -> Result<u32, String> {
    match value.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(format!("{value:?} is not a number from 1")),
    }
}

/// Parses arguments: `--flag value` or `--flag=value`.
///
/// # Errors
/// The first argument that is unknown, lacks its value or has an invalid one.
pub(crate) fn parse(flags: &[Flag], args: &[String]) -> Result<CliOptions, String> {
    let mut options = CliOptions::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg.starts_with('@') {
            options.files.push(arg.clone());
            continue;
        }
        let (name, joined) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (arg.as_str(), None),
        };
        let flag = flags
            .iter()
            .find(|flag| flag.name == name)
            .ok_or_else(|| format!("Unknown argument: {arg}"))?;
        let value = match (flag.value, joined) {
            (None, None) => String::new(),
            (None, Some(_)) => return Err(format!("{name} takes no value")),
            (Some(_), Some(value)) => value,
            (Some(_), None) => rest
                .next()
                .cloned()
                .ok_or_else(|| format!("{name} needs a value"))?,
        };
        (flag.set)(&mut options, value).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str]) -> Result<CliOptions, String> {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        parse(COMMON, &args)
    }

    #[test]
    fn a_value_follows_its_flag_or_an_equals_sign() {
        let options = parsed(&[
            "--json-stream",
            "--model",
            "m",
            "--max-turns=3",
            "--auto-approve",
        ])
        .unwrap();

        assert_eq!(options.model.as_deref(), Some("m"));
        assert_eq!(options.max_turns, Some(3));
        assert!(options.auto_approve);
    }

    #[test]
    fn an_invalid_argument_is_named() {
        let refused = |args: &[&str]| parsed(args).unwrap_err();

        assert_eq!(refused(&["--fly"]), "Unknown argument: --fly");
        assert_eq!(refused(&["--model"]), "--model needs a value");
        assert_eq!(
            refused(&["--json-stream=x"]),
            "--json-stream takes no value"
        );
        assert_eq!(
            refused(&["--max-tokens", "0"]),
            "--max-tokens: \"0\" is not a number from 1"
        );
    }
}
