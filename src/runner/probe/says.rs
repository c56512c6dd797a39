//! What a program says of itself.

use super::{is_end, kill};
use crate::dialect::file::LaunchRecipe;
use crate::frame::Body;
use crate::runner::agent::Agent;
use crate::runner::budgets::stretch;
use crate::runner::inbox::{Inbox, Item};
use crate::runner::launch::{Plan, places};
use crate::runner::limits;
use crate::runner::process::Process;
use crate::runner::scratch::Scratch;
use crate::scenario::types::AgentSetup;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long it may take to say it.
const ANSWER: Duration = Duration::from_secs(5);
/// How much of it is read, in bytes.
const MOST: usize = 1 << 16;

/// What an agent's program prints when it is started with these arguments, such as `--help`, and no input; empty if it does not answer.
pub async fn says(
    agent: &Agent,
    args: &[String],
    scratch: &Scratch,
    time_scale: f64,
    mut cancel: watch::Receiver<bool>,
) -> String {
    let inbox = Arc::new(Inbox::default());
    let Ok(room) = scratch.room() else {
        return String::new();
    };
    let recipe = LaunchRecipe {
        args: args.to_vec(),
        ..LaunchRecipe::default()
    };
    let agent = Agent {
        args: None,
        ..agent.clone()
    };
    let plan = Plan {
        agent: &agent,
        recipe: &recipe,
        wire: None,
        setup: &AgentSetup::default(),
        places: &places(&room, ""),
    };
    let grace = stretch(limits::ORPHAN_GRACE, time_scale.max(1.0));
    let started = plan.launch(&room).ok();
    let Some(Ok(mut process)) = started.map(|launch| Process::start(&launch, &inbox, grace)) else {
        return String::new();
    };
    process.close_stdin();
    let mut said = String::new();
    let over = tokio::select! {
        biased;
        _ = cancel.wait_for(|cancelled| *cancelled) => false,
        () = tokio::time::sleep(stretch(ANSWER, time_scale)) => false,
        () = read(&inbox, &mut said) => said.len() < MOST,
    };
    if !over {
        kill(&process, &inbox).await;
    }
    said
}

async fn read(inbox: &Inbox, said: &mut String) {
    while said.len() < MOST {
        let item = inbox.next().await;
        if is_end(&item) {
            return;
        }
        if let Item::Frame(frame) = item
            && let Body::FromAgent(line) | Body::Stderr(line) = &frame.body
        {
            said.push_str(&line.text());
            said.push('\n');
        }
    }
}
