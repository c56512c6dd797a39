//! Writes the first session of each cause as a scenario, after it was shrunk.

use super::Explorer;
use super::finding_text::{Title, got, heading, marked};
use crate::cli::command_error::CommandError;
use crate::cli::mutants::reference_suite;
use crate::cli::{output, reports};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Finding;
use conform_runner::explore::Session;
use conform_runner::step_rules::cites_the_scenario;
use conform_runner::trials::{
    Exploration, PlayedSession, Shrinker, Shrunk, causes_found, counts, found_in, identity,
};
use std::collections::HashSet;
use std::path::PathBuf;

/// The number of causes whose sessions are shrunk; the others are written as they were found.
const SHRUNK: usize = 12;
/// The most moves, or words, in the name of a file.
const NAMED: usize = 4;

/// A file with a session, the name of its scenario, and the causes that it shows in every play.
struct Written {
    path: PathBuf,
    title: String,
    shown: HashSet<String>,
}

impl Explorer<'_> {
    /// Writes a scenario for each cause, and gives its findings the command that plays it. Returns the message for each.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) async fn write_shrunk(
        &self,
        exploration: &Exploration,
        sessions: &mut [PlayedSession],
    ) -> Result<Vec<(&'static str, String)>, CommandError> {
        let dialect = &exploration.suite.dialect;
        let source = DialectSource::new(self.plan.dialect_dir.clone());
        let shrinker = Shrinker {
            exploration,
            reference: reference_suite(&source, dialect, Vec::new())?,
            most: self.args.shrink,
        };
        let mut lines = Vec::new();
        let mut written: Vec<Written> = Vec::new();
        for (cause, at) in causes_found(sessions) {
            let played = &sessions[at];
            let Some(first) = found_in(&cause, &played.run.report) else {
                continue;
            };
            let (path, how) = match written.iter().find(|file| file.shown.contains(&cause)) {
                Some(file) => (file.path.clone(), String::new()),
                None => {
                    let is_cancelled = *self.surroundings.cancelled.borrow();
                    let shrunk = if written.len() < SHRUNK && !is_cancelled {
                        output::note(format_args!(
                            "making the session with {} smaller",
                            first.rule
                        ));
                        shrinker.shrunk(&cause, &played.session).await
                    } else {
                        Shrunk::as_found(played.session.clone(), None)
                    };
                    let how = format!("; {}", how(&shrunk, &played.session));
                    let file = self.write(exploration, shrunk, first, played.number, &written)?;
                    let path = file.path.clone();
                    written.push(file);
                    (path, how)
                }
            };
            lines.push(("Wrote", format!("{} ({}{how})", path.display(), first.rule)));
            let rerun = self.plan.rerun.file_line(&dialect.id(), &path);
            for played in sessions.iter_mut() {
                let findings = played.run.report.findings.iter_mut();
                for finding in findings.filter(|one| counts(one) && identity(one) == cause) {
                    finding.rerun.clone_from(&rerun);
                }
            }
        }
        Ok(lines)
    }

    /// Writes a scenario at a path and with a name that no other cause has.
    fn write(
        &self,
        exploration: &Exploration,
        shrunk: Shrunk,
        first: &Finding,
        number: usize,
        written: &[Written],
    ) -> Result<Written, CommandError> {
        let Exploration { suite, tables, .. } = exploration;
        let table = tables.of(&shrunk.session);
        let (finding, got) = match &shrunk.finding {
            Some((finding, sessions)) => (finding, got(finding, sessions)),
            None => (first, None),
        };
        let (mut title, stem) = names(&shrunk.session, finding);
        let dialect = &suite.dialect;
        let folder = self.args.out.join(&dialect.name).join(&dialect.version);
        let rule = first.rule.rsplit(['/', '.']).next().unwrap_or_default();
        let numbers = std::iter::once(String::new()).chain((2..).map(|n| format!("-{n}")));
        let mut paths = numbers.map(|number| folder.join(format!("{stem}.{rule}{number}.yaml")));
        let is_free = |path: &PathBuf| written.iter().all(|one| one.path != *path);
        let path = paths.find(is_free).unwrap_or_default();
        if written.iter().any(|one| one.title == title) {
            title = format!("{title} ({rule}, {})", written.len() + 1);
        }
        let clauses = if cites_the_scenario(&first.rule) {
            &[]
        } else {
            &first.clauses[..]
        };
        let text = table.text(&shrunk.session, &title, clauses);
        let played = table.text(&shrunk.session, &shrunk.session.title(), &[]);
        let seed = self.start.seed;
        let found = format!("Found by conform explore --seed {seed}, session {number}");
        let heading = heading(&found, finding, got.as_deref(), dialect);
        reports::write_text(&path, &(heading + &marked(&text, &played, finding)))?;
        Ok(Written {
            path,
            title,
            shown: shrunk.shown,
        })
    }
}

/// The outcome of a session, in words.
fn how(shrunk: &Shrunk, session: &Session) -> String {
    let repeats = Shrinker::REPEATS;
    let rate = |again| format!("flaky: in {} of {} plays", again + 1, repeats + 1);
    match (shrunk.again, shrunk.times) {
        (Some(0), _) => rate(0),
        (None, _) | (_, 0) => "as it was found".to_owned(),
        (Some(again), times) => {
            let (before, after) = (session.moves.len(), shrunk.session.moves.len());
            let smaller =
                format!("{before} moves became {after}, found in {times} of {repeats} plays");
            if again < repeats {
                format!("{}; {smaller}", rate(again))
            } else {
                smaller
            }
        }
    }
}

/// The name of a scenario and of its file: its moves, or the finding where parts of moves are left out.
fn names(session: &Session, finding: &Finding) -> (String, String) {
    if !session.without.is_empty() {
        let title = Title::of(finding);
        let what = title.difference.as_ref().unwrap_or(&title.rule);
        let words = what.split(|one: char| !one.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).take(2 * NAMED);
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        return (title.to_string(), words.join("-"));
    }
    let moves = session.moves.iter().take(NAMED);
    let mut names: Vec<String> = moves
        .map(|one| one.name.to_lowercase().replace('/', "-"))
        .collect();
    if names.is_empty() {
        names.push(session.start.name.clone());
    }
    (session.title(), names.join("-"))
}
