//! The model as the host is told of it.

/// Who the model is, what it costs and how much it holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Card {
    /// The wire that it is asked over, as dialects call it.
    pub(super) api: String,
    pub(super) provider: String,
    pub(super) model: String,
    /// How many tokens a request may have.
    pub(super) window: u64,
    pub(super) rates: Rates,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Rates {
    pub(super) input: f64,
    pub(super) output: f64,
    pub(super) cache_read: f64,
    pub(super) cache_write: f64,
}

/// What a model costs and holds where nobody says otherwise.
pub(super) const WINDOW: u64 = 200_000;
pub(super) const RATES: Rates = Rates {
    input: 3.0,
    output: 15.0,
    cache_read: 0.3,
    cache_write: 3.75,
};
