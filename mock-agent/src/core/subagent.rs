//! A sub-agent: it has the model and all tools but the one that makes sub-agents, and tells how it is.

use super::event::{Event, SubagentUpdate};
use super::side_request::TurnSubagents;
use super::tool_calls::requested_calls;
use super::tool_calls::{RequestedCall, result};
use crate::model::message::{ContentBlock, Message, Role};
use crate::tools::ToolResult;
use crate::tools::{SUBAGENT, SubagentTask, ToolContext};
use std::time::Instant;
use tokio::time::timeout;

impl TurnSubagents<'_> {
    /// Has a sub-agent do what was ordered; gives its last words.
    pub(crate) async fn carry_out(&self, order: &SubagentTask) -> Result<String, String> {
        let id = self.session.helpers.get() + 1;
        self.session.helpers.set(id);
        let id = self.session.hooks.subagent_id(id);
        self.tell(id, order, SubagentUpdate::Started { task: &order.task });
        let began = Instant::now();
        let answer = match timeout(order.limit, self.work(id, order)).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {} s", order.limit.as_secs())),
        };
        let (Ok(result) | Err(result)) = &answer;
        let took = began.elapsed();
        self.tell(id, order, SubagentUpdate::Finished { result, took });
        answer
    }

    fn tell(&self, id: u64, order: &SubagentTask, update: SubagentUpdate<'_>) {
        let name = &order.name;
        self.session
            .events
            .emit(&Event::Subagent { id, name, update });
    }

    async fn work(&self, id: u64, order: &SubagentTask) -> Result<String, String> {
        let settings = &self.session.settings;
        let mut tools = self.session.tools.specs();
        tools.retain(|tool| tool.name != SUBAGENT.name);
        let mut messages = vec![Message {
            role: Role::User,
            content: vec![ContentBlock::Text(order.task.clone())],
        }];
        for _ in 0..settings.max_turns {
            self.tell(id, order, SubagentUpdate::WaitingForModel);
            let mut request = settings.request(&messages, &tools);
            request.model = order.model.as_deref().unwrap_or(&self.turn.model);
            request.system = order.system.as_deref().unwrap_or(request.system);
            let said = self.ask(&request).await;
            let content = said.map_err(|error| error.message)?.whole();
            let calls = requested_calls(&content);
            if calls.is_empty() {
                return Ok(text(content));
            }
            messages.push(Message {
                role: Role::Assistant,
                content,
            });
            let mut results = Vec::new();
            for call in calls {
                self.tell(id, order, SubagentUpdate::UsingTool);
                results.push(result(&call.id, &self.run(&call).await));
            }
            messages.push(Message {
                role: Role::User,
                content: results,
            });
        }
        Err("the sub-agent did not come to an end".into())
    }

    async fn run(&self, call: &RequestedCall) -> ToolResult {
        if call.tool == SUBAGENT.name {
            return ToolResult::error("A sub-agent cannot have sub-agents.");
        }
        match self.session.tools.job(&call.tool, &call.args) {
            Ok((_, job)) => {
                let context = ToolContext {
                    workspace: &self.session.workspace,
                    subagents: self,
                    hooks: &*self.session.hooks,
                    progress: None,
                };
                job.run(context).await
            }
            Err(refused) => ToolResult::error(refused.0),
        }
    }
}

fn text(content: Vec<ContentBlock>) -> String {
    let texts = content.into_iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text),
        _ => None,
    });
    texts.collect()
}
