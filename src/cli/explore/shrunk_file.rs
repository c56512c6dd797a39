//! Makes the first session of each cause small, tells whether it repeats itself, and writes it as a scenario.

use super::causes_found::{causes_found, counts, found_in, identity, shown_by};
use super::explored_dialect::ExploredDialect;
use super::finding_text::{got, heading, marked, title};
use super::{Exploration, PlayedSession};
use crate::cli::command_error::CommandError;
use crate::cli::mutants::reference_suite;
use crate::cli::{output, reports};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Finding;
use conform_runner::explore::{Session, shrink};
use conform_runner::scenario::Scenario;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::RunEvent;
use conform_runner::step_rules::cites_the_scenario;
use std::collections::HashSet;
use std::path::PathBuf;

/// How often a session with a finding is played again, to tell whether the finding repeats itself.
const REPEATS: usize = 3;
/// Of how many causes the sessions are made small; the others are written as they were found.
const SHRUNK: usize = 12;

/// By how much budgets are shortened while a session is made smaller: most sessions with a finding wait for something that never comes.
/// Where that misleads, they are not.
const HASTE: f64 = 0.2;

/// Makes sessions of a dialect small.
pub(super) struct Shrinker<'a> {
    pub(super) exploration: &'a Exploration<'a>,
    pub(super) dialect: &'a ExploredDialect,
}

/// A session that was made smaller.
struct Shrunk {
    session: Session,
    /// The finding in it, if it was found again, and what was got at its place.
    finding: Option<(Finding, Option<String>)>,
    /// The causes that it shows in every play.
    shown: HashSet<String>,
    /// What is to be said about it.
    how: String,
}

/// A file with a session, the name of its scenario, and the causes that it shows in every play.
struct Written {
    path: PathBuf,
    title: String,
    shown: HashSet<String>,
}

