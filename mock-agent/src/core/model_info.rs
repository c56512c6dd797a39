//! The model as the host is told of it.

/// Who the model is, what it costs and how much it holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ModelInfo {
    /// The wire that it is asked over, as dialects call it.
    pub(crate) api: String,
    pub(crate) provider: String,
    pub(crate) model: String,
    /// How many tokens a request may have.
    pub(crate) window: u64,
    pub(crate) rates: Rates,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rates {
    pub(crate) input: f64,
    pub(crate) output: f64,
    pub(crate) cache_read: f64,
    pub(crate) cache_write: f64,
}

/// What a model costs and holds where nobody says otherwise.
pub(crate) const WINDOW: u64 = 200_000;
pub(crate) const RATES: Rates = Rates {
    input: 3.0,
    output: 15.0,
    cache_read: 0.3,
    cache_write: 3.75,
};
