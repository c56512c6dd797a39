//! Sessions of the client: new, loaded, resumed, listed, closed, deleted.

use super::commands::{Answer, cancel, text};
use super::host::AcpHost;
use super::rpc::{self, RpcError};
use super::state::{update_frame, updated_at};
use super::{AcpSession, Agent, options, prompt, replay, tools};
use crate::core::{Approvals, CallIds, Conversation, EventSink, Session, SessionState};
use crate::faults::Bug;
use crate::model::Message;
use crate::session_store::{SessionChoice, StoreError};
use crate::tools::mcp_client::McpServer;
use crate::tools::{Category, Workspace};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What the client wants of a session.
struct Setup {
    cwd: PathBuf,
    roots: Vec<PathBuf>,
    workspace: Workspace,
    servers: Vec<McpServer>,
    system_prompt: String,
}

pub(super) fn new(agent: Agent<'_>, params: &Value) -> Answer {
    let setup = setup(agent, params)?;
    let store = agent.state().store.clone();
    let (id, stored) = match store {
        Some(store) => {
            let opened = store.open(&SessionChoice::New);
            let (stored, _) = opened.map_err(|why| RpcError::new(-32603, why.to_string()))?;
            agent.state().store = Some(stored.store());
            (stored.id.clone(), Some(stored))
        }
        None => {
            let mut state = agent.state();
            state.unsaved += 1;
            (format!("session-{}", state.unsaved), None)
        }
    };
    let mut conversation = Conversation::new(Vec::new(), stored, false);
    let others = messages_of_all(agent);
    if !others.is_empty() && agent.faults.triggers(Bug::NewSessionKeepsConversation) {
        conversation.messages = others;
    }
    let mut result = start(agent, &id, conversation, setup, &Value::Null);
    result["sessionId"] = json!(id);
    Ok(Some(result))
}

/// The messages of all open sessions.
fn messages_of_all(agent: Agent<'_>) -> Vec<Message> {
    let state = agent.state();
    let open = state.sessions.values();
    open.flat_map(|open| open.core.conversation.borrow().messages.clone())
        .collect()
}

/// Loads a session with its history, or resumes it without.
pub(super) fn open(agent: Agent<'_>, request: &Value, params: &Value, loads: bool) -> Answer {
    let id = text(params, "sessionId")?;
    let setup = setup(agent, params)?;
    let (conversation, about) = match agent.state().sessions.get(id) {
        Some(open) if open.prompt.is_some() => {
            return Err(RpcError::invalid_request(
                "A prompt is running in this session",
            ));
        }
        Some(open) => (open.core.conversation.take(), open.about()),
        None => (Conversation::default(), Value::Null),
    };
    let (conversation, about) = if about.is_null() {
        stored(agent, id)?
    } else {
        (conversation, about)
    };
    let closed = agent.state().sessions.remove(id);
    closed.inspect(|open| open.core.close());
    let result = start(agent, id, conversation, setup, &about);
    if loads && agent.faults.triggers(Bug::LoadAnswersFirst) {
        agent.send(rpc::result(request, result));
        repeat(agent, id);
        return Ok(None);
    }
    if loads {
        repeat(agent, id);
    }
    Ok(Some(result))
}

/// The conversation of a session that is not open, and what is kept beside it.
fn stored(agent: Agent<'_>, id: &str) -> Result<(Conversation, Value), RpcError> {
    let unknown = || RpcError::unknown_session(id);
    let store = agent.state().store.clone().ok_or_else(unknown)?;
    let (stored, messages) = store
        .open(&SessionChoice::Resume(id.to_owned()))
        .map_err(|why| match why {
            StoreError::Unknown { .. } | StoreError::InvalidId { .. } => unknown(),
            why => RpcError::new(-32603, why.to_string()),
        })?;
    let about = std::fs::read(store.companion(id)).map_err(|_| unknown())?;
    let about = serde_json::from_slice(&about).map_err(|_| unknown())?;
    let messages = if agent.faults.triggers(Bug::ResumeForgets) {
        Vec::new()
    } else {
        messages
    };
    Ok((Conversation::new(messages, Some(stored), true), about))
}

