//! Exit statuses. An orderly end is 0.

/// The agent could not start.
pub(super) const FATAL: u8 = 1;
