//! The output of an agent's program for arguments such as `--help` or `--version`.

use super::probe::{is_end, kill, start_briefly};
use crate::agent::Agent;
use crate::arguments::RecipeArgs;
use crate::event_queue::{EventQueue, SessionEvent};
use crate::limits::stretch;
use crate::sandbox_root::SandboxRoot;
use conform_dialect::file::LaunchRecipe;
use conform_judge::frame::Body;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The timeout for the output.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How much of it is read, in bytes.
const LIMIT: usize = 1 << 16;

/// What an agent's program prints to stdout and stderr when it is started with these arguments and no input; empty if it does not start
/// or prints nothing in time.
pub(super) async fn program_output(
    agent: &Agent,
    args: &[String],
    sandboxes: &SandboxRoot,
    time_scale: f64,
    mut cancel: watch::Receiver<bool>,
) -> String {
    let queue = Arc::new(EventQueue::default());
    let recipe = LaunchRecipe {
        args: args.to_vec(),
        ..LaunchRecipe::default()
    };
    let mut agent = agent.clone();
    if agent.recipe_args == RecipeArgs::Placed {
        // Its arguments start a session.
        agent.args.clear();
        agent.recipe_args = RecipeArgs::Append;
    }
    let started = start_briefly(&agent, (&recipe, None), "", sandboxes, &queue, time_scale);
    let Ok((mut process, _sandbox)) = started else {
        return String::new();
    };
    process.close_stdin();
    let mut output = String::new();
    let has_ended = tokio::select! {
        biased;
        _ = cancel.wait_for(|cancelled| *cancelled) => false,
        () = tokio::time::sleep(stretch(TIMEOUT, time_scale)) => false,
        () = read(&queue, &mut output) => output.len() < LIMIT,
    };
    if !has_ended {
        kill(&process, &queue).await;
    }
    output
}

async fn read(queue: &EventQueue, output: &mut String) {
    while output.len() < LIMIT {
        let event = queue.next().await;
        if is_end(&event) {
            return;
        }
        if let SessionEvent::Frame(frame) = event
            && let Body::FromAgent(line) | Body::Stderr(line) = &frame.body
        {
            output.push_str(&line.text());
            output.push('\n');
        }
    }
}
