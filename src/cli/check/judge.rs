//! Judges transcript files: detects their dialect, runs the checker over their frames, and builds the report.

use super::CheckArgs;
use super::peek_reader::PeekReader;
use crate::cli::baseline::ActiveBaseline;
use crate::cli::output;
use conform_judge::check::{CheckOptions, CheckOutcome, Checker, Exercised};
use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_judge::finding::{Blame, Level};
use conform_judge::transcript::{self, TranscriptReader};
use conform_report::ReportBuilder;
use conform_report::Verdict;
use conform_report::reporter::terminal;
use conform_report::{Report, ReportCommand, ScenarioReport};
use conform_report::{causes, verdict_rules};
use conform_runner::detect::recording;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

/// The size of the read buffer, in bytes.
const BUFFER: usize = 256 << 10;

/// The path that means standard input.
const STDIN: &str = "-";

/// Judges every transcript, and prints a line for each. Returns whether one of them could not be read to its end.
pub(super) fn all(
    args: &CheckArgs,
    baseline: &ActiveBaseline,
    screen: &mut dyn Write,
) -> io::Result<(Report, bool)> {
    let mut judge = TranscriptJudge {
        args,
        side: args.side.into(),
        source: DialectSource::new(args.dialect.dialect_dir.clone()),
        loaded: HashMap::new(),
        report: ReportBuilder::new(ReportCommand::Check, args.side.into()),
    };
    let mut unread = false;
    for path in &args.transcripts {
        match judge.one(path) {
            Ok(mut judged) => {
                baseline.mark(&mut judged.entry, judge.side);
                terminal::line(&judged.entry, judge.side, terminal::LINE_WIDTH, screen)?;
                if let Some(error) = judged.error {
                    unread = true;
                    screen.flush()?;
                    output::error(error.in_file(name(path)));
                }
                judge.report.add(judged.entry, judged.exercised);
            }
            Err(message) => {
                unread = true;
                screen.flush()?;
                output::error(message);
            }
        }
    }
    let folder = args.dialect.dialect_dir.as_deref();
    let report = Report {
        dialect_dir: folder.map(|folder| folder.display().to_string()),
        ..judge.report.finish()
    };
    Ok((report, unread))
}

/// How many frames, and bytes of them, are read to detect the dialect.
const PEEK_FRAMES: usize = 256;
const PEEK_BYTES: usize = 4 << 20;

struct TranscriptJudge<'a> {
    args: &'a CheckArgs,
    side: Blame,
    source: DialectSource,
    loaded: HashMap<String, Arc<Dialect>>,
    report: ReportBuilder,
}

/// The result for one transcript, as far as it could be read.
struct JudgedTranscript {
    entry: ScenarioReport,
    exercised: Exercised,
    error: Option<transcript::TranscriptError>,
}

