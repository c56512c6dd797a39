//! The scripted agent as a process: `--dialect-dir D [--dialect NAME@VERSION] --script FILE`.

use super::environment::Environment;
use super::help::USAGE;
use super::serve::FATAL;
use crate::agent_script::{self, Vocabulary};
use crate::config::{self, DialectFiles, options};
use crate::faults::Faults;
use crate::os::signals::ShutdownSignals;
use crate::os::stdin;
use crate::os::stdout::{FrameWriter, Outbox};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The longest command if the dialect sets no limit, in bytes.
const LINE_LIMIT: usize = 16 << 20;

/// The variable for `--dialect-dir`.
const DIR_VARIABLE: &str = "MOCK_AGENT_DIALECT_DIR";

/// The options of a scripted agent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ScriptOptions {
    dialect_dir: Option<PathBuf>,
    dialect: Option<String>,
    script: Option<PathBuf>,
    fault: Option<String>,
}

/// The flags that choose a scripted agent, with their values.
pub(super) const DIALECT_FLAGS: &[(&str, &str, &str)] = &[
    (
        "--dialect-dir",
        "DIR",
        "A folder of dialects, NAME/VERSION/dialect.yaml: plays a scripted agent of one of them",
    ),
    (
        "--dialect",
        "NAME@VERSION",
        "Its dialect; by default the only one of the folder",
    ),
    (
        options::SCRIPT_FLAG.name,
        "FILE",
        "Its agent script: what it writes at the start and on each command",
    ),
    (
        options::FAULT_FLAG.name,
        "ID[@turn=N]",
        options::FAULT_FLAG.help,
    ),
];

/// Whether the arguments or the environment choose a scripted agent.
pub(super) fn is_chosen(args: &[String], environment: &Environment) -> bool {
    if environment.get(DIR_VARIABLE).is_some() {
        return true;
    }
    let names = args
        .iter()
        .map(|arg| arg.split('=').next().unwrap_or_default());
    names
        .into_iter()
        .any(|name| name == "--dialect-dir" || name == "--dialect")
}

impl ScriptOptions {
    /// Reads the arguments. Those of the agent that is replaced are ignored.
    fn parse(args: &[String]) -> Result<Self, String> {
        let mut options = ScriptOptions::default();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let (name, joined) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            if !DIALECT_FLAGS.iter().any(|(flag, ..)| *flag == name) {
                tracing::info!("the argument {arg} is ignored");
                continue;
            }
            let value = joined.or_else(|| rest.next().cloned());
            let value = value.ok_or_else(|| format!("{name} needs a value"))?;
            match name {
                "--dialect-dir" => options.dialect_dir = Some(value.into()),
                "--dialect" => options.dialect = Some(value),
                name if name == options::SCRIPT_FLAG.name => options.script = Some(value.into()),
                _ => options.fault = Some(value),
            }
        }
        Ok(options)
    }
}

/// Plays the scripted agent; returns the exit status.
pub(super) async fn run(args: &[String], environment: &Environment, files: DialectFiles) -> u8 {
    match start(args, environment, files).await {
        Ok(status) => status,
        Err(why) => {
            eprintln!("mock-agent: {why}");
            USAGE
        }
    }
}

async fn start(
    args: &[String],
    environment: &Environment,
    files: DialectFiles,
) -> Result<u8, String> {
    let env = &|name: &str| environment.get(name);
    let options = ScriptOptions::parse(args)?;
    let folder = options
        .dialect_dir
        .or_else(|| env(DIR_VARIABLE).map(PathBuf::from));
    let dialect = options.dialect.or_else(|| env("MOCK_AGENT_DIALECT"));
    let vocabulary = Vocabulary::load(files, folder.as_deref(), dialect.as_deref())?;
    let script = options
        .script
        .or_else(|| env("MOCK_AGENT_SCRIPT").map(PathBuf::from))
        .ok_or("a scripted agent needs --script FILE")?;
    let script = agent_script::load(Path::new(&script), &vocabulary)?;
    let faults = Rc::new(Faults::default());
    let latency = config::latency(env)?;
    let gate_timeout = config::gate_timeout(env)?;
    let outbox = Outbox::open(faults as Rc<dyn FrameWriter>, latency)
        .map_err(|error| format!("standard output: {error}"))?;
    let Ok(signals) = ShutdownSignals::new() else {
        eprintln!("mock-agent: signal handlers cannot be installed");
        return Ok(FATAL);
    };
    let input = stdin::spawn_reader(vocabulary.line_limit().unwrap_or(LINE_LIMIT));
    Ok(agent_script::play(script, outbox, gate_timeout, input, signals).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str]) -> Result<ScriptOptions, String> {
        let args: Vec<_> = args.iter().map(|arg| (*arg).to_owned()).collect();
        ScriptOptions::parse(&args)
    }

    #[test]
    fn the_flags_of_the_replaced_agent_are_ignored() {
        let options = parsed(&["--squawk", "--dialect-dir=d", "-x", "--script", "s.yaml"]);
        let expected = ScriptOptions {
            dialect_dir: Some("d".into()),
            script: Some("s.yaml".into()),
            ..ScriptOptions::default()
        };
        assert_eq!(options, Ok(expected));
        assert_eq!(parsed(&["--script"]), Err("--script needs a value".into()));
    }
}
