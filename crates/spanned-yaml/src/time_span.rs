//! Durations with a unit, such as `20ms`.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A length of time: `20ms`, `1.5s`, `2m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan(pub Duration);

/// The units with their length in seconds. `us` and `ms` come before `s`, which they end with.
const UNITS: [(&str, f64); 5] = [
    ("us", 0.000_001),
    ("ms", 0.001),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
];

/// The longest duration accepted, in seconds.
const MAX_SECONDS: f64 = 24.0 * 3600.0;

impl std::str::FromStr for TimeSpan {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let (digits, unit) = UNITS
            .iter()
            .find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))
            .ok_or(())?;
        let plain = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        let seconds = digits.parse::<f64>().map_err(|_| ())? * unit;
        if plain && seconds <= MAX_SECONDS {
            Ok(TimeSpan(Duration::from_secs_f64(seconds)))
        } else {
            Err(())
        }
    }
}

impl Serialize for TimeSpan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}ms", self.0.as_secs_f64() * 1000.0))
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = TimeSpan;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a duration with its unit, such as `20ms`, `1.5s` or `2m` (at most 24h)",
                )
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<TimeSpan, E> {
                text.parse()
                    .map_err(|()| E::invalid_value(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for TimeSpan {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A length of time with its unit: `20ms`, `1.5s`, `2m`.", "type": "string", "pattern": r"^[0-9][0-9.]*(us|ms|s|m|h)$" })
    }
}
