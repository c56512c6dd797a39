//! Dispatch by event kind: which monitors, and which parts of the history state, a frame can touch.

use super::monitors::Monitors;
use crate::dialect::Dialect;
use crate::rules::history_state::TouchedDeclarations;
use crate::rules::slices::PrecomputedHash;
use crate::rules::symbol::FrameSymbols;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// What the frames of one kind can touch.
#[derive(Debug)]
pub(super) struct Route {
    /// The rules whose monitors must see the frame, ascending.
    pub(super) monitors: Vec<usize>,
    /// The variables, scopes and acknowledgements.
    pub(super) declarations: TouchedDeclarations,
}

/// The route of every kind of frame that came so far. It follows from the symbols of a frame, of which a dialect has few combinations.
#[derive(Debug, Default)]
pub(super) struct Dispatcher(HashMap<u64, Route, BuildHasherDefault<PrecomputedHash>>);

impl Dispatcher {
    pub(super) fn route(
        &mut self,
        dialect: &Dialect,
        monitors: &Monitors,
        symbols: &FrameSymbols,
    ) -> &Route {
        self.0.entry(symbols.packed()).or_insert_with(|| Route {
            monitors: monitors.interested_in(&dialect.rules, symbols),
            declarations: dialect.declarations.touched_by(symbols),
        })
    }
}

/// A copy starts empty: it works out its own routes as frames come.
impl Clone for Dispatcher {
    fn clone(&self) -> Self {
        Dispatcher::default()
    }
}
