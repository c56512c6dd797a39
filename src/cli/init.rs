//! `conform init`: detects what an agent speaks, and writes `conform.yaml`, a first scenario and, where scenarios name tools by purpose, an
//! agent file.

use super::agent_surroundings::with_agents;
use super::args::DialectArgs;
use super::catalogue::{self, KnownDialect, ScenarioChoice};
use super::command_error::CommandError;
use super::detection_notes::{announced_dialect, note_command_line};
use super::exit::ExitStatus;
use super::network::NetworkArg;
use super::run::agent_of;
use super::{output, reports};
use crate::project_config::FILE;
use conform_judge::dialect::{Dialect, DialectSource};
use conform_runner::agent::Agent;
use conform_runner::detect::detector::{Detected, Detector};
use conform_runner::detect::known_agents;
use conform_runner::detect::package::Package;
use conform_runner::detect::probe::Patience;
use conform_runner::scenario::yaml_text;
use output::quoted;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Detect what an agent speaks, and write `conform.yaml` and a first scenario
///
/// The files are written to the current folder. `conform run` without an agent then plays the suite with this one. An agent that conform does
/// not know also gets `agent.yaml`, for the names of its tools, if the scenarios of its dialect name tools by purpose.
#[derive(Debug, clap::Args)]
pub(super) struct InitArgs {
    /// The agent's program and its arguments, as for `conform run`; with --dialect it may be left out
    #[arg(value_name = "AGENT", trailing_var_arg = true)]
    agent: Vec<OsString>,
    #[command(flatten)]
    dialect: DialectArgs,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
    /// Whether the agent may reach addresses outside of this machine
    #[arg(long, value_enum, default_value_t)]
    network: NetworkArg,
    /// Stretch the timeouts of the detection by this factor
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = super::args::factor)]
    time_scale: f64,
}

/// The first scenario of the user.
const SCENARIO: &str = "scenarios/first-turn.yaml";

/// The agent file.
const AGENT: &str = "agent.yaml";

pub(super) fn run(args: &InitArgs) -> Result<ExitStatus, CommandError> {
    for path in [FILE, SCENARIO, AGENT] {
        if !args.force && Path::new(path).exists() {
            return Err(CommandError::usage(format!(
                "{path} exists already; --force overwrites it"
            )));
        }
    }
    let plain = DialectSource::new(args.dialect.dialect_dir.clone());
    let mut source = plain.clone();
    let (id, agent) = match (&args.dialect.dialect, args.agent.is_empty()) {
        (None, true) => {
            return Err(CommandError::usage(
                "name an agent, as in `conform init ./my-agent`, or a dialect with --dialect",
            ));
        }
        (Some(id), true) => (id.clone(), None),
        _ => {
            let agent = agent_of(&args.agent, &[])?;
            let package = Package::of_agent(&agent);
            let named = args.dialect.dialect.as_deref();
            let mut found = known_agents::by_program(&plain, named, &agent, package.as_ref())?;
            source = plain.for_agent(found.as_ref().map(|found| Arc::clone(&found.agent)));
            let detected = detect(args, &agent, &source)?;
            if let (None, Some(event)) = (&found, &detected.event) {
                found = known_agents::by_event(&plain, &detected.id, event)?;
                source = plain.for_agent(found.map(|found| found.agent));
            }
            (detected.id, Some(agent))
        }
    };
    let known = catalogue::one(&source, &id, ScenarioChoice::default())?;
    if let Some(agent) = &agent {
        note_command_line(agent, &known.dialect, None);
    }
    let is_unknown = agent.is_some() && known.dialect.agent.is_none();
    let agent_file = is_unknown && !known.dialect.purposes.is_empty();
    let mut config = config(args, &known);
    if agent_file {
        reports::write_text(Path::new(AGENT), &agent_template(args, &known.dialect))?;
        let _ = write!(
            config,
            "\n# What conform must know of the agent.\nagent_file: {AGENT}\n"
        );
    }
    reports::write_text(Path::new(FILE), &config)?;
    reports::write_text(Path::new(SCENARIO), &scenario(&known)?)?;
    let text = next_steps(args, &known, agent_file);
    output::stdout().write_all(text.as_bytes())?;
    Ok(ExitStatus::Conformant)
}

/// The dialect that the agent speaks.
fn detect(
    args: &InitArgs,
    agent: &Agent,
    source: &DialectSource,
) -> Result<Detected, CommandError> {
    with_agents(args.network, async |surroundings| {
        let detector = Detector {
            agent,
            package: Package::of_agent(agent),
            wire: None,
            patience: Patience {
                time_scale: args.time_scale,
                settle: true,
            },
            sandboxes: &surroundings.sandboxes,
            cancelled: &surroundings.cancelled,
        };
        let named = args.dialect.dialect.as_deref();
        Ok(announced_dialect(&detector, source, named).await?)
    })
}

