//! The messages of the host: requests, notifications, and answers to the agent's requests.

use super::rpc::{self, Message, RpcError};
use super::{AcpState, Pending, options, prompt, sessions};
use crate::core::{Decision, Event, Halt};
use crate::faults::Bug;
use crate::os::stdin::Input;
use crate::protocols::session::{LocalFuture, Protocol, ProtocolSession};
use crate::session_store::SessionStore;
use serde_json::{Value, json};
use std::rc::Rc;
use std::time::Duration;

pub(super) type Agent<'a> = ProtocolSession<'a, AcpState>;

/// The result of a request; none if it is answered later.
pub(super) type Answer = Result<Option<Value>, RpcError>;

/// A method: its name, whether it needs a login, and its handler, which gets the id and the parameters.
type Method = (&'static str, bool, fn(Agent<'_>, &Value, &Value) -> Answer);

const METHODS: &[Method] = &[
    ("initialize", false, |agent, _, params| {
        initialize(agent, params)
    }),
    ("authenticate", false, |agent, _, params| {
        authenticate(agent, params)
    }),
    ("logout", false, |agent, _, _| {
        agent.state().logged_in = false;
        Ok(Some(json!({})))
    }),
    ("session/new", true, |agent, _, params| {
        sessions::new(agent, params)
    }),
    ("session/load", true, |agent, id, params| {
        sessions::open(agent, id, params, true)
    }),
    ("session/resume", true, |agent, id, params| {
        sessions::open(agent, id, params, false)
    }),
    ("session/list", true, |agent, _, params| {
        sessions::list(agent, params)
    }),
    ("session/delete", true, |agent, id, params| {
        sessions::end(agent, id, params, true)
    }),
    ("session/close", true, |agent, id, params| {
        sessions::end(agent, id, params, false)
    }),
    ("session/prompt", true, prompt::prompt),
    ("session/set_mode", true, |agent, _, params| {
        set_mode(agent, params)
    }),
    ("session/set_config_option", true, |agent, _, params| {
        set_option(agent, params)
    }),
    ("_mock/echo", false, |_, _, params| Ok(Some(params.clone()))),
];

/// The method of the login.
const LOGIN: &str = "mock-login";

/// After the end of input, a turn that has sent nothing for this long is stopped.
const QUIET: Duration = Duration::from_millis(250);

/// The timeout for the turns after the end of input, and for those that are stopped then.
const LAST_TURNS: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(1)];

impl Protocol for AcpState {
    fn take(agent: Agent<'_>, input: Input) {
        match rpc::read(&input) {
            Ok(Some(message)) => take(agent, message),
            Ok(None) => {}
            Err((id, why)) => {
                agent.send(rpc::error(&id, why));
                agent.after_rejected_command();
            }
        }
    }

    fn frames(&mut self, event: &Event<'_>) -> Vec<Value> {
        if let Event::Ready(info) = event {
            self.model_info = info.model_info.clone();
        }
        vec![]
    }

    fn before_exit(&mut self, at_once: bool) -> Option<LocalFuture> {
        let cores: Vec<_> = self
            .sessions
            .values()
            .map(|one| Rc::clone(&one.core))
            .collect();
        let first = Rc::clone(cores.first()?);
        Some(Box::pin(async move {
            cores.iter().for_each(|core| core.close());
            let all_idle = async || {
                for core in &cores {
                    core.wait_until_idle().await;
                }
            };
            let outbox = &first.events.outbox;
            let quiet = async {
                let mut before = None;
                while before != Some(outbox.sent.get()) {
                    before = Some(outbox.sent.get());
                    tokio::time::sleep(QUIET).await;
                }
            };
            tokio::select! {
                biased;
                () = all_idle() => {}
                () = quiet, if !at_once => {}
                () = tokio::time::sleep(LAST_TURNS[0]), if !at_once => {}
                () = std::future::ready(()), if at_once => {}
            }
            for core in &cores {
                core.clear_queue();
                core.stop(Halt::Exit);
            }
            let _ = tokio::time::timeout(LAST_TURNS[1], all_idle()).await;
        }))
    }
}

