//! Judges transcript files: detects their dialect, runs the checker over their frames, and builds the report.

use super::CheckArgs;
use super::file_form::{encoding, layout};
use super::read_ahead::each_frame;
use crate::cli::baseline::ActiveBaseline;
use crate::cli::command_error::CommandError;
use crate::cli::output;
use crate::cli::reports;
use crate::cli::session_judge::{DialectChoice, LoadedDialects, SessionJudge};
use conform_judge::check::{CheckOptions, CheckOutcome, Coverage};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Blame;
use conform_judge::frame::Body;
use conform_judge::transcript::{self, TranscriptReader};
use conform_report::ReportBuilder;
use conform_report::Verdict;
use conform_report::reporter::terminal;
use conform_report::verdict_rules;
use conform_report::{Report, ReportCommand, ScenarioReport};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

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
        dialects: LoadedDialects::new(DialectSource::new(args.dialect.dialect_dir.clone())),
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
                judge.report.add(judged.entry, judged.coverage);
            }
            Err(error) => {
                unread = true;
                screen.flush()?;
                let entry = reports::unplayed(&judge.id(path), &error);
                judge.report.add(entry, Coverage::default());
                output::error(error);
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

/// The most frames that are read to detect the dialect.
const PEEK_FRAMES: usize = 256;

struct TranscriptJudge<'a> {
    args: &'a CheckArgs,
    side: Blame,
    dialects: LoadedDialects,
    report: ReportBuilder,
}

/// The result for one transcript, as far as it could be read.
struct JudgedTranscript {
    entry: ScenarioReport,
    coverage: Coverage,
    error: Option<transcript::TranscriptError>,
}

