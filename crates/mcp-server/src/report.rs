//! The report of what reaches a server: over a Unix socket, each message before it is answered, so that its order among the other events of
//! a session is known.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// What reached a server. On the socket it is one line of JSON, and one newline in return says that it was noted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Received {
    /// It was started.
    Started {
        /// Its name in the script.
        server: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment.
        env: BTreeMap<String, String>,
        /// Its working folder.
        cwd: String,
    },
    /// A message of the client.
    Message(Value),
    /// A line that is no JSON object: its beginning.
    Text(String),
}

/// The connection over which a server reports.
#[derive(Debug)]
pub struct Reporter(UnixStream);

impl Reporter {
    /// Connects to the socket, and reports the start of this process.
    ///
    /// # Errors
    /// There is nobody at the socket.
    pub fn connect(socket: &Path, server: &str, args: Vec<String>) -> io::Result<Self> {
        let mut reporter = Reporter(UnixStream::connect(socket)?);
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        let env = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        reporter.report(&Received::Started {
            server: server.to_owned(),
            args,
            env: env.collect(),
            cwd: text(std::env::current_dir()?.into()),
        })?;
        Ok(reporter)
    }

    /// Reports, and waits until it is noted.
    pub(crate) fn report(&mut self, received: &Received) -> io::Result<()> {
        let mut line = serde_json::to_vec(received)?;
        line.push(b'\n');
        self.0.write_all(&line)?;
        self.0.read_exact(&mut [0])
    }
}
