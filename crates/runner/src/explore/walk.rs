//! Walks over the moves of a dialect: from a seed, always the same ones. A walk prefers what was not covered yet: a move at a moment, a
//! move after another, a class of data at a place.

use super::coverage::SituationCounts;
use super::fill::{Names, Place, fill, fill_key};
use super::moves::{Move, MoveTable};
use fastrand::Rng;
use serde_json::Value;
use spanned_yaml::Spanned;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

/// The fewest and the most moves of a walk, without those that close it.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=14;
/// The most moves that close a walk.
const CLOSING: usize = 12;
/// Of this many data, one is the simplest of its pool.
const TAME: usize = 3;

/// A session: how it begins, and the moves in it, with their data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Session {
    /// The start.
    pub start: PlannedMove,
    /// The moves.
    pub moves: Vec<PlannedMove>,
    /// Whether its moves are scenarios.
    pub is_spliced: bool,
    /// The parts that are left out of its scenario.
    pub without: BTreeSet<Part>,
}

/// A part of a scenario, by its number from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A step that sends something, with the steps after it that do not.
    Exchange(usize),
    /// A step.
    Step(usize),
    /// A reply of the model.
    Reply(usize),
    /// The expectations of a reply about its request, and its usage.
    Extras(usize),
    /// The files before the session.
    Files,
    /// The state that files must have after the session.
    FilesAfter,
}

/// A move of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PlannedMove {
    /// The name of the move.
    pub name: String,
    /// The data in it, in the order of its draws.
    pub data: Vec<Drawn>,
}

/// A datum of a pool.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Drawn {
    /// The name that the move uses for it.
    pub name: String,
    /// The pool.
    pub pool: String,
    /// Its place in the pool; the simplest has 0.
    pub index: usize,
}

/// The state of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) moment: String,
    /// Variables and counters.
    pub(super) names: Names,
    /// The number of the next move that has one.
    pub(super) number: usize,
    /// Moves that cannot be made again.
    spent: BTreeSet<String>,
    /// The wire on which the whole session is played, if its start or a move is for one.
    wire: Option<String>,
}

impl State {
    /// The state before the start.
    pub(super) fn new(table: &MoveTable) -> Self {
        State {
            moment: table.first_moment().to_owned(),
            number: 1,
            ..State::default()
        }
    }

    /// Whether a move can be made.
    pub(super) fn allows(&self, name: &str, one: &Move) -> bool {
        let same_wire =
            |wire: &Spanned<String>| self.wire.as_ref().is_none_or(|own| *own == wire.value);
        one.from.contains(&self.moment)
            && !self.spent.contains(name)
            && one.file.wire.as_ref().is_none_or(same_wire)
            && one.conditions.iter().all(|(name, values)| {
                let value = self.names.get(name).unwrap_or(&Value::Null);
                values.contains(value)
            })
    }

    /// The names that the texts of a move can use: those of the session, and its data. A list of texts is there joined, too.
    pub(super) fn names_for<'n>(
        &'n self,
        table: &MoveTable,
        planned: &PlannedMove,
    ) -> Cow<'n, Names> {
        if planned.data.is_empty() {
            return Cow::Borrowed(&self.names);
        }
        let mut names = self.names.clone();
        for drawn in &planned.data {
            let pool = table.pools.get(&drawn.pool);
            let datum = pool.and_then(|pool| pool.get(drawn.index));
            let value = datum.map_or(Value::Null, |datum| datum.value.to_value());
            let texts = value
                .as_array()
                .map(|items| items.iter().map(Value::as_str));
            if let Some(joined) = texts.and_then(Iterator::collect::<Option<String>>) {
                names.insert(format!("{}_joined", drawn.name), joined.into());
            }
            names.insert(drawn.name.clone(), value);
        }
        Cow::Owned(names)
    }

    /// Makes a move.
    pub(super) fn make(&mut self, table: &MoveTable, planned: &PlannedMove, one: &Move) {
        let drawn = self.names_for(table, planned);
        let set = one.file.set.iter().map(|(name, value)| {
            let name = fill_key(name, &drawn, self.number);
            let value = fill(&value.to_value(), &drawn, self.number, Place::Plain);
            (name, value)
        });
        for (name, value) in set.collect::<Vec<_>>() {
            match value {
                Value::Null => drop(self.names.shift_remove(&name)),
                value => drop(self.names.insert(name, value)),
            }
        }
        for (name, more) in &one.file.add {
            let before = self.names.get(name).and_then(Value::as_i64);
            let sum = before.unwrap_or_default() + more;
            self.names.insert(name.clone(), sum.into());
        }
        if one.file.once {
            self.spent.insert(planned.name.clone());
        }
        if let Some(wire) = &one.file.wire {
            self.wire = Some(wire.value.clone());
        }
        self.moment = one.leads_to(&self.moment).to_owned();
        self.number += usize::from(one.is_numbered);
    }
}