impl Shrinker<'_> {
    /// Writes a scenario for each cause, and gives its findings the command that plays it. Returns what to tell of each.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) async fn write_all(
        &self,
        sessions: &mut [PlayedSession],
    ) -> Result<Vec<(&'static str, String)>, CommandError> {
        let mut lines = Vec::new();
        let mut written: Vec<Written> = Vec::new();
        for (cause, at) in causes_found(sessions) {
            let first = found_in(&cause, &sessions[at].run.report).cloned();
            let Some(first) = first else {
                continue;
            };
            let file = written.iter().find(|file| file.shown.contains(&cause));
            let path = if let Some(file) = file {
                let path = &file.path;
                lines.push(("Wrote", format!("{} ({})", path.display(), first.rule)));
                path.clone()
            } else {
                let session = sessions[at].session.clone();
                let is_cancelled = *self.exploration.surroundings.cancelled.borrow();
                let shrunk = if written.len() < SHRUNK && !is_cancelled {
                    output::note(format_args!(
                        "making the session with {} smaller",
                        first.rule
                    ));
                    self.shrunk(&cause, session).await
                } else {
                    Shrunk::not(session, "as it was found".to_owned())
                };
                let number = super::number_of(&sessions[at].run.report.id);
                let file = self.write(&shrunk, &first, number, &written)?;
                let path = file.path.clone();
                let line = format!("{} ({}; {})", path.display(), first.rule, shrunk.how);
                lines.push(("Wrote", line));
                written.push(file);
                path
            };
            let id = self.dialect.suite.dialect.id();
            let rerun = self.exploration.plan.rerun.file_line(&id, &path);
            for played in sessions.iter_mut() {
                let findings = played.run.report.findings.iter_mut();
                for finding in findings.filter(|one| counts(one) && identity(one) == cause) {
                    finding.rerun.clone_from(&rerun);
                }
            }
        }
        Ok(lines)
    }

    /// The smallest session with a cause.
    async fn shrunk(&self, cause: &str, session: Session) -> Shrunk {
        // The rules that the session breaks: one that is cut down may not break others.
        let mut broken = HashSet::new();
        let again = vec![session.clone(); REPEATS];
        let again = self.judge(cause, again, 1.0, &mut broken).await;
        let times = again.iter().filter(|has| **has).count();
        let rate = format!("flaky: in {} of {} plays", times + 1, REPEATS + 1);
        if times == 0 {
            return Shrunk::not(session, rate);
        }
        let rate = if times < REPEATS {
            rate + "; "
        } else {
            String::new()
        };
        let most = self.exploration.args.shrink;
        for haste in [HASTE, 1.0] {
            let judge = async |sessions| self.judge(cause, sessions, haste, &mut broken).await;
            let smaller = shrink(&self.dialect.table, session.clone(), most, judge).await;
            let (mut finding, mut times) = (None, 0);
            let mut shown: Option<HashSet<String>> = None;
            let again = vec![smaller.clone(); REPEATS];
            self.play(&again, 1.0, true, |_, run| {
                let now = shown_by(&run.report);
                if let Some(again) = found_in(cause, &run.report) {
                    times += 1;
                    finding = Some((again.clone(), got(again, &run.sessions)));
                }
                shown = Some(match shown.take() {
                    Some(before) => &before & &now,
                    None => now,
                });
            })
            .await;
            if times > 0 {
                let (before, after) = (session.moves.len(), smaller.moves.len());
                let how = format!(
                    "{rate}{before} moves became {after}, found in {times} of {REPEATS} plays"
                );
                return Shrunk {
                    session: smaller,
                    finding,
                    shown: shown.unwrap_or_default(),
                    how,
                };
            }
        }
        Shrunk::not(session, "as it was found".to_owned())
    }

    /// Plays sessions, and shows each run with the number of its session; returns their scenarios.
    async fn play(
        &self,
        sessions: &[Session],
        time_scale: f64,
        with_frames: bool,
        mut on_run: impl FnMut(usize, &ScenarioRun),
    ) -> Vec<Scenario> {
        let numbered = sessions.iter().enumerate();
        let scenarios = numbered.filter_map(|(n, session)| {
            let one = [(format!("shrink/{n}"), session)];
            self.dialect.scenarios(one).ok()
        });
        let scenarios: Vec<Scenario> = scenarios.flatten().collect();
        let mut on_event = |event| {
            if let RunEvent::Ended(run) = event {
                on_run(super::number_of(&run.report.id), &run);
            }
        };
        let (surroundings, played) = (self.exploration.surroundings, scenarios.clone());
        let mut settings = self.exploration.settings();
        settings.time_scale *= time_scale;
        settings.with_frames = with_frames;
        self.dialect
            .play(played, &settings, surroundings, &mut on_event)
            .await;
        scenarios
    }

    /// Plays sessions, and says of each whether it has the cause.
    async fn judge(
        &self,
        cause: &str,
        sessions: Vec<Session>,
        time_scale: f64,
        broken: &mut HashSet<String>,
    ) -> Vec<bool> {
        let mut has = vec![false; sessions.len()];
        let on_run = |n: usize, run: &ScenarioRun| {
            let mut rules = run.report.findings.iter().map(|one| one.rule.clone());
            has[n] = found_in(cause, &run.report).is_some();
            if sessions[n].without.is_empty() {
                broken.extend(rules);
            } else {
                has[n] &= rules.all(|rule| broken.contains(&rule));
            }
        };
        let scenarios = self.play(&sessions, time_scale, false, on_run).await;
        // What is cut down must be legal: the reference agent passes it.
        let cut = scenarios.into_iter().filter(|one| {
            let n = super::number_of(&one.id);
            !sessions[n].without.is_empty() && std::mem::take(&mut has[n])
        });
        let source = DialectSource::new(self.exploration.plan.dialect_dir.clone());
        if let Ok(legal) = reference_suite(&source, &self.dialect.suite.dialect, cut.collect()) {
            let scenarios = legal.scenarios.clone();
            let runs = legal
                .play(None, scenarios, self.exploration.start.time_scale)
                .await;
            for run in runs.into_iter().flatten() {
                has[super::number_of(&run.report.id)] = run.report.findings.is_empty();
            }
        }
        has
    }

    /// The name of a scenario, and that of its file: its moves, or what is found where parts of moves are left out.
    fn names(session: &Session, finding: &Finding) -> (String, String) {
        const NAMED: usize = 4;
        if !session.without.is_empty() {
            let title = title(finding);
            let what = title.split_once(": ").map_or(&*title, |(_, what)| what);
            let words = what.split(|one: char| !one.is_alphanumeric());
            let words = words.filter(|word| !word.is_empty()).take(2 * NAMED);
            let words: Vec<String> = words.map(str::to_lowercase).collect();
            return (title, words.join("-"));
        }
        let moves = session.moves.iter().take(NAMED);
        let mut names: Vec<String> = moves.map(|one| one.name.to_lowercase()).collect();
        if names.is_empty() {
            names.push(session.start.name.clone());
        }
        (session.title(), names.join("-"))
    }

    /// Writes a scenario at a path and with a name that no other cause has.
    fn write(
        &self,
        shrunk: &Shrunk,
        first: &Finding,
        number: usize,
        written: &[Written],
    ) -> Result<Written, String> {
        let (finding, got) = match &shrunk.finding {
            Some((finding, got)) => (finding, got.as_deref()),
            None => (first, None),
        };
        let (mut title, stem) = Self::names(&shrunk.session, finding);
        let dialect = &self.dialect.suite.dialect;
        let out = &self.exploration.args.out;
        let folder = out.join(&dialect.name).join(&dialect.version);
        let rule = first.rule.rsplit(['/', '.']).next().unwrap_or_default();
        let numbers = std::iter::once(String::new()).chain((2..).map(|n| format!("-{n}")));
        let mut paths = numbers.map(|number| folder.join(format!("{stem}.{rule}{number}.yaml")));
        let is_free = |path: &PathBuf| written.iter().all(|one| one.path != *path);
        let path = paths.find(is_free).unwrap_or_default();
        if written.iter().any(|one| one.title == title) {
            title = format!("{title} ({rule}, {})", written.len() + 1);
        }
        let table = &self.dialect.table;
        let clauses = if cites_the_scenario(&first.rule) {
            &[]
        } else {
            &first.clauses[..]
        };
        let text = table.text(&shrunk.session, &title, clauses);
        let played = table.text(&shrunk.session, &shrunk.session.title(), &[]);
        let seed = self.exploration.start.seed;
        let found = format!("Found by conform explore --seed {seed}, session {number}");
        let text = heading(&found, finding, got, dialect) + &marked(&text, &played, finding);
        reports::write_text(&path, &text)?;
        Ok(Written {
            path,
            title,
            shown: shrunk.shown.clone(),
        })
    }
}

impl Shrunk {
    /// A session that stays as it was found.
    fn not(session: Session, how: String) -> Self {
        Shrunk {
            session,
            finding: None,
            shown: HashSet::new(),
            how,
        }
    }
}
