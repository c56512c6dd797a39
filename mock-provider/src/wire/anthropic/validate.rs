//! Validates requests, with the error messages of the real API.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::{LazyLock, Mutex, PoisonError};

use foldhash::fast::FixedState;
use serde_json::Value;

use super::prefill::check_prefill;
use super::thinking::check_thinking;
use super::turns::{RequestBlock, RoleTurn, blocks_of_type, turns};
use crate::answer::HttpError;
use crate::conversation::list;
use crate::headers;
use crate::request::Request;
use crate::signatures::SignatureStore;
use crate::wire::request_schema::{Leniency, check_body};

/// The error of the real API for a request that is not valid. `whole`: a request for a message, not for a token count.
pub(in crate::wire) fn validation_error(
    request: &Request,
    signatures: &SignatureStore,
    whole: bool,
) -> Option<HttpError> {
    let lenient = Leniency {
        optional: if whole { &[] } else { &["max_tokens"] },
        more_members: headers::text(&request.headers, "anthropic-beta").is_some(),
    };
    let checks = || {
        BODY_CHECKS.iter().try_for_each(|check| check(request))?;
        let turns = turns(&request.body)?;
        check_tool_results(&turns)?;
        check_prefill(request, &turns)?;
        check_thinking(request, &turns, signatures)
    };
    check_body(request.wire, &request.body, lenient)
        .and_then(|()| checks().map_err(HttpError::invalid))
        .err()
}

/// A check of a request's body.
type BodyCheck = fn(&Request) -> Result<(), String>;

/// What the schema of the body cannot say.
const BODY_CHECKS: &[BodyCheck] = &[
    check_sampling,
    check_tool_names,
    check_tool_choice,
    check_tool_schemas,
    check_cache_control,
    check_betas,
];

/// The version of the API that has no sampling parameters:
/// <https://codersera.com/blog/anthropic-api-2026-10-21-sdk-migration-guide-2026/>.
const WITHOUT_SAMPLING: &str = "2026-10-21";

