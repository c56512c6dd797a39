//! Advice for an agent whose protocol is not recognized: how it was started, and what to do about files that it does not find.

use crate::agent::Agent;
use crate::launch::command_line;
use conform_judge::dialect::Dialect;
use conform_report::shell_words::quoted;
use indexmap::IndexSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

/// The messages of programs that do not find a file, in lower case.
const MISSING_FILE: [&str; 3] = ["no such file", "cannot find module", "not found"];

/// Programs that load a package from a registry and start it.
const PACKAGE_RUNNERS: [&str; 6] = ["npx", "bunx", "pnpx", "yarn", "uvx", "pipx"];

/// The command line that starts an agent of a dialect, for people. The wire is the recipe's first one if none is named.
#[must_use]
pub fn shown_command_line(agent: &Agent, dialect: &Dialect, wire: Option<&str>) -> String {
    let wires = &dialect.launch.wires;
    let named = wire.and_then(|name| wires.get(name));
    let wire = named.or_else(|| wires.values().next());
    let words = command_line(agent, &dialect.launch, wire);
    let quoted_words = words.iter().map(|word| quoted(&word.to_string_lossy()));
    quoted_words.collect::<Vec<_>>().join(" ")
}

/// The command lines by which an agent of any of these dialects was started, each once, as lines of a message.
pub(super) fn started_as<'a>(
    agents: &[&Agent],
    dialects: impl Iterator<Item = &'a Arc<Dialect>>,
    wire: Option<&str>,
) -> String {
    let mut all = IndexSet::new();
    for dialect in dialects {
        for agent in agents {
            let sent = probe_commands(dialect).map_or_else(String::new, |commands| {
                format!("   and was sent {commands}")
            });
            all.insert(shown_command_line(agent, dialect, wire) + &sent);
        }
    }
    let lines = all.iter().map(|line| format!("\n  {line}"));
    format!("\nit was started as{}", lines.collect::<String>())
}

/// The names of the commands that a dialect's probe sends, as a list in a sentence.
pub(super) fn probe_commands(dialect: &Dialect) -> Option<String> {
    let probe = dialect.session.probe.as_ref()?;
    let name = |command| command_name(dialect, command);
    let names: Vec<String> = probe.send.iter().map(name).collect();
    Some(names.join(" and "))
}

fn command_name(dialect: &Dialect, command: &serde_json::Value) -> String {
    let name = dialect.commands.name_in_step(command);
    name.map_or_else(|| command.to_string(), |name| format!("\"{name}\""))
}

/// What to do about an agent that does not find its files or its packages, since it runs in a sandbox and not in the current folder. `what`
/// describes how it ended.
pub(super) fn missing_file(agent: &Agent, what: &str) -> String {
    let name = agent.program.file_name().and_then(OsStr::to_str);
    if let Some(name) = name.filter(|name| PACKAGE_RUNNERS.contains(name)) {
        return format!(
            "\n{name} loads packages, but the agent has no network and an empty home folder: install the package, and name its own program"
        );
    }
    if what.contains("ModuleNotFoundError") {
        return "\nthis Python does not have the packages of the agent: install them (`uv sync`, `pip install`), and name the Python of that environment, such as .venv/bin/python".to_owned();
    }
    let is_relative = |arg: &&OsString| Path::new(arg).is_relative() && Path::new(arg).exists();
    let lower = what.to_lowercase();
    let misses_file = MISSING_FILE.iter().any(|text| lower.contains(text));
    let is_absent = |arg: &&OsString| {
        let path = Path::new(arg);
        path.is_relative()
            && path.extension().is_some()
            && !path.exists()
            && arg.to_str().is_some_and(|name| what.contains(name))
    };
    if misses_file && let Some(arg) = agent.args.iter().find(is_absent) {
        return format!("\n{} is not in the current folder", arg.to_string_lossy());
    }
    match agent.args.iter().find(is_relative) {
        Some(arg) => format!(
            "\nthe agent runs in a sandbox folder: if {0} is the folder here, write ./{0}",
            arg.to_string_lossy()
        ),
        None if misses_file => {
            "\nthe agent runs in a sandbox folder: a launcher must name its files by absolute paths"
                .to_owned()
        }
        None => String::new(),
    }
}