fn take(agent: Agent<'_>, message: Message) {
    let Message {
        value,
        mut id,
        cancelled,
    } = message;
    let written = value["id"].clone();
    let Some(value) = agent.taken(value) else {
        return;
    };
    if value["id"] != written {
        id = value.get("id").cloned();
    }
    let method = value["method"].as_str();
    let params = value.get("params").unwrap_or(&Value::Null);
    let is_answer = value.get("result").is_some() || value.get("error").is_some();
    let refused = |why: &str| {
        let id = id.as_ref().unwrap_or(&Value::Null);
        agent.send(rpc::error(id, RpcError::invalid_request(why)));
        agent.after_rejected_command();
    };
    if value["jsonrpc"] != "2.0" {
        return refused("Invalid request: `jsonrpc` must be \"2.0\"");
    }
    match (&id, method) {
        (Some(id), Some(method)) => {
            let answer = request(agent, id, method, params);
            if let Some(answer) = answer.transpose() {
                let failed = answer.is_err();
                agent.send(rpc::answer(id, answer));
                if failed {
                    agent.after_rejected_command();
                }
            }
        }
        (None, Some("session/cancel")) => {
            cancel(
                agent,
                params["sessionId"].as_str().unwrap_or_default(),
                None,
            );
        }
        (None, Some("$/cancel_request")) => {
            let of_prompt = cancelled.and_then(|id| {
                let state = agent.state();
                let is_meant = |prompt: &super::OpenPrompt| prompt.id == id;
                let mut sessions = state.sessions.iter();
                let found = sessions.find(|(_, one)| one.prompt.as_ref().is_some_and(is_meant));
                found.map(|(session, _)| session.clone())
            });
            of_prompt.inspect(|session| cancel(agent, session, Some(())));
        }
        (None, Some(_)) => {}
        (Some(id), None) if is_answer => answered(agent, id, &value),
        _ => refused(
            "Invalid request: a message has a `method`, or an `id` and a `result` or an `error`",
        ),
    }
}

fn request(agent: Agent<'_>, id: &Value, method: &str, params: &Value) -> Answer {
    let initialized = agent.state().initialized;
    if !initialized && method != "initialize" {
        return Err(RpcError::invalid_request("`initialize` must come first"));
    }
    let found = METHODS.iter().find(|(name, ..)| *name == method);
    let Some((_, needs_login, handler)) = found else {
        return Err(RpcError::new(-32601, format!("Method not found: {method}")));
    };
    if *needs_login && agent.settings.host_options.requires_login && !agent.state().logged_in {
        return Err(RpcError::new(-32000, "Authentication required"));
    }
    if !(params.is_object() || params.is_null()) {
        return Err(RpcError::invalid_params("`params` must be an object"));
    }
    handler(agent, id, params)
}

fn initialize(agent: Agent<'_>, params: &Value) -> Answer {
    let mut state = agent.state();
    if state.initialized {
        return Err(RpcError::invalid_request("`initialize` was sent before"));
    }
    let version = params["protocolVersion"]
        .as_u64()
        .filter(|version| *version <= 65535);
    if version.is_none() {
        return Err(RpcError::invalid_params(
            "`protocolVersion` must be an integer",
        ));
    }
    state.client = params["clientCapabilities"].clone();
    state.initialized = true;
    let host = &agent.settings.host_options;
    let store = host
        .session_folder
        .clone()
        .map(|folder| SessionStore::new(folder, host.seed));
    let saves = store.is_some();
    state.store = store;
    Ok(Some(json!({
        "protocolVersion": 1,
        "agentInfo": { "name": "mock-agent", "title": "Mock agent", "version": env!("CARGO_PKG_VERSION") },
        "authMethods": [{ "id": LOGIN, "name": "Mock login", "description": "Logs in without asking anything" }],
        "agentCapabilities": {
            "loadSession": saves,
            "promptCapabilities": { "image": true, "audio": true, "embeddedContext": true },
            "mcpCapabilities": { "http": false, "sse": false },
            "sessionCapabilities": {
                "list": {}, "delete": {}, "close": {}, "resume": {}, "additionalDirectories": {},
                "systemPrompt": { "mode": { "override": {} } },
            },
            "auth": { "logout": {} },
        },
    })))
}

