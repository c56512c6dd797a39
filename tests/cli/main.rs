//! The command line of `conform` as a process: arguments in, text and exit status out.

mod bundled_suite;
mod check;
#[path = "../common/faults.rs"]
mod dialect_faults;
mod hosts_page;
mod inputs_and_outputs;
mod kill_matrix;
mod lint;
mod list;
mod memory;
mod own_dialect;
mod readme;
mod report;
mod schema;
mod session_picture;
mod usage;

use assert_cmd::Command;
use std::path::PathBuf;

/// The program with these arguments.
fn conform(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CONFORM_LOG")
        .args(args);
    command
}

/// The path of a recorded session.
fn transcript(name: &str) -> String {
    format!("tests/cli/transcripts/{name}")
}

/// The exit status, stdout and stderr.
fn outcome(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A file in `tests/cli/snapshots`.
fn snapshot(name: &str) -> snapbox::Data {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cli/snapshots")
        .join(name);
    snapbox::Data::read_from(&path, Some(snapbox::data::DataFormat::Text))
}
