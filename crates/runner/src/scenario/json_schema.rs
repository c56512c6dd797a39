//! Hand-written JSON Schemas for parts of scenario files whose Rust types do not describe them: matchers, and values of several types.

use json_matcher::MatcherSchema;
use mock_provider::script::Expect;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;
use spanned_yaml::{TextSchema, TimeSpan};
use std::borrow::Cow;

/// A matcher on an event.
pub(super) struct EventMatcherSchema;

/// A matcher on a request: on its raw body, or with the keys of model scripts.
pub(super) struct RequestSchema;

/// A matcher on what reaches an MCP server.
pub(super) struct McpMatcherSchema;

/// The end of the wait of an `expect_none`.
pub(super) struct BarrierSchema;

/// The state of a file.
pub(super) struct FileStateSchema;

/// How much of the prelude a scenario begins with.
pub(super) struct PreludeSchema;

impl JsonSchema for PreludeSchema {
    fn schema_name() -> Cow<'static, str> {
        "PreludeOfScenario".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "string"] })
    }
}

impl JsonSchema for McpMatcherSchema {
    fn schema_name() -> Cow<'static, str> {
        "McpMatcher".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let any = generator.subschema_for::<MatcherSchema>();
        json_schema!({
            "description": "A matcher on a message to an MCP server: its members and `server`, or `started` with `args`, `env` and `cwd`.",
            "type": "object",
            "properties": { "server": any, "process": any, "started": any, "method": any, "params": any },
            "allOf": [any]
        })
    }
}

impl JsonSchema for EventMatcherSchema {
    fn schema_name() -> Cow<'static, str> {
        "EventMatcher".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let any = generator.subschema_for::<MatcherSchema>();
        json_schema!({ "description": "A matcher on an event.", "type": "object", "allOf": [any] })
    }
}

impl JsonSchema for RequestSchema {
    fn schema_name() -> Cow<'static, str> {
        "Request".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let demand = generator.subschema_for::<Expect>();
        let body = generator.subschema_for::<MatcherSchema>();
        json_schema!({
            "description": "`contains`, `tool_result`, … as in a model script, the same on every model API; or a matcher on the raw body.",
            "type": "object",
            "anyOf": [demand, body]
        })
    }
}

impl JsonSchema for BarrierSchema {
    fn schema_name() -> Cow<'static, str> {
        "Until".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let window = generator.subschema_for::<TimeSpan>();
        let event = generator.subschema_for::<EventMatcherSchema>();
        json_schema!({ "anyOf": [{ "const": "end" }, window, event] })
    }
}

impl JsonSchema for FileStateSchema {
    fn schema_name() -> Cow<'static, str> {
        "FileState".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let exact = generator.subschema_for::<TextSchema>();
        let text = |key: &str| json!({ "type": "object", "properties": { key: { "type": "string" } }, "required": [key], "additionalProperties": false });
        json_schema!({
            "description": "`absent`, `present`, the exact text, `{ contains: … }`, or `{ holds: … }` for a text that may be in Base64. For a text that is one of the two words, use `{ equals: … }`.",
            "anyOf": [{ "enum": ["absent", "present"] }, exact, text("contains"), text("holds"), text("equals")]
        })
    }
}
