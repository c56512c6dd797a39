//! The script of MCP servers, as written under `mcp` of a scenario. The doc comments are the descriptions in the JSON Schema that editors show.

use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, Captures, Template, UnknownPlaceholder, is_name, render_text};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use spanned_yaml::{Error, Node, Span, Spanned, TimeSpan, decode_all};
use std::path::Path;

/// The MCP servers of a scenario, by name.
pub type McpServersFile = IndexMap<Spanned<String>, McpServerFile>;

/// An MCP server over stdio: its tools, and what it does in place of answering.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpServerFile {
    /// Its tools, by name.
    pub(crate) tools: IndexMap<Spanned<String>, McpToolFile>,
    /// It answers nothing in this time after its start.
    pub(crate) start_after: Option<TimeSpan>,
    /// `true`: it reads, and never answers.
    pub(crate) silent: bool,
    /// `true`: it ends at once, with status 1.
    pub(crate) dies: bool,
}

/// A tool: how it is listed, and one way in which it answers a call; without one, with the text `ok`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct McpToolFile {
    /// Its description.
    pub(crate) description: String,
    /// The JSON Schema of its arguments; an object of any members if left out.
    #[schemars(with = "Option<IndexMap<String, AnyValueSchema>>")]
    pub(crate) input: Option<Spanned<Value>>,
    /// The result: a text, or a list of content blocks.
    #[schemars(with = "Option<AnyValueSchema>")]
    pub(crate) result: Option<Spanned<Value>>,
    /// The text of a result with `isError`: the tool ran and failed.
    pub(crate) fails: Option<String>,
    /// An error of the protocol in place of a result.
    pub(crate) error: Option<McpErrorFile>,
    /// `true`: a call is never answered.
    pub(crate) silent: bool,
    /// `true`: the server ends when the tool is called.
    pub(crate) dies: bool,
    /// How late the answer comes.
    pub(crate) after: Option<TimeSpan>,
}

/// An error of JSON-RPC.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpErrorFile {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl McpToolFile {
    /// Fills the placeholders of what a call returns.
    fn fill(&mut self, values: &Captures) -> Result<(), UnknownPlaceholder> {
        if let Some(result) = &mut self.result {
            result.value = Template::new(result.value.take()).render(values)?;
        }
        if let Some(fails) = &mut self.fails {
            *fails = render_text(fails, values)?;
        }
        Ok(())
    }

    /// The keys that say how it answers, of those that are there.
    fn answers(&self) -> Vec<&'static str> {
        let keys = [
            ("result", self.result.is_some()),
            ("fails", self.fails.is_some()),
            ("error", self.error.is_some()),
            ("silent", self.silent),
            ("dies", self.dies),
        ];
        let there = keys.iter().filter(|(_, is_there)| *is_there);
        there.map(|(key, _)| *key).collect()
    }
}

/// The mistakes in scripts that are well formed.
pub fn mistakes(servers: &McpServersFile) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    for (name, server) in servers {
        if !is_name(name) {
            let message = format!(
                "`{}` is no name for an MCP server: use letters, digits and `_`, so that `{{mcp_NAME}}` stands for its command",
                name.value
            );
            found.push((name.span, message));
        }
        let is_useless = server.dies || server.silent;
        if is_useless && !server.tools.is_empty() {
            let key = if server.dies { "dies" } else { "silent" };
            let message = format!(
                "no client sees the tools of a server with `{key}`: leave out `tools`, or give `{key}` to one of them"
            );
            found.push((name.span, message));
        }
        if server.dies && server.silent {
            found.push((name.span, "`silent` or `dies`, not both".to_owned()));
        }
        for (name, tool) in &server.tools {
            found.extend(tool_mistakes(name, tool));
        }
    }
    found
}

fn tool_mistakes(name: &Spanned<String>, tool: &McpToolFile) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    if name.is_empty() {
        found.push((name.span, "a tool needs a name".to_owned()));
    }
    if let [one, other, ..] = tool.answers()[..] {
        let message = format!("a call is answered in one way: leave out `{one}` or `{other}`");
        found.push((name.span, message));
    }
    if let Some(input) = tool
        .input
        .as_ref()
        .filter(|input| input.value["type"] != "object")
    {
        let message =
            "the arguments of a tool are an object: write `{ type: object, properties: … }`";
        found.push((input.span, message.to_owned()));
    }
    if let Some(result) = &tool.result {
        let blocks = result.value.as_array();
        let is_block = |block: &Value| block["type"].is_string();
        if !result.value.is_string() && !blocks.is_some_and(|all| all.iter().all(is_block)) {
            let message = "a result is a text, or a list of content blocks: write `[{ type: text, text: … }]`";
            found.push((result.span, message.to_owned()));
        }
    }
    found
}

/// The servers in a file, which is a scenario with `mcp` or a map of servers, with `workspace` for that placeholder.
///
/// # Errors
/// Every mistake, at its location.
pub fn load(file: &Node, workspace: &Path) -> Result<McpServersFile, Vec<Error>> {
    let written = file.get("mcp").unwrap_or(file);
    let mut servers: McpServersFile = decode_all(written)?;
    let mut mistakes = mistakes(&servers);
    let mut values = Captures::default();
    values.set("workspace", workspace.to_string_lossy());
    for (name, tool) in servers.values_mut().flat_map(|one| &mut one.tools) {
        if let Err(unknown) = tool.fill(&values) {
            mistakes.push((name.span, unknown.to_string()));
        }
    }
    if mistakes.is_empty() {
        return Ok(servers);
    }
    let mistakes = mistakes.into_iter();
    Err(mistakes
        .map(|(span, message)| file.error_at(span, message))
        .collect())
}
