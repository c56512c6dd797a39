//! Command-line options: the values of an agent's flags, and the pass over its arguments.

use super::ArgumentError;
use super::flags::FlagEffect::{Switch, Text};
use super::flags::{Argument, Flag, FlagValue, Rest, find, flags};
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
    /// The mode of the real agent. The only supported mode speaks the protocol.
    #[serde(skip)]
    pub(crate) mode: Option<String>,
    /// The mode in which sessions start, where the host can change it.
    pub(crate) first_mode: Option<String>,
    /// Whether the host must log in first.
    pub(crate) login: bool,
    /// The number of entries of a page, where lists have pages.
    pub(crate) page: Option<u32>,
    /// Arguments of the form `@FILE`, which no protocol accepts.
    pub(crate) files: Vec<String>,
    /// The environment variables of the provider are not required. No flag sets this.
    pub(crate) keyless: bool,
    /// What is printed instead of a session.
    #[serde(skip)]
    pub(crate) question: Option<Question>,
}

/// What an agent prints instead of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    Help,
    Version,
    Models,
}

/// Flags of an agent's protocol.
pub(crate) type Flags = &'static [Flag<CliOptions>];

/// The treatment of an argument that the real agent does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownArguments {
    /// It is an error.
    Refused,
    /// It is logged: extensions of the real agent have flags of their own, and other arguments are prompts for its other modes.
    Ignored,
}

const MCP: &str = "--mcp";

/// For protocols with MCP.
pub(crate) const MCP_FLAGS: Flags = flags! {
    "--mcp LIST" => Text(|o| &mut o.mcp), "Scripted MCP tools: a file, the list itself, or none";
};

/// Flags that every agent has, where its protocol has no other use for them.
const QUESTIONS: Flags = flags! {
    "--help -h" => Switch(|o| o.question = Some(Question::Help));
    "--version -V -v" => Switch(|o| o.question = Some(Question::Version));
};

/// The arguments of an agent, as its tables of flags read them.
pub(crate) struct CommandLine {
    pub(crate) options: CliOptions,
    /// The first mistake.
    pub(crate) mistake: Option<ArgumentError>,
}

impl CommandLine {
    /// Reads the arguments of an agent, `--flag value` or `--flag=value`, after its `options` so far. Ignored arguments are logged. `others` are
    /// the names of flags that are read elsewhere, for suggestions.
    pub(crate) fn read(
        tables: &[Flags],
        unknown: UnknownArguments,
        others: &[&'static str],
        options: CliOptions,
        args: &[String],
    ) -> Self {
        let (mut options, mut mistake) = (options, None);
        let tables = [tables, &[QUESTIONS]].concat();
        let mut rest = args.iter().peekable();
        while let Some(text) = rest.next() {
            if text.starts_with('@') {
                options.files.push(text.clone());
                continue;
            }
            if text == "--" && unknown == UnknownArguments::Ignored {
                tracing::info!("the arguments after -- are ignored");
                break;
            }
            let argument = Argument::new(text);
            let applied = match find(&tables, argument.name) {
                Some(flag) => flag.apply(&mut options, argument, &mut rest),
                None => {
                    let own = tables.iter().copied().flatten().flat_map(Flag::names);
                    let known: Vec<&str> = own.chain(others.iter().copied()).collect();
                    let near = near(argument.name, &known);
                    skip_unknown(argument, near, unknown, &mut rest)
                }
            };
            mistake = mistake.or(applied.err());
        }
        CommandLine { options, mistake }
    }

    /// The options, if there is no mistake in the arguments.
    pub(crate) fn checked(self) -> Result<CliOptions, ArgumentError> {
        self.mistake.map_or(Ok(self.options), Err)
    }
}

/// Skips an argument that is in no table, with the value that may follow it.
///
/// # Errors
/// The agent refuses it.
fn skip_unknown(
    argument: Argument<'_>,
    near: Option<String>,
    unknown: UnknownArguments,
    rest: &mut Rest<'_>,
) -> Result<(), ArgumentError> {
    let text = argument.text;
    let is_long = text.starts_with("--");
    let is_short = text.starts_with('-') && !is_long;
    if unknown == UnknownArguments::Refused || is_short || argument.name == MCP {
        let argument = text.to_owned();
        return Err(ArgumentError::Unknown { argument, near });
    }
    match near {
        Some(near) => tracing::warn!("the argument {text} is ignored; did you mean {near}?"),
        None => tracing::info!("the argument {text} is ignored"),
    }
    if is_long {
        argument.skip_value(rest, FlagValue::Optional);
    }
    Ok(())
}

/// The flag that a misspelt one resembles. Every flag begins with dashes, so they do not count.
fn near(name: &str, known: &[&str]) -> Option<String> {
    let bare = name.strip_prefix("--")?;
    let long = known.iter().filter_map(|flag| flag.strip_prefix("--"));
    let near = spanned_yaml::did_you_mean(bare, long)?;
    (near != bare).then(|| format!("--{near}"))
}

#[cfg(test)]
mod tests {
    use super::super::flags::FlagEffect::{Count, Ignored, OneOf};
    use super::*;

