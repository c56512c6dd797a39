//! Spliced sessions: the bodies of scenarios, one after the other in one process, so that what no scenario has together comes together:
//! pairs, second times, values that come again. Only rules judge them.

use super::bodies::Body;
use super::moves::{Move, MoveTable};
use super::walk::{PlannedMove, Session, State};
use crate::scenario::{ScenarioSource, yaml_text};
use conform_judge::dialect::Dialect;
use fastrand::Rng;
use indexmap::IndexSet;
use serde_json::{Map, Value, json};
use spanned_yaml::{Error, load_yaml};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

/// The fewest and the most bodies of a session.
const BODIES: RangeInclusive<usize> = 2..=6;
/// Of this many bodies after the first, one is a body of the session again.
const AGAIN: usize = 5;
/// After one of this many bodies comes a move of the epilogue.
const BETWEEN: usize = 6;
/// The most moves of the epilogue at the end of a session.
const EPILOGUE: usize = 3;

/// The moment between two bodies, and the one after the process has ended.
const REST: &str = "rest";
const GONE: &str = "gone";
/// The variable with the settings of the agent.
const AGENT: &str = "agent";
/// Its value after the agent was started again with other settings.
const RESTARTED: &str = "restarted";

impl MoveTable {
    /// The table of spliced sessions: the scenarios that can follow each other, and the epilogue of the dialect. `None` if the dialect
    /// describes none, or no scenario can be spliced.
    ///
    /// # Errors
    /// What is wrong with the table.
    pub fn spliced(
        &self,
        scenarios: &ScenarioSource,
        dialect: &Dialect,
    ) -> Result<Option<Self>, Vec<Error>> {
        let Some(splicing) = &self.splicing else {
            return Ok(None);
        };
        let files = scenarios.files().iter();
        let bodies = files.filter_map(|file| Some((&file.id, Body::of(file, dialect, splicing)?)));
        let bodies: Vec<_> = bodies.collect();
        let mut settings = IndexSet::from([(Value::Null, BTreeSet::new())]);
        let of_body = |body: &Body| (body.agent.clone(), body.abilities.clone());
        settings.extend(bodies.iter().map(|(_, body)| of_body(body)));
        let mut moves = Map::new();
        for (id, body) in bodies {
            let Body {
                agent,
                abilities,
                files,
                mut file,
                ends,
                restarts,
            } = body;
            let numbered = settings.iter().enumerate();
            let good = numbered
                .filter(|(_, (own, declared))| *own == agent && declared.is_superset(&abilities));
            let good: Vec<usize> = good.map(|(n, _)| n).collect();
            let mut when = Map::from_iter([(AGENT.to_owned(), json!(good))]);
            let mut set = Map::new();
            for (path, text) in &files {
                let (name, text) = (format!("file {path}"), hash(text));
                when.insert(name.clone(), json!([null, text]));
                set.insert(name, text.into());
            }
            if restarts {
                set.insert(AGENT.to_owned(), RESTARTED.into());
            }
            let to = if ends { GONE } else { REST };
            let entries = [
                ("from", json!(REST)),
                ("to", json!(to)),
                ("when", when.into()),
                ("set", set.into()),
                ("files", files.into()),
            ];
            file.extend(entries.map(|(key, value)| (key.to_owned(), value)));
            moves.insert(id.clone(), file.into());
        }
        if moves.is_empty() {
            return Ok(None);
        }
        let starts = settings
            .into_iter()
            .enumerate()
            .map(|(n, (agent, abilities))| {
                let mut start = Map::from_iter([("set".to_owned(), json!({ AGENT: n }))]);
                let name = match n {
                    0 => "plain".to_owned(),
                    _ => format!("settings-{n}"),
                };
                if !agent.is_null() {
                    start.insert("agent".to_owned(), agent);
                }
                if !abilities.is_empty() {
                    start.insert("client".to_owned(), json!(abilities));
                }
                (name, start.into())
            });
        let text = yaml_text::document(&json!({
            "moments": { REST: {}, GONE: { "final": true } },
            "starts": Value::Object(starts.collect()),
            "moves": moves,
        }));
        let written = load_yaml("spliced.yaml", &text).map_err(|error| vec![error])?;
        let mut table = MoveTable::merge(&[written])?;
        table.call_ids.clone_from(&self.call_ids);
        table.pools.clone_from(&self.pools);
        table.epilogue.clone_from(&self.epilogue);
        table.moves.extend(self.epilogue.clone());
        table.is_spliced = true;
        table.leave_out_unfit_bodies(dialect)?;
        Ok(Some(table))
    }

