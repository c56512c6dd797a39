//! Toolbox: the registry of a session's tools, which finds the tool of a call by its name and parses the arguments.

use super::mcp::McpTool;
use super::{Category, Job, ScriptedTool, Tool, ToolError};
use crate::model::ToolSpec;
use serde_json::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// All tools of a session: the built-in ones of its protocol, those of MCP servers, and scripted ones.
pub(crate) struct Toolbox {
    built_in: &'static [Tool],
    mcp: RefCell<Vec<McpTool>>,
    scripted: RefCell<Vec<ScriptedTool>>,
}

impl Toolbox {
    pub(crate) fn new(built_in: &'static [Tool], mcp: Vec<McpTool>) -> Self {
        Toolbox {
            built_in,
            mcp: RefCell::new(mcp),
            scripted: RefCell::default(),
        }
    }

    /// The tools of another session: these built-in ones, and the scripted MCP tools.
    pub(crate) fn of_another_session(&self, built_in: &'static [Tool]) -> Self {
        Toolbox::new(built_in, self.mcp.borrow().clone())
    }

    pub(crate) fn has_mcp(&self) -> bool {
        !self.mcp.borrow().is_empty()
    }

    /// Adds the tools of an MCP server, in place of those of an earlier one with its name.
    pub(crate) fn add_server(&self, name: &str, tools: Vec<McpTool>) {
        let mut all = self.mcp.borrow_mut();
        all.retain(|tool| !tool.is_of(name));
        all.extend(tools);
    }

    pub(crate) fn add_scripted(&self, tools: impl Iterator<Item = ScriptedTool>) {
        self.scripted.borrow_mut().extend(tools);
    }

    /// The job of a call, and the category of its tool.
    ///
    /// # Errors
    /// There is no such tool, or the arguments do not fit.
    pub(crate) fn job(
        &self,
        name: &str,
        args: &Value,
    ) -> Result<(Category, Rc<dyn Job>), ToolError> {
        let named = || name.to_owned();
        if !args.is_object() {
            return Err(ToolError::NoObject { name: named() });
        }
        if let Some(tool) = self.mcp.borrow().iter().find(|tool| tool.name == name) {
            return Ok((Category::Mcp, Rc::new(tool.call(args))));
        }
        if let Some(tool) = self.scripted.borrow().iter().find(|tool| tool.name == name) {
            return Ok((Category::Exec, Rc::new(tool.job(self))));
        }
        let Some(tool) = self.built_in.iter().find(|tool| tool.name == name) else {
            return Err(ToolError::UnknownTool { name: named() });
        };
        let job = (tool.parse)(args).map_err(|source| ToolError::Arguments {
            name: named(),
            source,
        })?;
        Ok((tool.category, job))
    }

    /// The tools as they are described to the model.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        let built_in = self.built_in.iter().map(|tool| ToolSpec {
            name: tool.name.to_owned(),
            purpose: tool.purpose.to_owned(),
            parameters: (tool.parameters)(),
        });
        let mcp = self.mcp.borrow();
        let scripted = self.scripted.borrow();
        built_in
            .chain(mcp.iter().map(McpTool::spec))
            .chain(scripted.iter().map(ScriptedTool::spec))
            .collect()
    }
}