    const FLAGS: Flags = flags! {
        "--auto-approve" => Switch(|o| o.auto_approve = true);
        "--model -m ID" => Text(|o| &mut o.model);
        "--thinking LEVEL" => OneOf(&["off", "low"], |o| &mut o.thinking);
        "--max-tokens N" => Count(|o| &mut o.max_tokens);
        "--verbose -v" => Ignored(FlagValue::No);
        "--theme -t" => Ignored(FlagValue::Required);
        "--print -p" => Ignored(FlagValue::Optional);
    };

    fn read(unknown: UnknownArguments, args: &[&str]) -> CommandLine {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        CommandLine::read(&[FLAGS], unknown, &["--seed"], CliOptions::default(), &args)
    }

    #[test]
    fn flags_of_extensions_and_prompts_are_ignored_where_the_real_agent_takes_them() {
        for args in [
            ["--plan", "strict", "--model", "m"],
            ["--plan=strict", "a prompt", "-m", "m"],
            ["-p", "a prompt", "--model", "m"],
            ["--print", "--model", "m", "--"],
            ["--model", "m", "--", "-p"],
        ] {
            let options = read(UnknownArguments::Ignored, &args).checked().unwrap();
            assert_eq!(options.model.as_deref(), Some("m"), "{args:?}");
        }
        let refused = |args: &[&str]| {
            let mistake = read(UnknownArguments::Ignored, args).mistake;
            mistake.unwrap().to_string()
        };
        assert_eq!(refused(&["-z"]), "Unknown argument: -z");
        assert_eq!(refused(&["--mcp", "none"]), "Unknown argument: --mcp");
    }

    #[test]
    fn an_invalid_argument_is_named() {
        for (args, expected) in [
            (&["--fly"][..], "Unknown argument: --fly"),
            (
                &["--modle", "m"],
                "Unknown argument: --modle; did you mean --model?",
            ),
            (
                &["--sede", "1"],
                "Unknown argument: --sede; did you mean --seed?",
            ),
            (&["--model"], "--model needs a value"),
            (&["--auto-approve=x"], "--auto-approve takes no value"),
            (
                &["--max-tokens", "0"],
                "--max-tokens: \"0\" is not a number from 1",
            ),
            (
                &["--thinking=max"],
                "--thinking: \"max\" is not accepted, only off, low",
            ),
        ] {
            let mistake = read(UnknownArguments::Refused, args).mistake.unwrap();
            assert_eq!(mistake.to_string(), expected);
        }
    }

    #[test]
    fn a_question_is_read_after_a_mistake_and_where_the_agent_has_no_other_use_for_the_flag() {
        let question = |args| read(UnknownArguments::Refused, args).options.question;

        assert_eq!(question(&["--fly", "--help"]), Some(Question::Help));
        assert_eq!(question(&["-V"]), Some(Question::Version));
        assert_eq!(question(&["-v"]), None);
    }
}
