//! Sub-agents of a turn: one kind gives a single reply without tools, the other works with tools and reports its progress.

use super::model_request::collect_reply;
use super::tool_calls::{requested_calls, result_block};
use super::{Event, ReplyBuilder, RequestedCall, SubagentUpdate, TurnContext};
use crate::faults::Bug;
use crate::model::{ContentBlock, Message, ModelError, ModelRequest, Role};
use crate::tools::{SUBAGENT, SubagentFuture, SubagentRunner, SubagentTask, ToolResult};
use std::time::Instant;
use tokio::time::timeout;

/// The tokens that sub-agents use count as the turn's.
impl SubagentRunner for TurnContext<'_> {
    fn answer<'a>(&'a self, task: &'a str) -> SubagentFuture<'a> {
        Box::pin(async move {
            let messages = [Message::user(task.to_owned())];
            let settings = &self.session.settings;
            let request = settings.request(self.turn.model(), &messages, &[]);
            let reply = self.request(&request).await;
            reply
                .map(ReplyBuilder::into_text)
                .map_err(|error| error.to_string())
        })
    }

    fn run<'a>(&'a self, task: &'a SubagentTask) -> SubagentFuture<'a> {
        Box::pin(self.run_with_tools(task))
    }
}

impl TurnContext<'_> {
    async fn request(&self, request: &ModelRequest<'_>) -> Result<ReplyBuilder, ModelError> {
        let (reply, usage) = collect_reply(self.session, request).await?;
        self.turn.add_usage(usage);
        Ok(reply)
    }

    async fn run_with_tools(&self, task: &SubagentTask) -> Result<String, String> {
        let session = self.session;
        let number = session.subagents.get() + 1;
        session.subagents.set(number);
        let id = match number {
            2.. if session.faults.triggers(Bug::SubagentIdsRepeat) => 1,
            _ if session.faults.triggers(Bug::SubagentIdsFall) => 1000_u64.saturating_sub(number),
            _ => number,
        };
        self.report(id, task, SubagentUpdate::Started { task: &task.task });
        let start = Instant::now();
        let answer = match timeout(task.limit(), self.solve(id, task)).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {} s", task.limit().as_secs())),
        };
        let (Ok(result) | Err(result)) = &answer;
        let elapsed = start.elapsed();
        self.report(id, task, SubagentUpdate::Finished { result, elapsed });
        answer
    }

    fn report(&self, id: u64, task: &SubagentTask, update: SubagentUpdate<'_>) {
        let name = task.name();
        let event = Event::Subagent { id, name, update };
        self.session.events.emit(&event);
    }

    async fn solve(&self, id: u64, task: &SubagentTask) -> Result<String, String> {
        let session = self.session;
        let mut tools = session.tools.specs();
        tools.retain(|tool| tool.name != SUBAGENT.name);
        let mut messages = vec![Message::user(task.task.clone())];
        for _ in 0..session.settings.max_turns {
            self.report(id, task, SubagentUpdate::WaitingForModel);
            let model = task.model().unwrap_or(self.turn.model());
            let mut request = session.settings.request(model, &messages, &tools);
            request.system = task.system.as_deref().unwrap_or(request.system);
            let reply = self.request(&request).await;
            let content = reply.map_err(|error| error.to_string())?.into_blocks();
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
                self.report(id, task, SubagentUpdate::UsingTool);
                results.push(result_block(&call.id, &self.run_call(&call).await));
            }
            messages.push(Message {
                role: Role::User,
                content: results,
            });
        }
        Err("the sub-agent did not come to an end".into())
    }

    async fn run_call(&self, call: &RequestedCall) -> ToolResult {
        if call.tool == SUBAGENT.name {
            return ToolResult::error("A sub-agent cannot have sub-agents.");
        }
        match self.session.tools.job(&call.tool, &call.args) {
            Ok((_, job)) => job.run(self.tool_context()).await,
            Err(invalid) => ToolResult::error(invalid.to_string()),
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
