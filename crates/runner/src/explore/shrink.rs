//! Makes a session with a finding smaller, as long as the finding stays: fewer moves, the plainest start, simpler data, fewer steps and
//! replies.

use super::compose::MoveParts;
use super::moves::MoveTable;
use super::walk::{Part, Session};
use indexmap::IndexSet;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

/// How many sessions are judged in parallel before others are tried.
const ROUND: usize = 24;
/// The most exchanges that are left out together with replies of the model, and the most replies.
const EXCHANGES: usize = 2;
const REPLIES: usize = 4;

/// The search for a smaller session.
struct Search<'t, J> {
    table: &'t MoveTable,
    judge: J,
    best: Session,
    /// Sessions that were judged.
    seen: HashSet<Session>,
    /// How many more may be judged.
    left: usize,
}

/// Makes a session smaller with at most `most` judged sessions. The judge reports for each session of a list whether it has the finding;
/// the first that has it is taken, so the result does not depend on the order in which they end.
pub async fn shrink<J: AsyncFnMut(Vec<Session>) -> Vec<bool>>(
    table: &MoveTable,
    session: Session,
    most: usize,
    judge: J,
) -> Session {
    let mut search = Search {
        table,
        judge,
        seen: HashSet::from([session.clone()]),
        best: session,
        left: most,
    };
    loop {
        let before = search.best.clone();
        search.drop_moves().await;
        search.plainer_start().await;
        search.tamer_data().await;
        if search.best == before || search.left == 0 {
            break;
        }
    }
    search.drop_parts().await;
    search.best
}

impl<J: AsyncFnMut(Vec<Session>) -> Vec<bool>> Search<'_, J> {
    /// Takes the first of these sessions that is legal and has the finding; false if none has.
    async fn take_first(&mut self, candidates: Vec<Session>) -> bool {
        let text = |one: &Session| self.table.text(one, "", &[]);
        let (best, best_text) = (size(self.table, &self.best), text(&self.best));
        let legal = candidates.iter().filter_map(|one| self.table.legal(one));
        let fresh: IndexSet<Session> = legal
            .filter(|one| size(self.table, one) < best && !self.seen.contains(one))
            .filter(|one| one.without.is_empty() || text(one) != best_text)
            .take(self.left)
            .collect();
        let fresh: Vec<Session> = fresh.into_iter().collect();
        for round in fresh.chunks(ROUND) {
            self.left -= round.len();
            self.seen.extend(round.iter().cloned());
            let found = (self.judge)(round.to_vec()).await;
            if let Some(first) = found.into_iter().position(|found| found) {
                self.best = round[first].clone();
                return true;
            }
        }
        false
    }

    /// Leaves moves out.
    async fn drop_moves(&mut self) {
        let length = |session: &Session| session.moves.len();
        self.drop_pieces(length, |session, piece| drop(session.moves.drain(piece)))
            .await;
    }

    /// Leaves out the contributions of whole moves; exchanges, replies, the keys of replies other than their content, and the files before
    /// and after; then exchanges with the replies of the model that each is for; then the checks in between.
    async fn drop_parts(&mut self) {
        let moves = self.table.parts(&self.best);
        let wholes: Vec<Vec<Part>> = moves.iter().map(MoveParts::in_order).collect();
        self.drop_each(&wholes).await;
        let singles = moves.iter().flat_map(|one| {
            let extras = one.replies.clone().map(Part::Extras);
            extras.chain(one.in_order())
        });
        let singles = singles.chain([Part::Files, Part::FilesAfter]);
        let singles: Vec<Vec<Part>> = singles.map(|part| vec![part]).collect();
        let groups: Vec<Vec<Part>> = moves.iter().flat_map(MoveParts::ranges).collect();
        let checks = self.table.earlier_checks(&self.best).into_iter();
        let checks: Vec<Vec<Part>> = checks.map(|one| vec![one]).collect();
        loop {
            let before = self.best.clone();
            self.drop_each(&singles).await;
            while self.take_first(self.without_one_of(&groups)).await {}
            self.drop_each(&checks).await;
            if self.best == before || self.left == 0 {
                break;
            }
        }
    }

    /// The session without one of these groups of parts, those at the end first.
    fn without_one_of(&self, groups: &[Vec<Part>]) -> Vec<Session> {
        let smaller = groups.iter().rev().map(|parts| {
            let mut smaller = self.best.clone();
            smaller.without.extend(parts);
            smaller
        });
        smaller.collect()
    }

    /// Leaves groups of parts out.
    async fn drop_each(&mut self, groups: &[Vec<Part>]) {
        let leave_out = |session: &mut Session, piece: Range<usize>| {
            session.without.extend(groups[piece].iter().flatten());
        };
        self.drop_pieces(|_| groups.len(), leave_out).await;
    }

    /// Leaves pieces out: halves first, then smaller pieces, then single parts. Those at the end are seldom needed: the session often ends
    /// soon after the finding.
    async fn drop_pieces(
        &mut self,
        length: impl Fn(&Session) -> usize,
        leave_out: impl Fn(&mut Session, Range<usize>),
    ) {
        let mut piece = length(&self.best).div_ceil(2);
        while piece > 0 {
            let length = length(&self.best);
            let pieces = (0..=length.saturating_sub(piece)).rev().map(|begin| {
                let mut smaller = self.best.clone();
                leave_out(&mut smaller, begin..length.min(begin + piece));
                smaller
            });
            if !self.take_first(pieces.collect()).await {
                piece /= 2;
            }
        }
    }

    async fn plainer_start(&mut self) {
        let starts = self.table.starts.iter();
        let earlier = starts.take_while(|(name, _)| **name != self.best.start.name);
        let plainer = earlier.map(|(name, one)| Session {
            start: self.table.tame(name, one),
            ..self.best.clone()
        });
        self.take_first(plainer.collect()).await;
    }

    /// Takes the simplest data: everywhere, else one after the other, each as simple as possible.
    async fn tamer_data(&mut self) {
        let table = self.table;
        let mut tame = self.best.clone();
        for (planned, one) in moves_of(table, &mut tame) {
            *planned = table.tame(&planned.name, one);
        }
        if self.take_first(vec![tame]).await {
            return;
        }
        for at in 0..=self.best.moves.len() {
            let draws = |session: &Session| {
                let planned = session.moves.get(at.wrapping_sub(1));
                planned.unwrap_or(&session.start).data.len()
            };
            for draw in 0..draws(&self.best) {
                let mut tamer = Vec::new();
                let mut whole = self.best.clone();
                let planned = moves_of(table, &mut whole).nth(at);
                let Some((planned, one)) = planned else {
                    continue;
                };
                let drawn = planned.data[draw].clone();
                let Some(pools) = one.draws.get(&drawn.name) else {
                    continue;
                };
                let before = table
                    .choices(pools)
                    .map(|(pool, index, _)| (pool.clone(), index));
                let before =
                    before.take_while(|(pool, index)| (pool, *index) != (&drawn.pool, drawn.index));
                for (pool, index) in before {
                    let mut candidate = self.best.clone();
                    if let Some((planned, _)) = moves_of(table, &mut candidate).nth(at) {
                        (planned.data[draw].pool, planned.data[draw].index) = (pool, index);
                    }
                    tamer.push(candidate);
                }
                self.take_first(tamer).await;
            }
        }
    }
}

