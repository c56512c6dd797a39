//! The optional features that an agent lacks: known from the version of its package, or from the user (`--lacks`).

use super::package::Package;
use crate::agent::MissingFeature;
use conform_judge::dialect::Dialect;
use spanned_yaml::unknown;

/// The commands, capabilities and wires that an agent lacks: those that came after the version of its package, and those in `named`.
///
/// # Errors
/// A sentence about a name that is not a command, capability or wire of the dialect.
pub fn missing_features(
    dialect: &Dialect,
    package: Option<&Package>,
    named: &[String],
) -> Result<Vec<MissingFeature>, String> {
    let mut missing = Vec::new();
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
    for name in named {
        let known = dialect
            .commands
            .names
            .keys()
            .chain(dialect.capabilities.keys());
        let known: Vec<_> = known.chain(dialect.launch.wires.keys()).collect();
        if !known.contains(&name) {
            let known = known.into_iter().map(String::as_str);
            return Err(unknown("command, capability or wire", name, known));
        }
        missing.push(MissingFeature {
            name: name.clone(),
            reason: "you say so".to_owned(),
        });
    }
    Ok(missing)
}