impl MoveTable {
    /// The start and the moves of a session, those that the table has.
    pub(super) fn planned<'s>(
        &'s self,
        session: &'s Session,
    ) -> impl Iterator<Item = (&'s PlannedMove, &'s Move)> {
        let start = self.starts.get(&session.start.name);
        let moves = session.moves.iter();
        let moves = moves.filter_map(|planned| Some((planned, self.moves.get(&planned.name)?)));
        start
            .map(|one| (&session.start, one))
            .into_iter()
            .chain(moves)
    }

    /// A move, or a start, with the simplest data.
    pub(super) fn tame(&self, name: &str, one: &Move) -> PlannedMove {
        let draws = one.draws.iter().filter_map(|(draw, pools)| {
            let (pool, index, _) = self.choices(pools).next()?;
            Some(Drawn {
                name: draw.clone(),
                pool: pool.clone(),
                index,
            })
        });
        PlannedMove {
            name: name.to_owned(),
            data: draws.collect(),
        }
    }

    /// The same session without moves that cannot be made at their place, closed by the shortest moves; `None` if it cannot begin or end.
    #[must_use]
    pub fn legal(&self, session: &Session) -> Option<Session> {
        let start = self.starts.get(&session.start.name)?;
        let mut state = State::new(self);
        state.make(self, &session.start, start);
        let mut moves = Vec::new();
        for planned in &session.moves {
            let Some(one) = self.moves.get(&planned.name) else {
                continue;
            };
            if state.allows(&planned.name, one) {
                state.make(self, planned, one);
                moves.push(planned.clone());
            }
        }
        moves.extend(self.closing(&mut state)?);
        Some(Session {
            moves,
            ..session.clone()
        })
    }

    /// The moves that lead to the end of a session, and makes them.
    fn closing(&self, state: &mut State) -> Option<Vec<PlannedMove>> {
        let mut moves = Vec::new();
        while !self.may_end(&state.moment) {
            let all = self.moves.iter();
            let allowed = all.filter(|(name, one)| state.allows(name, one));
            let nearest =
                allowed.min_by_key(|(_, one)| self.distance_to_end(one.leads_to(&state.moment)));
            let (name, one) = nearest.filter(|_| moves.len() < CLOSING)?;
            let planned = self.tame(name, one);
            state.make(self, &planned, one);
            moves.push(planned);
        }
        Some(moves)
    }

    /// The variables that moves depend on, with the values that make a difference.
    fn compared_values(&self) -> BTreeMap<&str, Vec<&Value>> {
        let mut compared: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for (name, values) in self.moves.values().flat_map(|one| &one.conditions) {
            compared.entry(name).or_default().extend(values);
        }
        compared
    }

    /// The shortest session for each move in which it is made, with the simplest data; none for a move that no session can reach.
    #[must_use]
    pub fn shortest_sessions(&self) -> BTreeMap<String, Session> {
        let mut seen = SeenStates::new(self.compared_values());
        let mut found = BTreeMap::new();
        let (mut reached, mut queue) = (Vec::new(), VecDeque::new());
        for (name, one) in &self.starts {
            let start = self.tame(name, one);
            let mut state = State::new(self);
            state.make(self, &start, one);
            if seen.is_new(&state) {
                queue.push_back((state, reached.len()));
                reached.push((None, start));
            }
        }
        let tame = self.moves.iter();
        let tame: Vec<_> = tame
            .map(|(name, one)| (name, one, self.tame(name, one)))
            .collect();
        while let Some((state, place)) = queue.pop_front() {
            for (name, one, planned) in &tame {
                if !state.allows(name, one) {
                    continue;
                }
                let mut next = state.clone();
                next.make(self, planned, one);
                let is_new = seen.is_new(&next);
                if !found.contains_key(*name) {
                    let mut session = session_to(&reached, place);
                    session.moves.push(planned.clone());
                    let closed = self.legal(&session);
                    found.extend(closed.map(|closed| ((*name).clone(), closed)));
                }
                if is_new {
                    queue.push_back((next, reached.len()));
                    reached.push((Some(place), planned.clone()));
                }
            }
            if found.len() == self.moves.len() {
                break;
            }
        }
        found
    }
}

