//! Lints of single values: duplicates in lists, unknown capabilities, budgets, wires and signals, exit expectations, and file paths.

use crate::scenario::context::LoadContext;
use crate::scenario::file::ScenarioFile;
use conform_judge::signals::{SENDABLE, SIGNALS};
use std::path::{Component, Path};

pub(super) fn names(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let Some(dialect) = context.dialect else {
        return;
    };
    for capability in &file.needs {
        let known = dialect.capabilities.keys().map(String::as_str);
        context.known("capability", capability, known);
    }
    for budget in file.budgets.keys() {
        let known = dialect.budgets.keys().map(String::as_str);
        context.known("budget", budget, known);
    }
    if let Some(wire) = &file.wire {
        let known = dialect.launch.wires.keys().map(String::as_str);
        context.known("wire", wire, known);
    }
}

pub(super) fn lists(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    context.no_duplicates("clause", &file.clauses);
    context.no_duplicates("tag", &file.tags);
    context.no_duplicates("capability", &file.needs);
    for step in file.steps.iter() {
        context.no_duplicates("clause", step.clauses.as_deref().unwrap_or_default());
    }
}

pub(super) fn signals(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for step in file.steps.iter() {
        let or_signal = step
            .expect_exit
            .as_ref()
            .and_then(|exit| exit.or_signal.as_ref());
        for name in step.signal.iter().chain(or_signal) {
            let known = SIGNALS[..SENDABLE].iter().map(|(name, _)| *name);
            context.known("signal", name, known);
        }
    }
}

pub(super) fn exits(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for exit in file
        .steps
        .iter()
        .filter_map(|step| step.expect_exit.as_ref())
    {
        match (exit.code, exit.nonzero, &exit.or_signal) {
            (None, false, None) => {
                context.error(
                    exit.span,
                    "expects nothing: give it `code`, `nonzero: true` or `or_signal`",
                );
            }
            (Some(_), true, _) => {
                context.error(exit.span, "`code` and `nonzero` exclude each other")
            }
            _ => {}
        }
    }
}

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

/// An `expect_file` without files waits for nothing.
pub(super) fn empty_file_steps(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let awaited = file
        .steps
        .iter()
        .filter_map(|step| step.expect_file.as_ref());
    for files in awaited.filter(|files| files.is_empty()) {
        let message = "names no file: give it a path and the expected state";
        context.error(files.span, message);
    }
}

/// Why a path is not a relative path in the workspace.
fn refusal(path: &str) -> Option<&'static str> {
    if path.is_empty() || path.ends_with('/') {
        return Some("names no file");
    }
    if path.contains(['\\', '\0']) {
        return Some("is not portable: separate folders by `/`");
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