impl TranscriptJudge<'_> {
    fn one(&mut self, path: &Path) -> Result<JudgedTranscript, String> {
        let input =
            open(path).map_err(|error| format!("{}: cannot be read: {error}", name(path)))?;
        let reader = TranscriptReader::new(input).map_err(|error| error.in_file(name(path)))?;
        let mut reader = PeekReader::new(reader);
        let dialect = self.dialect(path, &mut reader)?;
        let context = CheckOptions {
            argv: reader.header().map(|header| header.agent.clone()),
            capture: reader.header().is_none(),
            profile: self.args.profile.into(),
        };
        let mut checker = Checker::new(dialect, context).with_excerpt();
        let (mut micros, mut error) = (0, None);
        for frame in reader {
            match frame {
                Ok(frame) => {
                    micros = frame.at;
                    checker.push(&frame);
                }
                Err(problem) => error = Some(problem),
            }
        }
        Ok(self.judged(path, checker.finish(), micros, error))
    }

    fn judged(
        &self,
        path: &Path,
        outcome: CheckOutcome,
        micros: u64,
        error: Option<transcript::TranscriptError>,
    ) -> JudgedTranscript {
        let known = match self.side {
            Blame::Agent => outcome.events,
            Blame::Host => outcome.commands,
        };
        let verdict = match verdict_rules::of_findings(&outcome.findings, self.side, known > 0) {
            Verdict::Fail => Verdict::Fail,
            _ if error.is_some() => Verdict::Inconclusive,
            other => other,
        };
        let reason = match (verdict, &error) {
            (Verdict::Inconclusive, Some(error)) => {
                format!("could not be read beyond line {}", error.line)
            }
            (Verdict::NotExercised, _) => format!("no {} of this dialect in it", self.what()),
            _ => String::new(),
        };
        let mut findings = outcome.findings;
        causes::attribute(&mut findings);
        for finding in &mut findings {
            finding.rerun = self.rerun(path);
        }
        let has_counted = findings.iter().any(|finding| finding.level > Level::May);
        let entry = ScenarioReport {
            id: self.id(path),
            verdict,
            reason,
            duration_ms: micros / 1000,
            frames: outcome.frames,
            findings,
            findings_dropped: outcome.dropped,
            excerpt: match has_counted {
                true => outcome.excerpt.finish(),
                false => Vec::new(),
            },
            transcript: name(path),
            ..ScenarioReport::default()
        };
        JudgedTranscript {
            entry,
            exercised: outcome.exercised,
            error,
        }
    }

    /// The dialect that the user or the header names; if neither names a version, the one that the frames show.
    fn dialect(&mut self, path: &Path, reader: &mut PeekReader) -> Result<Arc<Dialect>, String> {
        let header = reader.header();
        let named = self.args.dialect.dialect.clone();
        let named = named.or_else(|| header.and_then(|header| header.dialect.clone()));
        if let Some(id) = named.as_ref().filter(|id| id.contains('@')) {
            return self.load(path, id);
        }
        let argv = header.map(|header| header.agent.clone());
        let program = argv.and_then(|argv| argv.first().cloned());
        let candidates = self.candidates(path, named.as_deref(), program.as_deref())?;
        if let [only] = &candidates[..] {
            let id = only.id();
            if named.is_none() {
                output::note(format_args!("{}: {id}, by the agent's name", name(path)));
            }
            return self.load(path, &id);
        }
        let found = recording::dialect_of_frames(&candidates, reader.peek(PEEK_FRAMES, PEEK_BYTES));
        match (found, &named) {
            (Some(found), _) => {
                let id = candidates[found].id();
                output::note(format_args!("{}: {id}, by its frames", name(path)));
                self.load(path, &id)
            }
            (None, Some(id)) => self.load(path, id),
            (None, None) => Err(self.unrecognized(path, reader.header().is_some())),
        }
    }

    /// The possible dialects: those of the name, else those whose agents have the program's name, else all.
    fn candidates(
        &self,
        path: &Path,
        named: Option<&str>,
        program: Option<&str>,
    ) -> Result<Vec<Arc<Dialect>>, String> {
        let names = self.source.names().into_iter();
        let ids = names
            .filter(|(name, _)| named.is_none_or(|named| named == name))
            .map(|(name, version)| format!("{name}@{version}"));
        let all: Vec<_> = ids
            .map(|id| self.read(path, &id))
            .collect::<Result<_, _>>()?;
        let program = program.map(Path::new).and_then(Path::file_name);
        let has_program = |dialect: &&Arc<Dialect>| {
            let programs = dialect.launch.programs.iter();
            program.is_some_and(|program| programs.clone().any(|known| program == known.as_str()))
        };
        let by_program: Vec<_> = all.iter().filter(has_program).cloned().collect();
        Ok(if by_program.is_empty() {
            all
        } else {
            by_program
        })
    }

    fn unrecognized(&self, path: &Path, with_header: bool) -> String {
        let names = self.source.names();
        let known: Vec<_> = names
            .iter()
            .map(|(name, version)| format!("{name}@{version}"))
            .collect();
        let why = if with_header {
            "the header names no dialect"
        } else {
            "no transcript header"
        };
        format!(
            "{}:1: {why}, and the frames do not show one; name the dialect with --dialect (one of {})",
            name(path),
            known.join(", ")
        )
    }

    fn load(&mut self, path: &Path, id: &str) -> Result<Arc<Dialect>, String> {
        if let Some(dialect) = self.loaded.get(id) {
            return Ok(Arc::clone(dialect));
        }
        let dialect = self.read(path, id)?;
        self.report.add_dialect(&dialect);
        self.loaded.insert(id.to_owned(), Arc::clone(&dialect));
        Ok(dialect)
    }

    fn read(&self, path: &Path, id: &str) -> Result<Arc<Dialect>, String> {
        dialect::load(&self.source, id).map_err(|errors| {
            let place = if self.args.dialect.dialect.is_some() {
                String::new()
            } else {
                format!("{}:1: ", name(path))
            };
            match &errors[..] {
                [error] if error.span.line == 0 => format!("{place}{}", error.message),
                errors => format!(
                    "{place}the dialect {id} is broken\n{}",
                    spanned_yaml::render_all(errors)
                ),
            }
        })
    }

    fn what(&self) -> &'static str {
        match self.side {
            Blame::Agent => "event",
            Blame::Host => "command",
        }
    }

    /// The file name; the whole path if two transcripts share the name.
    fn id(&self, path: &Path) -> String {
        let twin = self
            .args
            .transcripts
            .iter()
            .any(|other| other != path && other.file_name() == path.file_name());
        match path.file_name() {
            Some(file) if !twin && path != Path::new(STDIN) => file.to_string_lossy().into_owned(),
            _ => name(path),
        }
    }

    fn rerun(&self, path: &Path) -> String {
        let mut command = "conform check".to_owned();
        if let Some(folder) = &self.args.dialect.dialect_dir {
            command += &format!(
                " --dialect-dir {}",
                output::quoted(&folder.to_string_lossy())
            );
        }
        if let Some(dialect) = &self.args.dialect.dialect {
            command += &format!(" --dialect {}", output::quoted(dialect));
        }
        if self.side == Blame::Host {
            command += " --side host";
        }
        format!("{command} {}", output::quoted(&path.to_string_lossy()))
    }
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    if path == Path::new(STDIN) {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, io::stdin())));
    }
    Ok(Box::new(BufReader::with_capacity(
        BUFFER,
        File::open(path)?,
    )))
}

fn name(path: &Path) -> String {
    if path == Path::new(STDIN) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}
