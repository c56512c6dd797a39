//! Finds the file of a known agent: by its package, its program, or what it says of itself.

use super::package::Package;
use crate::agent::Agent;
use conform_judge::dialect::{DialectSource, KnownAgent};
use json_matcher::Captures;
use serde_json::Value;
use spanned_yaml::Error;
use std::path::Path;
use std::sync::Arc;

/// A known agent.
#[derive(Debug)]
pub struct FoundAgent {
    /// Its file.
    pub agent: Arc<KnownAgent>,
    /// How it was recognized, as a part of a sentence.
    pub reason: String,
}

/// The agent file for a program, of all dialects or of the named one.
///
/// # Errors
/// The mistakes in agent files.
pub fn by_program(
    source: &DialectSource,
    named: Option<&str>,
    agent: &Agent,
    package: Option<&Package>,
) -> Result<Option<FoundAgent>, Vec<Error>> {
    let known = of_dialects(source, named)?;
    if let Some(package) = package {
        let fits = |one: &&Arc<KnownAgent>| one.file.packages.contains(&package.name);
        if let Some(agent) = known.iter().find(fits) {
            let reason = format!("it is part of {} {}", package.name, package.version);
            return Ok(Some(FoundAgent {
                agent: Arc::clone(agent),
                reason,
            }));
        }
    }
    let script = agent
        .args
        .first()
        .map(Path::new)
        .filter(|arg| arg.is_file());
    for program in std::iter::once(agent.program.as_path()).chain(script) {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let fits = |one: &&Arc<KnownAgent>| one.file.programs.iter().any(|own| own.value == name);
        if let Some(agent) = known.iter().find(fits) {
            return Ok(Some(FoundAgent {
                agent: Arc::clone(agent),
                reason: format!("it is called {name}"),
            }));
        }
    }
    Ok(None)
}

/// The agent file of a dialect for an agent that wrote this event.
///
/// # Errors
/// The mistakes in agent files.
pub fn by_event(
    source: &DialectSource,
    dialect: &str,
    event: &Value,
) -> Result<Option<FoundAgent>, Vec<Error>> {
    for agent in of_dialects(source, Some(dialect))? {
        let says = agent.says()?;
        if says.is_some_and(|says| says.matches(event, &Captures::default()).is_ok()) {
            return Ok(Some(FoundAgent {
                agent,
                reason: "its first answer says so".to_owned(),
            }));
        }
    }
    Ok(None)
}

/// The agent files of a dialect, of every version of a protocol, or of all, the newest versions first.
fn of_dialects(
    source: &DialectSource,
    named: Option<&str>,
) -> Result<Vec<Arc<KnownAgent>>, Vec<Error>> {
    let is_meant = |id: &String| {
        let protocol = id.split('@').next();
        named.is_none_or(|named| named == id || protocol == Some(named))
    };
    let mut all = Vec::new();
    for id in source.ids().iter().rev().filter(|id| is_meant(id)) {
        if let Some((name, version)) = id.split_once('@') {
            all.extend(
                KnownAgent::all(source, name, version)?
                    .into_iter()
                    .map(Arc::new),
            );
        }
    }
    Ok(all)
}
