//! Candidate dialects of an agent, from what is known before it is started: its package, its program name, the output of `--help`.

use super::package::Package;
use crate::agent::Agent;
use conform_judge::dialect::Dialect;
use regex::Regex;
use std::sync::Arc;

/// The dialects that a program may speak.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// The dialects; empty if there is no evidence.
    pub(super) dialects: Vec<Arc<Dialect>>,
    /// The evidence, as a part of a sentence.
    pub(super) reason: String,
}

impl Candidates {
    /// By the package that a program is part of, else by its name.
    pub(super) fn by_program(
        agent: &Agent,
        package: Option<&Package>,
        known: &[Arc<Dialect>],
    ) -> Self {
        if let Some(package) = package {
            let fits = |dialect: &Dialect| dialect.launch.package.as_ref() == Some(&package.name);
            let found = Self::find(known, fits, || {
                format!("it is part of {} {}", package.name, package.version)
            });
            if !found.dialects.is_empty() {
                return found;
            }
        }
        let name = agent
            .program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let fits = |dialect: &Dialect| dialect.launch.programs.iter().any(|one| *one == name);
        Self::find(known, fits, || format!("it is called {name}"))
    }

    /// By the `--help` output of a program.
    pub(super) fn by_help(help: &str, known: &[Arc<Dialect>]) -> Self {
        let fits = |dialect: &Dialect| {
            let pattern = dialect.launch.help.as_deref();
            pattern.is_some_and(|one| Regex::new(one).is_ok_and(|one| one.is_match(help)))
        };
        Self::find(known, fits, || {
            "its --help lists the options of that".to_owned()
        })
    }

    fn find(
        known: &[Arc<Dialect>],
        fits: impl Fn(&Dialect) -> bool,
        reason: impl Fn() -> String,
    ) -> Self {
        let fitting = known.iter().filter(|dialect| fits(dialect));
        let dialects: Vec<_> = fitting.cloned().collect();
        if dialects.is_empty() {
            return Candidates::default();
        }
        let reason = reason();
        Candidates { dialects, reason }
    }

    /// Advice to try one of these in place of a dialect that the agent does not speak; `None` if that dialect is among them.
    pub(super) fn hint(&self, instead_of: &Dialect) -> Option<String> {
        let is_other = self.dialects.iter().all(|one| one.name != instead_of.name);
        (is_other && !self.dialects.is_empty()).then(|| {
            format!(
                "\n{}: it may speak {}; name that with --dialect, or none to find out",
                self.reason,
                list_ids(&self.dialects)
            )
        })
    }
}

/// The ids of dialects, separated by commas.
pub(super) fn list_ids(dialects: &[Arc<Dialect>]) -> String {
    let ids: Vec<_> = dialects.iter().map(|dialect| dialect.id()).collect();
    ids.join(", ")
}
