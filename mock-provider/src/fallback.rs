//! The fallback answer to a request without a reply in the script: short, complete and harmless.

use serde_json::{Map, Value, json};

use crate::conversation::{list, offered_tools};
use crate::request::Request;
use crate::script::{ScriptReply, ToolCall};

/// The text of the answer.
const TEXT: &str = "OK.";

/// Deepest nesting of a generated value, in levels.
const MAX_DEPTH: usize = 16;

/// A short text; a tool call if the request forces one; JSON if the request asks for JSON.
pub(crate) fn reply(request: &Request) -> ScriptReply {
    let mut reply = ScriptReply::default();
    if let Some((name, schema)) = forced_tool(&request.body) {
        reply.tool_calls = vec![ToolCall {
            purpose: None,
            offered: None,
            id: None,
            name: name.to_owned(),
            args: Some(value(schema, schema, MAX_DEPTH)),
            args_raw: None,
            chunks: None,
        }];
        return reply;
    }
    let text = match requested_json(&request.body) {
        Some(schema) => match value(schema, schema, MAX_DEPTH) {
            Value::Object(map) => Value::Object(map).to_string(),
            other if schema.get("type").is_some() => other.to_string(),
            _ => "{}".to_owned(),
        },
        None => TEXT.to_owned(),
    };
    reply.text = Some(text.as_str().into());
    reply
}

/// The tool that the request forces the model to call, with the schema of its arguments.
fn forced_tool(body: &Value) -> Option<(&str, &Value)> {
    let choice = &body["tool_choice"];
    let config = &body["toolConfig"]["functionCallingConfig"];
    let is_forced = config["mode"] == "ANY";
    let named = choice["name"]
        .as_str()
        .or_else(|| choice["function"]["name"].as_str())
        .or_else(|| {
            config["allowedFunctionNames"][0]
                .as_str()
                .filter(|_| is_forced)
        });
    let any = choice == "required" || choice["type"] == "any" || is_forced;
    if named.is_none() && !any {
        return None;
    }
    let mut tools = offered_tools(body).filter_map(|tool| {
        let function = tool.get("function").unwrap_or(tool);
        let schema = function
            .get("input_schema")
            .or_else(|| function.get("parameters"))
            .or_else(|| function.get("parametersJsonSchema"));
        Some((function["name"].as_str()?, schema.unwrap_or(&Value::Null)))
    });
    tools.find(|(name, _)| named.is_none_or(|named| named == *name))
}

/// The schema of the JSON that the request asks for; null for any object.
fn requested_json(body: &Value) -> Option<&Value> {
    let config = &body["generationConfig"];
    if config["responseMimeType"] == "application/json" {
        let schema = config.get("responseJsonSchema");
        return schema
            .or(config.get("responseSchema"))
            .or(Some(&Value::Null));
    }
    let format = [
        "/response_format",
        "/text/format",
        "/output_format",
        "/output_config/format",
    ]
    .iter()
    .find_map(|pointer| body.pointer(pointer))?;
    match format["type"].as_str()? {
        "json_schema" => format
            .get("schema")
            .or_else(|| format.pointer("/json_schema/schema"))
            .or(Some(&Value::Null)),
        "json_object" => Some(&Value::Null),
        _ => None,
    }
}

/// A small value that a schema allows. Only common keywords are understood.
fn value(schema: &Value, root: &Value, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    let inner = |schema: &Value| value(schema, root, depth - 1);
    if let Some(reference) = schema["$ref"].as_str() {
        let target = reference.strip_prefix('#').and_then(|at| root.pointer(at));
        return target.map_or(Value::Null, inner);
    }
    if let Some(constant) = schema.get("const").or_else(|| schema.get("default")) {
        return constant.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|list| list.first()) {
        return first.clone();
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema[key].as_array().and_then(|list| list.first()) {
            return inner(first);
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.first().and_then(Value::as_str),
        kind => kind.as_str(),
    };
    // Gemini writes the types in capitals too.
    match kind.map(str::to_ascii_lowercase).as_deref() {
        Some("string") => {
            let least = schema["minLength"].as_u64().unwrap_or_default();
            let fill = usize::try_from(least.min(1000)).unwrap_or_default();
            Value::from(format!("{TEXT:.<fill$}"))
        }
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(0)),
        Some("boolean") => json!(false),
        Some("null") => Value::Null,
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or_default().min(100);
            (0..least).map(|_| inner(&schema["items"])).collect()
        }
        _ => {
            let names = list(&schema["required"]).iter().filter_map(Value::as_str);
            let members = names.map(|name| (name.to_owned(), inner(&schema["properties"][name])));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Wire;

    #[test]
    fn each_request_gets_what_it_asks_for() {
        let cases = spanned_yaml::load_yaml("fallback.yaml", include_str!("fallback.yaml"));
        for case in cases
            .expect("good YAML")
            .to_value()
            .as_array()
            .expect("a list")
        {
            let request = Request::in_process(0, Wire::OpenAiChat, case["body"].clone());
            let reply = serde_json::to_value(reply(&request)).expect("JSON");
            assert_eq!(reply, case["reply"], "{case}");
        }
    }
}
