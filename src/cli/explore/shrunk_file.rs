//! Makes the first session of each cause small, tells whether it repeats itself, and writes it as a scenario.

use super::causes_found::{
    CausesFound, FoundCause, Sought, cause, causes_of, counts, is_of_the_agent,
};
use super::explored_dialect::ExploredDialect;
use super::finding_text::{event, got, heading, marked, title};
use super::{Exploration, PlayedSession};
use crate::cli::command_error::CommandError;
use crate::cli::mutants::reference_suite;
use crate::cli::{output, reports};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Finding;
use conform_report::ScenarioReport;
use conform_runner::explore::{Session, shrink};
use conform_runner::scenario::Scenario;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::RunEvent;
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
    /// What it shows in every play.
    shown: HashSet<Shown>,
    /// What is to be said about it.
    how: String,
}

/// A file with a session, the name of its scenario, and what it shows in every play.
struct Written {
    path: PathBuf,
    title: String,
    shown: HashSet<Shown>,
}

/// What a play shows: a cause, or, be it that it follows from something else, a rule with what happened and a clause.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Shown {
    Cause(FoundCause),
    Event {
        rule: String,
        event: String,
        clause: String,
    },
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
        let mut written: Vec<Written> = Vec::new();
        for (found, at) in &causes.0 {
            let sought = Sought::of(found, &sessions[*at].run.report);
            let clauses = found.clauses.iter();
            let events = clauses.map(|clause| {
                let (rule, event, clause) =
                    (found.rule.clone(), sought.event.clone(), clause.clone());
                Shown::Event {
                    rule,
                    event,
                    clause,
                }
            });
            let any: HashSet<Shown> = events.chain([Shown::Cause(found.clone())]).collect();
            let mut files = written.iter();
            let file = files.find(|file| !file.shown.is_disjoint(&any));
            let path = if let Some(file) = file {
                let path = &file.path;
                lines.push(("Wrote", format!("{} ({})", path.display(), found.rule)));
                path.clone()
            } else {
                let session = sessions[*at].session.clone();
                let is_cancelled = *self.exploration.surroundings.cancelled.borrow();
                let shrunk = if written.len() < SHRUNK && !is_cancelled {
                    output::note(format_args!(
                        "making the session with {} smaller",
                        found.rule
                    ));
                    self.shrunk(&sought, session).await
                } else {
                    Shrunk::not(session, "as it was found".to_owned())
                };
                let file = self.write(&shrunk, &sought, &sessions[*at], &written)?;
                let path = file.path.clone();
                let line = format!("{} ({}; {})", path.display(), found.rule, shrunk.how);
                lines.push(("Wrote", line));
                written.push(file);
                path
            };
            let id = self.dialect.suite.dialect.id();
            let rerun = self.exploration.plan.rerun.file_line(&id, &path);
            for played in sessions.iter_mut() {
                let findings = played.run.report.findings.iter_mut();
                for finding in findings.filter(|one| counts(one) && cause(one) == *found) {
                    finding.rerun.clone_from(&rerun);
                }
            }
        }
        Ok(lines)
    }

    /// The smallest session with a cause.
    async fn shrunk(&self, found: &Sought<'_>, session: Session) -> Shrunk {
        // What is found beside the cause: a session that is cut down may not show more.
        let mut beside = HashSet::new();
        let again = vec![session.clone(); REPEATS];
        let again = self.judge(found, again, 1.0, &mut beside).await;
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
            let judge = async |sessions| self.judge(found, sessions, haste, &mut beside).await;
            let smaller = shrink(&self.dialect.table, session.clone(), most, judge).await;
            let (mut finding, mut times) = (None, 0);
            let mut shown: Option<HashSet<Shown>> = None;
            let again = vec![smaller.clone(); REPEATS];
            self.play(&again, 1.0, true, |_, run| {
                let now = shown_by(&run.report);
                if let Some(again) = found.found_in(&run.report) {
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
        found: &Sought<'_>,
        sessions: Vec<Session>,
        time_scale: f64,
        beside: &mut HashSet<FoundCause>,
    ) -> Vec<bool> {
        let mut has = vec![false; sessions.len()];
        let on_run = |n: usize, run: &ScenarioRun| {
            let mut all = run.report.findings.iter().map(cause);
            has[n] = found.found_in(&run.report).is_some();
            match sessions[n].without.is_empty() {
                true => beside.extend(all),
                false => has[n] &= all.all(|cause| beside.contains(&cause)),
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
    fn names(session: &Session, message: &str) -> (String, String) {
        const NAMED: usize = 4;
        if !session.without.is_empty() {
            let title = title(message);
            let words = title.split(|one: char| !one.is_alphanumeric());
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
        found: &Sought<'_>,
        first: &PlayedSession,
        written: &[Written],
    ) -> Result<Written, String> {
        let first_finding = || Some((found.found_in(&first.run.report)?.clone(), None));
        let finding = shrunk.finding.clone().or_else(first_finding);
        let message = finding.as_ref().map_or("", |(one, _)| &one.message);
        let (mut title, stem) = Self::names(&shrunk.session, message);
        let dialect = &self.dialect.suite.dialect;
        let out = &self.exploration.args.out;
        let folder = out.join(&dialect.name).join(&dialect.version);
        let rule = found
            .cause
            .rule
            .rsplit(['/', '.'])
            .next()
            .unwrap_or_default();
        let numbers = std::iter::once(String::new()).chain((2..).map(|n| format!("-{n}")));
        let mut paths = numbers.map(|number| folder.join(format!("{stem}.{rule}{number}.yaml")));
        let is_free = |path: &PathBuf| written.iter().all(|one| one.path != *path);
        let path = paths.find(is_free).unwrap_or_default();
        if written.iter().any(|one| one.title == title) {
            title = format!("{title} ({rule}, {})", written.len() + 1);
        }
        let table = &self.dialect.table;
        let mut text = table.text(&shrunk.session, &title, &found.cause.clauses);
        if let Some((finding, got)) = &finding {
            let played = table.text(&shrunk.session, &shrunk.session.title(), &[]);
            let (seed, number) = (
                self.exploration.start.seed,
                super::number_of(&first.run.report.id),
            );
            let found = format!("Found by conform explore --seed {seed}, session {number}");
            text = heading(&found, finding, got.as_deref(), dialect)
                + &marked(&text, &played, finding);
        }
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

/// What a session shows.
fn shown_by(report: &ScenarioReport) -> HashSet<Shown> {
    let findings = report.findings.iter().filter(|one| is_of_the_agent(one));
    let events = findings.flat_map(|one| {
        let (rule, event) = (&one.rule, event(&one.message));
        let clauses = one.clauses.iter();
        clauses.map(move |clause| Shown::Event {
            rule: rule.clone(),
            event: event.clone(),
            clause: clause.clone(),
        })
    });
    events.chain(causes_of(report).map(Shown::Cause)).collect()
}
