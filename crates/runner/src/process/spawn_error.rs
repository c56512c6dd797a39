//! Why a program could not be started, and how it ended, in words.

use conform_judge::frame::End;
use conform_judge::signals;
use conform_report::shell_words::quoted;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why the agent could not be started.
#[derive(Debug)]
pub struct SpawnError {
    /// The program, as a path.
    pub program: PathBuf,
    /// The message of the system.
    pub error: io::Error,
}

impl std::error::Error for SpawnError {}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start {}: ", self.program.display())?;
        match self.error.kind() {
            ErrorKind::NotFound if self.program.exists() => {
                write!(f, "the interpreter that its first line names is not there")
            }
            ErrorKind::NotFound => write!(f, "there is no such file"),
            ErrorKind::PermissionDenied if self.program.is_dir() => write!(f, "it is a directory"),
            ErrorKind::PermissionDenied => f.write_str(&not_executable(&self.program)),
            _ if self.error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                write!(
                    f,
                    "it is not a program that this system can run (a script needs a `#!` line)"
                )
            }
            _ => self.error.fmt(f),
        }
    }
}

/// The interpreters of scripts, by the extensions of their files.
const INTERPRETERS: [(&str, &str); 5] = [
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("ts", "node"),
    ("sh", "sh"),
];

/// What to do about a file that is not executable.
pub(crate) fn not_executable(path: &Path) -> String {
    let shown = quoted(&path.to_string_lossy());
    let known = INTERPRETERS
        .iter()
        .find(|(extension, _)| path.extension().is_some_and(|given| given == *extension));
    let instead = known.map_or_else(String::new, |(_, program)| {
        format!(", or name what runs it: `{program} {shown}`")
    });
    format!("it is not executable: `chmod +x {shown}`{instead}")
}

/// How a process has ended, as the end of a sentence.
pub(crate) fn ended(end: &End) -> String {
    match end {
        End::Exited { code, .. } => format!("exited with code {code}"),
        End::Signalled { signal, .. } => format!("was ended by {}", signals::name(*signal)),
        End::Killed { why } => format!("was killed ({why})"),
        End::Open => "was released".to_owned(),
    }
}
