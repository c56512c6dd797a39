//! The report on the screen: a line a scenario as it ends, then what went wrong in full, then the sum.

mod finding;
mod scenario;
mod style;
mod summary;

pub(super) use finding::block as finding_block;
pub use scenario::line;
pub use summary::closing;

use crate::report::Report;
use std::io::{self, Write};

/// A whole report, as if every scenario ended now.
pub(super) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for scenario in &report.scenarios {
        line(scenario, out)?;
    }
    closing(report, out)
}
