//! The queue of MCP servers that the host adds: connected one after the other, before the next turn starts.

use super::event::Event;
use super::failure::{Failure, FailureSource};
use super::state::SessionState;
use crate::tools::mcp::McpTool;
use crate::tools::mcp_client::{self, McpServer};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use tokio::sync::Notify;

/// The servers that are not connected yet.
#[derive(Default)]
pub(crate) struct McpServers {
    waiting: RefCell<VecDeque<McpServer>>,
    /// Whether a server is being connected.
    busy: Cell<bool>,
    changed: Notify,
}

impl McpServers {
    /// Queues a server.
    pub(crate) fn add(&self, server: McpServer) {
        self.waiting.borrow_mut().push_back(server);
        self.changed.notify_waiters();
    }

    /// Waits until every server is connected, or has failed.
    pub(crate) async fn wait_until_connected(&self) {
        self.until(|| self.waiting.borrow().is_empty() && !self.busy.get())
            .await;
    }

    /// Connects servers as they are added. Never returns.
    pub(crate) async fn run(&self, state: &SessionState) {
        loop {
            self.until(|| !self.waiting.borrow().is_empty()).await;
            self.busy.set(true);
            let next = self.waiting.borrow_mut().pop_front();
            if let Some(server) = next {
                connect(state, &server).await;
            }
            self.busy.set(false);
            self.changed.notify_waiters();
        }
    }

    async fn until(&self, done: impl Fn() -> bool) {
        loop {
            let change = self.changed.notified();
            if done() {
                return;
            }
            change.await;
        }
    }
}

/// Connects a server and adds its tools to the state.
async fn connect(state: &SessionState, server: &McpServer) {
    let name = &server.name;
    match mcp_client::connect(server, state.workspace.root()).await {
        Ok((connection, tools)) => {
            let connection = Rc::new(connection);
            let names: Vec<_> = tools.iter().map(|tool| tool.name.clone()).collect();
            let tools = tools
                .into_iter()
                .map(|tool| McpTool::served(name, tool, Rc::clone(&connection)));
            state.tools.add(tools.collect());
            state.events.emit(&Event::McpServerConnected {
                server: name,
                tools: &names,
            });
        }
        Err(why) => {
            let why = format!("The MCP server {name:?} cannot be used: {why}");
            state
                .events
                .emit_failure(&Failure::permanent(FailureSource::Config, why));
        }
    }
}
