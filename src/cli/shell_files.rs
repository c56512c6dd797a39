//! `conform shell-files`: the completions and man pages that packages install.

use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::output;
use clap::{Command, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use std::{fs, io};

/// Write completions for every shell, and man pages
#[derive(Debug, clap::Args)]
pub(super) struct ShellFilesArgs {
    /// The folder, which gets the folders `completions` and `man`
    folder: PathBuf,
}

pub(super) fn run(args: &ShellFilesArgs, command: Command) -> Result<ExitStatus, CommandError> {
    let written = write(args, command).map(|()| ExitStatus::Conformant);
    output::status(written)
}

fn write(args: &ShellFilesArgs, mut command: Command) -> io::Result<()> {
    let [completions, man] = ["completions", "man"].map(|name| args.folder.join(name));
    fs::create_dir_all(&completions)?;
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut command, "conform", &completions)?;
    }
    fs::create_dir_all(&man)?;
    clap_mangen::generate_to(command, &man)
}
