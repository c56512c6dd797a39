//! The optional features that an agent lacks: known from its agent file, the version of its package, or the user (`--lacks`).

use super::package::Package;
use crate::agent::MissingFeature;
use conform_judge::dialect::Dialect;
use spanned_yaml::unknown;

/// The commands, capabilities and wires that an agent lacks: those of its file, those that came after the version of its package, and those in `named`.
///
/// # Errors
/// A sentence about a name that is not a command, capability or wire of the dialect.
pub fn missing_features(
    dialect: &Dialect,
    package: Option<&Package>,
    named: &[String],
) -> Result<Vec<MissingFeature>, String> {
    let mut missing = Vec::new();
    let of_agent = dialect.agent.iter().flat_map(|agent| &agent.file.lacks);
    missing.extend(of_agent.map(|(name, reason)| MissingFeature {
        name: name.value.clone(),
        reason: reason.clone(),
    }));
    if let Some(package) = package {
        let later = dialect.launch.lacks.iter();
        for later in later.filter(|later| package.is_before(&later.before)) {
            let reason = format!(
                "it is {} {}, and that came with {}",
                package.name, package.version, later.before
            );
            let names = later.commands.iter().chain(&later.wires);
            missing.extend(names.map(|name| MissingFeature {
                name: name.clone(),
                reason: reason.clone(),
            }));
        }
    }
    let (commands, wires) = (&dialect.commands.names, &dialect.launch.wires);
    let others = dialect.capabilities.keys().chain(wires.keys());
    let known: Vec<&str> = commands.keys().chain(others).map(String::as_str).collect();
    for name in named {
        if !known.contains(&name.as_str()) {
            return Err(unknown("command, capability or wire", name, known));
        }
        missing.push(MissingFeature {
            name: name.clone(),
            reason: "you say so".to_owned(),
        });
    }
    Ok(missing)
}
