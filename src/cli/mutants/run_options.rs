//! The options of `conform run` that decide how the agent is started and what it plays.

use crate::cli::args::DialectArgs;
use crate::cli::run::RunArgs;
use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

/// Options as in `conform run`.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct RunOptions {
    /// With an agent: scenarios of your own, files or folders, instead of the built-in ones; repeatable
    #[arg(long, value_name = "PATH")]
    scenarios: Vec<PathBuf>,
    /// With an agent: the model API (wire) of the launch recipe [default: the first one]
    #[arg(long, value_name = "NAME")]
    wire: Option<String>,
    /// With an agent: set this environment variable for it; repeatable
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// With an agent: it lacks this command, capability or wire; repeatable
    #[arg(long, value_name = "NAME")]
    lacks: Vec<String>,
    /// With an agent: only scenarios whose id contains this text, or matches it as a pattern; repeatable
    #[arg(long, value_name = "PATTERN")]
    scenario: Vec<String>,
}

/// The command line of `conform run`, without its first two words.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct RunLine {
    #[command(flatten)]
    args: RunArgs,
}

impl RunOptions {
    /// The same options as `conform run` takes them: the run plan is made from those.
    ///
    /// # Errors
    /// They are not well formed.
    pub(super) fn run_args(
        &self,
        dialect: &DialectArgs,
        agent: &[OsString],
    ) -> Result<RunArgs, String> {
        let mut words: Vec<OsString> = Vec::new();
        let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
        if let Some(id) = &dialect.dialect {
            option("--dialect", id.into());
        }
        if let Some(folder) = &dialect.dialect_dir {
            option("--dialect-dir", folder.into());
        }
        if let Some(wire) = &self.wire {
            option("--wire", wire.into());
        }
        let paths = self.scenarios.iter();
        paths.for_each(|path| option("--scenarios", path.into()));
        for (name, values) in [
            ("--env", &self.env),
            ("--lacks", &self.lacks),
            ("--only", &self.scenario),
        ] {
            values.iter().for_each(|value| option(name, value.into()));
        }
        words.push("--".into());
        words.extend(agent.iter().cloned());
        let line = RunLine::try_parse_from(words).map_err(|error| error.to_string())?;
        Ok(line.args)
    }
}
