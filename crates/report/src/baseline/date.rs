//! Calendar dates for the `expires` member of baseline entries.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A calendar date: `2026-12-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The date in UTC, from seconds since the start of 1970.
    #[must_use]
    pub fn of_unix(seconds: u64) -> Self {
        let mut days = seconds / 86_400;
        let mut year = 1970;
        while days >= days_of_year(year) {
            days -= days_of_year(year);
            year += 1;
        }
        let mut month = 1;
        while days >= u64::from(days_of_month(year, month)) {
            days -= u64::from(days_of_month(year, month));
            month += 1;
        }
        Date {
            year,
            month,
            day: u8::try_from(days + 1).unwrap_or(31),
        }
    }
}

impl JsonSchema for Date {
    fn schema_name() -> Cow<'static, str> {
        "Date".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A date such as 2026-12-31.", "type": "string", "format": "date" })
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u16) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_of_month(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a date such as 2026-12-31, found `{text}`");
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts[..] else {
            return Err(wrong());
        };
        let date = Date {
            year: year.parse().map_err(|_| wrong())?,
            month: month.parse().map_err(|_| wrong())?,
            day: day.parse().map_err(|_| wrong())?,
        };
        let real = year.len() == 4
            && (1..=12).contains(&date.month)
            && (1..=days_of_month(date.year, date.month)).contains(&date.day);
        if real { Ok(date) } else { Err(wrong()) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(Date::of_unix(0).to_string(), "1970-01-01");
        assert_eq!(Date::of_unix(951_782_400).to_string(), "2000-02-29");
        assert_eq!(Date::of_unix(1_795_219_200).to_string(), "2026-11-21");
    }

    #[test]
    fn invalid_dates_are_refused() {
        for bad in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "26-01-01",
            "2026-1-x",
        ] {
            assert!(bad.parse::<Date>().is_err(), "{bad}");
        }
        assert!("2026-11-21".parse::<Date>().unwrap() < "2026-12-01".parse().unwrap());
    }
}
