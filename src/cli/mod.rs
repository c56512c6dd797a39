//! (to come)

/// Runs the command line of `conform`.
#[must_use]
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(4)
}
