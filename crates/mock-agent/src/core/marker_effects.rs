//! Carries out the markers in prompts: the scripted model and the fault of the turn.

use super::Session;
use crate::built_in_scripts::{self, ScriptError};
use crate::model::{BuiltInScript, PromptMarker, TurnSettings};
use frame_faults::{Effect, Fault};
use mock_provider::Script;
use serde_json::Value;
use spanned_yaml::Node;
use std::path::Path;

/// A model over HTTP gets the marker as a part of the prompt.
impl Session {
    /// Configures a turn by the marker in its prompt: the prompt that begins the turn, or one that is added when the turn would have ended.
    pub(super) fn on_prompt(&self, text: &str) {
        let asked = match PromptMarker::find(text) {
            None => Ok((TurnSettings::default(), None)),
            Some(marker) => marker.and_then(|marker| self.set_up(marker)),
        };
        let (settings, fault) = asked.unwrap_or_else(|why| {
            eprintln!("mock-agent: @mock: {why}");
            (TurnSettings::answer(&format!("@mock: {why}")), None)
        });
        self.faults.play_in_turn(fault);
        self.model.scripted.start_turn(settings);
    }

    /// What extensions of the agent do in the run of this prompt, in the words of the protocol; `None` if it asks for nothing.
    pub(crate) fn extension(&self, prompt: &str) -> Option<Value> {
        let marker = PromptMarker::find(prompt).and_then(Result::ok);
        match marker.and_then(|marker| marker.script) {
            Some(name) => built_in_scripts::find(&name, self.dialect_id())
                .ok()?
                .extension(),
            None => self.model.scripted.extension(),
        }
    }

    fn set_up(&self, marker: PromptMarker) -> Result<(TurnSettings, Option<Fault>), String> {
        let load = |name: String| built_in(&name, self.dialect_id(), &self.workspace.given);
        let built_in = marker.script.map(load).transpose();
        let settings = TurnSettings {
            script: built_in
                .map_err(|why| why.to_string())?
                .map(|found| found.script),
            pace: marker.pace,
            gate: marker.gate,
        };
        let fault = marker.fault.map(|id| self.fault(&id)).transpose()?;
        Ok((settings, fault))
    }

    fn dialect_id(&self) -> (&str, &str) {
        self.faults.dialect.name_and_version()
    }

    fn fault(&self, id: &str) -> Result<Fault, String> {
        let fault = self.faults.dialect.fault(id)?;
        match fault.effect {
            Effect::Internal("#options", ..) => Err(format!(
                "the fault `{id}` is one of the start: start the agent with --fault {id}"
            )),
            _ => Ok(fault),
        }
    }
}

/// The script in a file, to be played in this workspace.
///
/// # Errors
/// The first mistake, with its location.
pub(crate) fn script(file: &Node, workspace: &Path) -> Result<Script, spanned_yaml::Error> {
    Script::load(file, workspace).map_err(|errors| {
        let first = errors.into_iter().next();
        first.unwrap_or_else(|| file.error("this is not a script"))
    })
}

/// A built-in script, to be played in this workspace.
///
/// # Errors
/// The dialect has no such script.
pub(crate) fn built_in(
    name: &str,
    dialect: (&str, &str),
    workspace: &Path,
) -> Result<BuiltInScript, ScriptError> {
    let file = built_in_scripts::find(name, dialect)?;
    Ok(BuiltInScript {
        script: script(&file.node()?, workspace)?,
        extension: file.extension(),
    })
}
