//! Plays generic faults on the frames of a good agent. A fault that survives is an open question, unless a list of the user accepts it.

use super::MutantsArgs;
use super::faults::{rows, trials};
use super::proof::{Proof, Remark};
use crate::cli::command_error::CommandError;
use crate::cli::exit::ExitStatus;
use conform_report::reporter::text::shortened;
use conform_runner::mutation::matrix::{Fate, Row};
use conform_runner::trials::{GoodRun, TrialSuite};
use frame_faults::{Fault, SampleFrames, generic_faults};
use indexmap::IndexMap;
use serde_json::Value;
use std::path::Path;

/// The characters of a frame that a question shows.
const FRAME_TEXT: usize = 160;

/// Reads the list of generic faults that may survive, because they are legal: a YAML map from their ids to reasons.
///
/// # Errors
/// The file cannot be read, or is not such a map; with its place.
pub(super) fn accepted(path: &Path) -> Result<IndexMap<String, String>, CommandError> {
    Ok(spanned_yaml::decode_all(&spanned_yaml::load_file(path)?)?)
}

/// Makes generic faults from the frames that the agent has sent, and plays them in scenarios in which it sends those frames; `None` if none
/// is selected. Adds all of them to `all`.
///
/// # Errors
/// The harness failed.
pub(super) async fn play(
    args: &MutantsArgs,
    suite: TrialSuite,
    good: GoodRun,
    accepted: Option<&IndexMap<String, String>>,
    all: &mut Vec<String>,
) -> Result<Option<ExitStatus>, CommandError> {
    let dialect = suite.dialect.id();
    let samples = good.all_samples();
    let faults = generic_faults(&samples);
    all.extend(faults.iter().map(|fault| fault.id.clone()));
    let selected = args.selected(faults, |fault| &fault.id);
    if selected.is_empty() {
        return Ok(None);
    }
    let trials = trials(args, suite, Some(good));
    let rows = rows(&trials, &dialect, &selected, "generic fault").await?;
    proof(&dialect, rows, &selected, &samples, accepted)
        .print()
        .map(Some)
}

/// The rows with the questions and the summary.
fn proof(
    dialect: &str,
    rows: Vec<Row>,
    faults: &[Fault],
    samples: &SampleFrames,
    accepted: Option<&IndexMap<String, String>>,
) -> Proof<Row> {
    let is_accepted = |row: &Row| accepted.is_some_and(|known| known.contains_key(&row.fault));
    let (mut remarks, mut caught_now) = (Vec::new(), Vec::new());
    let (mut caught, mut new, mut known) = (0, 0, 0);
    for (row, fault) in rows.iter().zip(faults) {
        caught += usize::from(matches!(row.fate, Fate::Killed | Fate::Collateral(_)));
        match (row.fate == Fate::Survived, is_accepted(row)) {
            (true, true) => known += 1,
            (true, false) => {
                new += 1;
                let question = format!(
                    "{}: {}, and nothing reports it. Is a rule missing, or is it legal?\n    {}",
                    row.fault,
                    row.summary,
                    shown_frame(samples, fault)
                );
                remarks.push(match accepted {
                    Some(_) => Remark::error(question),
                    None => Remark::note(format!("question: {question}")),
                });
            }
            (false, true) => caught_now.push(Remark::note(format!(
                "note: {} is accepted, and is caught now",
                row.fault
            ))),
            (false, false) if matches!(row.fate, Fate::Disturbed(_)) => {
                let complaint = row.complaint().unwrap_or_default();
                remarks.push(Remark::note(format!("note: {complaint}")));
            }
            (false, false) => {}
        }
    }
    remarks.append(&mut caught_now);
    let played = rows.len();
    let mut summary = format!("{dialect}: {caught} of {played} generic faults caught");
    if new + known > 0 {
        summary += &format!(", {new} open questions");
    }
    if known > 0 {
        summary += &format!(", {known} accepted");
    }
    let inactive = played - caught - new - known;
    if inactive > 0 {
        summary += &format!(", {inactive} not active");
    }
    Proof {
        rows,
        remarks,
        summary,
    }
}

/// The frame that a fault changes.
fn shown_frame(samples: &SampleFrames, fault: &Fault) -> String {
    let sample = samples.played_on(fault);
    let text = sample.map(Value::to_string).unwrap_or_default();
    shortened(&text, FRAME_TEXT)
}
