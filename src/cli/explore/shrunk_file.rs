//! Makes the first session of each cause small, tells whether it repeats itself, and writes it as a scenario.

use super::causes_found::{CausesFound, FoundCause, cause, causes_of, counts};
use super::explored_dialect::ExploredDialect;
use super::{Exploration, PlayedSession};
use crate::cli::command_error::CommandError;
use crate::cli::mutants::player;
use crate::cli::{output, reports};
use conform_judge::dialect::DialectSource;
use conform_runner::explore::{Session, shrink};
use conform_runner::scenario::Scenario;
use conform_runner::scheduler::{RunEvent, SuiteSettings};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How often a session with a finding is played again, to tell whether the finding repeats itself.
const REPEATS: usize = 3;
/// Of how many causes the sessions are made small; the others are written as they were found.
const SHRUNK: usize = 12;

/// The most characters of a message in the first line of a file.
const MESSAGE: usize = 160;

/// Makes sessions of a dialect small.
pub(super) struct Shrinker<'a> {
    pub(super) exploration: &'a Exploration<'a>,
    pub(super) dialect: &'a ExploredDialect,
    pub(super) settings: SuiteSettings,
}

impl Shrinker<'_> {
    /// Writes a scenario for each cause, and gives its findings the command that plays it. Returns what to tell of each.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) async fn write_all(
        &self,
        causes: &CausesFound,
        sessions: &mut [PlayedSession],
    ) -> Result<Vec<(&'static str, String)>, CommandError> {
        let mut lines = Vec::new();
        let mut written: Vec<PathBuf> = Vec::new();
        let mut titles = Vec::new();
        for (n, (found, at)) in causes.0.iter().enumerate() {
            let session = sessions[*at].session.clone();
            let (session, how) = if n < SHRUNK && !*self.exploration.surroundings.cancelled.borrow()
            {
                output::note(format_args!(
                    "making the session with {} smaller",
                    found.rule
                ));
                self.shrunk(found, session).await
            } else {
                (session, "as it was found".to_owned())
            };
            let path = self.path(&session, found, &written);
            let mut title = session.title();
            if titles.contains(&title) {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let (_, rule) = stem.split_once('.').unwrap_or_default();
                title = format!("{title} ({rule})");
            }
            self.write(&path, &session, &title, found, &sessions[*at])?;
            titles.push(title);
            let id = self.dialect.suite.dialect.id();
            let rerun = self.exploration.plan.rerun.file_line(&id, &path);
            for played in sessions.iter_mut() {
                let findings = played.run.report.findings.iter_mut();
                for finding in findings.filter(|one| counts(one) && cause(one) == *found) {
                    finding.rerun.clone_from(&rerun);
                }
            }
            let line = format!("{} ({}; {how})", path.display(), found.rule);
            lines.push(("Wrote", line));
            written.push(path);
        }
        Ok(lines)
    }

    /// The smallest session with a cause, and what is to be said about it.
    async fn shrunk(&self, found: &FoundCause, session: Session) -> (Session, String) {
        // What is found beside the cause: a session that is cut down may not show more.
        let mut beside = HashSet::new();
        let again = vec![session.clone(); REPEATS];
        let again = self.judge(found, again, &mut beside).await;
        let times = again.iter().filter(|has| **has).count();
        if times < REPEATS {
            let plays = REPEATS + 1;
            return (session, format!("flaky: in {} of {plays} plays", times + 1));
        }
        let before = session.moves.len();
        let most = self.exploration.args.shrink;
        let judge = async |sessions| self.judge(found, sessions, &mut beside).await;
        let smaller = shrink(&self.dialect.table, session.clone(), most, judge).await;
        let times = if smaller == session {
            times
        } else {
            let again = vec![smaller.clone(); REPEATS];
            let again = self.judge(found, again, &mut beside).await;
            again.iter().filter(|has| **has).count()
        };
        let after = smaller.moves.len();
        let how = format!("{before} moves became {after}, found in {times} of {REPEATS} plays");
        (smaller, how)
    }

    /// Plays sessions, and says of each whether it has the cause.
    async fn judge(
        &self,
        found: &FoundCause,
        sessions: Vec<Session>,
        beside: &mut HashSet<FoundCause>,
    ) -> Vec<bool> {
        let mut has = vec![false; sessions.len()];
        let numbered = sessions.iter().enumerate();
        let scenarios = numbered.filter_map(|(n, session)| {
            let one = [(format!("shrink/{n}"), session)];
            self.dialect.scenarios(one).ok()
        });
        let scenarios: Vec<Scenario> = scenarios.flatten().collect();
        let mut on_event = |event| {
            if let RunEvent::Ended(run) = event {
                let n = super::number_of(&run.report.id);
                let mut all = run.report.findings.iter().map(cause);
                has[n] = causes_of(&run.report).any(|cause| cause == *found);
                match sessions[n].without.is_empty() {
                    true => beside.extend(all),
                    false => has[n] &= all.all(|cause| beside.contains(&cause)),
                }
            }
        };
        let surroundings = self.exploration.surroundings;
        self.dialect
            .play(
                scenarios.clone(),
                &self.settings,
                surroundings,
                &mut on_event,
            )
            .await;
        // What is cut down must be legal: the reference agent passes it.
        let cut = scenarios.into_iter().filter(|one| {
            let n = super::number_of(&one.id);
            !sessions[n].without.is_empty() && std::mem::take(&mut has[n])
        });
        let source = DialectSource::new(self.exploration.plan.dialect_dir.clone());
        if let Ok(legal) = player(&source, &self.dialect.suite.dialect, cut.collect()) {
            let scenarios = legal.scenarios.clone();
            let runs = legal.play(None, scenarios, self.settings.time_scale).await;
            for run in runs.into_iter().flatten() {
                has[super::number_of(&run.report.id)] = run.report.findings.is_empty();
            }
        }
        has
    }

    /// A path that no other cause has, named after the moves.
    fn path(&self, session: &Session, found: &FoundCause, written: &[PathBuf]) -> PathBuf {
        const NAMED: usize = 4;
        let dialect = &self.dialect.suite.dialect;
        let out = &self.exploration.args.out;
        let folder = out.join(&dialect.name).join(&dialect.version);
        let names = session.moves.iter().map(|one| one.name.to_lowercase());
        let mut names: Vec<String> = names.collect();
        names.truncate(NAMED);
        if names.is_empty() {
            names.push(session.start.name.clone());
        }
        let rule = found.rule.rsplit(['/', '.']).next().unwrap_or_default();
        let name = format!("{}.{rule}", names.join("-"));
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let mut paths = std::iter::once(name.clone())
            .chain(numbered)
            .map(|name| folder.join(format!("{name}.yaml")));
        paths
            .find(|path| !written.contains(path))
            .unwrap_or_default()
    }

    fn write(
        &self,
        path: &Path,
        session: &Session,
        title: &str,
        found: &FoundCause,
        first: &PlayedSession,
    ) -> Result<(), String> {
        let mut findings = first.run.report.findings.iter();
        let finding = findings.find(|one| counts(one) && cause(one) == *found);
        let message = finding.map_or("", |finding| finding.message.as_str());
        let line = message.lines().next().unwrap_or_default();
        let message = match line.char_indices().nth(MESSAGE) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
            None => line.to_owned(),
        };
        let text = format!(
            "# Found by conform explore --seed {}, session {}: {}: {message}\n{}",
            self.exploration.start.seed,
            super::number_of(&first.run.report.id),
            found.rule,
            self.dialect.table.text(session, title)
        );
        reports::write_text(path, &text)
    }
}