fn check_sampling(request: &Request) -> Result<(), String> {
    let version = headers::text(&request.headers, "anthropic-version");
    if version.is_none_or(|version| version < WITHOUT_SAMPLING) {
        return Ok(());
    }
    let mut members = ["temperature", "top_p", "top_k"].into_iter();
    match members.find(|member| !request.body[*member].is_null()) {
        Some(member) => Err(format!("{member}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

/// Source: <https://github.com/eclipse-theia/theia/issues/16122>.
fn check_tool_names(request: &Request) -> Result<(), String> {
    let tools = list(&request.body["tools"]).iter();
    let mut names = HashSet::new();
    let names_are_unique = tools
        .filter_map(|tool| tool["name"].as_str())
        .all(|name| names.insert(name));
    if names_are_unique {
        Ok(())
    } else {
        Err("tools: Tool names must be unique.".into())
    }
}

/// Source: <https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#forcing-tool-use>.
fn check_tool_choice(request: &Request) -> Result<(), String> {
    let (choice, tools) = (&request.body["tool_choice"], list(&request.body["tools"]));
    let is_offered = |name: &Value| tools.iter().any(|tool| &tool["name"] == name);
    let has_toolset = || tools.iter().any(|tool| tool["name"].is_null());
    if choice.is_null() || choice["type"] == "none" {
        Ok(())
    } else if tools.is_empty() && request.body["mcp_servers"].is_null() {
        Err("tool_choice may only be specified while providing `tools`.".into())
    } else if choice["type"] == "tool" && !is_offered(&choice["name"]) && !has_toolset() {
        let name = choice["name"].as_str().unwrap_or_default();
        Err(format!("Tool '{name}' not found in provided tools"))
    } else {
        Ok(())
    }
}

/// Source: <https://github.com/anthropics/claude-code/issues/86664>.
fn check_tool_schemas(request: &Request) -> Result<(), String> {
    let tools = list(&request.body["tools"]).iter();
    let mut schemas = tools.map(|tool| &tool["input_schema"]);
    let invalid = schemas.position(|schema| schema.is_object() && !is_json_schema(schema));
    match invalid {
        Some(i) => Err(format!(
            "tools.{i}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 \
             (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use."
        )),
        None => Ok(()),
    }
}

/// Most schemas that are known to be valid.
const MAX_KNOWN_SCHEMAS: usize = 4096;

/// Whether a value is a JSON Schema. An agent sends the same tools with each request, so what is valid is remembered by its hash.
fn is_json_schema(schema: &Value) -> bool {
    static VALID: LazyLock<Mutex<HashSet<u64>>> = LazyLock::new(Mutex::default);
    let hash = FixedState::default().hash_one(schema);
    let mut valid = VALID.lock().unwrap_or_else(PoisonError::into_inner);
    if valid.contains(&hash) {
        return true;
    }
    let is_valid = jsonschema::draft202012::meta::is_valid(schema);
    if is_valid && valid.len() < MAX_KNOWN_SCHEMAS {
        valid.insert(hash);
    }
    is_valid
}

/// Most blocks with `cache_control`: <https://github.com/tghamm/Anthropic.SDK/issues/50>.
const MAX_CACHED: usize = 4;

/// A block with `cache_control`: its path, and how long it is cached.
struct CachedBlock<'a> {
    path: String,
    ttl: &'a str,
}

/// The blocks with `cache_control`, in the order in which they are cached.
fn cached_blocks(body: &Value) -> Vec<CachedBlock<'_>> {
    fn collect<'a>(blocks: &'a Value, path: &str, cached: &mut Vec<CachedBlock<'a>>) {
        for (i, block) in list(blocks).iter().enumerate() {
            let path = format!("{path}.{i}");
            collect(&block["content"], &format!("{path}.content"), cached);
            if block["cache_control"].is_object() {
                let ttl = block["cache_control"]["ttl"].as_str().unwrap_or("5m");
                cached.push(CachedBlock { path, ttl });
            }
        }
    }
    let mut cached = Vec::new();
    for member in ["tools", "system", "messages"] {
        collect(&body[member], member, &mut cached);
    }
    cached
}

/// There are not too many, and those for an hour come first:
/// <https://github.com/cnighswonger/claude-code-cache-fix/issues/44>.
fn check_cache_control(request: &Request) -> Result<(), String> {
    let cached = cached_blocks(&request.body);
    if cached.len() > MAX_CACHED {
        return Err(format!(
            "A maximum of {MAX_CACHED} blocks with cache_control may be provided. Found {}.",
            cached.len()
        ));
    }
    let mut after_short = cached.iter().skip_while(|block| block.ttl != "5m");
    match after_short.find(|block| block.ttl == "1h") {
        Some(CachedBlock { path, .. }) => Err(format!(
            "{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that \
             blocks are processed in the following order: `tools`, `system`, `messages`."
        )),
        None => Ok(()),
    }
}

/// Members of the body that need a header `anthropic-beta`: <https://github.com/anthropics/claude-code/issues/14135>.
const BETA_MEMBERS: [&str; 2] = ["context_management", "mcp_servers"];

/// Other servers of the same API may know them without the header.
fn check_betas(request: &Request) -> Result<(), String> {
    let has_betas = request.headers.contains_key("anthropic-beta");
    if has_betas || !request.model().starts_with("claude-") {
        return Ok(());
    }
    let mut members = BETA_MEMBERS.into_iter();
    match members.find(|member| !request.body[*member].is_null()) {
        Some(member) => Err(format!("{member}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

/// Every tool call has exactly one result, at the start of the next turn, and every result has its call.
fn check_tool_results(turns: &[RoleTurn]) -> Result<(), String> {
    let mut calls: Vec<&str> = Vec::new();
    let mut every: Vec<&str> = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        let mut answered = Vec::new();
        for RequestBlock { path, block } in blocks_of_type(turn, "tool_result") {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            if !calls.contains(&id) {
                return Err(format!(
                    "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
                     corresponding `tool_use` block in the previous message."
                ));
            }
            if answered.contains(&id) {
                return Err(format!(
                    "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                ));
            }
            answered.push(id);
        }
        let first = turn
            .blocks
            .iter()
            .take_while(|placed| placed.block["type"] == "tool_result")
            .count();
        let missing = calls
            .iter()
            .filter(|call| !answered.iter().take(first).any(|id| id == *call))
            .copied()
            .collect::<Vec<_>>();
        if i > 0 && !missing.is_empty() {
            return Err(missing_results(&turns[i - 1], &missing));
        }
        calls.clear();
        for RequestBlock { path, block } in blocks_of_type(turn, "tool_use") {
            let id = block["id"].as_str().unwrap_or_default();
            if every.contains(&id) {
                return Err(format!("{path}: `tool_use` ids must be unique"));
            }
            calls.push(id);
            every.push(id);
        }
    }
    match turns.last() {
        Some(turn) if !calls.is_empty() => Err(missing_results(turn, &calls)),
        _ => Ok(()),
    }
}

fn missing_results(turn: &RoleTurn, ids: &[&str]) -> String {
    format!(
        "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a \
         corresponding `tool_result` block in the next message.",
        turn.first,
        ids.join(", ")
    )
}
