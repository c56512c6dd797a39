//! The command line.

/// Reads an environment variable.
pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What was asked for, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
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
    /// No session is kept.
    pub(crate) no_session: bool,
    pub(crate) profile: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) thinking: Option<String>,
    pub(crate) session_dir: Option<String>,
    pub(crate) extensions: Vec<String>,
    pub(crate) templates: Vec<String>,
    pub(crate) skills: Vec<String>,
    /// Files to read, as `@FILE`, which no version takes.
    pub(crate) files: Vec<String>,
    /// The provider's variables are not looked at. No flag sets this.
    pub(crate) keyless: bool,
}

/// One flag.
pub(crate) struct Flag {
    pub(crate) name: &'static str,
    /// What stands for the value in the help; none for a flag without one.
    pub(crate) value: Option<&'static str>,
    pub(crate) help: &'static str,
    pub(crate) set: fn(&mut Options, String) -> Result<(), String>,
}

/// A flag whose value is taken as it stands.
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

/// A flag whose value is a number from 1.
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
    "What the model answers: a model script or a scenario"
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
    "Play a fault, from turn N on"
);

/// Asks for a version of the dialect that the other flags ask for.
pub(crate) const PROTOCOL_FLAG: Flag = Flag {
    name: "--protocol",
    value: Some("VERSION"),
    help: "The protocol's version; the oldest if left out",
    set: |_, _| Ok(()),
};

/// The same in the environment: a version, or `NAME@VERSION`, which other dialects ignore.
pub const PROTOCOL_VARIABLE: &str = "MOCK_AGENT_PROTOCOL";

/// The flags of a JSON stream agent.
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
    text!("--model", "ID", model, "The model to ask"),
    count!("--max-tokens", max_tokens, "Output tokens of one reply"),
    count!(
        "--max-turns",
        max_turns,
        "Replies of the model to one message"
    ),
    text!(
        "--base-url",
        "URL",
        base_url,
        "Where the model is served (http:// only)"
    ),
    text!(
        "--system-prompt",
        "TEXT",
        system_prompt,
        "What the model is told first"
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
    text!("--session-id", "ID", session_id, "The new session's id"),
    text!(
        "--resume",
        "ID",
        resume,
        "The session to go on with, or latest"
    ),
    SCRIPT,
    MCP,
    PROTOCOL_FLAG,
    FAULT,
];

/// The flags of an agent that is a subcommand.
pub(crate) const RPC: &[Flag] = &[
    Flag {
        name: "rpc",
        value: None,
        help: "Speak the bridge's RPC protocol on standard input and output",
        set: |_, _| Ok(()),
    },
    text!("--continue", "ID", resume, "The session to go on with"),
    text!(
        "--system",
        "TEXT",
        system_prompt,
        "What the model is told first, or a file with it"
    ),
    text!("-s", "TEXT", system_prompt, "The same"),
    text!("--model", "ID", model, "The model to ask"),
    text!("-m", "ID", model, "The same"),
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

/// Reads arguments: `--flag value` or `--flag=value`.
///
/// # Errors
/// The first thing that cannot be understood.
pub(crate) fn parse(flags: &[Flag], args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
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

    fn read(args: &[&str]) -> Result<Options, String> {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        parse(COMMON, &args)
    }

    #[test]
    fn values_may_follow_or_be_joined() {
        let options = read(&[
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
    fn what_cannot_be_understood_is_named() {
        let refused = |args: &[&str]| read(args).unwrap_err();

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
