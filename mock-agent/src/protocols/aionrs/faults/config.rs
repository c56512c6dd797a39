//! Capabilities, configuration, pings, MCP servers and failed turns of 0.2, and faults of 0.1 as they are there.

use super::model::replace;
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use crate::protocols::aionrs::version::V0_1;

const CHANGED: &str = "config_changed";
const ANSWERED: &[&str] = &["config-answered", "config-answered-in-turn"];
const ZERO: &[(&str, &str)] = &[("/usage/input_tokens", "0"), ("/usage/output_tokens", "0")];
const READY: &str = r#"{"type":"ready","version":"0.2.0","capabilities":{"tool_approval":true,"thinking":true,"mcp":true,"effort":false,"effort_levels":[],"modes":["default","auto_edit","yolo"],"current_mode":"default","image_input":"unknown"}}"#;
const UNASKED: &str = r#"{"type":"config_changed","capabilities":{"tool_approval":true,"thinking":true,"mcp":true,"effort":false,"effort_levels":[],"modes":["default","auto_edit","yolo"],"current_mode":"default","image_input":"unknown"}}"#;

/// A capability has a wrong value.
const fn capability(
    id: &'static str,
    summary: &'static str,
    member: &'static str,
    value: &'static str,
) -> Fault {
    frame(id, summary, "ready", Op::Set(member, value))
        .at_start()
        .caught_by(&["schema/ready", "effort-levels-agree"])
}

/// Removes a member from every command of this type.
fn remove_member(command: &mut serde_json::Value, kind: &str, member: &str) {
    if command["type"] == kind
        && let Some(map) = command.as_object_mut()
    {
        map.remove(member);
    }
}

