//! Steps that wait for the model: for a request to it, or for the end of an answer.

use super::charge::{Charge, Near};
use super::missed::Seen;
use super::wait::More;
use super::{Player, Stop};
use crate::frame::ReplyEnd;
use crate::matcher::RequestMatcher;
use crate::runner::rules;
use crate::scenario::types::Step;

impl Player {
    /// Waits until a request that matches has reached the model.
    pub(super) async fn expect_request(
        &mut self,
        step: &Step,
        matcher: &RequestMatcher,
    ) -> Result<(), Stop> {
        let mut wait = self.wait_for_event(step).aside();
        let mut seen = Seen::default();
        let mut nearest = None;
        loop {
            while let Some((n, request)) = self.live.requests.pop_front() {
                match matcher.matches(&request, &self.captures) {
                    Ok(()) => {
                        let Err(lacking) = self.captures.take(&step.capture, &request.body) else {
                            self.checked();
                            return Ok(());
                        };
                        let message =
                            format!("the request has not what the step captures: {lacking}");
                        self.charge(Charge {
                            near: Near::Frame(n, String::new()),
                            ..Charge::new(rules::EXPECT_REQUEST, message)
                        });
                        return Err(Stop::Failed(None));
                    }
                    Err(difference) => nearest = Some((n, difference)),
                }
                seen.note_name(&format!("POST {}", request.path));
            }
            let more = self.more(&mut wait).await?;
            if !matches!(more, More::Came) {
                let expected = vec![matcher.describe(&self.captures)];
                return Err(self.missed(rules::EXPECT_REQUEST, &more, &seen, nearest, expected));
            }
        }
    }

    /// Waits until an answer of the model has ended in this way.
    pub(super) async fn expect_reply(&mut self, step: &Step, end: ReplyEnd) -> Result<(), Stop> {
        let mut wait = self.wait_for_event(step).aside();
        let mut seen = Seen::default();
        loop {
            while let Some(reply) = self.live.replies.pop_front() {
                if reply.end == end {
                    self.checked();
                    return Ok(());
                }
                seen.note_name(&format!("answer {} ({})", reply.n, reply.end.as_str()));
            }
            let more = self.more(&mut wait).await?;
            if !matches!(more, More::Came) {
                let expected = vec![format!("an answer that ends as {}", end.as_str())];
                return Err(self.missed(rules::EXPECT_REPLY, &more, &seen, None, expected));
            }
        }
    }
}
