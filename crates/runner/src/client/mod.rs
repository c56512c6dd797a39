//! What the client of a scenario does for an agent: reads and writes files, runs processes, fills in forms.

pub(crate) mod files;
pub(crate) mod form;
pub(crate) mod terminal;
