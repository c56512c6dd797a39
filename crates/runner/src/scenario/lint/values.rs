//! Lints of single values: duplicates in lists, unknown capabilities, budgets, wires and signals, exit expectations, and file paths.

use crate::scenario::context::LoadContext;
use crate::scenario::file::{ScenarioFile, StepVerb};
use conform_judge::signals::{SENDABLE, SIGNALS};
use indexmap::IndexMap;
use spanned_yaml::{Node, Spanned};
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
        let known = dialect
            .own_wires
            .iter()
            .chain(dialect.launch.wires.keys())
            .map(String::as_str);
        context.known("wire", wire, known);
    }
}

pub(super) fn lists(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    context.no_duplicates("clause", &file.clauses);
    context.no_duplicates("tag", &file.tags);
    context.no_duplicates("capability", &file.needs);
    for step in &file.steps {
        context.no_duplicates("clause", step.keys.clauses.as_deref().unwrap_or_default());
    }
}

pub(super) fn signals(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for step in &file.steps {
        let name = match &step.verb {
            StepVerb::Signal(name) => Some(name),
            StepVerb::ExpectExit(exit) => exit.or_signal.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            let known = SIGNALS[..SENDABLE].iter().map(|(name, _)| *name);
            context.known("signal", name, known);
        }
    }
}

pub(super) fn exits(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for step in &file.steps {
        let StepVerb::ExpectExit(exit) = &step.verb else {
            continue;
        };
        let mistake = match (exit.code, exit.nonzero, &exit.or_signal) {
            (None, false, None) => {
                "expects nothing: give it `code`, `nonzero: true` or `or_signal`"
            }
            (Some(_), true, _) => "`code` and `nonzero` exclude each other",
            _ => continue,
        };
        context.error(exit.span, mistake);
    }
}

pub(super) fn paths(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let awaited = awaited_files(file).flat_map(|files| files.keys());
    let others = awaited.chain(file.files_after.keys());
    for path in file.files.keys().chain(others) {
        if let Some(reason) = refusal(&path.value) {
            context.error(path.span, format!("the path `{}` {reason}", path.value));
        }
    }
}

/// An `expect_file` without files waits for nothing.
pub(super) fn empty_file_steps(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for files in awaited_files(file).filter(|files| files.is_empty()) {
        let message = "names no file: give it a path and the expected state";
        context.error(files.span, message);
    }
}

fn awaited_files(
    file: &ScenarioFile,
) -> impl Iterator<Item = &Spanned<IndexMap<Spanned<String>, Node>>> {
    file.steps.iter().filter_map(|step| match &step.verb {
        StepVerb::ExpectFile(files) => Some(files),
        _ => None,
    })
}

/// Why a path is not a relative path in the workspace.
fn refusal(path: &str) -> Option<&'static str> {
    if path.is_empty() || path.ends_with('/') {
        return Some("names no file");
    }
    if path.contains(['\\', '\0']) {
        return Some("is not portable: separate folders by `/`");
    }
    let mut parts = Path::new(path).components();
    parts.find_map(|part| match part {
        Component::RootDir | Component::Prefix(_) => {
            Some("is absolute: write it relative to the workspace")
        }
        Component::ParentDir => Some("leaves the workspace"),
        Component::CurDir | Component::Normal(_) => None,
    })
}