fn authenticate(agent: Agent<'_>, params: &Value) -> Answer {
    if params["methodId"] != LOGIN {
        return Err(RpcError::invalid_params(format!(
            "Unknown login: {}",
            params["methodId"]
        )));
    }
    agent.state().logged_in = true;
    Ok(Some(json!({})))
}

/// A text in the parameters.
///
/// # Errors
/// It is missing, or no text.
pub(super) fn text<'a>(params: &'a Value, name: &str) -> Result<&'a str, RpcError> {
    let text = params[name].as_str();
    text.ok_or_else(|| RpcError::invalid_params(format!("`{name}` must be a text")))
}

fn set_mode(agent: Agent<'_>, params: &Value) -> Answer {
    let (session, _) = (text(params, "sessionId")?, text(params, "modeId")?);
    let frames = options::set(agent.shared_state(), session, "mode", &params["modeId"])?;
    frames.into_iter().for_each(|frame| agent.send(frame));
    Ok(Some(json!({})))
}

fn set_option(agent: Agent<'_>, params: &Value) -> Answer {
    let (session, option) = (text(params, "sessionId")?, text(params, "configId")?);
    let frames = options::set(agent.shared_state(), session, option, &params["value"])?;
    frames.into_iter().for_each(|frame| agent.send(frame));
    let state = agent.state();
    let options = options::config_options(&state, &state.sessions[session]);
    Ok(Some(json!({ "configOptions": options })))
}

/// Cancels the prompt of a session: by its session, or by its request.
pub(super) fn cancel(agent: Agent<'_>, session: &str, by_request: Option<()>) {
    let core = {
        let mut state = agent.state();
        let Ok(open) = state.session(session) else {
            return;
        };
        let Some(prompt) = &mut open.prompt else {
            return;
        };
        prompt.cancelled =
            !(open.core.has_open_calls() && agent.faults.triggers(Bug::CancelledToolIsEndTurn));
        prompt.by_request |= by_request.is_some();
        Rc::clone(&open.core)
    };
    core.stop(Halt::Stop);
}

/// The answer of the host to a request of the agent.
fn answered(agent: Agent<'_>, id: &Value, value: &Value) {
    let pending = id.as_u64().and_then(|id| agent.state().pending.remove(&id));
    let answer = match value.get("error") {
        Some(error) => Err(RpcError::new(
            error["code"].as_i64().unwrap_or(-32603),
            error["message"].as_str().unwrap_or("The client has failed"),
        )),
        None => Ok(value["result"].clone()),
    };
    match pending {
        Some(Pending::Answer(waiting)) => drop(waiting.send(answer)),
        Some(Pending::Permission { session, call }) => permission(agent, &session, &call, answer),
        Some(Pending::Ignored) | None => {}
    }
}

fn permission(agent: Agent<'_>, session: &str, call: &str, answer: Result<Value, RpcError>) {
    let outcome = answer.map(|result| result["outcome"].clone());
    let deny = |why: &str| Decision::Deny {
        reason: why.to_owned(),
    };
    let decision = match &outcome {
        Ok(outcome) if outcome["outcome"] == "cancelled" => return cancel(agent, session, None),
        Ok(outcome) => match outcome["optionId"].as_str() {
            Some("allow-once") => Decision::Approve { always: false },
            Some("allow-always") => Decision::Approve { always: true },
            Some("reject-once" | "reject-always") => deny("it was rejected"),
            _ => deny("the answer has no option that was offered"),
        },
        Err(why) => deny(&format!("the client has failed: {}", why.message)),
    };
    let core = {
        let mut state = agent.state();
        let Ok(open) = state.session(session) else {
            return;
        };
        if outcome.is_ok_and(|outcome| outcome["optionId"] == "reject-always")
            && let Some(category) = open.core.category_of(call)
        {
            open.rejected.insert(category);
        }
        Rc::clone(&open.core)
    };
    if let Err(why) = core.decide(call, decision) {
        tracing::info!("{}", why.message);
    }
}
