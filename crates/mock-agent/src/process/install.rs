//! `mock-agent install DIR`: programs with the names of the real agents, for hosts that start a program at a path.

use crate::config::USAGE;
use crate::protocols::ADAPTERS;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The entry for hosts that run `node PATH`.
const ENTRY: &str = include_str!("entry.mjs");

/// What `install` does, for its help.
const ABOUT: &str = "Writes programs with the names of the real agents, and entries for `node`, into a folder, and prints their paths.";

/// The file that the entry starts, in the entry as written.
const PROGRAM: &str = "{program}";

/// Writes the programs and prints their paths; returns the exit status.
pub(super) fn install(folder: Option<&str>) -> ExitCode {
    let folder = match folder {
        Some("--help" | "-h") => {
            println!("Usage: mock-agent install DIR\n\n{ABOUT}");
            return ExitCode::SUCCESS;
        }
        Some(folder) if !folder.starts_with('-') => folder,
        _ => {
            eprintln!("mock-agent: install needs a folder: mock-agent install DIR");
            return ExitCode::from(USAGE);
        }
    };
    match write(Path::new(folder)) {
        Ok(paths) => {
            paths.iter().for_each(|path| println!("{}", path.display()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("mock-agent: install {folder}: {error}");
            ExitCode::from(USAGE)
        }
    }
}

fn write(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let program = std::env::current_exe()?.canonicalize()?;
    std::fs::create_dir_all(folder)?;
    let folder = std::path::absolute(folder)?;
    let mut written = Vec::new();
    for versions in ADAPTERS.chunk_by(|one, next| one.name == next.name) {
        let name = versions[0].name;
        let link = folder.join(name);
        replace(&link, &program)?;
        symlink(&program, &link)?;
        let entry = folder.join(format!("{name}.mjs"));
        replace(&entry, &program)?;
        let path = serde_json::Value::from(link.to_string_lossy()).to_string();
        std::fs::write(&entry, ENTRY.replace(PROGRAM, &path))?;
        std::fs::set_permissions(&entry, std::fs::Permissions::from_mode(0o755))?;
        written.extend([link, entry]);
    }
    Ok(written)
}

/// Removes an earlier installation of this file. Any other file is an error.
fn replace(path: &Path, program: &Path) -> io::Result<()> {
    let is_ours = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(data) if data.is_symlink() => {
            std::fs::read_link(path)?.file_name() == program.file_name()
        }
        Ok(_) => std::fs::read_to_string(path)?.lines().nth(1) == ENTRY.lines().nth(1),
    };
    if is_ours {
        return std::fs::remove_file(path);
    }
    let message = format!("{} is there already, and is not ours", path.display());
    Err(io::Error::new(io::ErrorKind::AlreadyExists, message))
}
