//! Faults in prompts that arrive while a turn runs.

use crate::core::hooks::QueueHooks;
use crate::core::queues::{Prompt, Queues};
use crate::faults::Faults;
use crate::faults::bug::Bug;

impl QueueHooks for Faults {
    fn drops_prompt_while_busy(&self) -> bool {
        self.triggers(Bug::DropsWhileBusy)
    }

    fn starts_next_task(&self) -> bool {
        let (turn, first) = self.turns(Bug::SecondTurnStuck);
        !(turn == first && self.triggers(Bug::SecondTurnStuck))
    }

    fn due_prompts(&self, queues: &Queues, done: bool) -> Vec<Prompt> {
        let Queues {
            steering,
            follow_up,
        } = queues;
        let (steers, follows) = (steering.has_prompts(), follow_up.has_prompts());
        if steers && !done && self.triggers(Bug::SteeringWaits) {
            return vec![];
        }
        if follows && (steers || !done) && self.triggers(Bug::FollowUpsEarly) {
            return follow_up.take();
        }
        if follows && !steers && !done && self.triggers(Bug::FollowUpsAfterTools) {
            return follow_up.take();
        }
        let (queue, bug) = match steers {
            true => (steering, Bug::SteeringTogether),
            false => (follow_up, Bug::FollowUpsTogether),
        };
        if queue.len() > 1 && !queue.together.get() && (steers || done) && self.triggers(bug) {
            queue.together.set(true);
            let due = queues.due(done);
            queue.together.set(false);
            return due;
        }
        queues.due(done)
    }

    fn keeps_queues(&self) -> bool {
        !self.triggers(Bug::QueueEndsWithStop)
    }
}
