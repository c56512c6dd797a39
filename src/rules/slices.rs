//! The slices of a history that a rule has met, by key, in bounded memory.

use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The most slices a rule remembers. The oldest is forgotten first.
pub const MAX_SLICES: usize = 65_536;

/// The key of a slice. Its hash is worked out once: many rules slice the history in the same way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SliceKey {
    hash: u64,
    text: Arc<str>,
}

impl SliceKey {
    /// The key of this text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        SliceKey {
            hash: hasher.finish(),
            text: text.into(),
        }
    }

    /// As people read it: `msg_id m1`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Hash for SliceKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Takes the hash that a [`SliceKey`] holds as it is.
#[derive(Debug, Clone, Copy, Default)]
struct PrecomputedHash(u64);

impl Hasher for PrecomputedHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Something per slice.
#[derive(Debug, Clone)]
pub struct Slices<T> {
    map: HashMap<SliceKey, T, BuildHasherDefault<PrecomputedHash>>,
    order: VecDeque<SliceKey>,
}

impl<T> Default for Slices<T> {
    fn default() -> Self {
        Slices {
            map: HashMap::default(),
            order: VecDeque::new(),
        }
    }
}

impl<T> Slices<T> {
    /// The entry of a key, made if it is new.
    pub fn entry(&mut self, key: &SliceKey, make: impl FnOnce() -> T) -> &mut T {
        if self.map.len() == MAX_SLICES && !self.map.contains_key(key) {
            self.forget_oldest();
        }
        if self.order.len() > 2 * MAX_SLICES {
            let map = &self.map;
            self.order.retain(|k| map.contains_key(k));
        }
        match self.map.entry(key.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                self.order.push_back(key.clone());
                entry.insert(make())
            }
        }
    }

    fn forget_oldest(&mut self) {
        while let Some(oldest) = self.order.pop_front() {
            if self.map.remove(&oldest).is_some() {
                break;
            }
        }
    }

    /// The entry of a key.
    #[must_use]
    pub fn get(&self, key: &SliceKey) -> Option<&T> {
        self.map.get(key)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, key: &SliceKey) -> Option<T> {
        self.map.remove(key)
    }

    /// Takes every entry out, oldest first.
    pub fn drain(&mut self) -> Vec<(SliceKey, T)> {
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

    fn key(n: usize) -> SliceKey {
        SliceKey::new(&n.to_string())
    }

    #[test]
    fn the_oldest_slice_is_forgotten_first() {
        let mut slices = Slices::default();
        for n in 0..=MAX_SLICES {
            *slices.entry(&key(n), || 0) += 1;
        }
        assert!(slices.get(&key(0)).is_none());
        assert!(slices.get(&key(1)).is_some());
        assert_eq!(slices.drain().len(), MAX_SLICES);
    }
}
