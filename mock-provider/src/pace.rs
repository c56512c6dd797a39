//! Pace: the pauses of a reply that streams as fast as a person reads, or a multiple of it. The pauses depend on the text and the seed
//! alone.

use std::str::FromStr;
use std::time::Duration;

use crate::answer::Chunk;
use crate::ids::RandomBits;

/// How fast a reply is streamed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pace {
    /// The speed as a multiple of a person's; none for no pauses.
    speed: Option<f64>,
}

/// The time in which a person reads one character, at about 300 words a minute.
const CHARACTER: Duration = Duration::from_millis(35);

/// The pause before a reply and before each of its blocks.
const BLOCK: Duration = Duration::from_millis(400);

/// The longest pause before one delta.
const LONGEST: Duration = Duration::from_secs(2);

/// The highest speed. Above it, pauses are shorter than what a timer can wait.
const MAX_SPEED: f64 = 10_000.0;

impl Pace {
    /// Without pauses.
    pub const NONE: Pace = Pace { speed: None };
    /// The speed of a person who reads.
    pub const HUMAN: Pace = Pace { speed: Some(1.0) };

    /// The pauses of the reply at a position in the script.
    #[must_use]
    pub fn pauses(self, seed: u64, path: &str) -> Pauses {
        Pauses {
            speed: self.speed,
            bits: RandomBits::new(seed, path),
        }
    }
}

impl FromStr for Pace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => return Ok(Pace::NONE),
            "human" => return Ok(Pace::HUMAN),
            _ => {}
        }
        let speed = text
            .parse()
            .ok()
            .filter(|speed| (1.0 / MAX_SPEED..=MAX_SPEED).contains(speed));
        match speed {
            Some(speed) => Ok(Pace { speed: Some(speed) }),
            None => Err(format!(
                "{text:?} is not a pace: none, human, or a multiple of it such as 4 or 0.5"
            )),
        }
    }
}

/// The pauses of one reply.
#[derive(Debug)]
pub struct Pauses {
    speed: Option<f64>,
    bits: RandomBits,
}

impl Pauses {
    /// The pause before a chunk, if there is one.
    pub fn before(&mut self, chunk: &Chunk) -> Option<Duration> {
        let speed = self.speed?;
        let average = match chunk {
            Chunk::Start { .. } => BLOCK,
            Chunk::Text { text, .. }
            | Chunk::Thinking { text, .. }
            | Chunk::Args { fragment: text, .. } => reading(text),
            _ => return None,
        };
        // Between half and one and a half of the average.
        let jitter = 0.5 + (self.bits.next() >> 11) as f64 / (1_u64 << 53) as f64;
        Some(average.mul_f64(jitter / speed))
    }
}

fn reading(text: &str) -> Duration {
    let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    CHARACTER.saturating_mul(characters).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(pace: &str, seed: u64) -> Vec<Duration> {
        let mut pauses = pace.parse::<Pace>().unwrap().pauses(seed, "0");
        let texts = ["a word ", "another ", &"long ".repeat(1000)].map(str::to_owned);
        let chunks = texts.map(|text| Chunk::Text { index: 0, text });
        let before = chunks.iter().filter_map(|chunk| pauses.before(chunk));
        before.collect()
    }

    #[test]
    fn pauses_depend_on_the_text_the_seed_and_the_speed() {
        assert_eq!(pauses("none", 0), []);
        let human = pauses("human", 0);
        assert_eq!(human, pauses("1", 0));
        assert_ne!(human, pauses("human", 1));
        assert!(human.iter().all(|pause| *pause <= LONGEST.mul_f64(1.5)));
        let fast: Vec<_> = pauses("4", 0).iter().map(|pause| *pause * 4).collect();
        for (fast, human) in fast.iter().zip(&human) {
            assert!(fast.abs_diff(*human) < Duration::from_micros(1));
        }
    }

    #[test]
    fn a_pace_is_a_word_or_a_positive_number() {
        for wrong in ["", "fast", "0", "-1", "NaN", "inf", "1e9"] {
            assert!(wrong.parse::<Pace>().is_err(), "{wrong}");
        }
    }
}
