//! Builds the command line, the environment and the HOME files of an agent, from the dialect's launch recipe, the scenario and the user.

use super::agent::Agent;
use super::arguments;
use super::process::agent_process::LaunchCommand;
use super::process::spawn_error::SpawnError;
use super::sandbox::{Sandbox, write_below};
use crate::scenario::types::AgentSetup;
use conform_dialect::file::{LaunchRecipe, WireRecipe};
use json_matcher::{Captures, UnknownPlaceholder, render_text};
use std::ffi::{OsStr, OsString};
use std::io;

/// The values of the placeholders `{workspace}`, `{home}` and `{llm_url}`.
pub(crate) fn placeholders(sandbox: &Sandbox, llm_url: &str) -> Captures {
    let mut placeholders = Captures::default();
    placeholders.set("workspace", sandbox.workspace.to_string_lossy());
    placeholders.set("home", sandbox.home.to_string_lossy());
    placeholders.set("llm_url", llm_url);
    placeholders
}

/// Why an agent could not be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    #[error("cannot make a sandbox: {0}")]
    Sandbox(#[source] io::Error),
    #[error("cannot serve the scripted model: {0}")]
    Model(#[source] io::Error),
    #[error("cannot serve the MCP servers: {0}")]
    Mcp(#[source] io::Error),
    #[error("cannot write {0} into HOME: {1}")]
    HomeFile(String, #[source] io::Error),
    #[error(transparent)]
    Placeholder(#[from] UnknownPlaceholder),
    #[error(transparent)]
    Program(#[from] SpawnError),
}

/// Everything that decides how an agent is started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaunchPlan<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) recipe: &'a LaunchRecipe,
    /// What the wire of the model adds to the recipe; `None` for a dialect without wires.
    pub(crate) wire: Option<&'a WireRecipe>,
    pub(crate) setup: &'a AgentSetup,
    pub(crate) placeholders: &'a Captures,
}

impl LaunchPlan<'_> {
    /// The command line and the environment, for this purpose.
    ///
    /// # Errors
    /// An unknown placeholder.
    pub(crate) fn launch(
        &self,
        sandbox: &Sandbox,
        purpose: &str,
    ) -> Result<LaunchCommand, UnknownPlaceholder> {
        Ok(LaunchCommand {
            program: self.agent.program.clone(),
            args: self.args()?,
            env: self.env(sandbox)?,
            dir: sandbox.workspace.clone(),
            marker: sandbox.marker(),
            purpose: purpose.to_owned(),
        })
    }

    /// Writes the files of the recipe into HOME.
    ///
    /// # Errors
    /// An unknown placeholder, or the file that could not be written.
    pub(crate) fn write_files(&self, sandbox: &Sandbox) -> Result<(), LaunchError> {
        for (path, text) in self.home_files() {
            let text = self.fill(text)?;
            write_below(&sandbox.home, path, &text)
                .map_err(|error| LaunchError::HomeFile(path.clone(), error))?;
        }
        Ok(())
    }

    /// Where the agent finds the address of the model: arguments, variables and files in HOME. The placeholder `llm_url` must have the value
    /// `{llm_url}`.
    pub(crate) fn address_places(&self, sandbox: &Sandbox) -> Vec<String> {
        let has_address = |text: &str| text.contains("{llm_url}");
        let words = |text: &OsString| text.to_string_lossy().into_owned();
        let args: Vec<String> = self.args().iter().flatten().map(words).collect();
        let mut places = Vec::new();
        for (n, arg) in args.iter().enumerate().filter(|(_, arg)| has_address(arg)) {
            let option = n.checked_sub(1).map(|before| &args[before]);
            places.push(match option.filter(|option| option.starts_with("--")) {
                Some(option) => format!("as `{option} {arg}`"),
                None => format!("as `{arg}`"),
            });
        }
        let env = self.env(sandbox).unwrap_or_default();
        let variables = env.iter().filter(|(_, value)| has_address(&words(value)));
        places.extend(variables.map(|(name, _)| format!("in the variable `{}`", words(name))));
        let files = self.home_files().filter(|(_, text)| has_address(text));
        places.extend(files.map(|(path, _)| format!("in the file `~/{path}`")));
        places
    }

    /// The files of the recipe and of the wire, in HOME.
    fn home_files(&self) -> impl Iterator<Item = (&String, &String)> {
        let wire = self.wire.into_iter().flat_map(|wire| &wire.home_files);
        self.recipe.home_files.iter().chain(wire)
    }

    fn args(&self) -> Result<Vec<OsString>, UnknownPlaceholder> {
        let own = self.agent.args.iter();
        let given: Vec<_> = own.map(|arg| self.fill_known(arg)).collect();
        let mut recipe = Vec::new();
        for arg in recipe_args(self.recipe, self.wire) {
            recipe.push(self.fill(arg)?.into());
        }
        let mut args = arguments::complete(&given, &recipe, self.agent.recipe_args);
        for option in &self.setup.without_args {
            remove_option(&mut args, option);
        }
        args.splice(..0, self.agent.prefix.iter().cloned());
        for arg in &self.setup.args {
            args.push(self.fill(arg)?.into());
        }
        Ok(args)
    }

    fn env(&self, sandbox: &Sandbox) -> Result<Vec<(OsString, OsString)>, UnknownPlaceholder> {
        let mut env = sandbox.environment();
        let wire = self.wire.into_iter().flat_map(|wire| &wire.env);
        for (name, value) in self.recipe.env.iter().chain(wire) {
            env.insert(name.into(), self.fill(value)?.into());
        }
        let given = self.agent.env.iter();
        env.extend(given.map(|(name, value)| (name.clone(), self.fill_known(value))));
        for (name, value) in &self.setup.env {
            match value {
                Some(value) => env.insert(name.into(), self.fill(value)?.into()),
                None => env.shift_remove(OsStr::new(name)),
            };
        }
        Ok(env.into_iter().collect())
    }

    fn fill(&self, text: &str) -> Result<String, UnknownPlaceholder> {
        render_text(text, self.placeholders)
    }

    /// Fills the known placeholders of an argument or a variable of the user, and leaves all other braces as they are.
    fn fill_known(&self, arg: &OsStr) -> OsString {
        let Some(text) = arg.to_str() else {
            return arg.to_owned();
        };
        let known = ["llm_url", "workspace", "home"];
        let fill = |text: String, name: &&str| {
            let value = self.placeholders.get(name).and_then(|value| value.as_str());
            value.map_or(text.clone(), |value| {
                text.replace(&format!("{{{name}}}"), value)
            })
        };
        known.iter().fold(text.to_owned(), fill).into()
    }
}

fn recipe_args<'a>(
    recipe: &'a LaunchRecipe,
    wire: Option<&'a WireRecipe>,
) -> impl Iterator<Item = &'a String> {
    let wire = wire.into_iter().flat_map(|wire| &wire.args);
    recipe.args.iter().chain(wire)
}

/// The command line that starts an agent, with its placeholders.
pub(crate) fn command_line(
    agent: &Agent,
    recipe: &LaunchRecipe,
    wire: Option<&WireRecipe>,
) -> Vec<OsString> {
    let recipe: Vec<_> = recipe_args(recipe, wire).map(OsString::from).collect();
    let mut words = vec![agent.program.clone().into_os_string()];
    words.extend(agent.prefix.iter().cloned());
    words.extend(arguments::complete(&agent.args, &recipe, agent.recipe_args));
    words
}

/// Removes an option, with its value if one follows.
fn remove_option(args: &mut Vec<OsString>, option: &str) {
    while let Some(at) = args.iter().position(|arg| arg == option) {
        let value = args
            .get(at + 1)
            .is_some_and(|next| !next.as_encoded_bytes().starts_with(b"-"));
        args.drain(at..=at + usize::from(value));
    }
}
