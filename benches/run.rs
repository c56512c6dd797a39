//! What the harness costs: the whole suite against the bundled agent, and how much of each scenario no agent was alive.

use conform_judge::dialect::{DialectSource, load};
use conform_judge::profile::Profile;
use conform_runner::agent::Agent;
use conform_runner::retry::RetryOptions;
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario::ScenarioSource;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::{DialectSuite, RunEvent, SuiteEnd, SuiteSettings, run};
use conform_runner::transcripts::KeepTranscripts;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most that the harness may take of a scenario, in the middle of them.
const MOST: Duration = Duration::from_millis(10);

fn part() -> DialectSuite {
    let dialect = load(&DialectSource::default(), "aionrs@0.1").expect("the dialect loads");
    let files = ScenarioSource::embedded(&dialect.name, &dialect.version);
    let scenarios = files.load(Some(&dialect));
    DialectSuite {
        agent: Agent::bundled(env!("CARGO_BIN_EXE_conform").into(), Vec::new()),
        scenarios: scenarios.expect("the scenarios load"),
        dialect,
        wire: None,
    }
}

fn main() {
    let settings = SuiteSettings {
        jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        smoke_first: false,
        max_fail: None,
        settle: true,
        profile: Profile::Spec,
        time_scale: 1.0,
        seed: 0,
        keep: KeepTranscripts::Nothing,
        with_frames: false,
        retry: RetryOptions::default(),
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let sandboxes = Arc::new(SandboxRoot::new().expect("a folder for sandboxes"));
    let (_cancel, cancelled) = tokio::sync::watch::channel(false);
    let mut entries: Vec<ScenarioRun> = Vec::new();
    let part = part();
    let began = Instant::now();
    let ended = runtime.block_on(run(
        vec![part],
        &settings,
        sandboxes,
        cancelled,
        &mut |event| {
            if let RunEvent::Ended(entry) = event {
                entries.push(*entry);
            }
        },
    ));
    let wall = began.elapsed();
    assert_eq!(ended, SuiteEnd::Complete);
    let mut overheads: Vec<_> = entries.iter().map(|entry| entry.overhead()).collect();
    overheads.sort();
    let at = |percent: usize| overheads[(overheads.len() - 1) * percent / 100];
    println!(
        "suite of {} scenarios: {wall:.2?}; overhead of the harness a scenario: median {:.2?} (at most {MOST:?} is wanted), 90 % {:.2?}, most {:.2?}",
        entries.len(),
        at(50),
        at(90),
        at(100)
    );
}
