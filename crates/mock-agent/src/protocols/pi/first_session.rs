//! The session that the flags name: `--continue`, `--session`, `--session-id` and `--fork`.

use super::{EntryTree, PiSession, SessionLog, models};
use crate::config::StartError;
use crate::core::FirstSession;
use crate::core::compaction::estimate_tokens;
use std::path::{Path, PathBuf};

pub(super) const LATEST: &str = "latest";

/// The values of `--fork`, `--session` or `--continue`, and `--session-id`.
pub(super) type SessionFlags = [Option<String>; 3];

/// The session that the flags name, among those of a folder.
///
/// # Errors
/// There is no such session.
pub(super) fn choose(
    flags: SessionFlags,
    folder: Option<&Path>,
) -> Result<FirstSession, StartError> {
    Ok(match flags {
        [Some(named), ..] => FirstSession::Forked(find(&named, folder)?),
        [None, Some(named), _] if named == LATEST => {
            newest(folder).map_or(FirstSession::New, FirstSession::Resumed)
        }
        [None, Some(named), _] => FirstSession::Resumed(find(&named, folder)?),
        [None, None, Some(id)] => FirstSession::WithId(id),
        [None, None, None] => FirstSession::New,
    })
}

/// The file of a session: a path, or a part of its id.
fn find(named: &str, folder: Option<&Path>) -> Result<PathBuf, StartError> {
    if named.contains('/') || named.ends_with(".jsonl") {
        let failed = |error| StartError::AgentFile(format!("{named}: {error}"));
        return std::path::absolute(named).map_err(failed);
    }
    let has_id = |file: &PathBuf| {
        let stem = file.file_stem().unwrap_or_default();
        stem.to_string_lossy().contains(named)
    };
    let found = files(folder).into_iter().find(has_id);
    found.ok_or_else(|| StartError::AgentFile(format!("No session found matching '{named}'")))
}

fn newest(folder: Option<&Path>) -> Option<PathBuf> {
    let modified = |file: &PathBuf| file.metadata().and_then(|about| about.modified()).ok();
    files(folder).into_iter().max_by_key(modified)
}

/// The files of saved sessions, sorted.
fn files(folder: Option<&Path>) -> Vec<PathBuf> {
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let found = entries.into_iter().flatten().flatten();
    let is_saved = |file: &PathBuf| file.metadata().is_ok_and(|about| about.len() > 0);
    let is_session = |file: &PathBuf| file.extension().is_some_and(|kind| kind == "jsonl");
    let mut files: Vec<_> = found
        .map(|entry| entry.path())
        .filter(|file| is_session(file) && is_saved(file))
        .collect();
    files.sort();
    files
}

/// Opens the session that the flags name, or a new one.
pub(super) fn open(session: PiSession<'_>) {
    let host_options = &session.core().settings.host_options;
    let folder = host_options.session_folder.as_deref();
    let file = match &host_options.first_session {
        FirstSession::Resumed(file) | FirstSession::Forked(file) => Some(file.clone()),
        FirstSession::WithId(id) => folder.map(|folder| folder.join(format!("{id}.jsonl"))),
        FirstSession::New => None,
    };
    let saved = file.as_deref().and_then(|file| {
        let saved = SessionLog::load(file);
        saved.unwrap_or_else(|why| {
            tracing::error!("{}: {why}", file.display());
            None
        })
    });
    let mut state = session.state();
    let Some(mut log) = saved else {
        return match &host_options.first_session {
            FirstSession::WithId(id) => state.begin_session(id.clone(), file, EntryTree::default()),
            FirstSession::Resumed(file) if folder.is_some() => state.open_session_in(file),
            _ => state.open_session(folder, EntryTree::default()),
        };
    };
    let messages = std::mem::take(&mut log.messages);
    session.context_tokens.set(estimate_tokens(&messages));
    session.conversation.borrow_mut().messages = messages;
    if let FirstSession::Forked(_) = host_options.first_session {
        state.open_session(folder, log.tree);
    } else {
        log.file = log.file.filter(|_| folder.is_some());
        state.resume_session(log);
    }
    drop(state);
    models::restore(session);
}