fn config(args: &InitArgs, known: &KnownDialect) -> String {
    let dialect = &known.dialect;
    let mut text = String::from(
        "# Defaults of `conform` in this folder; options of the command line take precedence.\n\n",
    );
    let _ = writeln!(text, "# {}\ndialect: {}", dialect.title, dialect.id());
    if let Some(folder) = &args.dialect.dialect_dir {
        let folder = yaml_text::scalar(&folder.to_string_lossy());
        let _ = writeln!(text, "dialect_dir: {folder}");
    }
    if !args.agent.is_empty() {
        let command = args.agent.iter();
        let words = command.map(|word| yaml_text::scalar(&word.to_string_lossy()));
        let _ = writeln!(
            text,
            "\n# What `conform run` starts. Arguments of the launch recipe that are not here are added, unless one has a placeholder:\n\
             # {{llm_url}}, {{workspace}}, {{home}}, or {{args}} for the arguments of the recipe.\n\
             agent: [{}]",
            words.collect::<Vec<_>>().join(", ")
        );
    }
    text += "\n# Optional features that the agent lacks, so that scenarios about them are skipped: commands, capabilities or wires.\n# lacks: []\n";
    if let Some(tool) = dialect.optional_tools.first() {
        let _ = writeln!(
            text,
            "\n# The agent's own names for tools and their arguments, by the names in the scenarios.\n\
             # tools:\n\
             #   {tool}: {{ name: my_tool, args: {{ path: file }} }}"
        );
    }
    if known.scenarios.is_empty() {
        text +=
            "\n# The scenarios to play; the dialect has none of its own.\nscenarios: [scenarios]\n";
        return text;
    }
    text += "\n# Scenarios to play instead of the built-in ones: without the `#`, `conform run` plays only those of the folder `scenarios`.\n# scenarios: [scenarios]\n";
    text
}

/// An agent file that names no tool yet.
fn agent_template(args: &InitArgs, dialect: &Dialect) -> String {
    let program = args.agent.first().map(Path::new).and_then(Path::file_name);
    let program = yaml_text::scalar(&program.unwrap_or_default().to_string_lossy());
    let mut text = format!(
        "# What conform must know of this agent; `conform schema agent` describes every key.\n\
         title: {program}\ndialect: {}\nprograms: [{program}]\n\n\
         # Its tools by purpose, with its own names of the arguments. Scenarios that need a tool which is not here are skipped.\n# tools:\n",
        dialect.id()
    );
    for (purpose, arguments) in &dialect.purposes {
        let own = arguments.iter().map(|name| format!("{name}: {name}"));
        let own = own.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            text,
            "#   {purpose}: {{ name: my_{purpose}, args: {{ {own} }} }}"
        );
    }
    text
}

/// The smoke scenario of the dialect, to start from; the agent's start for a dialect without one.
fn scenario(known: &KnownDialect) -> Result<String, CommandError> {
    let smoke = known.dialect.smoke_id();
    let files = known.files.files();
    let scenario = match smoke.and_then(|id| files.iter().find(|file| file.id == id)) {
        Some(file) => file.read()?.to_value(),
        None => start_of(&known.dialect),
    };
    Ok(format!(
        "# A first scenario of your own: what the model answers, what the host sends, what must come.\n\
         # `conform lint scenarios` finds mistakes in it, `conform explain ID` shows a clause.\n{}",
        yaml_text::document(&scenario)
    ))
}

/// A scenario in which the agent starts and shows its first event, by itself or in answer to the probe.
fn start_of(dialect: &Dialect) -> Value {
    let session = &dialect.session;
    let mut event = json!({});
    let naming = session.ready.iter();
    for (at, name) in naming.flat_map(|ready| dialect.events.naming(ready)) {
        let steps = at.split('/').skip(1);
        let place = steps.fold(&mut event, |value, step| &mut value[step]);
        *place = json!(name);
    }
    let probe = session.probe.iter().filter(|_| session.ready.is_none());
    let sent = probe.flat_map(|probe| &probe.send);
    let steps = sent.map(|command| json!({ "send": command }));
    let steps: Vec<_> = steps.chain([json!({ "expect": event })]).collect();
    let name = "the agent starts";
    if dialect.prelude.is_empty() {
        json!({ "name": name, "steps": steps })
    } else {
        json!({ "name": name, "prelude": false, "steps": steps })
    }
}

fn next_steps(args: &InitArgs, known: &KnownDialect, agent_file: bool) -> String {
    let words = args.agent.iter();
    let words: Vec<_> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    let agent = if words.is_empty() {
        " ./my-agent".to_owned()
    } else {
        String::new()
    };
    let played = match known.scenarios.len() {
        0 => format!("  conform run{agent}\n      plays the scenarios of the folder `scenarios`\n"),
        count => format!(
            "  conform run{agent}\n      plays the {count} scenarios of {}\n  conform run --scenarios scenarios{agent}\n      plays yours\n",
            known.dialect.id()
        ),
    };
    let (written, first) = if agent_file {
        (
            format!("{FILE}, {AGENT} and {SCENARIO}"),
            format!(
                "  {AGENT}\n      name the agent's tools here, so that scenarios can call them\n"
            ),
        )
    } else {
        (format!("{FILE} and {SCENARIO}"), String::new())
    };
    let mut text = format!("Wrote {written}.\n\nNext:\n{first}{played}");
    let _ = write!(
        text,
        "  conform run --baseline known.yaml --update-baseline{agent}\n      records today's findings, so that only new ones fail\n"
    );
    text
}
