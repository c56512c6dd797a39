//! The value of `--control`: a folder, and whether its sockets are ports.

use std::path::{Path, PathBuf};

/// Where a process listens for control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlAddress {
    /// The folder in which the process registers.
    pub folder: PathBuf,
    /// Whether it listens at a port on loopback instead of a Unix socket.
    pub is_port: bool,
}

impl ControlAddress {
    /// Reads `DIR` or `tcp:DIR`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let port = text.strip_prefix("tcp:");
        ControlAddress {
            folder: Path::new(port.unwrap_or(text)).to_owned(),
            is_port: port.is_some(),
        }
    }
}
