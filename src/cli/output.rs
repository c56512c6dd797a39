//! Output of the program: messages on stderr, and a standard output with colours on terminals that ignores a closed pipe.

use super::command_error::CommandError;
use super::exit::ExitStatus;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use conform_judge::finding::Finding;
pub(super) use conform_report::shell_words::quoted;
use std::fmt::Display;
use std::io::{self, ErrorKind, StdoutLock, Write};

/// The style of the word before an error.
const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of the word before a warning.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The style of the word before a note.
const NOTE: Style = AnsiColor::Blue.on_default().bold();

/// Standard output. After its reader has closed the pipe (`conform list | head`), writes are dropped, so that the exit status still
/// depends on the verdict.
#[derive(Debug)]
pub(super) struct StdoutWriter {
    out: AutoStream<StdoutLock<'static>>,
    closed: bool,
}

/// Follows `FORCE_COLOR` (<https://force-color.org>) unless `NO_COLOR` is set: colours for pipes too, or none if it is `0`.
pub(super) fn choose_colours() {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    match set("FORCE_COLOR") {
        Some(off) if off == "0" || off == "false" => ColorChoice::Never.write_global(),
        Some(_) if set("NO_COLOR").is_none() => ColorChoice::AlwaysAnsi.write_global(),
        _ => {}
    }
}

/// Locks standard output.
pub(super) fn stdout() -> StdoutWriter {
    StdoutWriter {
        out: AutoStream::auto(io::stdout().lock()),
        closed: false,
    }
}

impl StdoutWriter {
    /// The same output without any change of colour codes.
    pub(super) fn raw(self) -> Self {
        StdoutWriter {
            out: AutoStream::always_ansi(self.out.into_inner()),
            closed: self.closed,
        }
    }

    fn ignore_broken_pipe<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl Write for StdoutWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes);
        self.ignore_broken_pipe(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.ignore_broken_pipe(flushed, ())
    }
}

/// Prints `error: …` on stderr.
pub(super) fn error(message: impl Display) {
    print_message("error", ERROR, message);
}

/// Prints `note: …` on stderr.
pub(super) fn note(message: impl Display) {
    print_message("note", NOTE, message);
}

/// Prints `warning: …` on stderr.
pub(super) fn warning(message: impl Display) {
    print_message("warning", WARNING, message);
}

/// Prints a finding of a session that is still running, on stderr, with the side that it is about.
pub(super) fn finding(side: &str, message: impl Display) {
    print_message(side, WARNING, message);
}

/// The level, rule, place and message of a finding in one line.
pub(super) fn headline(finding: &Finding) -> String {
    let (level, rule, at) = (finding.level.word(), &finding.rule, finding.at);
    let (origin, message) = (&finding.origin, &finding.message);
    format!("{level} {rule} at frame {at}{origin}: {message}")
}

fn print_message(word: &str, style: Style, message: impl Display) {
    let text = message.to_string();
    // A closed stderr cannot be reported.
    let _ = writeln!(
        anstream::stderr(),
        "{style}{word}:{style:#} {}",
        text.trim_end()
    );
}

/// The exit status of a command that prints: a failed write is a fault of the harness.
pub(super) fn status(printed: io::Result<ExitStatus>) -> Result<ExitStatus, CommandError> {
    printed.map_err(failure)
}

/// The error that the output cannot be written.
pub(super) fn failure(error: io::Error) -> CommandError {
    CommandError::harness(format!("cannot write the output: {error}"))
}
