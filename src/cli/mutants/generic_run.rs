//! Plays generic faults on the frames of a good agent. What survives is an open question.

use super::accepted::Accepted;
use super::any_agent::GoodAgent;
use super::mutation_run::MutationRun;
use crate::cli::command_error::CommandError;
use crate::cli::output;
use conform_judge::finding::Blame;
use conform_report::reporter::text::count;
use conform_runner::mutation::kill_analysis::{TestedFault, generic_row};
use conform_runner::mutation::matrix::{Fate, Row};
use frame_faults::generic_faults::{GenericFault, GenericOperation, SampleFrames, generic_faults};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How many scenarios a fault is played in first, and how many more if nothing catches it there.
const FIRST: usize = 3;
const MORE: usize = 9;

/// The characters of a frame that a question shows.
const FRAME_TEXT: usize = 160;

/// The generic faults of one dialect, and what became of them.
pub(super) struct GenericOutcome {
    dialect: String,
    pub(super) rows: Vec<Row>,
    /// The ids of all generic faults of the frames that the agent has sent.
    pub(super) all: Vec<String>,
    samples: SampleFrames,
}

/// Makes generic faults from the frames that the agent has sent, and plays them.
///
/// # Errors
/// The harness failed.
pub(super) async fn outcome(
    run: &MutationRun<'_>,
    good: GoodAgent,
) -> Result<GenericOutcome, CommandError> {
    let dialect = good.player.dialect.id();
    let mut samples = SampleFrames::default();
    for sample in good.samples.values() {
        samples.add_all(sample);
    }
    let all = generic_faults(&samples);
    let ids = all.iter().map(ToString::to_string).collect();
    let selected = run.part(
        all.into_iter()
            .filter(|fault| run.is_selected(&fault.to_string())),
    );
    output::note(format_args!(
        "{dialect}: playing {}; the results come at the end",
        count(selected.len() as u64, "generic fault")
    ));
    let good = Arc::new(good);
    let permits = Arc::new(Semaphore::new(run.jobs));
    let mut tasks = JoinSet::new();
    for (n, fault) in selected.into_iter().enumerate() {
        let (good, permits, time_scale) = (Arc::clone(&good), Arc::clone(&permits), run.time_scale);
        tasks.spawn_local(async move {
            let _permit = permits.acquire().await;
            (n, played(&good, &fault, time_scale).await)
        });
    }
    let mut rows = Vec::new();
    while let Some(done) = tasks.join_next().await {
        let (n, row) = done.map_err(|error| CommandError::harness(error.to_string()))?;
        rows.push((n, row.map_err(CommandError::harness)?));
    }
    rows.sort_by_key(|(n, _)| *n);
    Ok(GenericOutcome {
        dialect,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        all: ids,
        samples,
    })
}

/// Plays a fault in some scenarios in which the agent sends its frame, until something catches it.
async fn played(good: &GoodAgent, fault: &GenericFault, time_scale: f64) -> Result<Row, String> {
    let id = fault.to_string();
    let tested = TestedFault {
        id: id.clone(),
        summary: fault.summary(),
        caught_by: Vec::new(),
        side: Blame::Agent,
        at_fault: false,
    };
    let fitting = good
        .samples
        .iter()
        .filter(|(_, sample)| applies(fault, sample));
    let fitting: Vec<&String> = fitting.map(|(scenario, _)| scenario).collect();
    let mut all = Vec::new();
    for (from, count) in [(0, FIRST), (FIRST, MORE)] {
        let chosen: BTreeSet<&String> = fitting.iter().skip(from).take(count).copied().collect();
        if chosen.is_empty() {
            continue;
        }
        let more = good
            .player
            .attempt(&id, |scenario| chosen.contains(scenario), time_scale);
        all.extend(more.await?);
        all.sort_by(|a, b| a.id.cmp(&b.id));
        let row = generic_row(&tested, &all);
        if row.fate == Fate::Killed {
            return confirmed(good, &tested, row, time_scale).await;
        }
    }
    Ok(generic_row(&tested, &all))
}

/// A kill by a step may come from a short timeout: it counts if it comes with full budgets too.
async fn confirmed(
    good: &GoodAgent,
    fault: &TestedFault,
    row: Row,
    time_scale: f64,
) -> Result<Row, String> {
    if time_scale >= 1.0 || !row.caught_by.starts_with("scenario.") {
        return Ok(row);
    }
    let again = good
        .player
        .attempt(&fault.id, |scenario| *scenario == row.scenario, 1.0);
    Ok(generic_row(fault, &again.await?))
}

fn applies(fault: &GenericFault, sample: &SampleFrames) -> bool {
    sample
        .get(&fault.kind)
        .is_some_and(|frame| match &fault.operation {
            GenericOperation::Retype(pointer) | GenericOperation::Elsewhere(pointer) => {
                frame.pointer(pointer).is_some()
            }
            _ => true,
        })
}

impl GenericOutcome {
    /// The faults that nothing caught.
    fn survivors(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.fate == Fate::Survived)
    }

    /// Prints the questions and a summary. Returns whether every survivor is accepted, if there is a list of those.
    pub(super) fn print(
        &self,
        accepted: Option<&Accepted>,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        let mut new = 0;
        for row in self.survivors() {
            if accepted.is_some_and(|accepted| accepted.has(&row.fault)) {
                continue;
            }
            new += 1;
            let word = if accepted.is_some() {
                "error"
            } else {
                "question"
            };
            writeln!(
                out,
                "{word}: {}: {}, and nothing reports it. Is a rule missing, or is it legal?\n    {}",
                row.fault,
                row.summary,
                self.frame(&row.fault)
            )?;
        }
        let is_survivor = |id: &str| self.survivors().any(|row| row.fault == id);
        let is_played = |id: &str| self.rows.iter().any(|row| row.fault == id);
        for id in accepted.into_iter().flat_map(Accepted::ids) {
            if is_played(id) && !is_survivor(id) {
                writeln!(out, "note: {id} is accepted, and is caught now")?;
            }
        }
        let caught = self
            .rows
            .iter()
            .filter(|row| matches!(row.fate, Fate::Killed | Fate::Collateral(_)))
            .count();
        let survivors = self.survivors().count();
        let accepted_count = survivors - new;
        let inactive = self.rows.len() - caught - survivors;
        let mut summary = format!(
            "{}: {caught} of {} generic faults caught",
            self.dialect,
            self.rows.len()
        );
        if survivors > 0 {
            summary += &format!(", {new} open questions");
        }
        if accepted_count > 0 {
            summary += &format!(", {accepted_count} accepted");
        }
        if inactive > 0 {
            summary += &format!(", {inactive} not active");
        }
        writeln!(out, "{summary}")?;
        Ok(accepted.is_none() || new == 0)
    }

    /// The frame that a fault changes.
    fn frame(&self, id: &str) -> String {
        let fault = id.parse::<GenericFault>().ok();
        let sample = fault.and_then(|fault| self.samples.get(&fault.kind));
        let text = sample.map(Value::to_string).unwrap_or_default();
        match text.char_indices().nth(FRAME_TEXT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}
