//! Which agent is started: one of a protocol, or a scripted one.

use super::arguments::Arguments;
use super::environment::Environment;
use super::protocol_choice::select_adapter;
use crate::agent_script::{ScriptHead, Vocabulary};
use crate::built_in_scripts;
use crate::config::options::{
    DIALECT_DIR_FLAG, DIALECT_DIR_VARIABLE, DIALECT_FLAG, FAULT_FLAG, PROTOCOL_VARIABLE,
    SCRIPT_FLAG,
};
use crate::protocols::adapter::Adapter;
use conform_dialect::DialectSource;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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
        args: &Arguments,
        environment: &Environment,
        program: Option<&str>,
    ) -> Result<Self, String> {
        let setting = |flag: &str, variable: &str| {
            let given = args.value(flag)?.map(str::to_owned);
            Ok::<_, String>(given.or_else(|| environment.get(variable)))
        };
        let dialect = setting(DIALECT_FLAG, DIALECT_VARIABLE)?;
        let folder = args.value(DIALECT_DIR_FLAG)?;
        let is_required = dialect.is_some() || folder.is_some();
        let folder = folder.map(str::to_owned);
        let folder = folder.or_else(|| environment.get(DIALECT_DIR_VARIABLE));
        let selected = if is_required {
            None
        } else {
            let variable = environment.get(PROTOCOL_VARIABLE);
            select_adapter(args, variable.as_deref(), program)?
        };
        // For a protocol, the parser of its flags reports what is missing here.
        let optional = |setting: Result<Option<String>, String>| match &selected {
            Some(_) => Ok(setting.unwrap_or_default()),
            None => setting,
        };
        let script = optional(setting(SCRIPT_FLAG.name, "MOCK_AGENT_SCRIPT"))?;
        let fault = optional(setting(FAULT_FLAG.name, "MOCK_AGENT_FAULT"))?;
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
            fault,
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
    pub(super) fn check_script(&self) -> Result<(), String> {
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
    let mut args = Arguments::new(args);
    args.take(super::control::FLAG).ok()?;
    let name = program.and_then(Path::file_name).and_then(OsStr::to_str);
    let choice = Choice::new(&args, &environment, name).ok()?;
    if !choice.is_scripted {
        choice.version.ok()?;
        return Some(SpokenDialect {
            id: choice.adapter?.id(),
            source: DialectSource::default(),
        });
    }
    if super::help::is_asked(&args) {
        return None;
    }
    Some(SpokenDialect {
        id: choice.vocabulary().ok()?.dialect,
        source: choice.source,
    })
}
