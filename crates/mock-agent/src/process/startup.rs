//! Startup: from the options to a session that is ready to run. Everything that can fail before it starts fails here.

use super::control::{Controls, ReplaceScript};
use crate::built_in_scripts::{ScriptError, is_name};
use crate::config::{
    AgentConfig, ArgumentError, CliOptions, Env, ModelSource, SessionStorage, StartError,
    WORKSPACE_SESSIONS,
};
use crate::core::marker_effects::{built_in, script};
use crate::core::{Approvals, CallIds, Conversation, EventSink, Session, SessionState};
use crate::faults::{Bug, Faults};
use crate::model::{ModelClient, ReplySource, ScriptedModel, ScriptedModelOptions};
use crate::protocols::adapter::Adapter;
use crate::session_store::{SessionChoice, SessionStore};
use crate::tools::{Toolbox, Workspace};
use conform_dialect::DialectSource;
use conform_dialect::agents::by_purpose;
use spanned_yaml::Node;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// A session that is ready to run, and the handle that replaces the script of its model, if the model is in this process.
///
/// # Errors
/// The first of the configuration, the workspace, the model and the conversation that cannot be loaded, for the user.
pub(crate) fn prepare(
    adapter: &Adapter,
    mut options: CliOptions,
    events: EventSink,
    faults: &Rc<Faults>,
    env: Env<'_>,
    controls: &Controls,
) -> Result<(Session, Option<ReplaceScript>), StartError> {
    faults.options(&mut options);
    if let Some(file) = options.files.first() {
        let file = file.clone();
        return Err(ArgumentError::File { file }.into());
    }
    let config = (adapter.configure)(options, env)?;
    let workspace = Workspace::open(&config.workspace)?;
    let scripted = Rc::new(scripted_model(adapter, &config, &workspace, controls)?);
    let conversation = conversation(&config, &workspace, faults)?;
    let endpoint = match config.source {
        ModelSource::Endpoint(endpoint) => Some(endpoint),
        _ => None,
    };
    let replace_script = endpoint.is_none().then(|| {
        let model = Rc::clone(&scripted);
        let (seed, root) = (config.seed, workspace.given.clone());
        let dialect = (adapter.name, adapter.version);
        Box::new(move |path: &Path| {
            let name = path.to_str().filter(|script| is_name(script));
            let source = match name {
                Some(name) => built_in(name, dialect, &root).map(ReplySource::BuiltIn),
                None => script_of_file(path, dialect, &root, seed),
            };
            model.reset(source.map_err(|why| why.to_string())?);
            Ok(())
        }) as ReplaceScript
    });
    let session = Session {
        call_ids: RefCell::new(CallIds::from_messages(&conversation.messages)),
        model_name: RefCell::new(config.settings.model.clone()),
        events,
        model: ModelClient::new(config.wire, endpoint, scripted),
        tools: Toolbox::new(adapter.tools, config.mcp),
        workspace,
        settings: config.settings,
        approvals: RefCell::new(Approvals::new(config.mode)),
        conversation: RefCell::new(conversation),
        faults: Rc::clone(faults),
        adapter: None,
        state: SessionState::default(),
    };
    Ok((session, replace_script))
}

fn scripted_model(
    adapter: &Adapter,
    config: &AgentConfig,
    workspace: &Workspace,
    controls: &Controls,
) -> Result<ScriptedModel, ScriptError> {
    let source = match &config.source {
        ModelSource::Echo | ModelSource::Endpoint(_) => ReplySource::Echo,
        ModelSource::BuiltIn(name) => {
            let dialect = (adapter.name, adapter.version);
            ReplySource::BuiltIn(built_in(name, dialect, &workspace.given)?)
        }
        ModelSource::Script(path) => {
            let dialect = (adapter.name, adapter.version);
            script_of_file(path, dialect, &workspace.given, config.seed)?
        }
    };
    let options = ScriptedModelOptions {
        clock: Arc::clone(&controls.clock),
        gate_timeout: controls.gate_timeout(config.gate),
        pace: config.pace,
        seed: config.seed,
    };
    let gates = Rc::clone(&controls.gates);
    Ok(ScriptedModel::new(source, gates, options))
}

/// The replies of a script file. Purposes in it stand for the agent's own tools.
fn script_of_file(
    path: &Path,
    dialect: (&str, &str),
    workspace: &Path,
    seed: u64,
) -> Result<ReplySource, ScriptError> {
    let node = spanned_yaml::load_file(path)?;
    let own = with_own_tools(&node, dialect);
    let node = own.map_err(|errors| {
        errors
            .into_iter()
            .next()
            .unwrap_or_else(|| node.error("this is not a script"))
    })?;
    let script = script(&node, workspace)?;
    let model = mock_provider::Model::new(script, seed);
    Ok(ReplySource::Script(Box::new(model)))
}

/// A script with the tools that the agent file of this agent names for purposes.
fn with_own_tools(
    script: &Node,
    (name, version): (&str, &str),
) -> Result<Node, Vec<spanned_yaml::Error>> {
    let source = DialectSource::default();
    let Some(agent) = source.agent(name, version)? else {
        return Ok(script.clone());
    };
    let dialect = conform_dialect::dialect_file(&source, &format!("{name}@{version}"))?;
    let found = by_purpose(script, &dialect.file.purposes, Some(&agent))?;
    Ok(found.scenario)
}

fn conversation(
    config: &AgentConfig,
    workspace: &Workspace,
    faults: &Faults,
) -> Result<Conversation, StartError> {
    let folder = match &config.sessions {
        SessionStorage::Workspace => workspace.root.join(WORKSPACE_SESSIONS),
        SessionStorage::Folder(folder) => folder.clone(),
        SessionStorage::Off if config.session == SessionChoice::New => {
            return Ok(Conversation::default());
        }
        SessionStorage::Off => return Err(StartError::SessionsOff),
    };
    let store = SessionStore::new(folder, config.seed);
    match store.open(&session_choice(&config.session, &store, faults)) {
        Ok((stored, mut messages)) => {
            let was_resumed = !messages.is_empty();
            if was_resumed && faults.triggers(Bug::ResumeForgets) {
                messages.clear();
            }
            Ok(Conversation::new(messages, Some(stored), was_resumed))
        }
        Err(why) if config.session == SessionChoice::New => {
            tracing::warn!("the session is not saved: {why}");
            Ok(Conversation::default())
        }
        Err(why) => Err(why.into()),
    }
}

/// The session to open.
fn session_choice(choice: &SessionChoice, store: &SessionStore, faults: &Faults) -> SessionChoice {
    use SessionChoice::{Latest, Named, New, Resume};
    let known = |id: &str| store.ids().iter().any(|known| known == id);
    match choice {
        Named(id) if known(id) && faults.triggers(Bug::ReusesKnownId) => Resume(id.clone()),
        Resume(id) if !known(id) && faults.triggers(Bug::ResumesNothing) => Named(id.clone()),
        New if !store.ids().is_empty() && faults.triggers(Bug::ResumesUnasked) => Latest,
        Latest if faults.triggers(Bug::LatestIsFirst) => store.ids().pop().map_or(Latest, Resume),
        choice => choice.clone(),
    }
}
