//! Trials: everything that is played to see what is found in it. A trial is a scenario or a session, the agent with a fault, a variant or
//! neither, and what must be found. Trials are played in parallel and judged; unexpected results are played again.
//!
//! ```text
//!                                      ┌─ scenarios, as they are selected
//!  Engine ── queue, retry, transcripts ┼─ Exploration ── sessions that nobody wrote ── Shrinker: the smallest one with a cause
//!                                      └─ TrialSuite ┬── GoodRun ── without a fault: what exercises which rule, and the frames
//!                                           (each)   ├── FaultTrials ── faults, until what must catch them does: on the recorded
//!                                                    │                  frames, else with a process
//!                                                    ├── LegalTrials ── legal variants and combinations, in which nothing may be found
//!                                                    └── SessionTrials ── faults in explored sessions
//! ```

mod causes;
mod engine;
mod error;
mod exploration;
mod explored;
mod faults;
mod faults_by;
mod good_run;
mod legal;
mod legality;
mod pace;
mod queue;
mod recording;
mod retry;
mod scenario_run;
mod shrinking;
mod suite;
mod transcripts;

pub use causes::{causes_found, counts, found_in, identity};
pub use engine::{DialectSuite, Engine, RunEvent, SMOKE_FAILED, SuiteEnd, SuiteSettings, cores};
pub use error::TrialError;
pub use exploration::{Exploration, ExploredSessions, Extent, PlayedSession, SessionEvent};
pub use explored::{ExploredFault, SessionTrials};
pub use faults::FaultTrials;
pub use faults_by::FaultsBy;
pub use good_run::GoodRun;
pub use legal::{LegalOptions, LegalTrials};
pub use legality::{LegalMatrix, LegalRow, Legality};
pub use recording::turns_without_guards;
pub use retry::RetryOptions;
pub use scenario_run::{RecordedSession, ScenarioRun};
pub use shrinking::{Shrinker, Shrunk};
pub use suite::TrialSuite;
pub use transcripts::KeepTranscripts;

use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::BTreeMap;

/// Works on items, so many at a time. Shows each result as it comes, and returns all of them in the order of the items.
async fn each<I, T>(
    items: impl IntoIterator<Item = I>,
    at_once: usize,
    work: impl AsyncFn(I) -> Result<T, TrialError>,
    mut on_result: impl FnMut(&T),
) -> Result<Vec<T>, TrialError> {
    let work = &work;
    let numbered = stream::iter(items.into_iter().enumerate());
    let working = numbered.map(async |(n, item)| Ok::<_, TrialError>((n, work(item).await?)));
    let mut working = std::pin::pin!(working.buffer_unordered(at_once));
    let mut results = BTreeMap::new();
    while let Some((n, result)) = working.try_next().await? {
        on_result(&result);
        results.insert(n, result);
    }
    Ok(results.into_values().collect())
}
