//! Jobs at work side by side.

use crate::tools::JobFuture;
use crate::tools::ToolResult;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

/// How long an outcome waits for those of jobs that began before it, so that equals come in the same order every time.
const SETTLE: Duration = Duration::from_millis(100);

/// Jobs at work, in the order in which they began. Dropping it ends them.
#[derive(Default)]
pub(crate) struct JobSet<'a> {
    jobs: Vec<At<'a>>,
}

struct At<'a> {
    key: usize,
    job: JobFuture<'a>,
    outcome: Option<ToolResult>,
}

impl<'a> JobSet<'a> {
    pub(crate) fn push(&mut self, key: usize, job: JobFuture<'a>) {
        self.jobs.push(At {
            key,
            job,
            outcome: None,
        });
    }

    /// The next outcome with its job's key; waits for ever while there is no job.
    pub(crate) async fn next(&mut self) -> Option<(usize, ToolResult)> {
        self.until(|jobs| jobs.iter().any(At::is_over)).await;
        let first_is_over = |jobs: &[At]| jobs.first().is_some_and(At::is_over);
        let _ = tokio::time::timeout(SETTLE, self.until(first_is_over)).await;
        let over = self.jobs.iter().position(At::is_over)?;
        let At { key, outcome, .. } = self.jobs.remove(over);
        outcome.map(|outcome| (key, outcome))
    }

    /// Works on all jobs until the condition holds.
    async fn until(&mut self, done: impl Fn(&[At<'a>]) -> bool) {
        poll_fn(|cx| {
            for at in self.jobs.iter_mut().filter(|at| !at.is_over()) {
                if let Poll::Ready(outcome) = at.job.as_mut().poll(cx) {
                    at.outcome = Some(outcome);
                }
            }
            if done(&self.jobs) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

impl At<'_> {
    fn is_over(&self) -> bool {
        self.outcome.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after<'a>(millis: u64) -> JobFuture<'a> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            ToolResult::text(millis.to_string())
        })
    }

    async fn order(waits: &[u64]) -> Vec<usize> {
        let mut running = JobSet::default();
        for (key, millis) in waits.iter().enumerate() {
            running.push(key, after(*millis));
        }
        let mut order = Vec::new();
        for _ in waits {
            order.push(running.next().await.expect("an outcome").0);
        }
        order
    }

    #[tokio::test(start_paused = true)]
    async fn nearly_equal_jobs_end_in_the_order_in_which_they_began() {
        assert_eq!(order(&[50, 20, 0]).await, [0, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_job_does_not_hold_up_a_short_one() {
        assert_eq!(order(&[5000, 10]).await, [1, 0]);
    }
}
