//! The scripted agent as a process: `--dialect-dir D [--dialect NAME@VERSION] --script FILE`.

use super::control::ControlTarget;
use super::environment::Environment;
use super::fault_writer::{self, FaultWriter, FaultedDialect};
use super::run::{SpokenDialect, Startup};
use crate::agent_script::{self, ScriptHead, ScriptedSession, Vocabulary};
use crate::config::options::DIALECT_DIR_VARIABLE;
use crate::config::{self, DialectFiles, USAGE, options};
use crate::faults::{FaultChoice, Faults};
use crate::os::signals::ShutdownSignals;
use crate::os::stdin;
use crate::os::stdout::{FrameWriter, Outbox};
use crate::protocols::adapter::Adapter;
use frame_faults::KindPointers;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The longest command if the dialect sets no limit, in bytes.
const LINE_LIMIT: usize = 16 << 20;

/// The variable for `--dialect`.
const DIALECT_VARIABLE: &str = "MOCK_AGENT_DIALECT";

/// The options of a scripted agent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ScriptOptions {
    dialect_dir: Option<PathBuf>,
    dialect: Option<String>,
    script: Option<PathBuf>,
    /// What the script says of itself, if it is an agent script.
    head: Option<ScriptHead>,
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
        "Its agent script: what it writes at the start and on each command, or a recorded session",
    ),
    (
        options::FAULT_FLAG.name,
        "ID[@turn=N]",
        options::FAULT_FLAG.help,
    ),
];

/// Whether the arguments or the environment choose a scripted agent, whatever the name of the program is.
pub(super) fn is_chosen(args: &[String], environment: &Environment) -> bool {
    let names = args.iter().filter_map(|arg| arg.split('=').next());
    let mut flags = names.filter(|name| *name == "--dialect-dir" || *name == "--dialect");
    flags.next().is_some() || environment.get(DIALECT_VARIABLE).is_some()
}

/// Whether there are dialects for a scripted agent, in case that nothing chooses another one.
pub(super) fn is_possible(environment: &Environment) -> bool {
    environment.get(DIALECT_DIR_VARIABLE).is_some()
}

/// Whether the script that the arguments or the environment name is an agent script, and not one of a model.
pub(super) fn is_agent_script(args: &[String], environment: &Environment) -> bool {
    let options = ScriptOptions::read(args, environment, None);
    options.is_ok_and(|options| options.head.is_some())
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

    /// Reads the arguments, the environment for what they leave out, and then the script. `adapter` is the one that they choose otherwise.
    fn read(
        args: &[String],
        environment: &Environment,
        adapter: Option<&Adapter>,
    ) -> Result<Self, String> {
        let options = ScriptOptions::parse(args)?;
        let env = |name: &str| environment.get(name);
        let path = |name: &str| env(name).map(PathBuf::from);
        let script = options.script.or_else(|| path("MOCK_AGENT_SCRIPT"));
        let head = script.as_deref().and_then(ScriptHead::read);
        let written = head.as_ref().and_then(|head| head.dialect.clone());
        let dialect = options.dialect.or_else(|| env(DIALECT_VARIABLE));
        let of_adapter = adapter.map(|one| format!("{}@{}", one.name, one.version));
        Ok(ScriptOptions {
            dialect_dir: options.dialect_dir.or_else(|| path(DIALECT_DIR_VARIABLE)),
            dialect: dialect.or(written).or(of_adapter),
            script,
            head,
            fault: options.fault.or_else(|| env("MOCK_AGENT_FAULT")),
        })
    }

    fn vocabulary(&self, files: DialectFiles) -> Result<Vocabulary, String> {
        Vocabulary::load(files, self.dialect_dir.as_deref(), self.dialect.as_deref())
    }
}

/// The dialect of the scripted agent that the arguments and the environment choose.
///
/// # Errors
/// There is none, or there are several.
pub(super) fn dialect(
    args: &[String],
    environment: &Environment,
    files: DialectFiles,
    adapter: Option<&Adapter>,
) -> Result<SpokenDialect, String> {
    let options = ScriptOptions::read(args, environment, adapter)?;
    let vocabulary = options.vocabulary(files)?;
    let (name, version) = vocabulary.id();
    Ok(SpokenDialect {
        id: format!("{name}@{version}"),
        folder: options.dialect_dir,
    })
}

/// Plays the scripted agent; returns the exit status.
pub(super) async fn run(
    startup: &Startup<'_>,
    adapter: Option<&Adapter>,
    signals: ShutdownSignals,
) -> u8 {
    match start(startup, adapter, signals).await {
        Ok(status) => status,
        Err(why) => {
            eprintln!("mock-agent: {why}");
            USAGE
        }
    }
}

async fn start(
    startup: &Startup<'_>,
    adapter: Option<&Adapter>,
    signals: ShutdownSignals,
) -> Result<u8, String> {
    let Startup {
        args,
        environment,
        controls,
        files,
    } = startup;
    let env = &|name: &str| environment.get(name);
    let options = ScriptOptions::read(args, environment, adapter)?;
    let vocabulary = options.vocabulary(*files)?;
    let folder = options.dialect_dir;
    let script = options
        .script
        .ok_or("a scripted agent needs --script FILE")?;
    let script = agent_script::load(&script, &vocabulary)?;
    let dialect = faulted(&vocabulary, folder);
    let fault = options.fault;
    let frames = frame_writer(fault.as_deref(), &dialect, *files)?;
    let latency = config::latency(env).map_err(|why| why.to_string())?;
    let journal = Rc::clone(&controls.journal);
    let outbox = Outbox::open(frames, latency, journal)
        .map_err(|error| format!("standard output: {error}"))?;
    let outbox = Rc::new(outbox);
    let gate_timeout = config::gate_timeout(env).map_err(|why| why.to_string())?;
    let gate_timeout = controls.gate_timeout(gate_timeout);
    let gates = Rc::clone(&controls.gates);
    let session = ScriptedSession::new(script, Rc::clone(&outbox), gates, gate_timeout);
    let input = stdin::spawn_reader(vocabulary.line_limit().unwrap_or(LINE_LIMIT));
    let controlled = session.clone();
    let replace_script = move |path: &Path| {
        controlled.replace_script(agent_script::load(path, &vocabulary)?);
        Ok(())
    };
    controls.serve(ControlTarget {
        outbox,
        replace_script: Some(Box::new(replace_script)),
        session: None,
        dialect,
        files: *files,
    });
    Ok(agent_script::play(session, input, signals).await)
}

/// The dialect, as its faults need it.
fn faulted(vocabulary: &Vocabulary, folder: Option<PathBuf>) -> FaultedDialect {
    let (name, version) = vocabulary.id();
    let (events, commands) = vocabulary.pointers();
    FaultedDialect {
        name: name.to_owned(),
        version: version.to_owned(),
        folder,
        kinds: KindPointers {
            events: events.to_owned(),
            commands: commands.to_owned(),
        },
        turn_events: vocabulary.turn_events().to_vec(),
    }
}

/// Writes frames with the fault `ID` or `ID@turn=N`, or as they are.
fn frame_writer(
    fault: Option<&str>,
    dialect: &FaultedDialect,
    files: DialectFiles,
) -> Result<Rc<dyn FrameWriter>, String> {
    let Some(text) = fault else {
        return Ok(Rc::new(Faults::default()));
    };
    let FaultChoice { id, turn } = FaultChoice::parse(text)?;
    let fault = fault_writer::find(dialect, files, id)?;
    Ok(Rc::new(FaultWriter::new(fault, dialect, turn)))
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
