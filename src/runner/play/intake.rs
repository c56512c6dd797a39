//! Takes in what happened, one thing after the other.

use super::charge::Charge;
use super::live::Event;
use super::tools::offered;
use super::{Player, Stop};
use crate::dialect::FrameIdentity;
use crate::frame::{Body, Line};
use crate::framing::{Defect, parse};
use crate::runner::inbox::Item;
use crate::runner::rules;
use serde_json::Value;
use tokio::time::Instant;

impl Player {
    /// Takes in one thing that happened.
    pub(super) fn take(&mut self, item: Item) -> Result<(), Stop> {
        match item {
            Item::Frame(frame) => {
                let n = self.live.history.push(&frame);
                match frame.body {
                    Body::FromAgent(line) => self.line(n, &line)?,
                    Body::LlmRequest(request) => {
                        self.requests.came(request.n, (self.past.len(), n));
                        self.offered.insert(request.n, offered(&request.body));
                        self.live.requests.push_back((n, request));
                    }
                    Body::LlmReply(reply) => {
                        self.requests.answered(&reply);
                        self.live.replies.push_back(reply);
                    }
                    Body::ToAgent(_) => self.requests.host_wrote((self.past.len(), n)),
                    Body::End(end) => self.live.end = Some(end),
                    _ => {}
                }
            }
            Item::StdoutEnd => self.live.stdout_end = Some(Instant::now()),
            Item::Answered { n, reply } => self.tools(n, reply)?,
            Item::Failure(failure) => self.model_failure(&failure),
            Item::Overflow { bytes, lines } => {
                self.charge(Charge::new(
                    rules::OUTPUT,
                    format!("the agent wrote {bytes} bytes in {lines} whole lines, and went on; it was killed"),
                ));
                return Err(Stop::Failed(Some("output")));
            }
        }
        Ok(())
    }

    fn line(&mut self, n: u64, line: &Line) -> Result<(), Stop> {
        self.live.heard = true;
        let parsed = parse(line);
        if parsed.defects.contains(&Defect::Blank) {
            return Ok(());
        }
        let value = parsed.value.unwrap_or_default();
        let name = match self.stage.dialect.events.name(&value) {
            FrameIdentity::Known(_, Some(name))
            | FrameIdentity::Known(name, None)
            | FrameIdentity::Unknown(name) => name,
            FrameIdentity::Missing if value.is_object() => "an object without a name".to_owned(),
            FrameIdentity::Missing => "a line that is no event".to_owned(),
        };
        if value.is_object() {
            self.capabilities(&value)?;
            self.answer(&value)?;
        }
        self.live.events.push_back(Event { n, name, value });
        Ok(())
    }

    /// Where the agent declares what it can do, looks for what the scenario needs.
    fn capabilities(&self, event: &Value) -> Result<(), Stop> {
        let dialect = &self.stage.dialect;
        let Some(Value::String(name)) = event.pointer(&dialect.events.discriminator) else {
            return Ok(());
        };
        for need in &self.scenario.needs {
            let Some(capability) = dialect.capabilities.get(need) else {
                continue;
            };
            let declared = |value: Option<&Value>| {
                !matches!(value, None | Some(Value::Null | Value::Bool(false)))
            };
            if capability.event.as_ref() == Some(name) && !declared(event.pointer(&capability.at)) {
                return Err(Stop::Skipped(format!("the agent does not declare {need}")));
            }
        }
        Ok(())
    }
}
