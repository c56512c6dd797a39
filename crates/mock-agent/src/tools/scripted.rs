//! Scripted tools: each calls other tools, and returns their results.

use super::{Job, JobFuture, NestedStep, Progress, ToolContext, ToolOutput, ToolResult, Toolbox};
use crate::model::ToolSpec;
use serde_json::{Value, json};
use std::rc::Rc;

pub(crate) struct ScriptedTool {
    pub(crate) name: String,
    /// The names of the tools that it calls, and the arguments.
    pub(crate) calls: Vec<(String, Value)>,
}

impl ScriptedTool {
    /// The tool as it is described to the model.
    pub(super) fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.clone(),
            purpose: "Calls other tools.".to_owned(),
            parameters: json!({ "type": "object", "properties": {} }),
        }
    }

    /// A call. A scripted tool calls no other one.
    pub(super) fn job(&self, toolbox: &Toolbox) -> ScriptedJob {
        let calls = self.calls.iter().map(|(tool, args)| NestedCall {
            tool: tool.clone(),
            args: args.clone(),
            job: match toolbox.job(tool, args) {
                Ok((_, job)) => Ok(job),
                Err(why) => Err(why.to_string()),
            },
        });
        ScriptedJob {
            name: self.name.clone(),
            calls: calls.collect(),
        }
    }
}

pub(super) struct ScriptedJob {
    name: String,
    calls: Vec<NestedCall>,
}

struct NestedCall {
    tool: String,
    args: Value,
    job: Result<Rc<dyn Job>, String>,
}

impl NestedCall {
    async fn run(&self, place: usize, context: ToolContext<'_>) -> ToolResult {
        let report = |step: NestedStep<'_>| {
            if let Some((listener, n)) = context.progress {
                let (tool, args) = (&*self.tool, &self.args);
                let nested = Progress::Nested {
                    place,
                    tool,
                    args,
                    step,
                };
                listener(n, nested);
            }
        };
        let job = match &self.job {
            Ok(job) => Rc::clone(job),
            Err(why) => {
                report(NestedStep::Refused(why));
                return ToolResult::error(why);
            }
        };
        report(NestedStep::Started);
        let listener = |_, progress: Progress<'_>| {
            if let Progress::Output(output) = progress {
                report(NestedStep::Output(output));
            }
        };
        let nested = ToolContext {
            progress: Some((&listener, place)),
            ..context
        };
        let result = job.run(nested).await;
        report(NestedStep::Ended(&result));
        result
    }
}

impl Job for ScriptedJob {
    fn describe(&self) -> String {
        format!("Call {}", self.name)
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            let mut texts = Vec::new();
            for (index, call) in self.calls.iter().enumerate() {
                if let ToolOutput::Text(text) = call.run(index + 1, context).await.output {
                    texts.push(text);
                }
            }
            ToolResult {
                details: Some(json!({ "calls": self.calls.len() })),
                ..ToolResult::text(texts.join("\n"))
            }
        })
    }
}
