//! The recorder of one session: passes each frame to the checker, writes it to the transcript, and keeps it if that is requested.

use crate::play::context::EarlyStop;
use crate::trials::SuiteSettings;
use crate::trials::{RecordedSession, ScenarioRun};
use conform_judge::check::{CheckOptions, CheckOutcome, Checker};
use conform_judge::dialect::Dialect;
use conform_judge::frame::{Body, Frame};
use conform_judge::framing::{Parsed, ParsedFrame};
use conform_judge::transcript::{Header, TranscriptWriter};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::sync::Arc;

/// How many of the last lines of stderr are kept for the report, and how many characters of each.
const STDERR_LINES: usize = 10;
const STDERR_TEXT: usize = 500;

/// The recorder of a session.
pub(super) struct SessionRecorder {
    checker: Checker,
    session: Option<RecordedSession>,
    transcript: io::Result<TranscriptWriter<BufWriter<File>>>,
    path: PathBuf,
    stderr: VecDeque<String>,
}

impl SessionRecorder {
    /// A recorder that writes the transcript to a file.
    pub(super) fn new(
        dialect: &Arc<Dialect>,
        settings: &SuiteSettings,
        argv: Vec<String>,
        path: PathBuf,
    ) -> Self {
        let header = Header {
            dialect: Some(dialect.id()),
            agent: argv.clone(),
        };
        let context = CheckOptions {
            argv: Some(argv.clone()),
            capture: false,
            profile: settings.profile,
        };
        let file = File::create(&path).map(BufWriter::new);
        SessionRecorder {
            checker: Checker::new(Arc::clone(dialect), context).with_excerpt(),
            session: settings.with_frames.then_some(RecordedSession {
                argv,
                frames: Vec::new(),
            }),
            transcript: file.and_then(|file| TranscriptWriter::new(file, &header)),
            path,
            stderr: VecDeque::new(),
        }
    }

    /// Records the next frame, and returns its number.
    pub(super) fn push(&mut self, frame: &Frame, parsed: &Parsed) -> u64 {
        if let Body::Stderr(line) = &frame.body {
            if self.stderr.len() == STDERR_LINES {
                self.stderr.pop_front();
            }
            self.stderr
                .push_back(line.text().chars().take(STDERR_TEXT).collect());
        }
        self.checker.push_parsed(frame, parsed);
        if let Some(session) = &mut self.session {
            let (frame, parsed) = (frame.clone(), parsed.clone());
            session.frames.push(ParsedFrame { frame, parsed });
        }
        if let Ok(writer) = &mut self.transcript
            && let Err(error) = writer.write(frame)
        {
            self.transcript = Err(error);
        }
        self.number()
    }

    /// The number of the newest frame.
    pub(super) fn number(&self) -> u64 {
        self.checker.frames()
    }

    /// The checker, which knows the work that is open.
    pub(super) fn checker(&self) -> &Checker {
        &self.checker
    }

    /// Ends the session, closes the transcript, and adds to the run what was recorded.
    ///
    /// # Errors
    /// The transcript could not be written.
    pub(super) fn finish(self, run: &mut ScenarioRun) -> Result<CheckOutcome, EarlyStop> {
        let written = self.transcript.and_then(TranscriptWriter::finish);
        written
            .map_err(|error| EarlyStop::Broken(format!("cannot write the transcript: {error}")))?;
        run.transcripts.push(self.path);
        run.sessions.extend(self.session);
        run.report.stderr = self.stderr.into();
        Ok(self.checker.finish())
    }
}