/// How a state was reached: the place of the one before it, and the move between the two; the start of a session for the first one.
type Reached = (Option<usize>, PlannedMove);

/// The session that leads to a state.
fn session_to(reached: &[Reached], place: usize) -> Session {
    let mut moves = Vec::new();
    let mut next = Some(place);
    while let Some((before, planned)) = next.map(|place| &reached[place]) {
        moves.push(planned.clone());
        next = *before;
    }
    let start = moves.pop().unwrap_or_default();
    moves.reverse();
    Session {
        start,
        moves,
        ..Session::default()
    }
}

/// The states that a search has come to, as far as moves depend on them.
struct SeenStates<'t> {
    compared: BTreeMap<&'t str, Vec<&'t Value>>,
    seen: HashSet<(String, Option<String>, Vec<Compared>)>,
}

/// The value of a variable, as far as a move depends on it.
#[derive(PartialEq, Eq, Hash)]
enum Compared {
    /// No move depends on it.
    Other,
    /// The value with this number of those that moves are compared with.
    Known(usize),
    /// A count that may still become one of them.
    Count(i64),
}

impl<'t> SeenStates<'t> {
    fn new(compared: BTreeMap<&'t str, Vec<&'t Value>>) -> Self {
        SeenStates {
            compared,
            seen: HashSet::new(),
        }
    }

    /// Whether no state like this came before.
    fn is_new(&mut self, state: &State) -> bool {
        let known = self.compared.iter().map(|(name, values)| {
            let value = state.names.get(*name).unwrap_or(&Value::Null);
            if let Some(number) = values.iter().position(|one| *one == value) {
                return Compared::Known(number);
            }
            let most = values.iter().filter_map(|one| one.as_i64()).max();
            let count = value.as_i64().filter(|count| Some(*count) <= most);
            count.map_or(Compared::Other, Compared::Count)
        });
        let known = known.collect();
        self.seen
            .insert((state.moment.clone(), state.wire.clone(), known))
    }
}

/// Makes sessions, one after the other: of one seed, always the same ones in the same order.
#[derive(Debug)]
pub struct Walker<'t> {
    table: &'t MoveTable,
    rng: Rng,
    /// The coverage of the sessions so far.
    pub counts: SituationCounts,
}

impl<'t> Walker<'t> {
    /// A walker over these moves.
    #[must_use]
    pub fn new(table: &'t MoveTable, seed: u64) -> Self {
        Walker {
            table,
            rng: Rng::with_seed(seed),
            counts: SituationCounts::default(),
        }
    }

    fn walk(&mut self) -> Session {
        let table = self.table;
        let mut state = State::new(table);
        let counts = &self.counts;
        let start = chosen(&mut self.rng, table.starts.iter(), |name, one| {
            weight(one) / (1.0 + counts.started(name))
        });
        let Some((name, one)) = start else {
            return Session::default();
        };
        let start = self.planned(name, one);
        state.make(table, &start, one);
        let mut moves: Vec<PlannedMove> = Vec::new();
        for _ in 0..self.rng.usize(LENGTH) {
            let (counts, before) = (&self.counts, moves.last().map(|one| one.name.as_str()));
            let all = table.moves.iter();
            let allowed = all.filter(|(name, one)| state.allows(name, one));
            let next = chosen(&mut self.rng, allowed, |name, one| {
                let to = one.leads_to(&state.moment);
                let behind = table.moves.iter();
                let behind = behind.filter(|(_, next)| next.from.contains(to));
                let holes = behind.filter(|(next, _)| counts.walked(to, next) < 1.0);
                let news = 1.0
                    + 4.0 / (1.0 + 4.0 * counts.walked(&state.moment, name))
                    + 2.0 / (1.0 + 4.0 * counts.in_a_row(before, name));
                weight(one) * news * (1.0 + holes.take(4).count() as f64)
            });
            let Some((name, one)) = next else { break };
            let planned = self.planned(name, one);
            self.counts.note_move(before, &state.moment, name);
            state.make(table, &planned, one);
            moves.push(planned);
        }
        self.counts.note_start(name);
        let session = Session {
            start,
            moves,
            ..Session::default()
        };
        table.legal(&session).unwrap_or(session)
    }

