//! Slices of a history by key, such as one turn or one call, in bounded memory (parametric trace slicing).

use crate::finding::{Part, SliceValue};
use foldhash::fast::FixedState;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

/// The most slices a rule remembers. The oldest is forgotten first.
pub const MAX_SLICES: usize = 65_536;

/// The separator between the name and the value in the text of a key, and the one after each value.
const BETWEEN: char = '\u{1f}';
const END: char = '\u{1e}';
/// Stands before a value that is not a string: the ids `1` and `"1"` are different ones.
const NO_STRING: char = '\u{1d}';

/// The key of a slice. Its hash is computed once, because many rules slice the history in the same way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SliceKey {
    hash: u64,
    text: Arc<str>,
}

impl SliceKey {
    /// The key of this text.
    pub fn new(text: &str) -> Self {
        SliceKey {
            hash: FixedState::default().hash_one(text),
            text: text.into(),
        }
    }

    /// The text that it was made of.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The values that name the slice, as they were [written](SliceKey::write).
    pub fn part(&self) -> Part {
        let values = self.text.split_terminator(END).map(|one| {
            let (name, value) = one.split_once(BETWEEN).unwrap_or((one, ""));
            let value = value.strip_prefix(NO_STRING).unwrap_or(value);
            let (name, value) = (name.to_owned(), value.to_owned());
            SliceValue { name, value }
        });
        match values.collect::<Vec<_>>() {
            values if values.is_empty() => Part::Whole,
            values => Part::Slice(values),
        }
    }

    /// Adds a value to the text of a key.
    pub fn write(text: &mut String, name: &str, value: &str) {
        text.push_str(name);
        text.push(BETWEEN);
        text.push_str(value);
        text.push(END);
    }

    /// The same for a value that is not a string.
    pub fn write_json(text: &mut String, name: &str, value: &Value) {
        SliceKey::write(text, name, &format!("{NO_STRING}{value}"));
    }
}

impl Hash for SliceKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// A hasher for keys that are hashed already: it takes their hash as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrecomputedHash(u64);

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

/// A value for each slice. Beyond [`MAX_SLICES`] the oldest slice is forgotten.
#[derive(Debug, Clone)]
pub struct Slices<T> {
    places: HashMap<SliceKey, usize, BuildHasherDefault<PrecomputedHash>>,
    values: Vec<Option<T>>,
    free: Vec<usize>,
    /// The keys by age. A key that was removed may still be here.
    order: VecDeque<SliceKey>,
    /// The last slice that was looked up, to which the next frame mostly belongs too.
    newest: Option<(SliceKey, usize)>,
}

impl<T> Default for Slices<T> {
    fn default() -> Self {
        Slices {
            places: HashMap::default(),
            values: Vec::new(),
            free: Vec::new(),
            order: VecDeque::new(),
            newest: None,
        }
    }
}

impl<T> Slices<T> {
    /// The value of a slice, made if the slice is new.
    pub fn entry(&mut self, key: &SliceKey, make: impl FnOnce() -> T) -> &mut T {
        let place = self.place(key).unwrap_or_else(|| self.add(key));
        if self.newest.as_ref().is_none_or(|(newest, _)| newest != key) {
            self.newest = Some((key.clone(), place));
        }
        self.values[place].get_or_insert_with(make)
    }

    fn place(&self, key: &SliceKey) -> Option<usize> {
        match &self.newest {
            Some((newest, place)) if newest == key => Some(*place),
            _ => self.places.get(key).copied(),
        }
    }

    /// A place for a new slice.
    fn add(&mut self, key: &SliceKey) -> usize {
        if self.places.len() == MAX_SLICES {
            self.forget_oldest();
        }
        if self.order.len() > 2 * MAX_SLICES {
            let places = &self.places;
            self.order.retain(|key| places.contains_key(key));
        }
        self.order.push_back(key.clone());
        let place = self.free.pop().unwrap_or_else(|| {
            self.values.push(None);
            self.values.len() - 1
        });
        self.places.insert(key.clone(), place);
        place
    }

    fn forget_oldest(&mut self) {
        while let Some(oldest) = self.order.pop_front() {
            if self.remove(&oldest).is_some() {
                break;
            }
        }
    }

    /// The value of a slice.
    pub fn get(&self, key: &SliceKey) -> Option<&T> {
        self.values[self.place(key)?].as_ref()
    }

    /// The value of a slice.
    pub fn get_mut(&mut self, key: &SliceKey) -> Option<&mut T> {
        let place = self.place(key)?;
        self.values[place].as_mut()
    }

    /// Takes the value of a slice out.
    pub fn remove(&mut self, key: &SliceKey) -> Option<T> {
        let place = self.places.remove(key)?;
        self.newest.take_if(|(newest, _)| newest == key);
        self.free.push(place);
        self.values[place].take()
    }

    /// Takes every value out, oldest first.
    pub fn drain(&mut self) -> Vec<(SliceKey, T)> {
        let mut all = Vec::with_capacity(self.places.len());
        for key in std::mem::take(&mut self.order) {
            if let Some(value) = self.remove(&key) {
                all.push((key, value));
            }
        }
        all
    }

    /// Every value, in no order.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().flatten()
    }

    /// Every value, in no order.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut().flatten()
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
