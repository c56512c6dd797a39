//! The program's own log: silent unless asked for, and never on stdout.

use super::output;
use std::io;
use tracing_subscriber::EnvFilter;

/// The environment variable that switches the log on.
const VARIABLE: &str = "CONFORM_LOG";

/// Starts logging to stderr if `CONFORM_LOG` holds a filter, such as `debug` or `conform::runner=trace`.
pub(super) fn start() {
    let Some(filter) = std::env::var(VARIABLE)
        .ok()
        .filter(|filter| !filter.is_empty())
    else {
        return;
    };
    match EnvFilter::try_new(&filter) {
        Ok(filter) => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .init(),
        Err(error) => output::warning(format_args!(
            "{VARIABLE}={filter} is no log filter: {error}"
        )),
    }
}
