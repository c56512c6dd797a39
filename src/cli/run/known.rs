//! `--baseline`: findings that are put up with.

use super::{Args, Refusal};
use crate::baseline::{self, Baseline, Date};
use crate::cli::output;
use crate::report::{Report, ScenarioReport};
use std::io::ErrorKind;
use std::time::{SystemTime, UNIX_EPOCH};

/// The baseline of a run; an empty one if none is asked for.
#[derive(Debug)]
pub(super) struct Known {
    baseline: Baseline,
    today: Date,
    update: bool,
}

impl Known {
    /// Reads the baseline that the user names.
    pub(super) fn read(args: &Args) -> Result<Self, Refusal> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut known = Known {
            baseline: Baseline::default(),
            today: Date::of_unix(seconds.map_or(0, |since| since.as_secs())),
            update: args.update_baseline,
        };
        let Some(path) = &args.baseline else {
            return Ok(known);
        };
        match std::fs::read_to_string(path) {
            Ok(text) => {
                known.baseline = baseline::load(path.clone(), &text)
                    .map_err(|errors| Refusal::usage(crate::located::render_all(&errors)))?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound && known.update => {
                known.baseline.path.clone_from(path);
            }
            Err(error) => {
                let advice = match error.kind() {
                    ErrorKind::NotFound => "; `--update-baseline` begins one",
                    _ => "",
                };
                let path = path.display();
                return Err(Refusal::usage(format!(
                    "cannot read {path}: {error}{advice}"
                )));
            }
        }
        Ok(known)
    }

    /// Marks what is known of one scenario, and judges it by the rest.
    pub(super) fn mark(&self, scenario: &mut ScenarioReport) {
        let mut alone = Report {
            scenarios: vec![std::mem::take(scenario)],
            ..Report::default()
        };
        // Which entries have to go shows at the end.
        let _ = baseline::apply(&mut alone, &self.baseline, self.today);
        if let Some(marked) = alone.scenarios.pop() {
            *scenario = marked;
        }
    }

    /// Brings the baseline up to date if that is asked for, marks the whole report, and says which entries have to go. True if there
    /// are any.
    pub(super) fn settle(&mut self, report: &mut Report) -> Result<bool, Refusal> {
        if self.update {
            let path = self.baseline.path.clone();
            let text = baseline::update(&self.baseline, report);
            std::fs::write(&path, &text).map_err(|error| {
                Refusal::usage(format!("cannot write {}: {error}", path.display()))
            })?;
            self.baseline = baseline::load(path, &text)
                .map_err(|errors| Refusal::harness(crate::located::render_all(&errors)))?;
            output::note(format_args!(
                "{} now has {} entries",
                self.baseline.path.display(),
                self.baseline.entries.len()
            ));
        }
        let stale = baseline::apply(report, &self.baseline, self.today);
        for entry in &stale {
            output::error(entry.message(&self.baseline));
        }
        Ok(!stale.is_empty())
    }
}
