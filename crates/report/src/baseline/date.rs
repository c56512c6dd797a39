//! Calendar dates for the `expires` member of baseline entries.

use chrono::{DateTime, NaiveDate};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A calendar date: `2026-12-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Date(NaiveDate);

impl Date {
    /// The date in UTC, from seconds since the start of 1970.
    #[must_use]
    pub fn of_unix(seconds: u64) -> Self {
        let seconds = i64::try_from(seconds).unwrap_or_default();
        let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        Date(time.date_naive())
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

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let date = text.parse().map(Date).ok();
        // Years and days without leading zeros are refused.
        date.filter(|date| date.to_string() == text)
            .ok_or_else(|| format!("expected a date such as 2026-12-31, found `{text}`"))
    }
}

impl TryFrom<String> for Date {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
