//! What `conform run` and `conform init` say while they detect what an agent speaks, and how they start it.

use super::output;
use conform_judge::dialect::Dialect;
use conform_runner::agent::Agent;
use conform_runner::detect::advice::shown_command_line;
use std::time::Duration;

/// How long a detection goes on without a word.
const QUIET: Duration = Duration::from_secs(4);

/// Awaits a detection, and says that it waits when it takes long.
pub(super) async fn with_patience<T>(detection: impl Future<Output = T>) -> T {
    let mut detection = std::pin::pin!(detection);
    tokio::select! {
        biased;
        detected = &mut detection => return detected,
        () = tokio::time::sleep(QUIET) => {}
    }
    output::note("the agent has not shown yet what it speaks; waiting for it");
    detection.await
}

/// Shows the command line that starts the agent.
pub(super) fn note_command_line(agent: &Agent, dialect: &Dialect, wire: Option<&str>) {
    let words = shown_command_line(agent, dialect, wire);
    output::note(format_args!("the agent is started as {words}"));
}
