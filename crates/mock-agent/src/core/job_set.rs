//! A set of jobs that run concurrently.

use crate::tools::{JobFuture, ToolResult};
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

/// How long a result waits for those of earlier jobs, so that jobs of equal length end in the same order every time.
const SETTLE: Duration = Duration::from_millis(100);

/// Running jobs, in the order in which they started. Dropping the set stops them.
#[derive(Default)]
pub(crate) struct JobSet<'a> {
    jobs: Vec<RunningJob<'a>>,
}

struct RunningJob<'a> {
    key: usize,
    job: JobFuture<'a>,
    outcome: Option<ToolResult>,
}

impl<'a> JobSet<'a> {
    pub(crate) fn push(&mut self, key: usize, job: JobFuture<'a>) {
        self.jobs.push(RunningJob {
            key,
            job,
            outcome: None,
        });
    }

    /// The next result with its job's key. Never returns while there is no job.
    pub(crate) async fn next(&mut self) -> Option<(usize, ToolResult)> {
        self.until(|jobs| jobs.iter().any(RunningJob::is_finished))
            .await;
        let first_is_finished =
            |jobs: &[RunningJob]| jobs.first().is_some_and(RunningJob::is_finished);
        let _ = tokio::time::timeout(SETTLE, self.until(first_is_finished)).await;
        let over = self.jobs.iter().position(RunningJob::is_finished)?;
        let RunningJob { key, outcome, .. } = self.jobs.remove(over);
        outcome.map(|outcome| (key, outcome))
    }

    /// Polls all jobs until the condition holds.
    async fn until(&mut self, done: impl Fn(&[RunningJob<'a>]) -> bool) {
        poll_fn(|cx| {
            for at in self.jobs.iter_mut().filter(|at| !at.is_finished()) {
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

impl RunningJob<'_> {
    fn is_finished(&self) -> bool {
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
    async fn jobs_of_similar_length_end_in_the_order_in_which_they_started() {
        assert_eq!(order(&[50, 20, 0]).await, [0, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_job_does_not_delay_a_short_one() {
        assert_eq!(order(&[5000, 10]).await, [1, 0]);
    }
}
