//! The sessions of a seed: spliced ones and walks in turn.

use super::moves::MoveTable;
use super::splice::Splicer;
use super::walk::{Session, Walker};
use crate::scenario::Scenario;
use conform_judge::dialect::Dialect;
use spanned_yaml::Error;

/// The moves of the sessions of a dialect.
#[derive(Debug, Clone)]
pub struct SessionTables {
    /// The moves of walks.
    pub walked: MoveTable,
    /// The scenarios that are spliced; `None` if the dialect has none.
    pub spliced: Option<MoveTable>,
}

/// Makes the sessions of a seed, always the same ones in the same order.
#[derive(Debug)]
pub struct SessionMaker<'t> {
    /// The walks so far.
    pub walker: Walker<'t>,
    /// The spliced sessions so far.
    pub splicer: Option<Splicer<'t>>,
    is_spliced_next: bool,
}

impl SessionTables {
    /// The table of a session.
    #[must_use]
    pub fn of(&self, session: &Session) -> &MoveTable {
        let spliced = self.spliced.as_ref().filter(|_| session.is_spliced);
        spliced.unwrap_or(&self.walked)
    }

    /// The sessions of a seed.
    #[must_use]
    pub fn sessions(&self, seed: u64) -> SessionMaker<'_> {
        SessionMaker {
            walker: Walker::new(&self.walked, seed),
            splicer: self.spliced.as_ref().map(|table| Splicer::new(table, seed)),
            is_spliced_next: true,
        }
    }

    /// The scenario of a session, loaded, with this id.
    ///
    /// # Errors
    /// The mistakes in it, with their places in its text.
    pub fn scenario(
        &self,
        session: &Session,
        id: &str,
        dialect: &Dialect,
    ) -> Result<Scenario, Vec<Error>> {
        self.of(session).scenario(session, id, dialect)
    }
}

impl Iterator for SessionMaker<'_> {
    type Item = Session;

    fn next(&mut self) -> Option<Session> {
        let is_spliced = self.is_spliced_next;
        self.is_spliced_next = !is_spliced;
        match &mut self.splicer {
            Some(splicer) if is_spliced => splicer.next(),
            _ => self.walker.next(),
        }
    }
}
