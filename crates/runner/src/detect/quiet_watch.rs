//! Watches whether a probed agent has gone quiet: it writes nothing, and its processes sleep.

use crate::process::activity::ProcessActivity;
use std::time::Duration;
use tokio::time::Instant;

/// How often the activity of the agent is looked at in the quiet time.
const LOOKS: u32 = 4;

/// Watches an agent that should write something.
#[derive(Debug)]
pub(super) struct QuietWatch {
    /// How long it may be quiet.
    length: Duration,
    since: Instant,
    next_look: Instant,
    before: Option<ProcessActivity>,
}

impl QuietWatch {
    pub(super) fn new(length: Duration) -> Self {
        let now = Instant::now();
        QuietWatch {
            length,
            since: now,
            next_look: now + length / LOOKS,
            before: None,
        }
    }

    /// The agent has written something.
    pub(super) fn restart(&mut self) {
        *self = QuietWatch::new(self.length);
    }

    /// When the activity of the agent must be looked at again.
    pub(super) fn next_look(&self) -> Instant {
        self.next_look
    }

    /// Takes a look at the activity; `None` if the agent is at work, or if the system does not tell. Returns whether the agent has been
    /// quiet for the whole length.
    pub(super) fn look(&mut self, activity: Option<ProcessActivity>) -> bool {
        let now = Instant::now();
        let is_idle = match (&activity, &self.before) {
            (Some(activity), Some(before)) => activity.is_idle_since(before),
            _ => false,
        };
        if !is_idle {
            self.since = now;
        }
        self.next_look = now + self.length / LOOKS;
        self.before = activity;
        is_idle && now.duration_since(self.since) >= self.length
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::Pid;

    const LENGTH: Duration = Duration::from_secs(4);

    /// Looks at an agent until it has been quiet for long enough, and returns after what time that was.
    async fn quiet_after(watch: &mut QuietWatch, activity: &ProcessActivity) -> Duration {
        let began = Instant::now();
        loop {
            tokio::time::sleep_until(watch.next_look()).await;
            if watch.look(Some(activity.clone())) {
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
            if let Some(activity) = ProcessActivity::of(Pid::from_child(&child)) {
                break activity;
            }
        };
        child.kill().unwrap();
        child.wait().unwrap();

        let mut watch = QuietWatch::new(LENGTH);
        let usual = quiet_after(&mut watch, &asleep).await;
        assert!(usual >= LENGTH && usual < LENGTH * 2, "{usual:?}");

        // Work, or a line, in the middle of the quiet time.
        for interrupt in [
            |watch: &mut QuietWatch| assert!(!watch.look(None)),
            QuietWatch::restart,
        ] {
            let mut watch = QuietWatch::new(LENGTH);
            tokio::time::sleep_until(watch.next_look()).await;
            assert!(!watch.look(Some(asleep.clone())));
            interrupt(&mut watch);
            assert!(quiet_after(&mut watch, &asleep).await >= LENGTH);
        }
    }
}