impl MoveParts {
    /// Pairs the exchanges with the replies that they are for, as far as that is known.
    fn in_order(&self) -> Vec<Part> {
        let (exchanges, replies) = (self.exchanges.clone(), self.replies.clone());
        let (sent, got) = (exchanges.clone().count(), replies.clone().count());
        let sent_at = (0..).map(|n| (2 * n + 1) * got);
        let got_at = (0..).map(|n| (2 * n + 1) * sent);
        let exchanges = sent_at.zip(exchanges.map(Part::Exchange));
        let replies = got_at.zip(replies.map(Part::Reply));
        let mut parts: Vec<(usize, Part)> = exchanges.chain(replies).collect();
        parts.sort_by_key(|(at, _)| *at);
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Some consecutive exchanges, with some consecutive replies.
    fn ranges(&self) -> Vec<Vec<Part>> {
        let replies = ranges_of(&self.replies, REPLIES);
        let groups = ranges_of(&self.exchanges, EXCHANGES).flat_map(|exchanges| {
            replies.clone().map(move |replies| {
                let exchanges = exchanges.clone().map(Part::Exchange);
                exchanges.chain(replies.map(Part::Reply)).collect()
            })
        });
        groups.collect()
    }
}

/// The ranges in a range with at most so many numbers.
fn ranges_of(
    all: &RangeInclusive<usize>,
    most: usize,
) -> impl Iterator<Item = RangeInclusive<usize>> + Clone + use<> {
    let last = *all.end();
    all.clone()
        .flat_map(move |first| (first..=last.min(first + most - 1)).map(move |to| first..=to))
}

/// The start and the moves of a session, each with its definition.
fn moves_of<'s>(
    table: &'s MoveTable,
    session: &'s mut Session,
) -> impl Iterator<Item = (&'s mut super::walk::PlannedMove, &'s super::moves::Move)> {
    let start = table.starts.get(&session.start.name);
    let start = start.map(|one| (&mut session.start, one));
    let moves = session.moves.iter_mut();
    let moves = moves.filter_map(|planned| Some((table.moves.get(&planned.name)?, planned)));
    start
        .into_iter()
        .chain(moves.map(|(one, planned)| (planned, one)))
}

