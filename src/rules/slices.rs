//! The slices of a history that a rule has met, by key, in bounded memory.

use std::collections::{HashMap, VecDeque};

/// The most slices a rule remembers. The oldest is forgotten first.
pub const MAX_SLICES: usize = 65_536;

/// Something per slice.
#[derive(Debug, Clone)]
pub struct Slices<T> {
    map: HashMap<String, T>,
    order: VecDeque<String>,
}

impl<T> Default for Slices<T> {
    fn default() -> Self {
        Slices {
            map: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<T> Slices<T> {
    /// The entry of a key, made if it is new.
    pub fn entry(&mut self, key: &str, make: impl FnOnce() -> T) -> &mut T {
        if !self.map.contains_key(key) {
            if self.map.len() == MAX_SLICES {
                while let Some(oldest) = self.order.pop_front() {
                    if self.map.remove(&oldest).is_some() {
                        break;
                    }
                }
            }
            self.order.push_back(key.to_owned());
            if self.order.len() > 2 * MAX_SLICES {
                let map = &self.map;
                self.order.retain(|k| map.contains_key(k));
            }
        }
        self.map.entry(key.to_owned()).or_insert_with(make)
    }

    /// The entry of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&T> {
        self.map.get(key)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, key: &str) -> Option<T> {
        self.map.remove(key)
    }

    /// Takes every entry out, oldest first.
    pub fn drain(&mut self) -> Vec<(String, T)> {
        let mut all = Vec::with_capacity(self.map.len());
        for key in std::mem::take(&mut self.order) {
            if let Some(value) = self.map.remove(&key) {
                all.push((key, value));
            }
        }
        all
    }

    /// Every entry, in no order.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.map.values_mut()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_slice_is_forgotten_first() {
        let mut slices = Slices::default();
        for n in 0..=MAX_SLICES {
            *slices.entry(&n.to_string(), || 0) += 1;
        }
        assert!(slices.get("0").is_none());
        assert!(slices.get("1").is_some());
        assert_eq!(slices.drain().len(), MAX_SLICES);
    }
}
