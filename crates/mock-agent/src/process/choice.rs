//! Which agent is started: one of a protocol, or a scripted one.

use super::environment::Environment;
use super::own_arguments::OwnArguments;
use super::protocol_choice::{PROTOCOL_VARIABLE, select_adapter};
use crate::agent_script::{ScriptHead, Vocabulary};
use crate::built_in_scripts::{self, ScriptError};
use crate::config::StartError;
use crate::protocols::adapter::Adapter;
use conform_dialect::DialectSource;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment variable for a folder of dialects, which take precedence over the built-in ones.
pub const DIALECT_DIR_VARIABLE: &str = "MOCK_AGENT_DIALECT_DIR";

/// The variable for `--dialect`.
const DIALECT_VARIABLE: &str = "MOCK_AGENT_DIALECT";

/// The agent that the arguments, the environment and the name of the program choose.
pub(super) struct Choice {
    /// The protocol, if one is chosen.
    pub(super) adapter: Option<&'static Adapter>,
    /// Whether the requested version of the protocol is known.
    pub(super) version: Result<(), String>,
    /// Whether an agent script is played.
    pub(super) is_scripted: bool,
    /// The script that the arguments or the environment name.
    pub(super) script: Option<String>,
    /// The fault that they name.
    pub(super) fault: Option<String>,
    /// The dialects, with those of the user's folder.
    pub(super) source: DialectSource,
    /// The dialect of a scripted agent, if it is named.
    dialect: Option<String>,
}

impl Choice {
    /// Chooses the agent. `program` is the name that it is called by.
    ///
    /// # Errors
    /// An unknown protocol is requested, or a flag of a scripted agent has no value.
    pub(super) fn new(
        own: &OwnArguments,
        environment: &Environment,
        program: Option<&str>,
    ) -> Result<Self, StartError> {
        let setting = |flag: &Option<String>, variable: &str| {
            let given = flag.clone();
            given.or_else(|| environment.get(variable))
        };
        let dialect = setting(&own.dialect, DIALECT_VARIABLE);
        let folder = setting(&own.dialect_dir, DIALECT_DIR_VARIABLE);
        let is_required = dialect.is_some() || own.dialect_dir.is_some();
        let selected = if is_required {
            None
        } else {
            let variable = environment.get(PROTOCOL_VARIABLE);
            select_adapter(own, variable.as_deref(), program).map_err(StartError::Setting)?
        };
        // An agent of a protocol reports the mistake to its host.
        if let (None, Some(mistake)) = (&selected, &own.mistake) {
            return Err(mistake.clone().into());
        }
        let script = setting(&own.options.script, "MOCK_AGENT_SCRIPT");
        let head = script.as_deref().map(Path::new).and_then(ScriptHead::read);
        let is_possible = head.is_some() || selected.is_none() && folder.is_some();
        let of_adapter = selected.as_ref().map(|(adapter, _)| adapter.id());
        let named = head.and_then(|head| head.dialect).or(of_adapter);
        let (adapter, version) = selected.unzip();
        Ok(Choice {
            adapter,
            version: version.unwrap_or(Ok(())),
            is_scripted: is_required || is_possible,
            script,
            fault: setting(&own.fault, "MOCK_AGENT_FAULT"),
            source: DialectSource::new(folder.map(PathBuf::from)),
            dialect: dialect.or(named),
        })
    }

    /// The dialect of a scripted agent.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub(super) fn vocabulary(&self) -> Result<Vocabulary, String> {
        Vocabulary::load(&self.source, self.dialect.as_deref())
    }

    /// Refuses the name of a built-in script that the protocol does not have.
    ///
    /// # Errors
    /// The protocol does not have the script.
    pub(super) fn check_script(&self) -> Result<(), ScriptError> {
        let name = self
            .script
            .as_deref()
            .filter(|name| built_in_scripts::is_name(name));
        match (self.adapter, name) {
            (Some(adapter), Some(name)) => {
                built_in_scripts::find(name, (adapter.name, adapter.version)).map(drop)
            }
            _ => Ok(()),
        }
    }
}

/// The dialect of a session.
#[derive(Debug, Clone)]
pub struct SpokenDialect {
    /// `NAME@VERSION`.
    pub id: String,
    /// Where its files are.
    pub source: DialectSource,
}

/// The dialect that the agent speaks if it is called like this; `None` if no session starts: for help, or after a mistake in the call, which
/// [`main`](crate::main) reports.
#[must_use]
pub fn spoken_dialect(program: Option<&OsStr>, args: &[OsString]) -> Option<SpokenDialect> {
    let program = program.map(Path::new);
    let environment = Environment::load(program).ok()?;
    let own = OwnArguments::new(args);
    let name = program.and_then(Path::file_name).and_then(OsStr::to_str);
    let choice = Choice::new(&own, &environment, name).ok()?;
    if !choice.is_scripted {
        choice.version.ok()?;
        return Some(SpokenDialect {
            id: choice.adapter?.id(),
            source: DialectSource::default(),
        });
    }
    if super::help::is_asked(&own) {
        return None;
    }
    Some(SpokenDialect {
        id: choice.vocabulary().ok()?.dialect,
        source: choice.source,
    })
}
