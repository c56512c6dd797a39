//! Startup: from the options to a session that is ready to run. Everything that can fail before it starts fails here.

use super::control::{ControlTarget, Controls, ReplaceScript};
use super::fault_writer::FaultedDialect;
use crate::config::DialectFiles;
use crate::config::options::CliOptions;
use crate::config::{AgentConfig, Env, ModelSource, SessionStorage, WORKSPACE_SESSIONS};
use crate::core::conversation::Conversation;
use crate::core::event_sink::EventSink;
use crate::core::hooks::Hooks;
use crate::core::session::Session;
use crate::core::state::SessionParts;
use crate::faults::Faults;
use crate::model::{Backend, ModelClient, ScriptedModel, script_file};
use crate::os::stdout::Outbox;
use crate::protocols::adapter::Adapter;
use crate::session_store::{SessionChoice, SessionStore};
use crate::tools::{Tool, Toolbox, Workspace};
use frame_faults::KindPointers;
use std::path::Path;
use std::rc::Rc;

/// The parts of a session.
pub(crate) struct Prepared {
    config: AgentConfig,
    tools: &'static [Tool],
    workspace: Workspace,
    model: ModelClient,
    /// The model, if it is in this process.
    scripted: Option<Rc<ScriptedModel>>,
    conversation: Conversation,
}

/// Loads the configuration, the workspace, the model and the conversation.
///
/// # Errors
/// The first of them that cannot be loaded, for the user.
pub(crate) fn prepare(
    adapter: &Adapter,
    mut options: CliOptions,
    faults: &Faults,
    env: Env<'_>,
    controls: &Controls,
) -> Result<Prepared, String> {
    faults.options(&mut options);
    if let Some(file) = options.files.first() {
        return Err(format!("Unknown argument: {file}"));
    }
    let config = (adapter.configure)(options, env)?;
    let workspace = Workspace::open(&config.workspace)?;
    let backend = backend(&config, &workspace, controls)?;
    let scripted = match &backend {
        Backend::Scripted(model) => Some(Rc::clone(model)),
        Backend::Http(_) => None,
    };
    let model = ModelClient::new(config.wire, backend);
    let conversation = conversation(&config, &workspace, faults)?;
    Ok(Prepared {
        config,
        tools: adapter.tools,
        workspace,
        model,
        scripted,
        conversation,
    })
}

fn backend(
    config: &AgentConfig,
    workspace: &Workspace,
    controls: &Controls,
) -> Result<Backend, String> {
    let script = match &config.source {
        ModelSource::Endpoint(endpoint) => return Ok(Backend::Http(endpoint.clone())),
        ModelSource::Echo => None,
        ModelSource::Script(path) => Some(load_script(path, workspace.given())?),
    };
    let model = script.map(|script| mock_provider::Model::new(script, config.seed));
    let timeout = controls.gate_timeout(config.gate);
    let scripted = ScriptedModel::new(model, Rc::clone(&controls.gates), timeout);
    Ok(Backend::Scripted(Rc::new(scripted)))
}

/// Loads a model script for a workspace.
fn load_script(path: &Path, workspace: &Path) -> Result<mock_provider::Script, String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let root = workspace.to_string_lossy().into_owned();
    script_file::load(path, &[("workspace", root), ("home", home)])
}

fn conversation(
    config: &AgentConfig,
    workspace: &Workspace,
    faults: &Faults,
) -> Result<Conversation, String> {
    let folder = match &config.sessions {
        SessionStorage::Workspace => workspace.root().join(WORKSPACE_SESSIONS),
        SessionStorage::Folder(folder) => folder.clone(),
        SessionStorage::Off if config.session == SessionChoice::New => {
            return Ok(Conversation::default());
        }
        SessionStorage::Off => return Err("Sessions are switched off (MOCK_AGENT_SESSIONS)".into()),
    };
    let store = SessionStore::new(folder, config.seed);
    match store.open(&faults.session_choice(&config.session, &store)) {
        Ok((stored, mut messages)) => {
            faults.resumed_messages(&mut messages);
            Ok(Conversation::new(messages, Some(stored)))
        }
        Err(why) if config.session == SessionChoice::New => {
            tracing::warn!("the session is not saved: {why}");
            Ok(Conversation::default())
        }
        Err(why) => Err(why),
    }
}

impl Prepared {
    /// What the commands of a test act on.
    pub(crate) fn control_target(
        &self,
        adapter: &Adapter,
        outbox: &Rc<Outbox>,
        files: DialectFiles,
    ) -> ControlTarget {
        let pointer = adapter.kind_pointer.to_owned();
        ControlTarget {
            outbox: Rc::clone(outbox),
            replace_script: self.replace_script(),
            session: self.conversation.id().map(str::to_owned),
            dialect: FaultedDialect {
                name: adapter.name.to_owned(),
                version: adapter.version.to_owned(),
                kinds: KindPointers {
                    events: pointer.clone(),
                    commands: pointer,
                },
                ..FaultedDialect::default()
            },
            files,
        }
    }

    /// Plays another model script, if the model is in this process.
    fn replace_script(&self) -> Option<ReplaceScript> {
        let model = Rc::clone(self.scripted.as_ref()?);
        let (seed, root) = (self.config.seed, self.workspace.given().to_owned());
        Some(Box::new(move |path| {
            let script = load_script(path, &root)?;
            model.reset(mock_provider::Model::new(script, seed));
            Ok(())
        }))
    }

    pub(crate) fn session(self, events: EventSink, hooks: Rc<dyn Hooks>) -> Session {
        let AgentConfig {
            settings,
            mode,
            mcp,
            ..
        } = self.config;
        Session::new(SessionParts {
            events,
            model: self.model,
            tools: Toolbox::new(self.tools, mcp),
            workspace: self.workspace,
            settings,
            mode,
            conversation: self.conversation,
            hooks,
        })
    }
}
