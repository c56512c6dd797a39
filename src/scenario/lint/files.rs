//! Files outside the workspace.

use crate::scenario::context::LoadContext;
use crate::scenario::file::ScenarioFile;
use std::path::{Component, Path};

pub(super) fn paths(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let awaited = file
        .steps
        .iter()
        .filter_map(|step| step.expect_file.as_ref());
    let awaited = awaited.flat_map(|files| files.keys());
    for path in file
        .files
        .keys()
        .chain(awaited)
        .chain(file.files_after.keys())
    {
        if let Some(reason) = refusal(&path.value) {
            context.error(path.span, format!("the path `{}` {reason}", path.value));
        }
    }
}

/// An `expect_file` that names no file waits for nothing.
pub(super) fn named(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let awaited = file
        .steps
        .iter()
        .filter_map(|step| step.expect_file.as_ref());
    for files in awaited.filter(|files| files.is_empty()) {
        let message = "names no file: give it a path and what must be true of it";
        context.error(files.span, message);
    }
}

/// Why a path is not one below the workspace.
fn refusal(path: &str) -> Option<&'static str> {
    if path.is_empty() || path.ends_with('/') {
        return Some("names no file");
    }
    if path.contains(['\\', '\0']) {
        return Some("is not a portable one: separate folders by `/`");
    }
    Path::new(path)
        .components()
        .find_map(|component| match component {
            Component::RootDir | Component::Prefix(_) => {
                Some("is absolute: write it relative to the workspace")
            }
            Component::ParentDir => Some("leaves the workspace"),
            Component::CurDir | Component::Normal(_) => None,
        })
}
