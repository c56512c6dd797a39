//! A text that comes in pieces.

use super::charge::{Charge, Near};
use super::missed::Seen;
use super::wait::More;
use super::{Player, Stop};
use crate::matcher::Matcher;
use crate::runner::rules;
use crate::scenario::types::{JoinedText, Step};
use serde_json::Value;

impl Player {
    /// Joins the pieces of a text until the events that end it, and demands that they are the whole of it.
    pub(super) async fn expect_text(&mut self, step: &Step, text: &JoinedText) -> Result<(), Stop> {
        let mut wait = self.wait_for_event(step);
        let mut seen = Seen::default();
        let mut joined = String::new();
        let mut open: Vec<&Matcher> = text.until.iter().collect();
        loop {
            while let Some(event) = self.live.events.pop_front() {
                if text.of.matches(&event.value, &self.captures).is_ok() {
                    joined += event
                        .value
                        .pointer(&text.at)
                        .and_then(Value::as_str)
                        .unwrap_or_default();
                }
                seen.note(&event);
                let met = |until: &&Matcher| until.matches(&event.value, &self.captures).is_ok();
                if let Some(met) = open.iter().position(met) {
                    open.remove(met);
                }
                if !open.is_empty() {
                    continue;
                }
                if text.is_met_by(&joined) {
                    self.checked();
                    return Ok(());
                }
                let message = format!("the pieces of the text join to {joined:?}");
                self.charge(Charge {
                    near: Near::Frame(event.n, String::new()),
                    expected: vec![format!("{:?}", text.is)],
                    ..Charge::new(rules::EXPECT_TEXT, message)
                });
                return Err(Stop::Failed(None));
            }
            let more = self.more(&mut wait).await?;
            if !matches!(more, More::Came) {
                let expected = open.iter().map(|until| until.describe(&self.captures));
                let expected = expected.collect();
                return Err(self.missed(rules::EXPECT_TEXT, &more, &seen, None, expected));
            }
        }
    }
}
