//! The end of a session, whatever came before it.

use super::live::Live;
use super::wait::cancelled;
use super::{Player, Stop};
use crate::frame::{Body, End, Frame};
use crate::runner::limits;
use std::time::Duration;
use tokio::time::Instant;

impl Player {
    /// Ends the agent: at once where there is a reason to, else by closing its stdin. Says why the scenario ended early, if it did.
    pub(super) async fn close(&mut self, mut stop: Option<Stop>) -> Option<Stop> {
        let ended = match &stop {
            Some(Stop::Failed(Some(why))) => self.end_now(why).await,
            Some(Stop::Interrupted) => self.end_now("interrupted").await,
            Some(_) => self.end_politely().await,
            None => match self.settle().await {
                Ok(()) => self.end_politely().await,
                stop => stop,
            },
        };
        stop = stop.or(ended.err());
        if stop.is_none() {
            for failure in self.server.unused() {
                self.model_failure(&failure);
            }
            stop = self.files_after().err();
        }
        stop
    }

    /// Closes stdin, lets the model say what it still has to say, and kills the agent if it does not end in time.
    pub(super) async fn end_politely(&mut self) -> Result<(), Stop> {
        if self.live.end.is_some() {
            return Ok(());
        }
        // An agent that has closed its stdout is mostly about to end: what ends by itself must not look as if it was asked to.
        let leaving = self.live.stdout_end.is_some();
        if leaving && matches!(self.wait_for_end(limits::GOODBYE).await, Ok(true)) {
            return Ok(());
        }
        self.close_stdin();
        let gates: Vec<String> = self.script.gates().map(str::to_owned).collect();
        for gate in gates {
            self.server.release(&gate);
        }
        match self.wait_for_end(self.budgets.exit).await {
            Ok(true) => Ok(()),
            Ok(false) => self.end_now("budget:exit").await,
            Err(stop) => {
                let why = match stop {
                    Stop::Failed(Some(why)) => why,
                    _ => "interrupted",
                };
                self.end_now(why).await?;
                Err(stop)
            }
        }
    }

    /// Kills the agent.
    async fn end_now(&mut self, why: &str) -> Result<(), Stop> {
        self.live.process.kill(why);
        let until = Instant::now() + limits::KILL_PATIENCE * 2;
        while self.live.end.is_none() && Instant::now() < until {
            let Ok(item) = tokio::time::timeout_at(until, self.inbox.next()).await else {
                break;
            };
            // What is wrong with it now changes nothing any more.
            let _ = self.take(item);
        }
        if self.live.end.is_none() {
            let at = u64::try_from(self.live.started.elapsed().as_micros()).unwrap_or(u64::MAX);
            let body = Body::End(End::Killed {
                why: why.to_owned(),
            });
            self.live.history.push(&Frame { at, body });
            return Err(Stop::Broken("the agent could not be killed".to_owned()));
        }
        Ok(())
    }

    /// Waits for the end of the process; false if it did not come in time.
    async fn wait_for_end(&mut self, budget: Duration) -> Result<bool, Stop> {
        let until = Instant::now() + budget;
        while self.live.end.is_none() {
            let item = tokio::select! {
                biased;
                () = cancelled(&mut self.cancel) => return Err(Stop::Interrupted),
                item = self.inbox.next() => item,
                () = tokio::time::sleep_until(until) => return Ok(false),
            };
            // The scenario is over: what it needs and what it sends matters no more.
            if let Err(stop @ Stop::Failed(Some(_))) = self.take(item) {
                return Err(stop);
            }
        }
        Ok(true)
    }

    /// Puts a session that is over among the past ones.
    pub(super) fn bury(&mut self, live: Live) -> Result<(), Stop> {
        self.life += live.process.life();
        self.past.push(live.history.finish().map_err(Stop::Broken)?);
        Ok(())
    }
}
