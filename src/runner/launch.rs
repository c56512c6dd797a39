//! From the dialect's recipe, the scenario's wishes and the user's words to one command line.

use super::agent::Agent;
use super::process::agent_process::LaunchCommand;
use super::sandbox::{Sandbox, write_below};
use crate::dialect::file::{LaunchRecipe, WireRecipe};
use crate::matcher::{Captures, render_text};
use crate::scenario::types::AgentSetup;
use indexmap::IndexMap;
use std::ffi::{OsStr, OsString};

/// What of the harness's own environment reaches an agent: what programs need to be found, loaded and understood.
const KEPT: &[&str] = &[
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
];

/// The folders below HOME that have variables of their own.
const XDG: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The places of a launch: `{workspace}`, `{home}` and `{llm_url}`.
pub(crate) fn places(sandbox: &Sandbox, llm_url: &str) -> Captures {
    let mut places = Captures::default();
    places.set("workspace", sandbox.workspace.to_string_lossy());
    places.set("home", sandbox.home.to_string_lossy());
    places.set("llm_url", llm_url);
    places
}

/// Everything that is needed to start an agent of a dialect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaunchPlan<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) recipe: &'a LaunchRecipe,
    /// What the wire of the model adds; `None` for a dialect without wires.
    pub(crate) wire: Option<&'a WireRecipe>,
    pub(crate) setup: &'a AgentSetup,
    pub(crate) places: &'a Captures,
}

impl LaunchPlan<'_> {
    /// The command line and the environment.
    ///
    /// # Errors
    /// A place that nothing is known of.
    pub(crate) fn launch(&self, sandbox: &Sandbox) -> Result<LaunchCommand, String> {
        Ok(LaunchCommand {
            program: self.agent.program.clone(),
            args: self.args()?,
            env: self.env(sandbox)?,
            dir: sandbox.workspace.clone(),
            mark: mark(sandbox),
        })
    }

    /// Writes the recipe's files into HOME.
    ///
    /// # Errors
    /// The file that could not be written, and why.
    pub(crate) fn write_files(&self, sandbox: &Sandbox) -> Result<(), String> {
        let wire = self.wire.into_iter().flat_map(|wire| &wire.home_files);
        for (path, text) in self.recipe.home_files.iter().chain(wire) {
            let text = self.fill(text)?;
            write_below(&sandbox.home, path, &text)
                .map_err(|error| format!("cannot write {path} into the sandboxes HOME: {error}"))?;
        }
        Ok(())
    }

    fn args(&self) -> Result<Vec<OsString>, String> {
        let mut args = match &self.agent.args {
            Some(given) => given.iter().map(|arg| self.fill_known(arg)).collect(),
            None => {
                let wire = self.wire.into_iter().flat_map(|wire| &wire.args);
                let recipe = self.recipe.args.iter().chain(wire);
                recipe
                    .map(|arg| self.fill(arg).map(OsString::from))
                    .collect::<Result<Vec<_>, _>>()?
            }
        };
        for unwanted in &self.setup.without_args {
            leave_out(&mut args, unwanted);
        }
        args.splice(..0, self.agent.prefix.iter().cloned());
        for arg in &self.setup.args {
            args.push(self.fill(arg)?.into());
        }
        Ok(args)
    }

    fn env(&self, sandbox: &Sandbox) -> Result<Vec<(OsString, OsString)>, String> {
        let mut env: IndexMap<OsString, OsString> = KEPT
            .iter()
            .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)))
            .collect();
        env.insert("HOME".into(), sandbox.home.clone().into());
        env.insert("TMPDIR".into(), sandbox.temporary.clone().into());
        for (name, below) in XDG {
            env.insert((*name).into(), sandbox.home.join(below).into());
        }
        let wire = self.wire.into_iter().flat_map(|wire| &wire.env);
        for (name, value) in self.recipe.env.iter().chain(wire) {
            env.insert(name.into(), self.fill(value)?.into());
        }
        env.extend(self.agent.env.iter().cloned());
        for (name, value) in &self.setup.env {
            match value {
                Some(value) => env.insert(name.into(), self.fill(value)?.into()),
                None => env.shift_remove(OsStr::new(name)),
            };
        }
        Ok(env.into_iter().collect())
    }

    fn fill(&self, text: &str) -> Result<String, String> {
        render_text(text, self.places).map_err(|unknown| unknown.to_string())
    }

    /// Fills the places it knows, and leaves everything else as it stands: what a user wrote is not ours.
    fn fill_known(&self, arg: &OsStr) -> OsString {
        let Some(text) = arg.to_str() else {
            return arg.to_owned();
        };
        let known = ["llm_url", "workspace", "home"];
        let fill = |text: String, name: &&str| match self.places.get(name).and_then(|v| v.as_str())
        {
            Some(value) => text.replace(&format!("{{{name}}}"), value),
            None => text,
        };
        known.iter().fold(text.to_owned(), fill).into()
    }
}

