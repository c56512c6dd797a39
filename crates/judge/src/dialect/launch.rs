//! Checks the launch recipe of a dialect: regular expressions, and the names of features that versions of the agent lack.

use conform_dialect::FrameNames;
use conform_dialect::file::{LaunchRecipe, VersionGap};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, unknown};

/// The mistakes in a launch recipe.
pub(super) fn launch_mistakes(
    launch: &LaunchRecipe,
    commands: &FrameNames,
    root: &Node,
) -> Vec<Error> {
    let place = root.nearest("/launch");
    let mut errors = Vec::new();
    if let Some(Err(e)) = launch.help.as_deref().map(regex::Regex::new) {
        errors.push(place.error(format!("`launch.help` is not a regular expression: {e}")));
    }
    if let Some(version) = &launch.version
        && !regex::Regex::new(&version.says).is_ok_and(|says| has_version_groups(&says))
    {
        errors.push(place.error(
            "`launch.version.says` is not a regular expression with the groups `name` and `version`",
        ));
    }
    for VersionGap {
        commands: named,
        wires,
        ..
    } in &launch.lacks
    {
        errors.extend(unknown_names("command", named, &commands.names, place));
        errors.extend(unknown_names("wire", wires, &launch.wires, place));
    }
    errors
}

fn has_version_groups(says: &regex::Regex) -> bool {
    let groups: Vec<_> = says.capture_names().flatten().collect();
    groups.contains(&"name") && groups.contains(&"version")
}

/// An error for each name of the list that is unknown.
fn unknown_names<T>(
    kind: &str,
    names: &[String],
    known: &IndexMap<String, T>,
    place: &Node,
) -> Vec<Error> {
    let names = names.iter().filter(|name| !known.contains_key(*name));
    names
        .map(|name| place.error(unknown(kind, name, known.keys().map(String::as_str))))
        .collect()
}
