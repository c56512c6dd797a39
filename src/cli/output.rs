//! Where the program writes: colours only where they are wanted, and a reader that went away is no accident.

use super::exit::ExitStatus;
use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use std::fmt::Display;
use std::io::{self, ErrorKind, StdoutLock, Write};

/// The style of the word in front of an error.
const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of the word in front of a warning.
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The style of the word in front of a note.
const NOTE: Style = AnsiColor::Blue.on_default().bold();

/// Standard output. Once its reader has closed it (`conform list | head`), what is written is dropped, so that the exit status
/// still tells the verdict.
#[derive(Debug)]
pub struct StdoutWriter {
    out: AutoStream<StdoutLock<'static>>,
    closed: bool,
}

/// Locks standard output.
#[must_use]
pub fn stdout() -> StdoutWriter {
    StdoutWriter {
        out: AutoStream::auto(io::stdout().lock()),
        closed: false,
    }
}

impl StdoutWriter {
    /// The same, with every byte as it is.
    #[must_use]
    pub fn raw(self) -> Self {
        StdoutWriter {
            out: AutoStream::always_ansi(self.out.into_inner()),
            closed: self.closed,
        }
    }

    fn forgive<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
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
        self.forgive(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let flushed = self.out.flush();
        self.forgive(flushed, ())
    }
}

/// Says on stderr what is wrong, as `error: …`.
pub fn error(message: impl Display) {
    say("error", ERROR, message);
}

/// Says on stderr what may be of interest, as `note: …`.
pub fn note(message: impl Display) {
    say("note", NOTE, message);
}

/// Says on stderr what the user should know, as `warning: …`.
pub fn warning(message: impl Display) {
    say("warning", WARNING, message);
}

fn say(word: &str, style: Style, message: impl Display) {
    let text = message.to_string();
    // Nobody is left to tell if stderr is gone.
    let _ = writeln!(
        anstream::stderr(),
        "{style}{word}:{style:#} {}",
        text.trim_end()
    );
}

/// The status of a command that only prints: a failed write is the harness's fault.
pub fn status(printed: io::Result<ExitStatus>) -> ExitStatus {
    printed.unwrap_or_else(|failure| {
        error(format_args!("cannot write the output: {failure}"));
        ExitStatus::Harness
    })
}

/// A word as a POSIX shell wants it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./@:=,+%{}".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
