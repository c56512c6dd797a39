//! (to come)

/// Runs the reference agent with these arguments (the program's name left out).
#[must_use]
pub fn main(_args: Vec<std::ffi::OsString>) -> std::process::ExitCode {
    std::process::ExitCode::from(4)
}
