//! What the harness costs: the whole suite against the bundled agent, and how much of each scenario no agent was alive.

use conform::dialect::{DialectSource, load};
use conform::profile::Profile;
use conform::runner::suite::{Ended, Entry, Part, Settings, run};
use conform::runner::{Again, Agent, Keep, Scratch};
use conform::scenario::{ScenarioSource, Vocabulary};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most that the harness may take of a scenario, in the middle of them.
const MOST: Duration = Duration::from_millis(10);

fn part() -> Part {
    let dialect = load(&DialectSource::default(), "aionrs@0.1").expect("the dialect loads");
    let files = ScenarioSource::embedded(&dialect.name, &dialect.version);
    let scenarios = files.load(Some(&Vocabulary::of(&dialect)));
    Part {
        agent: Agent {
            program: env!("CARGO_BIN_EXE_conform").into(),
            prefix: vec!["agent".into()],
            args: None,
            env: vec![],
            lacks: Vec::new(),
        },
        scenarios: scenarios.expect("the scenarios load"),
        dialect,
        wire: None,
    }
}

fn main() {
    let settings = Settings {
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        profile: Profile::Spec,
        time_scale: 1.0,
        seed: 0,
        keep: Keep::Nothing,
        again: Again::default(),
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let scratch = Arc::new(Scratch::new().expect("a scratch folder"));
    let (_cancel, cancelled) = tokio::sync::watch::channel(false);
    let mut entries: Vec<Entry> = Vec::new();
    let part = part();
    let began = Instant::now();
    let ended = runtime.block_on(run(
        vec![part],
        &settings,
        scratch,
        cancelled,
        &mut |entry| entries.push(entry),
    ));
    let wall = began.elapsed();
    assert_eq!(ended, Ended::Whole);
    let mut overheads: Vec<_> = entries.iter().map(|entry| entry.overhead).collect();
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
