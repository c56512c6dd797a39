//! The dialects that a program may speak, as far as that shows before it is started.

use crate::dialect::Dialect;
use crate::runner::{Agent, Package};
use regex::Regex;
use std::sync::Arc;

/// What a look at a program leaves.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    /// The dialects; none if it shows nothing.
    pub(super) dialects: Vec<Arc<Dialect>>,
    /// What was seen.
    pub(super) why: String,
}

impl Suspects {
    /// By the package that a program is part of, else by its name.
    pub(super) fn by_sight(
        agent: &Agent,
        package: Option<&Package>,
        known: &[Arc<Dialect>],
    ) -> Self {
        if let Some(package) = package {
            let fits = |dialect: &Dialect| dialect.launch.package.as_ref() == Some(&package.name);
            let found = Self::of(known, fits, || {
                format!("it is part of {} {}", package.name, package.version)
            });
            if !found.dialects.is_empty() {
                return found;
            }
        }
        let name = agent.program.file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let fits = |dialect: &Dialect| dialect.launch.programs.iter().any(|one| *one == name);
        Self::of(known, fits, || format!("it is called {name}"))
    }

    /// By what a program says of itself.
    pub(super) fn by_help(help: &str, known: &[Arc<Dialect>]) -> Self {
        let fits = |dialect: &Dialect| {
            let pattern = dialect.launch.help.as_deref();
            let pattern = pattern.and_then(|pattern| Regex::new(pattern).ok());
            pattern.is_some_and(|pattern| pattern.is_match(help))
        };
        Self::of(known, fits, || {
            "its help names the options of that".to_owned()
        })
    }

    fn of(
        known: &[Arc<Dialect>],
        fits: impl Fn(&Dialect) -> bool,
        why: impl Fn() -> String,
    ) -> Self {
        let dialects = known.iter().filter(|dialect| fits(dialect));
        let dialects: Vec<_> = dialects.cloned().collect();
        let why = if dialects.is_empty() {
            String::new()
        } else {
            why()
        };
        Suspects { dialects, why }
    }

    /// What to try in place of a dialect that an agent did not come up in; nothing if it is among the suspects.
    pub(super) fn hint(&self, instead_of: &Dialect) -> Option<String> {
        let strangers = self.dialects.iter().all(|one| one.name != instead_of.name);
        (strangers && !self.dialects.is_empty()).then(|| {
            format!(
                "\n{}: it may speak {}; name that with --dialect, or none to find out",
                self.why,
                known(&self.dialects)
            )
        })
    }
}

/// The ids of dialects, one behind the other.
pub(super) fn known(dialects: &[Arc<Dialect>]) -> String {
    let ids: Vec<_> = dialects.iter().map(|dialect| dialect.id()).collect();
    ids.join(", ")
}