/// The entry by which descendants of an agent are known.
fn mark(sandbox: &Sandbox) -> OsString {
    let mut mark = OsString::from("HOME=");
    mark.push(&sandbox.home);
    mark
}

/// Removes an option, with the value behind it if it has one.
fn leave_out(args: &mut Vec<OsString>, option: &str) {
    while let Some(at) = args.iter().position(|arg| arg == option) {
        let value = args
            .get(at + 1)
            .is_some_and(|next| !next.as_encoded_bytes().starts_with(b"-"));
        args.drain(at..=at + usize::from(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::sandbox::SandboxRoot;

    fn recipe() -> LaunchRecipe {
        LaunchRecipe {
            args: vec![
                "--json".into(),
                "--base-url".into(),
                "{llm_url}/v1".into(),
                "--last".into(),
            ],
            env: IndexMap::from([
                ("KEY".into(), "k".into()),
                ("DIR".into(), "{home}/x".into()),
            ]),
            ..LaunchRecipe::default()
        }
    }

    fn agent(args: Option<&[&str]>) -> Agent {
        Agent {
            program: "/bin/agent".into(),
            prefix: vec!["sub".into()],
            args: args.map(|args| args.iter().map(OsString::from).collect()),
            env: vec![],
            missing_features: vec![],
        }
    }

    fn launched(agent: &Agent, setup: &AgentSetup) -> LaunchCommand {
        let sandboxes = SandboxRoot::new().unwrap();
        let sandbox = sandboxes.sandbox().unwrap();
        let places = places(&sandbox, "http://127.0.0.1:1");
        let recipe = recipe();
        let plan = LaunchPlan {
            agent,
            recipe: &recipe,
            wire: None,
            setup,
            places: &places,
        };
        plan.launch(&sandbox).unwrap()
    }

    #[test]
    fn the_recipe_is_taken_without_what_the_scenario_leaves_out() {
        let setup = AgentSetup {
            args: vec!["--more".into()],
            without_args: vec!["--base-url".into()],
            env: IndexMap::from([
                ("KEY".to_owned(), None),
                ("NEW".to_owned(), Some("{llm_url}".to_owned())),
            ]),
        };
        let launch = launched(&agent(None), &setup);
        assert_eq!(launch.args, ["sub", "--json", "--last", "--more"]);
        let value = |name: &str| {
            launch
                .env
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.clone())
        };
        assert_eq!(value("KEY"), None);
        assert_eq!(value("NEW"), Some("http://127.0.0.1:1".into()));
        assert!(value("DIR").unwrap().to_string_lossy().ends_with("home/x"));
    }

    #[test]
    fn arguments_of_the_user_stand_as_they_are_but_for_known_places() {
        let given = agent(Some(&["{llm_url}", "{other}", "{\"a\":1}"]));
        let launch = launched(&given, &AgentSetup::default());
        assert_eq!(
            launch.args,
            ["sub", "http://127.0.0.1:1", "{other}", "{\"a\":1}"]
        );
    }

    #[test]
    fn nothing_else_of_the_environment_gets_through() {
        let launch = launched(&agent(None), &AgentSetup::default());
        assert!(
            launch
                .env
                .iter()
                .all(|(name, _)| name != "CARGO_MANIFEST_DIR")
        );
        assert!(launch.env.iter().any(|(name, _)| name == "PATH"));
    }
}