/// The version of the protocol.
pub(super) const VERSION: &[Fault] = &[
    frame(
        "version-of-the-program",
        "`ready` has the program's version, not the protocol's",
        "ready",
        Op::Set("/version", "\"0.2.10\""),
    )
    .at_start()
    .caught_by(&["version"])
    .only_in(V0_1),
    frame(
        "version-is-no-semver",
        "the version of `ready` is no semantic version",
        "ready",
        Op::Set("/version", "\"0.1\""),
    )
    .at_start()
    .caught_by(&["schema/ready"]),
    frame(
        "version-is-a-number",
        "the version of `ready` is a number",
        "ready",
        Op::Set("/version", "1"),
    )
    .at_start()
    .caught_by(&["schema/ready"]),
    frame(
        "unknown-event",
        "an event comes that this version does not know",
        "stream_end",
        Op::After(r#"{"type":"pong"}"#),
    )
    .caught_by(&["unknown-event"])
    .only_in(V0_1),
    frame(
        "unknown-field",
        "an event has a field that this version does not know",
        "stream_end",
        Op::Set("/finish_reason", "\"end_turn\""),
    ),
    start(
        "field-renamed",
        "`message` wants its text in `content`, not in `input`",
        FaultEffect::Command(|command| {
            if let Some(map) = command.as_object_mut() {
                map.remove("input");
            }
        }),
    )
    .caught_by(&["scenario:turn/plain"])
    .only_in(V0_1),
];

/// Faults that only 0.2 has, or that differ there.
#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_2: &[Fault] = &[
    // like faults of 0.1
    frame("ready-again", "`ready` comes again in the middle of the session", "stream_end", Op::After(READY)).caught_by(&["ready-once"]),
    frame("version-of-the-program", "`ready` has the version of another protocol", "ready", Op::Set("/version", "\"0.1.0\"")).at_start().caught_by(&["version"]),
    bug("provider-error-exits", "a provider error ends the process", Bug::ProviderErrorExits).caught_by(&["stays-alive", "failed-turn-ends"]),
    bug("provider-error-leaves-busy", "no turn begins after a provider error", Bug::ProviderErrorLeavesBusy).caught_by(&["scenario:errors/rate-limit", "message-answered", "failed-turn-ends"]),
    frame("unknown-event", "an event comes that this version does not know", "stream_end", Op::After(r#"{"type":"banner"}"#)).caught_by(&["unknown-event"]),
    frame("bash-is-info", "a tool is announced in another category than its own", "tool_request", Op::Set("/tool/category", "\"info\"")).when(&[("/tool/name", "ExecCommand")]).every().caught_by(&["category-of-builtin"]),
    frame("tool-renamed", "a built-in tool has another name", "tool_request", Op::Set("/tool/name", "\"Shell\"")).when(&[("/tool/name", "ExecCommand")]).every().caught_by(&["scenario:tools/bash"]),
    start("field-renamed", "`message` wants its text in `text`, not in `content`", FaultEffect::Command(|command| remove_member(command, "message", "content"))).caught_by(&["scenario:turn/plain"]),
    start("extra-field-is-bad", "a command with an unknown field is refused", FaultEffect::Command(|command| {
        const KNOWN: [&str; 6] = ["type", "msg_id", "content", "files", "call_id", "scope"];
        let extra = command.as_object().is_some_and(|map| map.keys().any(|key| !KNOWN.contains(&key.as_str())));
        if command["type"] == "message" && extra {
            command["type"] = "?".into();
        }
    })).caught_by(&["scenario:framing/extra-fields"]),

    // capabilities
    capability("effort-is-a-level", "a capability is a text", "/capabilities/effort", "\"high\""),
    capability("effort-levels-are-a-text", "the levels of effort are a text", "/capabilities/effort_levels", "\"low, high\""),
    capability("modes-are-an-object", "the modes are an object", "/capabilities/modes", "{}"),
    capability("current-mode-is-null", "the current mode is null", "/capabilities/current_mode", "null"),
    capability("image-input-is-a-boolean", "the image input is a boolean", "/capabilities/image_input", "true"),
    frame("modes-without-the-current", "`ready` says a mode that is none of its modes", "ready", Op::Set("/capabilities/current_mode", "\"plan\"")).at_start().caught_by(&["current-mode-known"]),

    // configuration
    frame("config-change-untold", "`config_changed` never comes", CHANGED, Op::Drop).at_start().every().caught_by(ANSWERED),
    frame("config-change-told-once", "the first of several `set_config` has no `config_changed`", CHANGED, Op::Drop).at_start().caught_by(ANSWERED).later(),
    frame("config-change-in-turn-untold", "a `set_config` in a turn has no `config_changed`", CHANGED, Op::Drop).caught_by(&["config-answered-in-turn", "config-answered"]).later(),
    frame("config-change-told-twice", "`config_changed` comes twice", CHANGED, Op::Twice).at_start().caught_by(&["config-changed-asked-for"]),
    frame("config-change-in-turn", "`config_changed` comes in the middle of a turn", "text_delta", Op::Before(UNASKED)).caught_by(&["config-changed-between-turns", "config-changed-asked-for"]),
    frame("config-change-without-capabilities", "`config_changed` has no capabilities", CHANGED, Op::Remove("/capabilities")).at_start().caught_by(&["schema/config_changed"]),
    frame("config-info-untold", "`set_config` is not answered by `info`", "info", Op::Drop).when(&[("/message", "set_config: no changes")]).at_start().every().caught_by(&["config-info"]).later(),
    frame("invalid-config-untold", "an invalid value is passed over", "info", Op::Set("/message", "\"set_config: no changes\"")).when(&[("/message", "config updated: thinking: ignored invalid value \"maybe\"")]).at_start().caught_by(&["invalid-config-told"]).later(),
    frame("old-mode-told", "`config_changed` says the old mode", CHANGED, Op::Set("/capabilities/current_mode", "\"default\"")).at_start().every().caught_by(&["mode-told", "mode-holds"]),
    frame("mode-info-untold", "`set_mode` is not answered by `info`", "info", Op::Drop).when(&[("/message", "mode updated: yolo")]).at_start().every().caught_by(&["mode-info", "config-info", "scenario:modes/yolo-asks-nothing"]).later(),
    frame("mode-info-told-once", "the first of two `set_mode` has no `info`", "info", Op::Drop).when(&[("/message", "mode updated: auto_edit")]).at_start().caught_by(&["mode-info", "config-info", "scenario:config/two-in-one-write"]).later(),
    frame("invalid-config-told-once", "the third of several values that are not valid is passed over", "info", Op::Drop).when(&[("/message", "config updated: thinking: ignored invalid value \"perhaps\"")]).at_start().caught_by(&["invalid-config-told", "scenario:config/several-in-a-row"]).later(),
    frame("config-info-told-once", "of two settings before a turn the second has no `info`", "info", Op::Drop).when(&[("/message", "config updated: compaction: safe → off")]).at_start().caught_by(&["config-info", "scenario:config/mode-and-model"]).later(),
    frame("mode-lost-by-set-config", "`config_changed` says the first mode again when something else is set", CHANGED, Op::Set("/capabilities/current_mode", "\"default\"")).when(&[("/capabilities/image_input", "supported")]).at_start().every().caught_by(&["mode-holds", "mode-told"]),
    frame("image-input-lost-by-set-mode", "`config_changed` says another image input when a mode is set", CHANGED, Op::Set("/capabilities/image_input", "\"unknown\"")).when(&[("/capabilities/current_mode", "auto_edit")]).at_start().every().caught_by(&["image-input-holds", "mode-changes-nothing-else", "image-input-told"]),
    frame("thinking-lost-by-set-mode", "`config_changed` says that there is no thinking any more when a mode is set", CHANGED, Op::Set("/capabilities/thinking", "false")).when(&[("/capabilities/current_mode", "yolo")]).at_start().caught_by(&["mode-changes-nothing-else"]),
    frame("effort-without-levels", "`ready` says that there is effort, and names no levels", "ready", Op::Set("/capabilities/effort", "true")).when(&[("/capabilities/effort_levels", "[]")]).at_start().caught_by(&["effort-levels-agree"]),
    frame("unknown-mode-told", "`config_changed` says a mode that there is not", CHANGED, Op::Set("/capabilities/current_mode", "\"plan\"")).when(&[("/capabilities/image_input", "unsupported")]).at_start().caught_by(&["current-mode-known", "mode-holds"]),
    bug("set-model-lasts-one-turn", "the model of `set_config` is asked for one turn only", Bug::ModelLastsOneTurn).caught_by(&["scenario:config/holds", "scenario:config/mode-and-model"]),
    bug("set-model-forgets", "another model knows nothing of what was said", Bug::ModelChangeForgets).caught_by(&["scenario:config/holds"]),
    bug("set-model-forgets-allowed", "another model takes back what was always allowed", Bug::ModelForgetsAllowed).caught_by(&["always-allows", "scenario:config/keeps-the-allow-list"]),
    frame("old-image-input-told", "`config_changed` says the old image input", CHANGED, Op::Set("/capabilities/image_input", "\"unknown\"")).at_start().every().caught_by(&["image-input-told", "image-input-holds"]),
    start("ignores-set-model", "the model of `set_config` is not asked", FaultEffect::Command(|command| remove_member(command, "set_config", "model"))).caught_by(&["scenario:config/model"]),

    // pings
    frame("no-pong", "a `ping` gets no `pong`", "pong", Op::Drop).at_start().caught_by(&["ping-answered"]).later(),
    frame("two-pongs", "a `ping` gets two `pong`", "pong", Op::Twice).at_start().caught_by(&["pong-asked-for"]),
    frame("pong-with-a-field", "a `pong` has a field", "pong", Op::Set("/at", "1")).at_start().caught_by(&["schema/pong"]),
    frame("pong-after-the-turn", "a `ping` in a turn is answered when the turn has ended", "pong", Op::Until("stream_end")).caught_by(&["scenario:ping/while-streaming", "ping-answered"]).later(),

    frame("pong-waits-for-server", "a `ping` is answered when an MCP server has started", "pong", Op::Late("mcp_ready")).at_start().caught_by(&["scenario:ping/while-a-server-starts", "ping-answered"]).later(),

    // MCP servers
    start("mcp-variables-lost", "an MCP server is started without its variables", FaultEffect::Command(|command| remove_member(command, "add_mcp_server", "env"))).caught_by(&["scenario:mcp/variables-of-the-server"]),
    frame("mcp-failure-is-success", "a tool of an MCP server that failed has the status success", "tool_result", Op::Set("/status", "\"success\"")).when(&[("/tool_name", "mcp__words__say"), ("/status", "error")]).caught_by(&["scenario:mcp/tool-that-fails"]),
    frame("mcp-calls-go-to-the-first", "a call of the second of two MCP servers goes to the first", "tool_result", Op::Set("/output", "\"quokka-7\"")).when(&[("/tool_name", "mcp__more__say")]).caught_by(&["scenario:mcp/same-tool-of-two-servers"]),
    frame("dies-with-its-server", "an MCP server that ends takes the agent with it", "tool_result", Op::Exit(1)).when(&[("/tool_name", "mcp__words__say"), ("/status", "error")]).caught_by(&["stays-alive", "scenario:mcp/server-that-ends"]),
    frame("mcp-output-is-its-first-part", "of what a tool of an MCP server says only the first part is told", "tool_result", Op::Change(|frame| replace(frame, "/output", "\nwombat-8", ""))).when(&[("/tool_name", "mcp__words__say")]).caught_by(&["scenario:mcp/tool-that-fails"]),
    frame("mcp-ready-untold", "`mcp_ready` never comes", "mcp_ready", Op::Drop).at_start().caught_by(&["scenario:mcp/server-is-added", "mcp-server-answered"]).later(),
    frame("mcp-ready-twice", "`mcp_ready` comes twice", "mcp_ready", Op::Twice).at_start().caught_by(&["mcp-server-once", "scenario:mcp/two-servers"]),
    frame("mcp-ready-in-a-turn", "`mcp_ready` comes when the first turn has started", "mcp_ready", Op::Late("stream_start")).at_start().caught_by(&["mcp-server-answered", "scenario:mcp/server-is-added"]).later(),
    frame("mcp-ready-again-in-a-turn", "`mcp_ready` comes again when a turn has started", "stream_start", Op::After(r#"{"type":"mcp_ready","name":"words","tools":["mcp__words__say"]}"#)).caught_by(&["mcp-ready-between-turns", "mcp-server-once", "mcp-server-named"]),
    frame("mcp-ready-without-a-server", "`mcp_ready` comes for a server that could not be started", "error", Op::After(r#"{"type":"mcp_ready","name":"words","tools":[]}"#)).when(&[("/error/code", "config_error")]).at_start().caught_by(&["scenario:mcp/server-that-is-not-there"]).later(),
    frame("mcp-ready-with-other-tools", "`mcp_ready` lists tools that the server does not have", "mcp_ready", Op::Set("/tools", "[\"mcp__words__one\", \"mcp__words__two\"]")).at_start().caught_by(&["scenario:mcp/tools-of-the-server"]),
    frame("mcp-ready-of-another", "`mcp_ready` names another server", "mcp_ready", Op::Set("/name", "\"other\"")).at_start().caught_by(&["scenario:mcp/server-is-added", "mcp-server-named"]),
    frame("mcp-ready-without-tools", "`mcp_ready` does not list the tools", "mcp_ready", Op::Remove("/tools")).at_start().caught_by(&["schema/mcp_ready"]),
    start("mcp-server-renamed", "the tools of a server that was added go by another name", FaultEffect::Command(|command| {
        if command["type"] == "add_mcp_server" {
            command["name"] = "other".into();
        }
    })).caught_by(&["scenario:mcp/server-is-added", "mcp-server-named"]),
    frame("late-mcp-server-untold", "an MCP server that is added too late is passed over", "error", Op::Drop).when(&[("/error/message", "MCP servers must be added before the first message")]).caught_by(&["late-mcp-server-refused"]).later(),
    frame("mcp-tool-fails", "a tool of a server that was added gives an error", "tool_result", Op::Set("/status", "\"error\"")).when(&[("/tool_name", "mcp__words__say")]).caught_by(&["scenario:mcp/server-is-added"]),

    // turns that fail
    frame("failed-turn-without-end", "a turn that failed has no `stream_end`", "stream_end", Op::Drop).when(ZERO).caught_by(&["failed-turn-ends", "one-turn-at-a-time", "stop-ends-turn", "message-answered", "turn-envelope"]).later(),
    frame("failed-turn-counts", "the `stream_end` of a failed turn counts tokens", "stream_end", Op::Set("/usage/input_tokens", "7")).when(ZERO).caught_by(&["failed-turn-usage"]),
];
