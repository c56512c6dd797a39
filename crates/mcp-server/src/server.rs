//! The answers of a scripted MCP server: the handshake, the list of its tools, and calls.

use crate::file::{McpServerFile, McpToolFile};
use serde_json::{Value, json};
use std::time::Duration;

/// The versions of MCP that the server speaks, the newest last. Lifecycle, "Version Negotiation": a server answers with the version of the
/// client if it supports that, else with another one.
const VERSIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// JSON-RPC 2.0, 5.1: the codes of errors.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// What a server does about a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reaction {
    /// It sends this message, after this time.
    Answer(Value, Duration),
    /// It sends nothing.
    Nothing,
    /// It ends.
    Death,
}

/// A scripted MCP server.
#[derive(Debug, Clone)]
pub struct McpServer {
    name: String,
    script: McpServerFile,
}

impl McpServer {
    /// The server of a script.
    pub fn new(name: impl Into<String>, script: McpServerFile) -> Self {
        let name = name.into();
        McpServer { name, script }
    }

    /// Whether it ends at its start.
    pub(crate) fn dies_at_once(&self) -> bool {
        self.script.dies
    }

    /// How long after its start it answers nothing.
    pub(crate) fn start_after(&self) -> Duration {
        self.script
            .start_after
            .map_or(Duration::ZERO, |time| time.0)
    }

    /// The reaction to a line of the client; `message` is its JSON if it has any.
    pub(crate) fn react(&self, message: Option<&Value>) -> Reaction {
        if self.script.silent {
            return Reaction::Nothing;
        }
        let Some(message) = message else {
            let answer = error(&Value::Null, PARSE_ERROR, "the line is not JSON");
            return Reaction::Answer(answer, Duration::ZERO);
        };
        let (method, id) = (message["method"].as_str(), message.get("id"));
        match (method, id) {
            (Some(method), Some(id)) => self.answer(method, id, &message["params"]),
            // A notification, or a response to a request that this server never sends.
            (Some(_), None) | (None, Some(_)) if message.is_object() => Reaction::Nothing,
            _ => {
                let answer = error(&Value::Null, INVALID_REQUEST, "not a message of JSON-RPC");
                Reaction::Answer(answer, Duration::ZERO)
            }
        }
    }

    fn answer(&self, method: &str, id: &Value, params: &Value) -> Reaction {
        let answer = match method {
            "initialize" => result(id, self.introduction(&params["protocolVersion"])),
            "ping" => result(id, json!({})),
            "tools/list" => result(id, json!({ "tools": self.tools() })),
            "tools/call" => return self.call(id, params),
            _ => error(id, METHOD_NOT_FOUND, &format!("no method `{method}`")),
        };
        Reaction::Answer(answer, Duration::ZERO)
    }

    fn introduction(&self, asked: &Value) -> Value {
        let known = VERSIONS.iter().find(|known| *asked == ***known);
        json!({
            "protocolVersion": known.or(VERSIONS.last()),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": self.name, "version": "1" },
        })
    }

    fn tools(&self) -> Vec<Value> {
        let tools = self.script.tools.iter();
        let listed = tools.map(|(name, tool)| {
            let any = || json!({ "type": "object", "properties": {} });
            let input = tool.input.as_ref().map(|input| input.value.clone());
            json!({
                "name": name.value,
                "description": tool.description,
                "inputSchema": input.unwrap_or_else(any),
            })
        });
        listed.collect()
    }

    fn call(&self, id: &Value, params: &Value) -> Reaction {
        let name = params["name"].as_str().unwrap_or_default();
        let mut tools = self.script.tools.iter();
        let Some((_, tool)) = tools.find(|(known, _)| known.value == name) else {
            let answer = error(id, INVALID_PARAMS, &format!("no tool `{name}`"));
            return Reaction::Answer(answer, Duration::ZERO);
        };
        if tool.dies {
            return Reaction::Death;
        }
        if tool.silent {
            return Reaction::Nothing;
        }
        let delay = tool.after.map_or(Duration::ZERO, |time| time.0);
        Reaction::Answer(outcome(id, tool), delay)
    }
}

/// The answer to a call of a tool that answers.
fn outcome(id: &Value, tool: &McpToolFile) -> Value {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    if let Some(error_file) = &tool.error {
        return error(id, error_file.code, &error_file.message);
    }
    if let Some(why) = &tool.fails {
        return result(id, json!({ "content": text(why), "isError": true }));
    }
    let content = match tool.result.as_ref().map(|result| &result.value) {
        None => text("ok"),
        Some(Value::String(said)) => text(said),
        Some(blocks) => blocks.clone(),
    };
    result(id, json!({ "content": content }))
}

fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const SCRIPT: &str = "
birds:
  tools:
    count: { description: Counts, input: { type: object, required: [of] }, result: \"7 in {workspace}\" }
    look: { result: [{ type: image, data: aGVyb24=, mimeType: image/png }] }
    fall: { fails: no wind }
    lost: { error: { code: -32000, message: gone } }
    sleep: { silent: true }
    die: { dies: true }
    late: { after: 20ms }
";

    fn server() -> McpServer {
        let node = spanned_yaml::load_yaml("s.yaml", SCRIPT).unwrap();
        let mut servers = crate::load(&node, Path::new("/w")).unwrap();
        let (name, script) = servers.pop().unwrap();
        McpServer::new(name.value, script)
    }

    fn ask(method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 4, "method": method, "params": params });
        match server().react(Some(&message)) {
            Reaction::Answer(answer, _) => {
                assert_eq!(answer["id"], 4);
                answer
            }
            other => panic!("{method}: {other:?}"),
        }
    }

    fn call(tool: &str) -> Reaction {
        let message = json!({ "id": 4, "method": "tools/call", "params": { "name": tool } });
        server().react(Some(&message))
    }

    #[test]
    fn the_version_is_that_of_the_client_if_it_is_known() {
        for (asked, answered) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-06-18", "2025-06-18"),
            ("1999-01-01", "2025-11-25"),
        ] {
            let answer = ask("initialize", json!({ "protocolVersion": asked }));
            assert_eq!(answer["result"]["protocolVersion"], answered);
        }
    }

    #[test]
    fn tools_are_listed_with_their_schemas() {
        let answer = ask("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 7);
        assert_eq!(tools[0]["inputSchema"]["required"], json!(["of"]));
        assert_eq!(tools[1]["inputSchema"]["type"], "object");
    }

    #[test]
    fn a_call_is_answered_as_the_script_says() {
        let called = |tool: &str| ask("tools/call", json!({ "name": tool, "arguments": {} }));
        assert_eq!(called("count")["result"]["content"][0]["text"], "7 in /w");
        assert_eq!(called("look")["result"]["content"][0]["type"], "image");
        assert_eq!(called("fall")["result"]["isError"], true);
        assert_eq!(called("lost")["error"]["code"], -32000);
        assert_eq!(called("late")["result"]["content"][0]["text"], "ok");
        assert_eq!(called("other")["error"]["code"], INVALID_PARAMS);
        assert_eq!(call("sleep"), Reaction::Nothing);
        assert_eq!(call("die"), Reaction::Death);
    }

    #[test]
    fn only_requests_are_answered() {
        let server = server();
        for message in [
            json!({ "method": "notifications/initialized" }),
            json!({ "id": 1, "result": {} }),
        ] {
            assert_eq!(server.react(Some(&message)), Reaction::Nothing, "{message}");
        }
        for (message, code) in [
            (None, PARSE_ERROR),
            (Some(json!([])), INVALID_REQUEST),
            (Some(json!({ "id": 1, "method": "x" })), METHOD_NOT_FOUND),
        ] {
            let Reaction::Answer(answer, _) = server.react(message.as_ref()) else {
                panic!("{message:?}");
            };
            assert_eq!(answer["error"]["code"], code, "{message:?}");
        }
    }

    #[test]
    fn a_mistake_in_a_script_is_one_error_that_says_what_to_write() {
        for (script, expected) in [
            (
                "{ a: { tools: { x: {}, x: {} } } }",
                "s.yaml:1:24: the key `x` is here twice: keep one of them, or rename one",
            ),
            (
                "{ a b: {} }",
                "s.yaml:1:3: `a b` is no name for an MCP server: use letters, digits and `_`",
            ),
            (
                "{ a: { tools: { x: { result: ok, dies: true } } } }",
                "s.yaml:1:17: a call is answered in one way: leave out `result` or `dies`",
            ),
            (
                "{ a: { tools: { x: { result: 7 } } } }",
                "s.yaml:1:30: a result is a text, or a list of content blocks: write",
            ),
            (
                "{ a: { tools: { x: { input: { of: herons } } } } }",
                "s.yaml:1:29: the arguments of a tool are an object: write",
            ),
            (
                "{ a: { silent: true, tools: { x: {} } } }",
                "s.yaml:1:3: no client sees the tools of a server with `silent`: leave out `tools`",
            ),
            (
                "{ a: { tools: { x: { result: \"{home}\" } } } }",
                "s.yaml:1:17: ",
            ),
            ("{ a: { tols: {} } }", "s.yaml:1:8: unknown key `tols`"),
        ] {
            let loaded = spanned_yaml::load_yaml("s.yaml", script).map_err(|error| vec![error]);
            let errors = loaded.and_then(|node| crate::load(&node, Path::new("/w")));
            let errors = errors.unwrap_err();
            assert_eq!(errors.len(), 1, "{script}");
            let message = errors[0].headline();
            assert!(message.starts_with(expected), "{script}: {message}");
        }
    }
}