    /// A move with data: the simplest, or of a class that was rare at its place.
    fn planned(&mut self, name: &str, one: &Move) -> PlannedMove {
        let table = self.table;
        let mut planned = table.tame(name, one);
        for drawn in &mut planned.data {
            let pools = &one.draws[&drawn.name];
            if self.rng.usize(0..TAME) > 0 {
                let (rng, counts) = (&mut self.rng, &self.counts);
                let all = table.choices(pools).map(|(pool, index, datum)| {
                    let seen = counts.carried(name, &drawn.name, &datum.class);
                    (seen, rng.u32(..), pool, index)
                });
                let all: Vec<_> = all.collect();
                if let Some((_, _, pool, index)) = all.into_iter().min() {
                    (drawn.pool, drawn.index) = (pool.clone(), index);
                }
            }
            let class = &table.pools[&drawn.pool][drawn.index].class;
            self.counts.note_datum(name, &drawn.name, class);
        }
        planned
    }
}

impl Iterator for Walker<'_> {
    type Item = Session;

    fn next(&mut self) -> Option<Session> {
        Some(self.walk())
    }
}

fn weight(one: &Move) -> f64 {
    f64::from(one.file.weight.unwrap_or(1))
}

/// One of these moves, at random in proportion to their weights.
fn chosen<'m>(
    rng: &mut Rng,
    moves: impl Iterator<Item = (&'m String, &'m Move)>,
    weight: impl Fn(&str, &Move) -> f64,
) -> Option<(&'m String, &'m Move)> {
    let weighed: Vec<_> = moves
        .map(|(name, one)| (weight(name, one), name, one))
        .collect();
    let all: f64 = weighed.iter().map(|(weight, ..)| weight).sum();
    let mut left = rng.f64() * all;
    let found = weighed.iter().find(|(weight, ..)| {
        left -= weight;
        left < 0.0
    });
    found.or(weighed.last()).map(|(_, name, one)| (*name, *one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spanned_yaml::load_yaml;

    const MOVES: &str = "
moments: { rest: {}, busy: {}, gone: { final: true } }
starts: { plain: { set: { word: a } } }
moves:
  begin: { from: rest, to: busy, set: { open: '{#}' }, add: { begun: 1 } }
  end: { from: busy, to: rest, set: { open: null } }
  only-b: { from: rest, when: { word: b } }
  make-b: { from: rest, set: { word: b } }
  leave: { from: any, to: gone, once: true }
  count: { from: rest, when: { begun: [2, 3] } }
  never: { from: rest, when: { word: c } }
  one-wire: { from: rest, wire: chat }
  other-wire: { from: rest, wire: responses }
";

    fn table() -> MoveTable {
        MoveTable::merge(&[load_yaml("explore.yaml", MOVES).unwrap()]).unwrap()
    }

    fn planned(name: &str) -> PlannedMove {
        PlannedMove {
            name: name.to_owned(),
            data: Vec::new(),
        }
    }

    fn session(names: &[&str]) -> Session {
        Session {
            start: planned("plain"),
            moves: names.iter().map(|name| planned(name)).collect(),
            ..Session::default()
        }
    }

    #[test]
    fn a_session_is_made_legal_and_closed() {
        let table = table();
        for (names, expected) in [
            (
                &["end", "only-b", "begin", "begin"][..],
                &["begin", "end"][..],
            ),
            (&["make-b", "only-b"], &["make-b", "only-b"]),
            (&["begin", "leave", "make-b"], &["begin", "leave"]),
            (
                &["one-wire", "other-wire", "one-wire"],
                &["one-wire", "one-wire"],
            ),
            (
                &["count", "begin", "end", "begin", "end", "count"],
                &["begin", "end", "begin", "end", "count"],
            ),
        ] {
            assert_eq!(
                table.legal(&session(names)),
                Some(session(expected)),
                "{names:?}"
            );
        }
    }

    #[test]
    fn the_shortest_session_makes_what_a_move_needs() {
        let table = table();
        let sessions = table.shortest_sessions();
        let shortest = |name| sessions.get(name).cloned();
        assert_eq!(shortest("only-b"), Some(session(&["make-b", "only-b"])));
        assert_eq!(shortest("end"), Some(session(&["begin", "end"])));
        assert_eq!(shortest("count").unwrap().moves.len(), 5);
        assert_eq!(shortest("never"), None);
    }

    #[test]
    fn walks_are_legal_end_and_come_to_every_move() {
        let table = table();
        let mut walker = Walker::new(&table, 3);
        for session in walker.by_ref().take(40) {
            assert_eq!(table.legal(&session).as_ref(), Some(&session));
        }
        let share = walker.counts.moves_at_moments(&table);
        assert_eq!((share.met, share.all), (9, 10));
    }
}
