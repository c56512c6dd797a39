//! Generated ids and signatures, derived from a seed: the same bytes in every run.

/// The letters of an id.
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The time of the model's first message, in seconds since 1970 (1 January 2026). No clock is read.
pub(crate) const EPOCH: u64 = 1_767_225_600;

/// A pseudo-random number generator (splitmix64).
#[derive(Debug)]
pub(crate) struct RandomBits(u64);

impl RandomBits {
    /// A generator for a seed and a position in the script.
    pub(crate) fn new(seed: u64, position: &str) -> Self {
        RandomBits(hash(seed, position))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// A hash (FNV-1a).
fn hash(seed: u64, text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325 ^ seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        })
}

/// An id: the prefix and `length` letters, derived from the seed and the position.
pub(crate) fn id(prefix: &str, length: usize, seed: u64, position: &str) -> String {
    let mut bits =
        RandomBits(hash(seed, prefix) ^ hash(seed.rotate_left(32), position).rotate_left(17));
    let mut id = String::with_capacity(prefix.len() + length);
    id.push_str(prefix);
    id.extend((0..length).map(|_| char::from(LETTERS[(bits.next() % 62) as usize])));
    id
}

/// The signature of a thinking text. It depends on the text alone, so that it is valid in every session.
pub(crate) fn signature(thinking: &str) -> String {
    id("Eo", 86, 0, thinking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_depends_on_seed_prefix_and_position() {
        let base = id("msg_01", 22, 1, "0");

        assert_eq!(base, id("msg_01", 22, 1, "0"));
        assert_eq!(base.len(), 28);
        for other in [
            id("msg_01", 22, 2, "0"),
            id("msg_01", 22, 1, "1"),
            id("toolu_", 22, 1, "0"),
        ] {
            assert_ne!(base, other);
        }
    }
}