/// Sends the updates of a session again.
fn repeat(agent: Agent<'_>, id: &str) {
    let state = agent.state();
    let Some(open) = state.sessions.get(id) else {
        return;
    };
    let takes_subagents = state.takes("subagent_update");
    let kind = |update: &Value| {
        update["sessionUpdate"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let updates: Vec<_> = open
        .log
        .iter()
        .filter(|update| state.takes(&kind(update)))
        .cloned()
        .collect();
    drop(state);
    let mut has_answer = false;
    for update in updates {
        let lost = match kind(&update).as_str() {
            "tool_call" => Some(Bug::LoadLosesCalls),
            "agent_message_chunk" if has_answer => Some(Bug::LoadLosesAnswers),
            _ => None,
        };
        has_answer |= kind(&update) == "agent_message_chunk";
        if lost.is_some_and(|bug| agent.faults.triggers(bug)) {
            continue;
        }
        agent.send(update_frame(id, replay::shown(&update, takes_subagents)));
    }
}

/// What the parameters say of a session.
fn setup(agent: Agent<'_>, params: &Value) -> Result<Setup, RpcError> {
    let folder = |value: &Value, name: &str| {
        let path = value.as_str().map(PathBuf::from);
        let path = path.filter(|path| path.is_absolute());
        path.ok_or_else(|| RpcError::invalid_params(format!("`{name}` must be an absolute path")))
    };
    let cwd = folder(&params["cwd"], "cwd")?;
    let roots = params["additionalDirectories"]
        .as_array()
        .into_iter()
        .flatten();
    let roots: Vec<_> = roots
        .map(|root| folder(root, "additionalDirectories"))
        .collect::<Result<_, _>>()?;
    let servers = match &params["mcpServers"] {
        Value::Array(servers) => servers.iter().map(server).collect::<Result<_, _>>()?,
        Value::Null => Vec::new(),
        _ => return Err(RpcError::invalid_params("`mcpServers` must be a list")),
    };
    let open = |path: &Path| {
        Workspace::open(path).map_err(|why| RpcError::invalid_params(why.to_string()))
    };
    let mut workspace = open(&cwd)?;
    if agent.faults.triggers(Bug::IgnoresCwd) {
        workspace = agent.workspace.clone();
    }
    workspace.others = roots
        .iter()
        .map(|root| open(root))
        .collect::<Result<_, _>>()?;
    let base = &agent.settings.system_prompt;
    let own = format!("{base}\nWorking directory: {}", cwd.display());
    Ok(Setup {
        system_prompt: system_prompt(own, &params["systemPrompt"])?,
        cwd,
        roots,
        workspace,
        servers,
    })
}

fn system_prompt(own: String, given: &Value) -> Result<String, RpcError> {
    if given.is_null() {
        return Ok(own);
    }
    let refused = |why: &str| Err(RpcError::invalid_params(format!("systemPrompt: {why}")));
    let blocks = given["content"].as_array().map_or(&[][..], Vec::as_slice);
    let texts: Option<Vec<_>> = blocks
        .iter()
        .map(|block| block["text"].as_str().filter(|_| block["type"] == "text"))
        .collect();
    let Some(texts) = texts.filter(|texts| !texts.is_empty()) else {
        return refused("`content` must have text blocks only, and at least one");
    };
    let text = texts.join("\n");
    match given["mode"].as_str() {
        Some("append") => Ok(format!("{own}\n\n{text}")),
        Some("override") => Ok(text),
        _ => refused("the mode is unknown"),
    }
}

fn server(server: &Value) -> Result<McpServer, RpcError> {
    let pairs = |list: &Value| -> Map<String, Value> {
        let pairs = list.as_array().into_iter().flatten();
        pairs
            .filter_map(|pair| Some((pair["name"].as_str()?.to_owned(), pair["value"].clone())))
            .collect()
    };
    let transport = server["type"].as_str().unwrap_or("stdio");
    if transport != "stdio" {
        return Err(RpcError::invalid_params(format!(
            "MCP over {transport} is not supported"
        )));
    }
    let declared = json!({
        "name": server["name"], "transport": transport, "command": server["command"],
        "args": server["args"], "env": pairs(&server["env"]),
    });
    serde_json::from_value(declared)
        .map_err(|why| RpcError::invalid_params(format!("mcpServers: {why}")))
}

/// Starts a session of the core; `about` is what is kept of an earlier one. Returns its modes and options.
fn start(
    agent: Agent<'_>,
    id: &str,
    conversation: Conversation,
    setup: Setup,
    about: &Value,
) -> Value {
    let faults = &agent.faults;
    let workspace = setup.workspace;
    let kept = |name: &str| about[name].as_str().map(str::to_owned);
    let count = |name: &str| about[name].as_u64().unwrap_or_default();
    let first_mode = agent.approvals.borrow().mode;
    let mode = kept("mode").unwrap_or_else(|| options::mode_id(first_mode).to_owned());
    let mut approvals = Approvals::new(options::approval_mode(&mode).unwrap_or(first_mode));
    approvals.allow(Category::Info);
    let shared = agent.shared_state();
    let (state, name) = (Rc::clone(shared), id.to_owned());
    let events = EventSink {
        encode: Rc::new(move |event| super::events::frames(&state, &name, event)),
        outbox: Rc::clone(&agent.events.outbox),
    };
    let mut settings = agent.settings.clone();
    settings.system_prompt = setup.system_prompt;
    let core = Rc::new(Session {
        call_ids: RefCell::new(CallIds::from_messages(&conversation.messages)),
        model_name: RefCell::new(settings.model.clone()),
        events,
        model: agent.model.of_another_session(),
        tools: agent.tools.of_another_session(tools::TOOLS),
        approvals: RefCell::new(approvals),
        conversation: RefCell::new(conversation),
        faults: Rc::clone(faults),
        adapter: Some(Rc::new(AcpHost {
            state: Rc::clone(shared),
            outbox: Rc::clone(&agent.events.outbox),
            session: id.to_owned(),
            cwd: workspace.given.clone(),
        })),
        workspace,
        settings,
        state: SessionState::default(),
    });
    let session = AcpSession {
        core: Rc::clone(&core),
        cwd: setup.cwd,
        roots: setup.roots,
        mode,
        model: kept("model").unwrap_or_else(|| agent.state().model_info.model.clone()),
        thinking: kept("thinking").unwrap_or_else(|| "off".into()),
        streams: true,
        title: kept("title"),
        prompts: count("prompts"),
        messages: count("messages"),
        parts: count("parts"),
        cost: about["cost"].as_f64().unwrap_or_default(),
        log: about["log"].as_array().cloned().unwrap_or_default(),
        prompt: None,
        rejected: BTreeSet::new(),
    };
    options::apply(&core, &session.model, &session.thinking);
    let starts_servers = setup.servers.is_empty() || !faults.triggers(Bug::McpServerNotStarted);
    for server in setup.servers.into_iter().filter(|_| starts_servers) {
        let _ = core.add_mcp_server(server);
    }
    let running = Rc::clone(&core);
    tokio::task::spawn_local(async move { running.run().await });
    let mut state = agent.state();
    let result = json!({
        "modes": options::modes(&session),
        "configOptions": options::config_options(&state, &session),
    });
    state.sessions.insert(id.to_owned(), session);
    drop(state);
    let (outbox, commands) = (
        Rc::clone(&agent.events.outbox),
        update_frame(id, prompt::commands()),
    );
    // The client learns the session from the answer.
    tokio::task::spawn_local(async move { outbox.send(commands) });
    result
}

pub(super) fn list(agent: Agent<'_>, params: &Value) -> Answer {
    let state = agent.state();
    let store = state.store.clone();
    let mut all: Vec<(String, Value)> = state
        .sessions
        .iter()
        .map(|(id, open)| (id.clone(), open.about()))
        .collect();
    for id in store.iter().flat_map(|store| store.ids()) {
        let is_open = state.sessions.contains_key(&id);
        let about = store
            .as_ref()
            .and_then(|store| std::fs::read(store.companion(&id)).ok());
        let about = about.and_then(|text| serde_json::from_slice(&text).ok());
        all.extend(about.filter(|_| !is_open).map(|about| (id, about)));
    }
    let cwd = &params["cwd"];
    all.retain(|(_, about)| cwd.is_null() || about["cwd"] == *cwd);
    let prompts = |about: &Value| about["prompts"].as_u64().unwrap_or_default();
    all.sort_by_key(|(id, about)| (std::cmp::Reverse(prompts(about)), id.clone()));
    let page = agent.settings.host_options.page;
    let first = match &params["cursor"] {
        Value::Null => 0,
        cursor => {
            let place = cursor
                .as_str()
                .and_then(|cursor| cursor.strip_prefix("after-"));
            let place = place.and_then(|place| place.parse::<usize>().ok());
            place
                .filter(|place| *place < all.len())
                .ok_or_else(|| RpcError::invalid_params("The cursor is unknown"))?
        }
    };
    let sessions = all.iter().skip(first).take(page).map(|(id, about)| {
        json!({
            "sessionId": id, "cwd": about["cwd"], "additionalDirectories": about["additionalDirectories"],
            "title": about["title"], "updatedAt": updated_at(prompts(about)),
        })
    });
    let mut result = json!({ "sessions": sessions.collect::<Vec<_>>() });
    if first + page < all.len() {
        result["nextCursor"] = json!(format!("after-{}", first + page));
    }
    Ok(Some(result))
}

/// Closes a session, after its prompt was answered; or deletes it.
pub(super) fn end(agent: Agent<'_>, request: &Value, params: &Value, deletes: bool) -> Answer {
    let id = text(params, "sessionId")?.to_owned();
    let is_open = agent.state().sessions.contains_key(&id);
    if !is_open && !deletes {
        return Err(RpcError::unknown_session(&id));
    }
    cancel(agent, &id, None);
    let request = request.clone();
    agent.spawn(async move |agent| {
        let core = agent
            .state()
            .sessions
            .get(&id)
            .map(|open| Rc::clone(&open.core));
        if let Some(core) = core {
            core.wait_until_idle().await;
            core.close();
        }
        let deletes = deletes && !agent.faults.triggers(Bug::DeleteKeepsSession);
        let mut state = agent.state();
        state.sessions.remove(&id);
        if let Some(store) = state.store.as_mut().filter(|_| deletes) {
            store.remove(&id);
        }
        drop(state);
        agent.send(rpc::result(&request, json!({})));
    });
    Ok(None)
}
