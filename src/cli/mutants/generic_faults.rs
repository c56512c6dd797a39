//! Plays generic faults on the frames of a good agent. What survives is an open question, unless a list of the user accepts it.

use super::MutantsArgs;
use super::any_agent::GoodAgent;
use super::fault_player::{FaultPlayer, tested};
use super::proof::{Proof, Remark};
use crate::cli::catalogue::render_errors;
use crate::cli::output;
use conform_report::reporter::text::{count, shortened};
use conform_runner::mutation::matrix::{Fate, Row};
use frame_faults::{Fault, SampleFrames, generic_faults};
use indexmap::IndexMap;
use serde_json::Value;
use std::path::Path;

/// The characters of a frame that a question shows.
const FRAME_TEXT: usize = 160;

/// Reads the list of generic faults that may survive, because what they do is legal: a YAML map from their ids to reasons.
///
/// # Errors
/// The file cannot be read, or is not such a map; with its place.
pub(super) fn accepted(path: &Path) -> Result<IndexMap<String, String>, String> {
    let node = spanned_yaml::load_file(path).map_err(|error| render_errors(&[error]))?;
    spanned_yaml::decode_all(&node).map_err(|errors| render_errors(&errors))
}

/// Makes generic faults from the frames that the agent has sent, and plays them in scenarios in which it sends those frames.
///
/// # Errors
/// The harness failed.
pub(super) async fn proof(
    args: &MutantsArgs,
    good: GoodAgent,
    accepted: Option<&IndexMap<String, String>>,
) -> Result<Proof, String> {
    let dialect = good.suite.dialect.id();
    let mut samples = SampleFrames::default();
    for sample in good.samples.values() {
        samples.add_all(sample);
    }
    let faults = generic_faults(&samples);
    let selected = args.selected(faults.iter(), |fault| &fault.id);
    output::note(format_args!(
        "{dialect}: playing {}; the results come at the end",
        count(selected.len() as u64, "generic fault")
    ));
    let fitting = selected.iter().map(|fault| {
        let fits = |sample: &SampleFrames| sample.played_on(fault).is_some();
        let scenarios = good.samples.iter().filter(|(_, sample)| fits(sample));
        let ids = scenarios.map(|(id, _)| id.clone());
        (fault.id.clone(), ids.collect())
    });
    let fitting = fitting.collect();
    let played = selected
        .iter()
        .map(|fault| tested(fault, &good.suite.dialect));
    let played = played.collect();
    let player = FaultPlayer::new(good.suite, Some(good.exercised), args);
    let rows = player.with_generic(fitting).rows(played).await?;
    let mut proof = Proof {
        all: faults.iter().map(|fault| fault.id.clone()).collect(),
        dialect,
        rows,
        ..Proof::default()
    };
    remark(&mut proof, &selected, &samples, accepted);
    Ok(proof)
}

/// Adds the questions and the summary.
fn remark(
    proof: &mut Proof,
    faults: &[&Fault],
    samples: &SampleFrames,
    accepted: Option<&IndexMap<String, String>>,
) {
    let is_accepted = |row: &Row| accepted.is_some_and(|known| known.contains_key(&row.fault));
    let mut caught_now = Vec::new();
    let (mut caught, mut new, mut known) = (0, 0, 0);
    for (row, fault) in proof.rows.iter().zip(faults) {
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
                proof.remarks.push(match accepted {
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
                proof
                    .remarks
                    .push(Remark::note(format!("note: {complaint}")));
            }
            (false, false) => {}
        }
    }
    proof.remarks.append(&mut caught_now);
    let played = proof.rows.len();
    let mut summary = format!(
        "{}: {caught} of {played} generic faults caught",
        proof.dialect
    );
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
    proof.summary = Some(summary);
}

/// The frame that a fault changes.
fn shown_frame(samples: &SampleFrames, fault: &Fault) -> String {
    let sample = samples.played_on(fault);
    let text = sample.map(Value::to_string).unwrap_or_default();
    shortened(&text, FRAME_TEXT)
}