/// The size of a session: its moves, its start, how complex its data are, then the parts that are left out.
fn size(
    table: &MoveTable,
    session: &Session,
) -> (usize, Option<usize>, usize, usize, Reverse<usize>) {
    let all = || session.moves.iter().chain([&session.start]);
    let wild = || all().flat_map(|one| &one.data);
    (
        session.moves.len(),
        table.starts.get_index_of(&session.start.name),
        wild().filter(|drawn| drawn.index > 0).count(),
        wild().map(|drawn| drawn.index).sum(),
        Reverse(session.without.len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Drawn, PlannedMove, Walker};
    use spanned_yaml::load_yaml;

    const MOVES: &str = "
moments: { rest: {}, busy: {} }
starts: { plain: {}, special: {} }
moves:
  say: { from: rest, draw: { what: text } }
  begin: { from: rest, to: busy }
  end: { from: busy, to: rest }
  wait: { from: busy }
  ask: { from: rest, model: [{ text: one }, { expect_request: { contains: two }, text: two, usage: { input: 1 } }], files: { b.txt: y }, files_after: { a.txt: x }, steps: [{ send: { say: 1 } }, { expect: { heard: 1 } }, { send: { say: 2 } }, { expect: { hint: 2 } }, { expect: { heard: 2 } }] }
";

    fn table() -> MoveTable {
        MoveTable::merge(&[load_yaml("explore.yaml", MOVES).unwrap()]).unwrap()
    }

    /// The names of the moves of a session.
    fn names(session: &Session) -> Vec<&str> {
        session.moves.iter().map(|one| one.name.as_str()).collect()
    }

    fn classes<'t>(table: &'t MoveTable, planned: &PlannedMove) -> Vec<&'t str> {
        let class = |drawn: &Drawn| table.pools[&drawn.pool][drawn.index].class.as_str();
        planned.data.iter().map(class).collect()
    }

    /// The smallest session that a judge still finds wrong, from a long one that has everything.
    async fn shrunk(table: &MoveTable, is_wrong: impl Fn(&Session) -> bool) -> Session {
        let mut walker = Walker::new(table, 1);
        let session = walker.find(|session| session.start.name == "special" && is_wrong(session));
        let judge = async |sessions: Vec<Session>| sessions.iter().map(&is_wrong).collect();
        shrink(table, session.unwrap(), 500, judge).await
    }

    #[tokio::test]
    async fn only_the_moves_that_the_finding_needs_are_left() {
        let table = table();
        let waits = |session: &Session| names(session).contains(&"wait");
        let session = shrunk(&table, waits).await;
        assert_eq!(names(&session), ["begin", "wait", "end"]);
        assert_eq!(session.start.name, "plain");
    }

    #[tokio::test]
    async fn data_are_as_tame_as_the_finding_allows() {
        let table = table();
        let says = |planned: &PlannedMove| classes(&table, planned) == ["lines"];
        let session = shrunk(&table, |session| session.moves.iter().any(says)).await;
        assert_eq!(names(&session), ["say"]);
        assert_eq!(classes(&table, &session.moves[0]), ["lines"]);
    }

    #[tokio::test]
    async fn only_the_exchanges_that_the_finding_needs_are_left_with_their_replies() {
        let table = table();
        let text = |session: &Session| table.text(session, "t", &[]);
        let is_wrong = |session: &Session| {
            let text = text(session);
            let [said, two, first, one] =
                ["say: 2", "text: two", "say: 1", "text: one"].map(|part| text.contains(part));
            said && two && first == one
        };
        let expected = "name: t\nmodel:\n  - text: two\nsteps:\n  - send: { say: 2 }\n  - expect: { heard: 2 }\n";
        assert_eq!(text(&shrunk(&table, is_wrong).await), expected);
    }

    #[tokio::test]
    async fn no_more_sessions_are_judged_than_allowed() {
        let table = table();
        let long = Walker::new(&table, 1)
            .take(9)
            .max_by_key(|one| one.moves.len())
            .unwrap();
        let mut judged = 0;
        let judge = async |sessions: Vec<Session>| {
            judged += sessions.len();
            vec![false; sessions.len()]
        };
        assert_eq!(shrink(&table, long.clone(), 5, judge).await, long);
        assert_eq!(judged, 5);
    }
}
