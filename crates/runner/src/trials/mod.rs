//! Trials: whatever is played to see what is found in it. A trial is a scenario or a session, the agent with a fault, a variant or
//! neither, and what must be found. Trials are played in parallel and judged; what is odd is played again.
//!
//! ```text
//!                    ┌─ GoodRun ────── without a fault: what exercises which rule, and the frames
//!  TrialSuite ─ each ┼─ FaultTrials ── faults, until what must catch them does: on the recorded frames, else with a process
//!   (scheduler)      ├─ LegalTrials ── legal variants and combinations, in which nothing may be found
//!                    └─ SessionTrials  faults in explored sessions
//! ```

mod explored;
mod faults;
mod good_run;
mod legal;
mod legality;
mod recording;
mod suite;

pub use explored::{ExploredFault, SessionTrials};
pub use faults::{FaultTrials, tested};
pub use good_run::{GoodRun, GoodRunError};
pub use legal::{LegalOptions, LegalTrials};
pub use legality::{LegalMatrix, LegalRow, Legality};
pub use suite::{TestedAgent, TrialSuite};

use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::BTreeMap;

/// Works on items, so many at a time. Shows each result as it comes, and returns all of them in the order of the items.
async fn each<I, T>(
    items: impl IntoIterator<Item = I>,
    at_once: usize,
    work: impl AsyncFn(I) -> Result<T, String>,
    mut on_result: impl FnMut(&T),
) -> Result<Vec<T>, String> {
    let work = &work;
    let numbered = stream::iter(items.into_iter().enumerate());
    let working = numbered.map(async |(n, item)| Ok::<_, String>((n, work(item).await?)));
    let mut working = std::pin::pin!(working.buffer_unordered(at_once));
    let mut results = BTreeMap::new();
    while let Some((n, result)) = working.try_next().await? {
        on_result(&result);
        results.insert(n, result);
    }
    Ok(results.into_values().collect())
}
