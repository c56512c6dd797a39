//! Watches whether an agent has gone quiet: it writes nothing, and its processes sleep.

use super::activity::ProcessActivity;
use std::time::Duration;
use tokio::time::Instant;

/// Watches an agent that should do something.
#[derive(Debug)]
pub(crate) struct QuietWatch {
    /// The interval at which its activity is checked.
    interval: Duration,
    /// Since when nothing has happened.
    since: Instant,
    next_look: Instant,
    before: Option<ProcessActivity>,
}

impl QuietWatch {
    pub(crate) fn new(interval: Duration) -> Self {
        let now = Instant::now();
        QuietWatch {
            interval,
            since: now,
            next_look: now + interval,
            before: None,
        }
    }

    /// Something has happened.
    pub(crate) fn restart(&mut self) {
        *self = QuietWatch::new(self.interval);
    }

    /// When the activity of the agent must be checked again.
    pub(crate) fn next_look(&self) -> Instant {
        self.next_look
    }

    /// How long nothing has happened, as far as the observations show.
    pub(crate) fn quiet_time(&self) -> Duration {
        self.since.elapsed()
    }

    /// Observes the activity; `None` if the agent is at work, or if the system does not report it. Returns for how long the agent
    /// has been quiet, once two observations in a row have found it idle.
    pub(crate) fn look(&mut self, activity: Option<ProcessActivity>) -> Option<Duration> {
        self.next_look = Instant::now() + self.interval;
        match (activity, &self.before) {
            (Some(now), None) => {
                self.before = Some(now);
                None
            }
            (Some(now), Some(before)) if now.is_idle_since(before) => {
                self.before = Some(now);
                Some(self.quiet_time())
            }
            _ => {
                self.restart();
                None
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::Pid;

    const LENGTH: Duration = Duration::from_secs(4);

    /// Observes an agent until it has been quiet for long enough, and returns how long that took.
    async fn quiet_after(watch: &mut QuietWatch, activity: &ProcessActivity) -> Duration {
        let began = Instant::now();
        loop {
            tokio::time::sleep_until(watch.next_look()).await;
            let quiet = watch.look(Some(activity.clone()));
            if quiet.is_some_and(|quiet| quiet >= LENGTH) {
                return began.elapsed();
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_an_agent_that_has_been_idle_and_silent_for_the_whole_length_is_quiet() {
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        let asleep = loop {
            if let Some(activity) = ProcessActivity::measure(Pid::from_child(&child)) {
                break activity;
            }
        };
        child.kill().unwrap();
        child.wait().unwrap();

        let mut watch = QuietWatch::new(LENGTH / 4);
        let usual = quiet_after(&mut watch, &asleep).await;
        assert!(usual >= LENGTH && usual < LENGTH * 2, "{usual:?}");

        // Work, or a line, in the middle of the quiet time.
        for interrupt in [
            |watch: &mut QuietWatch| assert_eq!(watch.look(None), None),
            QuietWatch::restart,
        ] {
            let mut watch = QuietWatch::new(LENGTH / 4);
            tokio::time::sleep_until(watch.next_look()).await;
            assert_eq!(watch.look(Some(asleep.clone())), None);
            interrupt(&mut watch);
            assert!(quiet_after(&mut watch, &asleep).await >= LENGTH);
        }
    }
}
