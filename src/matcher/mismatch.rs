//! Where a value is not what was wanted.

use super::pointer::Pointer;
use serde_json::Value;
use std::fmt;

/// One place where a value is not what was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON Pointer into the value; empty for the whole of it.
    pub pointer: String,
    /// What was wanted there.
    pub expected: String,
    /// What is there.
    pub actual: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() {
            "the whole"
        } else {
            &self.pointer
        };
        write!(
            f,
            "{place}: expected {}, got {}",
            self.expected, self.actual
        )
    }
}

/// Mismatches as they are found, up to a number.
#[derive(Debug)]
pub(super) struct Differences {
    list: Vec<Mismatch>,
    most: usize,
}

impl Differences {
    pub(super) fn at_most(most: usize) -> Self {
        Differences {
            list: Vec::new(),
            most,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= self.most
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn push(&mut self, pointer: &Pointer<'_>, expected: String, actual: Option<&Value>) {
        if !self.is_full() {
            let actual = super::words::shown(actual);
            self.list.push(Mismatch {
                pointer: pointer.to_string(),
                expected,
                actual,
            });
        }
    }

    pub(super) fn into_list(self) -> Vec<Mismatch> {
        self.list
    }
}
