//! Data that all checks of a dialect share: it depends on the dialect alone, and is computed once.

use super::line_classifier::LineClassifier;
use crate::dialect::Dialect;
use crate::rules::history_state::TouchedDeclarations;
use crate::rules::rule::Rule;
use crate::rules::slices::PrecomputedHash;
use crate::rules::symbol::FrameSymbols;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, PoisonError, RwLock};

/// The tables of a dialect.
#[derive(Debug)]
pub(crate) struct CheckTables {
    /// The classifier of events.
    pub(super) events: LineClassifier,
    /// The classifier of commands.
    pub(super) commands: LineClassifier,
    /// For each rule, the first rule that slices the history in the same way.
    pub(super) same_slices: Vec<usize>,
    /// The rules that slice by each scope.
    pub(super) by_scope: Vec<Vec<usize>>,
    routes: RwLock<Routes>,
}

/// The parts of the state that frames of one kind can affect.
#[derive(Debug)]
pub(super) struct Route {
    /// The rules that must see the frame, ascending.
    pub(super) rules: Vec<usize>,
    /// The variables, scopes and acknowledgements.
    pub(super) declarations: TouchedDeclarations,
}

/// The route of every kind of frame that came so far. It follows from the symbols of a frame, of which a dialect has few combinations.
pub(super) type Routes = HashMap<u64, Arc<Route>, BuildHasherDefault<PrecomputedHash>>;

impl CheckTables {
    /// The tables of a dialect.
    pub(crate) fn new(dialect: &Dialect) -> Self {
        let rules = &dialect.rules;
        let slices_alike = |rule: &Rule| {
            let each = &rule.config.each;
            rules.iter().position(|other| other.config.each == *each)
        };
        let mut by_scope = vec![Vec::new(); dialect.declarations.scopes.len()];
        for (n, rule) in rules.iter().enumerate() {
            for scope in &rule.config.scopes {
                by_scope[*scope].push(n);
            }
        }
        CheckTables {
            events: LineClassifier::new(dialect, false),
            commands: LineClassifier::new(dialect, true),
            same_slices: rules.iter().filter_map(slices_alike).collect(),
            by_scope,
            routes: RwLock::default(),
        }
    }

    /// The route of frames with these symbols.
    pub(super) fn route(&self, dialect: &Dialect, symbols: &FrameSymbols) -> Arc<Route> {
        let routes = self.routes.read();
        let routes = routes.unwrap_or_else(PoisonError::into_inner);
        if let Some(route) = routes.get(&symbols.packed()) {
            return Arc::clone(route);
        }
        drop(routes);
        let rules = dialect.rules.iter().enumerate();
        let interested = rules.filter(|(_, rule)| rule.symbols().has_any(symbols));
        let route = Arc::new(Route {
            rules: interested.map(|(n, _)| n).collect(),
            declarations: dialect.declarations.touched_by(symbols),
        });
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(routes.entry(symbols.packed()).or_insert(route))
    }
}