    /// Leaves out the scenarios that cannot be composed.
    ///
    /// # Errors
    /// The dialect's own moves of the epilogue with which no good scenario can be composed.
    fn leave_out_unfit_bodies(&mut self, dialect: &Dialect) -> Result<(), Vec<Error>> {
        let why = |name: &String| {
            let (start, _) = self.starts_before(name).next()?;
            let moves = vec![self.tame(name, &self.moves[name])];
            let session = Session {
                start,
                moves,
                is_spliced: true,
                ..Session::default()
            };
            let found = self.scenario(&session, "session", dialect).err()?;
            found.first().map(ToString::to_string)
        };
        let unfit = self
            .moves
            .keys()
            .filter_map(|name| Some((name.clone(), why(name)?)));
        let unfit: HashMap<String, String> = unfit.collect();
        let own = self.epilogue.iter();
        let own = own.filter(|(_, one)| !one.is_inherited_by(dialect));
        let wrong = own.filter_map(|(name, one)| {
            let why = unfit.get(name)?;
            Some(one.error(format!("a session with it is not a good scenario: {why}")))
        });
        let wrong: Vec<Error> = wrong.collect();
        self.moves.retain(|name, _| !unfit.contains_key(name));
        wrong.is_empty().then_some(()).ok_or(wrong)
    }

    /// The starts with which a session can begin with this move.
    fn starts_before(&self, name: &str) -> impl Iterator<Item = (PlannedMove, State)> {
        let first = self.moves.get(name);
        self.starts.iter().filter_map(move |(start, one)| {
            let (start, mut state) = (self.tame(start, one), State::new(self));
            state.make(self, &start, one);
            state.allows(name, first?).then_some((start, state))
        })
    }
}

fn hash(value: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

/// Makes spliced sessions, one after the other: of one seed, always the same ones in the same order.
#[derive(Debug)]
pub struct Splicer<'t> {
    table: &'t MoveTable,
    rng: Rng,
    played: HashMap<&'t str, u32>,
    /// How often a move came anywhere after another.
    pub pairs: HashMap<(&'t str, &'t str), u32>,
}

/// A session in the making.
struct Growing<'t> {
    state: State,
    moves: Vec<&'t str>,
}

impl<'t> Splicer<'t> {
    /// Sessions of this table.
    #[must_use]
    pub fn new(table: &'t MoveTable, seed: u64) -> Self {
        Splicer {
            table,
            rng: Rng::with_seed(seed),
            played: HashMap::new(),
            pairs: HashMap::new(),
        }
    }

    /// How often this move came in the sessions so far, and after those before it.
    fn times(&self, before: &[&str], name: &str) -> u32 {
        let pairs = before
            .iter()
            .filter_map(|one| self.pairs.get(&(*one, name)));
        pairs.sum::<u32>() + self.played.get(name).copied().unwrap_or_default()
    }