impl TranscriptJudge<'_> {
    fn one(&mut self, path: &Path) -> Result<JudgedTranscript, CommandError> {
        let mut input = open(path).map_err(CommandError::unreadable(Path::new(&name(path))))?;
        // The reader reports the error of a file that cannot be read.
        let head = input.fill_buf().unwrap_or_default();
        if let Some(why) = encoding(head) {
            return Err(CommandError::usage(format!("{}: {why}", name(path))));
        }
        let layout = layout(head);
        let reader = TranscriptReader::new(input).map_err(|error| error.in_file(name(path)))?;
        let header = reader.header().cloned();
        let argv = header.as_ref().map(|header| header.agent.clone());
        let agent: Vec<OsString> = argv.iter().flatten().map(OsString::from).collect();
        let recorded = header.as_ref().and_then(|header| header.dialect.as_deref());
        let nearest = recorded.and_then(|id| self.dialects.newest_before(id));
        let named = self.args.dialect.dialect.as_deref();
        let named = named.or(nearest.as_deref()).or(recorded);
        let choice = DialectChoice::new(&mut self.dialects, named, &agent)
            .map_err(|errors| self.broken_dialect(path, &errors))?;
        let options = CheckOptions {
            capture: header.is_none(),
            argv,
            profile: self.args.profile.into(),
        };
        let mut judge = SessionJudge::new(choice, options, PEEK_FRAMES);
        let (mut micros, mut lines) = (0, 0);
        let read = each_frame(reader, |frame| {
            micros = frame.frame.at;
            lines += u64::from(is_record(&frame.frame.body));
            judge.push(frame);
        });
        let ((dialect, by), outcome) = judge
            .finish()
            .ok_or_else(|| self.unrecognized(path, header.is_some(), layout))?;
        if let Some(by) = by {
            output::note(format_args!("{}: {}, {by}", name(path), dialect.id()));
        }
        self.report.add_dialect(&dialect);
        let foreign = ForeignFrames {
            recorded: recorded
                .filter(|id| **id != dialect.id() && **id != dialect.name)
                .map(str::to_owned),
            judged: dialect.id(),
            lines,
            unknown: lines.saturating_sub(outcome.events + outcome.commands),
        };
        if let Some(recorded) = &foreign.recorded {
            let newer = nearest.map_or("", |_| ", which is newer than every version that is known");
            output::note(format_args!(
                "{}: judged as {}; its header says {recorded}{newer}",
                name(path),
                dialect.id()
            ));
        }
        Ok(self.judged(path, outcome, &foreign, micros, read.err()))
    }

    fn judged(
        &self,
        path: &Path,
        mut outcome: CheckOutcome,
        foreign: &ForeignFrames,
        micros: u64,
        error: Option<transcript::TranscriptError>,
    ) -> JudgedTranscript {
        let known = match self.side {
            Blame::Agent => outcome.events,
            Blame::Host => outcome.commands,
        };
        let verdict = match verdict_rules::of_findings(&outcome.findings, self.side, known > 0) {
            Verdict::Fail => Verdict::Fail,
            _ if error.is_some() || (known > 0 && foreign.spoil()) => Verdict::Inconclusive,
            other => other,
        };
        let reason = match (verdict, &error) {
            (Verdict::Inconclusive, Some(error)) => {
                format!("could not be read beyond line {}", error.line)
            }
            (Verdict::Inconclusive, None) => foreign.reason(),
            (Verdict::NotExercised, _) => format!("it has no {} of this dialect", self.what()),
            _ => String::new(),
        };
        let mut entry = ScenarioReport {
            id: self.id(path),
            verdict,
            reason,
            duration_ms: micros / 1000,
            transcript: name(path),
            ..ScenarioReport::default()
        };
        entry.take(&mut outcome);
        for finding in &mut entry.findings {
            finding.rerun = self.rerun(path);
        }
        JudgedTranscript {
            entry,
            coverage: outcome.coverage,
            error,
        }
    }

    fn unrecognized(&self, path: &Path, with_header: bool, layout: Option<&'static str>) -> String {
        if let Some(layout) = layout.filter(|_| !with_header) {
            return format!("{}: {layout}", name(path));
        }
        let why = if with_header {
            "the header names no dialect"
        } else {
            "no transcript header"
        };
        format!(
            "{}:1: {why}, and the frames do not show one; name the dialect with --dialect (one of {})",
            name(path),
            self.dialects.ids().join(", ")
        )
    }

    fn broken_dialect(&self, path: &Path, errors: &[spanned_yaml::Error]) -> String {
        let place = match self.args.dialect.dialect {
            Some(_) => String::new(),
            None => format!("{}:1: ", name(path)),
        };
        match errors {
            [error] if error.span.line == 0 => format!("{place}{}", error.message),
            errors => format!(
                "{place}the dialect is broken\n{}",
                spanned_yaml::render_all(errors)
            ),
        }
    }

    fn what(&self) -> &'static str {
        match self.side {
            Blame::Agent => "event",
            Blame::Host => "command",
        }
    }

    /// The file name; the whole path if two transcripts share the name.
    fn id(&self, path: &Path) -> String {
        let mut all = self.args.transcripts.iter();
        let has_twin = all.any(|other| other != path && other.file_name() == path.file_name());
        match path.file_name() {
            Some(file) if !has_twin && path != Path::new(STDIN) => {
                file.to_string_lossy().into_owned()
            }
            _ => name(path),
        }
    }

    fn rerun(&self, path: &Path) -> String {
        let mut command = "conform check".to_owned();
        if let Some(folder) = &self.args.dialect.dialect_dir {
            let folder = folder.to_string_lossy();
            command += &format!(" --dialect-dir {}", output::quoted(&folder));
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

/// Frames of a session that are not in the vocabulary of its dialect.
struct ForeignFrames {
    /// The dialect of the header, if it is another one.
    recorded: Option<String>,
    judged: String,
    /// The lines of both sides, and those that are not frames of the dialect.
    lines: u64,
    unknown: u64,
}

impl ForeignFrames {
    /// Whether the session is not one of the dialect: a result without findings would be meaningless.
    fn spoil(&self) -> bool {
        let most = self.unknown * 2 > self.lines;
        most || (self.recorded.is_some() && self.unknown > 0)
    }

    fn reason(&self) -> String {
        let header = self.recorded.as_ref();
        let header = header.map_or(String::new(), |id| format!("; its header says {id}"));
        format!(
            "{} of its {} frames are not of {}{header}",
            self.unknown, self.lines, self.judged
        )
    }
}

/// Whether a frame may be a message of another protocol: a line that is no object, such as a piece of a message, is none of any.
fn is_record(body: &Body) -> bool {
    matches!(body, Body::FromAgent(line) | Body::ToAgent(line) if is_object(line.bytes.trim_ascii()))
}

fn is_object(line: &[u8]) -> bool {
    line.starts_with(b"{") && line.ends_with(b"}")
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    Ok(if path == Path::new(STDIN) {
        Box::new(BufReader::with_capacity(BUFFER, io::stdin()))
    } else {
        Box::new(BufReader::with_capacity(BUFFER, File::open(path)?))
    })
}

fn name(path: &Path) -> String {
    if path == Path::new(STDIN) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}
