//! Turns a recorded session into a script for the reference agent.

use crate::cli::args::DialectArgs;
use crate::cli::catalogue::render_errors;
use crate::cli::command_error::CommandError;
use crate::cli::output;
use crate::cli::session_judge::{DialectChoice, LoadedDialects};
use crate::cli::whole_file::write_whole;
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::frame::Frame;
use conform_judge::transcript::TranscriptReader;
use conform_relay::{RecordedScript, agent_script, model_script};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// The kinds of scripts of a session.
#[derive(Debug, Clone, Copy)]
pub(super) enum ScriptKind {
    /// The replies of the model.
    Model,
    /// The frames of the agent.
    Agent,
}

/// Writes a script of the session in a transcript, and warns on stderr about parts that are lost. Returns whether the script has all of
/// the session.
///
/// # Errors
/// The transcript cannot be read, the dialect of the agent's frames is unknown, it has nothing for the script, or the script cannot be
/// written.
pub(super) fn write(
    transcript: &Path,
    args: &DialectArgs,
    kind: ScriptKind,
    script: &Path,
) -> Result<bool, CommandError> {
    let shown = transcript.display();
    let file = File::open(transcript).map_err(CommandError::unreadable(transcript))?;
    let reader = TranscriptReader::new(BufReader::new(file))
        .map_err(|error| error.in_file(&shown).to_string())?;
    let named = reader.header().and_then(|header| header.dialect.clone());
    // A session that was cut off still has its frames until then.
    let frames: Vec<Frame> = reader.map_while(Result::ok).collect();
    let (text, losses) = match kind {
        ScriptKind::Model => model_text(&frames),
        ScriptKind::Agent => {
            let dialect = dialect_of(&frames, args, named)
                .map_err(|message| format!("{shown}: {message}"))?;
            agent_text(&frames, &dialect)
        }
    }
    .map_err(|message| format!("{shown}: {message}"))?;
    losses.iter().for_each(output::warning);
    write_whole(script, text.as_bytes()).map_err(CommandError::unwritable(script))?;
    Ok(losses.is_empty())
}

/// The dialect of the frames: the named one, or the one that they show.
fn dialect_of(
    frames: &[Frame],
    args: &DialectArgs,
    named: Option<String>,
) -> Result<Arc<Dialect>, String> {
    let mut dialects = LoadedDialects::new(DialectSource::new(args.dialect_dir.clone()));
    let named = args.dialect.clone().or(named);
    let chosen = DialectChoice::new(&mut dialects, named.as_deref(), &[])
        .map_err(|errors| render_errors(&errors))?
        .of_frames(frames);
    let (dialect, _) = chosen.ok_or("the frames show no dialect; name it with --dialect")?;
    Ok(dialect)
}

/// The replies of the model, one on each line, and what they lack.
fn model_text(frames: &[Frame]) -> Result<(String, Vec<String>), String> {
    let script = model_script(frames).ok_or(
        "it has no answers of the model: record the session with --llm URL, or write the frames of the agent with --to-agent-script",
    )?;
    let lines = script.replies.iter().map(|reply| format!("- {reply}\n"));
    let head = "# The replies of the model in a recorded session.\n".to_owned();
    Ok((head + &lines.collect::<String>(), script.losses))
}

/// The frames of the agent, one on each line, and what they lack.
fn agent_text(frames: &[Frame], dialect: &Dialect) -> Result<(String, Vec<String>), String> {
    let RecordedScript {
        text,
        events,
        losses,
    } = agent_script(frames, dialect);
    if events == 0 {
        return Err("it has no event of the agent, so there is no script".to_owned());
    }
    if text.len() > spanned_yaml::MAX_FILE_BYTES {
        return Err(format!(
            "the session is too long for a script: {} MiB of at most {} MiB",
            text.len() >> 20,
            spanned_yaml::MAX_FILE_BYTES >> 20
        ));
    }
    Ok((text, losses))
}
