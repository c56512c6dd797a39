//! The client of a controlled process.

use crate::protocol::{Command, Request, Response};
use crate::registry::Registered;
use serde_json::Value;
use socket2::Socket;
use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;
use thiserror::Error;

/// A connection to a controlled process.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<Socket>,
    token: Option<String>,
}

/// Why a command has no result.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The process does not answer: it has ended, or it never was there.
    #[error("the process does not answer: {0}")]
    Gone(io::Error),
    /// It refused the command, or its timeout has passed.
    #[error("{0}")]
    Refused(String),
}

impl Registered {
    /// Whether the process still takes commands.
    #[must_use]
    pub fn is_running(&self) -> bool {
        Client::connect(self).is_ok()
    }

    /// The path of its socket if no process listens there any more, because the process was killed.
    pub(crate) fn left_socket(&self) -> Option<&str> {
        let path = self.address.strip_prefix("unix:")?;
        let refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        UnixStream::connect(path)
            .is_err_and(refused)
            .then_some(path)
    }
}

/// How long a response may take beyond the timeout of its command.
const SLACK: Duration = Duration::from_secs(10);

impl Client {
    /// Connects to a process.
    ///
    /// # Errors
    /// It has ended.
    pub fn connect(process: &Registered) -> Result<Self, ClientError> {
        let (kind, address) = process.address.split_once(':').unwrap_or_default();
        let stream = match kind {
            "tcp" => TcpStream::connect(address).map(Socket::from),
            _ => UnixStream::connect(address).map(Socket::from),
        };
        Ok(Client {
            stream: BufReader::new(stream.map_err(ClientError::Gone)?),
            token: process.token.clone(),
        })
    }

    /// Sends a command and waits for its result. A process that crashes on command may be gone before it answers.
    ///
    /// # Errors
    /// The process refuses it, or ends.
    pub fn request(&mut self, command: Command) -> Result<Value, ClientError> {
        let timeout = command.timeout() + SLACK;
        let crashes = matches!(command, Command::Crash { .. });
        let request = Request {
            id: Value::Null,
            token: self.token.clone(),
            command,
        };
        let response = match self.exchange(&request, timeout) {
            Ok(response) => response,
            Err(error) if crashes && is_closed(&error) => return Ok(Value::Null),
            Err(error) => return Err(ClientError::Gone(error)),
        };
        match response.error {
            Some(why) => Err(ClientError::Refused(why)),
            None => Ok(response.ok.unwrap_or_default()),
        }
    }

    fn exchange(&mut self, request: &Request, timeout: Duration) -> io::Result<Response> {
        self.stream.get_ref().set_read_timeout(Some(timeout))?;
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        let written = self.stream.get_mut().write_all(&line);
        let mut response = String::new();
        match self.stream.read_line(&mut response) {
            // A process that refuses a request may say so before it has read it.
            Ok(length) if length > 0 => return Ok(serde_json::from_str(&response)?),
            Ok(_) => written?,
            Err(error) => return Err(written.err().unwrap_or(error)),
        }
        let message = "the connection was closed";
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
    }
}

fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset
    )
}
