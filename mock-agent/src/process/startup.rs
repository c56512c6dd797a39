//! Startup: from the options to a session that is ready to run. Everything that can fail before it starts fails here.

use crate::config::options::CliOptions;
use crate::config::{AgentConfig, Env, ModelSource, SessionStorage, WORKSPACE_SESSIONS};
use crate::core::conversation::Conversation;
use crate::core::event_sink::EventSink;
use crate::core::hooks::Hooks;
use crate::core::session::Session;
use crate::core::state::SessionParts;
use crate::faults::Faults;
use crate::model::{Backend, ModelClient, ScriptedModel, script_file};
use crate::protocols::adapter::Adapter;
use crate::session_store::{SessionChoice, SessionStore};
use crate::tools::{Tool, Toolbox, Workspace};
use std::rc::Rc;

/// The parts of a session.
pub(crate) struct Prepared {
    config: AgentConfig,
    tools: &'static [Tool],
    workspace: Workspace,
    model: ModelClient,
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
) -> Result<Prepared, String> {
    faults.options(&mut options);
    if let Some(file) = options.files.first() {
        return Err(format!("Unknown argument: {file}"));
    }
    let config = (adapter.configure)(options, env)?;
    let workspace = Workspace::open(&config.workspace)?;
    let model = ModelClient::new(config.wire, backend(&config, &workspace)?);
    let conversation = conversation(&config, &workspace, faults)?;
    Ok(Prepared {
        config,
        tools: adapter.tools,
        workspace,
        model,
        conversation,
    })
}

fn backend(config: &AgentConfig, workspace: &Workspace) -> Result<Backend, String> {
    let script = match &config.source {
        ModelSource::Endpoint(endpoint) => return Ok(Backend::Http(endpoint.clone())),
        ModelSource::Echo => None,
        ModelSource::Script(path) => {
            let home = std::env::var("HOME").unwrap_or_default();
            let root = workspace.given().to_string_lossy().into_owned();
            Some(script_file::load(
                path,
                &[("workspace", root), ("home", home)],
            )?)
        }
    };
    let model = script.map(|script| mock_provider::Model::new(script, config.seed));
    let scripted = ScriptedModel::new(model, config.gate);
    Ok(Backend::Scripted(Rc::new(scripted)))
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