    /// The move that came least, of those that can be made and are wanted.
    fn rarest(
        &mut self,
        session: &Growing<'t>,
        is_wanted: impl Fn(&str, &Move) -> bool,
    ) -> Option<&'t str> {
        let all = self.table.moves.iter();
        let allowed =
            all.filter(|(name, one)| session.state.allows(name, one) && is_wanted(name, one));
        let allowed: Vec<&'t str> = allowed.map(|(name, _)| name.as_str()).collect();
        let rated = allowed.into_iter().map(|name| {
            let is_after = session
                .moves
                .iter()
                .filter(|one| self.pairs.contains_key(&(**one, name)));
            (
                is_after.count(),
                self.times(&session.moves, name),
                self.rng.u32(..),
                name,
            )
        });
        let rated: Vec<_> = rated.collect();
        rated.into_iter().min().map(|(.., name)| name)
    }

    fn make(&mut self, session: &mut Growing<'t>, name: &'t str) {
        for before in &session.moves {
            *self.pairs.entry((before, name)).or_default() += 1;
        }
        *self.played.entry(name).or_default() += 1;
        let one = &self.table.moves[name];
        session
            .state
            .make(self.table, &self.table.tame(name, one), one);
        session.moves.push(name);
    }

    fn splice(&mut self) -> Session {
        let table = self.table;
        let is_body = |name: &str| !table.epilogue.contains_key(name);
        let bodies = table.moves.keys().filter(|name| is_body(name));
        let bodies: Vec<&'t str> = bodies.map(String::as_str).collect();
        let rated = bodies
            .iter()
            .map(|name| (self.times(&[], name), self.rng.u32(..), *name));
        let rated: Vec<_> = rated.collect();
        let first = rated.into_iter().min().map_or("", |(.., name)| name);
        let mut starts: Vec<_> = table.starts_before(first).collect();
        if starts.is_empty() {
            return Session::default();
        }
        let chosen = match starts.len() {
            1 => 0,
            several => self.rng.usize(..several),
        };
        let (start, state) = starts.swap_remove(chosen);
        let mut session = Growing {
            state,
            moves: Vec::new(),
        };
        self.make(&mut session, first);
        let length = self.rng.usize(BODIES);
        for n in 2..=length {
            if session.state.moment == GONE {
                break;
            }
            if self.rng.usize(..BETWEEN) == 0
                && let Some(name) = self.rarest(&session, |name, _| !is_body(name))
            {
                self.make(&mut session, name);
            }
            let stays = |one: &Move| n == length || one.leads_to(REST) == REST;
            let is_again = self.rng.usize(..AGAIN) == 0;
            let made = session.moves.clone();
            let next = self.rarest(&session, |name, one| {
                let times = made.iter().filter(|one| **one == name).count();
                is_body(name) && stays(one) && if is_again { times == 1 } else { times == 0 }
            });
            let Some(name) = next else { continue };
            self.make(&mut session, name);
        }
        for _ in 0..self.rng.usize(1..=EPILOGUE) {
            let made = session.moves.clone();
            let next = self.rarest(&session, |name, _| {
                !is_body(name) && made.last() != Some(&name)
            });
            let Some(name) = next else { break };
            self.make(&mut session, name);
        }
        let moves = session.moves.into_iter();
        let moves: Vec<PlannedMove> = moves
            .map(|name| table.tame(name, &table.moves[name]))
            .collect();
        let session = Session {
            start,
            moves,
            is_spliced: true,
            ..Session::default()
        };
        table.legal(&session).unwrap_or(session)
    }
}

impl Iterator for Splicer<'_> {
    type Item = Session;

    fn next(&mut self) -> Option<Session> {
        Some(self.splice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVES: &str = "
moments: { rest: {}, gone: { final: true } }
starts: { plain: { set: { agent: 0 } }, settings-1: { set: { agent: 1 } } }
moves:
  a: { from: rest, when: { agent: 0 } }
  b: { from: rest, when: { agent: 0 } }
  own: { from: rest, when: { agent: 1 } }
  last: { from: rest, to: gone, when: { agent: 0 } }
spliced:
  epilogue:
    look: {}
";

    fn table() -> MoveTable {
        let mut table = MoveTable::merge(&[load_yaml("explore.yaml", MOVES).unwrap()]).unwrap();
        table.moves.extend(table.epilogue.clone());
        table.is_spliced = true;
        table
    }

    fn names(session: &Session) -> Vec<&str> {
        session.moves.iter().map(|one| one.name.as_str()).collect()
    }

    #[test]
    fn a_seed_always_gives_the_same_sessions_and_they_are_legal() {
        let table = table();
        let sessions = |seed| Splicer::new(&table, seed).take(30).collect::<Vec<_>>();
        assert_eq!(sessions(1), sessions(1));
        assert_ne!(sessions(1), sessions(2));
        for session in sessions(1) {
            assert_eq!(table.legal(&session).as_ref(), Some(&session));
            let settings = names(&session).contains(&"own");
            assert_eq!(session.start.name == "settings-1", settings);
        }
    }

    #[test]
    fn pairs_second_times_and_the_epilogue_come_soon() {
        let table = table();
        let mut splicer = Splicer::new(&table, 1);
        let sessions: Vec<Session> = splicer.by_ref().take(40).collect();
        for pair in [
            ("a", "b"),
            ("b", "a"),
            ("a", "a"),
            ("a", "last"),
            ("own", "look"),
        ] {
            assert!(splicer.pairs.contains_key(&pair), "{pair:?}");
        }
        let is_looked_at = |one: &Session| names(one).last() == Some(&"look");
        let ends = |one: &Session| names(one).last() == Some(&"last");
        assert!(sessions.iter().all(|one| is_looked_at(one) || ends(one)));
    }
}
