//! The notes of `conform run` and `conform init` while they detect what an agent speaks, and how they start it.

use super::output;
use conform_judge::dialect::{Dialect, DialectSource};
use conform_runner::agent::Agent;
use conform_runner::detect::advice::shown_command_line;
use conform_runner::detect::detector::{DetectError, Detected, Detector};
use conform_runner::detect::known_agents::FoundAgent;
use conform_runner::detect::package::Package;
use std::time::Duration;

/// How long a detection runs without a message.
const QUIET: Duration = Duration::from_secs(4);

/// Detects the dialect that an agent speaks, and prints the evidence.
pub(super) async fn announced_dialect(
    detector: &Detector<'_>,
    source: &DialectSource,
    named: Option<&str>,
) -> Result<Detected, DetectError> {
    let detected = with_patience(detector.detect(source, named)).await?;
    if let Some(note) = &detected.note {
        output::note(note);
    }
    Ok(detected)
}

/// Tells which agent file is used.
pub(super) fn note_agent_file(found: &FoundAgent) {
    let (file, path) = (&found.agent.file, found.agent.path());
    let title = if file.title.is_empty() { "" } else { " of " };
    output::note(format_args!(
        "the agent file{title}{} is used: {} ({})",
        file.title,
        found.reason,
        path.display()
    ));
}

/// Awaits a detection, and prints a note when it takes long.
async fn with_patience<T>(detection: impl Future<Output = T>) -> T {
    let mut detection = std::pin::pin!(detection);
    tokio::select! {
        biased;
        detected = &mut detection => return detected,
        () = tokio::time::sleep(QUIET) => {}
    }
    output::note("the protocol of the agent is not recognized yet; waiting");
    detection.await
}

/// Tells that an agent is newer than the newest version of its dialect, which judges it.
pub(super) fn note_newer_agent(
    source: &DialectSource,
    dialect: &Dialect,
    package: Option<&Package>,
) {
    let newest = source.resolve(&dialect.name);
    // The versions of a known agent are not those of its dialect.
    let is_newest =
        dialect.agent.is_none() && newest.is_ok_and(|(_, version)| version == dialect.version);
    if let Some(package) = package.filter(|package| is_newest && package.is_after(&dialect.version))
    {
        output::note(format_args!(
            "the agent is {} {}, newer than {id}, the newest version that is known; it is judged by {id}",
            package.name,
            package.version,
            id = dialect.id()
        ));
    }
}

/// Shows the command line that starts the agent.
pub(super) fn note_command_line(agent: &Agent, dialect: &Dialect, wire: Option<&str>) {
    let words = shown_command_line(agent, dialect, wire);
    output::note(format_args!("the agent is started as {words}"));
}
